"""What a library says about a broken file, fit to stand in an error of ours."""

from __future__ import annotations

LONGEST = 200  # characters; libxml2 and expat repeat whole names of elements, which in a broken file may be pages long


def quoted(error: object) -> str:
    """The message as one short line; what cannot be printed stands as an escape."""
    line = " ".join(str(error).split())
    line = "".join(character if character.isprintable() else ascii(character)[1:-1] for character in line)
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
