"""Names and definite descriptions in made conversations and pages, in eight languages, scored against what was meant.

    python -m bench.mentions [--seeds 0-39] [--wrong 20]

Institutions, towns and sentences are drawn at random from small lists, so that what is meant by each name, short form and
description is known. Some sentences say the same nouns of others: of institutions that no file knows, of the museum of another
town, of any museum. A description counts as right where it stands and means what was meant; one that means nothing counts
against the precision where it is taken for an institution.
"""

from __future__ import annotations

import argparse
import random
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pecia.heritage.entity_files import Record
from pecia.heritage.gazetteer import COREFERENCE, gazetteer_from
from pecia.heritage.mentions import Mentions

TOWNS = [
    "Vellmar",
    "Ostrava",
    "Drimmelen",
    "Quintal",
    "Hoogveen",
    "Brakelo",
    "Lunden",
    "Sorvik",
    "Tamere",
    "Ashby",
    "Montrel",
    "Calera",
]
WORDS = ["Linde", "Falk", "Roos", "Merel", "Adler", "Otter", "Kastel", "Sonnen", "Berk", "Mirador", "Aurora", "Halcyon"]
SAID: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@dataclass
class Made:
    """A text, the known institutions, and what each description in it means: (start, end, name or None)."""

    language: str
    text: str = ""
    known: list[Record] = field(default_factory=list)
    meant: list[tuple[int, int, str | None]] = field(default_factory=list)

    def say(self, sentence: str, mark: str = "", words: str = "", means: str | None = None) -> None:
        before, _, after = sentence.partition(mark) if mark else (sentence, "", "")
        if mark == "{D}":
            words = words[0].upper() + words[1:] if not before else words[0].lower() + words[1:]
            start = len(self.text) + len(before)
            self.meant.append((start, start + len(words), means))
        self.text += f"{before}{words}{after} "


def made(language: str, seed: int) -> Made:
    pick = random.Random(f"{language} {seed}")
    page, said = Made(language), SAID[language]
    towns, words = pick.sample(said.get("towns", TOWNS), 6), pick.sample(said.get("words", WORDS), 6)
    kinds = pick.choices("MAL", weights=(5, 4, 2), k=4)
    for number, kind in enumerate(kinds):
        name = pick.choice(said["names"][kind]).format(t=towns[number], w=words[number])
        page.known.append(Record(names=[name], type=kind, settlement=towns[number]))
    named: list[tuple[str, str]] = []
    stranger = False
    for turn in range(pick.randint(8, 16)):
        what = pick.random()
        if what < 0.35 or (not named and what > 0.5):
            record, kind = pick.choice(list(zip(page.known, kinds, strict=True)))
            page.say(pick.choice(said["named"]), "{N}", record.names[0])
            named.append((record.names[0], kind))
        elif what < 0.7:
            kind = pick.choice("MAL")
            means = next((name for name, one in reversed(named) if one == kind), None)
            page.say(pick.choice(said["described"]), "{D}", pick.choice(said["again"][kind]), means)
        elif what < 0.93:
            page.say(pick.choice(said["none"]).format(t=towns[5]))
        elif not stranger:
            sentence, again = pick.choice(said["stranger"])
            page.say(sentence, "{D}", again, None)
            named.append(("a stranger", "M"))
            stranger = True
        if turn % 3 == 2:
            page.text += "\n\n"
    page.meant = [(start, end, None if means == "a stranger" else means) for start, end, means in page.meant]
    return page


def scored(page: Made) -> Iterator[tuple[str, str]]:
    """(outcome, the words around it) of each description."""
    known = {name for record in page.known for name in record.names}
    found = {
        (item.start, item.end): item.entity.name
        for item in Mentions(gazetteer_from(page.known), page.text).found
        if item.kind == COREFERENCE
    }
    for start, end, means in page.meant:
        around = f"{page.text[max(0, start - 60) : start]}[{page.text[start:end]}]{page.text[end : end + 40]}"
        said = found.pop((start, end), None)
        said = said if said in known else None  # what only the text names is no known institution
        if means is None and said is None:
            continue
        outcome = "right" if said == means else "missed" if said is None else "wrong"
        yield outcome, f"{around!r}: {said} for {means}"
    for (start, end), name in found.items():
        if name in known:
            yield (
                "wrong",
                f"{page.text[max(0, start - 60) : start]}[{page.text[start:end]}]{page.text[end : end + 40]!r}: {name} for none",
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0-39")
    parser.add_argument("--wrong", type=int, default=0, help="show so many faults of each language")
    given = parser.parse_args()
    first, _, last = given.seeds.partition("-")
    print("| language | descriptions | precision | recall |\n| --- | ---: | ---: | ---: |")
    for language in SAID:
        counts, faults = Counter[str](), []
        for seed in range(int(first), int(last or first) + 1):
            for outcome, words in scored(made(language, seed)):
                counts[outcome] += 1
                if outcome != "right":
                    faults.append(f"{outcome}: {words}")
        said, meant = counts["right"] + counts["wrong"], counts["right"] + counts["missed"]
        print(f"| {language} | {meant} | {counts['right'] / max(1, said):.3f} | {counts['right'] / max(1, meant):.3f} |")
        for fault in faults[: given.wrong]:
            print("   ", fault)


if __name__ == "__main__":
    main()
