"""A page that a browser saved as one file (`.mht`, `.mhtml`): the page itself, out of a message of several parts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email import message_from_bytes
from email.policy import default

_HEAD = 2048
_IS_ONE = re.compile(rb"^content-type:\s*multipart/related", re.IGNORECASE | re.MULTILINE)
_VERSION = re.compile(rb"^mime-version:", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Saved:
    """The bytes of a page, the encoding that its part declares, and where it was saved from; "" for what is not said."""

    page: bytes
    charset: str
    address: str


def saved_page(data: bytes) -> Saved | None:
    """The page in a file that is such a message; None for any other file."""
    head = data[:_HEAD]
    if head.lstrip()[:1] == b"<" or not (_IS_ONE.search(head) and _VERSION.search(head)):
        return None
    message = message_from_bytes(data, policy=default)
    for part in message.walk():
        if part.get_content_type() in {"text/html", "application/xhtml+xml"}:
            page = part.get_payload(decode=True)
            address = part.get("Content-Location") or message.get("Snapshot-Content-Location") or ""
            if isinstance(page, bytes):
                return Saved(page, part.get_content_charset() or "", str(address).strip())
    return None
