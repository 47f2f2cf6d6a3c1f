"""What an export says of each message beside its text, read back from the furniture of a conversation."""

from __future__ import annotations

from collections.abc import Sequence

from pecia.model import Document, LineRange, Pointer


def said_of(document: Document) -> dict[str, dict[str, str]]:
    """By the pointer of a message: `message` (its number), `sender`, `message_uuid` and `message_time`, as far as known."""
    found: dict[str, dict[str, str]] = {}
    of: dict[str, str] = {}
    for item in document.furniture:
        if item.kind == "message":
            of = found[pointer_of(item.locators)] = {}
        if item.kind in {"message", "sender", "message_uuid", "message_time"}:
            of[item.kind] = item.text
    return found


def pointer_of(places: Sequence[object]) -> str:
    """The pointer among places, else what stands for its lines, which `is_pointer` tells apart; NUL, which is none of a message,
    where there is neither."""
    lines = (f"\0{place.line_start}" for place in places if isinstance(place, LineRange))
    return next((place.pointer for place in places if isinstance(place, Pointer)), next(lines, "\0"))


def is_pointer(key: str) -> bool:
    return not key.startswith("\0")
