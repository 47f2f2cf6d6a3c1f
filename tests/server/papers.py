"""A small document of the kind that each strategy is for."""

import json
from pathlib import Path

from tests.server.serving import BOOK, GUIDE, PAPER, REPORT

ASKED = "Which archive keeps the ledgers of the ferry company, and since when have they been open to readers of the town?"
ANSWERED = """The ledgers are in the Wael archive at Almkerk. They were opened to readers in 1987, after a flood had closed the
first reading room for eleven years. Volumes from before 1871 are kept in the cellar and are brought on request."""
MESSAGES = (("human", ASKED), ("assistant", ANSWERED), ("human", "Thanks."))
CHAT = [
    {
        "uuid": f"c{number}",
        "name": name,
        "created_at": "2024-05-02T09:00:00Z",
        "chat_messages": [
            {"uuid": f"c{number}-{at}", "sender": sender, "created_at": f"2024-05-02T09:0{at}:00Z", "text": text}
            for at, (sender, text) in enumerate(MESSAGES)
        ],
    }
    for number, name in enumerate(("Ledgers of the ferry", "Ledgers, asked again"))
]
SITE = """<!doctype html><html lang="en"><head><title>Wael Museum</title></head><body><nav><a href="/">Home</a></nav><main>
<h1>Wael Museum</h1><section><h2>Visit</h2><p>The rooms are open from Tuesday to Sunday, from eleven until five o'clock. The last
visitors are let in at half past four.</p><table><tr><th>Ticket</th><th>Price</th></tr><tr><td>Adult</td><td>4.50</td></tr>
<tr><td>Child</td><td>free</td></tr></table></section><section><h2>Collections</h2><p>The core of the holdings is the archive
of the canal company with 1164 items, which came in 1945 from the house of its last clerk.</p></section></main></body></html>"""
HOUSES = (
    ("De Wael", "Almkerk", "AlmW11", 1901),
    ("Oude Sluis", "Heusden", "HeuS24", 1954),
    ("Het Veer", "Woudrichem", "WouV9", 1988),
)
ROWS = "Name;Place;Code;Since\n" + "".join(f'"Museum {name}";{place};NL-{code};{year}\n' for name, place, code, year in HOUSES)
ENTITY = """- id: https://example.org/{2}
  name: Museum {0}
  place:
    settlement: {1}
    country: NL
  founded: {3}
  description: The museum of {1} keeps boats and ledgers.
"""
ENTITIES = "".join(ENTITY.format(*house) for house in HOUSES[:2])

# The strategy, the name's end, and the bytes.
KINDS: dict[str, tuple[str, bytes]] = {
    "token": (".pdf", REPORT.read_bytes()),
    "page": (".pdf", REPORT.read_bytes()),
    "heading": (".md", GUIDE.read_bytes()),
    "question": (".pdf", PAPER.read_bytes()),
    "monograph": (".pdf", BOOK.read_bytes()),
    "conversation": (".json", json.dumps(CHAT).encode()),
    "website": (".html", SITE.encode()),
    "registry": (".csv", ROWS.encode()),
    "entity": (".yaml", ENTITIES.encode()),
}


def paper(folder: Path, strategy: str) -> Path:
    """A file of that kind whose bytes no other test has, since the same bytes are the same document: readers pass over space
    at the end, and over what follows the end of a PDF."""
    suffix, data = KINDS[strategy]
    path = folder / f"browsed-{strategy}{suffix}"
    path.write_bytes(data + (f"\n% {strategy}\n".encode() if suffix == ".pdf" else b"\n\n\n"))
    return path
