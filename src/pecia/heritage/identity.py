"""By what a record names its entity: identifiers that are known to be unique, and its name with its place.

An identifier stands as `scheme:value`, its value in one spelling; what is none by its form ("N/A", "00000000") is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import urlsplit

from pecia.heritage.custodians import countries, parse_ghcid

# Schemes by strength: what only one custodian has, then what several branches of one organisation may share.
UNIQUE, SHARED = ("isil", "ghcid", "wikidata"), ("kvk", "site")
_SCHEMES = {
    "isil": "isil", "isilcode": "isil", "isilnumber": "isil", "p791": "isil",
    "ghcid": "ghcid", "hcid": "hc_id",
    "wikidata": "wikidata", "wikidataid": "wikidata", "qid": "wikidata", "wikidataqid": "wikidata",
    "kvk": "kvk", "kvknummer": "kvk", "kvknumber": "kvk", "kamervankoophandel": "kvk", "p3220": "kvk",
    "website": "site", "officialwebsite": "site", "homepage": "site", "url": "site", "p856": "site",
}  # fmt: skip
_ISIL = re.compile(r"([A-Z]{1,4}|oclc|OCLC)-[A-Za-z0-9:/-]{1,11}")
QID = re.compile(r"(?:https?://www\.wikidata\.org/(?:entity|wiki)/)?(Q[1-9][0-9]*)")
_PARTED = re.compile(r"[\s;,|]+")
_ENTRANCE = re.compile(r"\s*https?://(?:www\.)?((?!www\.)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)/?\s*")
_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=1024)
def scheme_of(name: str) -> str:
    """The scheme that a source calls by this name: `isil` for `ISIL-code`; "" for one that identifies nothing here."""
    return _SCHEMES.get("".join(_WORD.findall(name.casefold())), "")


def identifiers(scheme: str, value: str) -> Iterator[str]:
    """`scheme:value` for each identifier that a value holds; none for one that has not the form of its scheme."""
    kind = scheme_of(scheme)
    if kind == "site":
        if host := site_of(value):
            yield f"site:{host}"
        return
    if kind == "ghcid":
        if parts := parse_ghcid(value):
            yield f"ghcid:{parts}"
        return
    for part in _PARTED.split(value.strip()):
        if kind == "isil" and _ISIL.fullmatch(part):
            # Upper and lower case in the unit tell two apart in theory; no register uses them so.
            yield f"isil:{part.upper()}"
        elif kind == "wikidata" and (match := QID.fullmatch(part)):
            yield f"wikidata:{match[1]}"
        elif kind == "kvk" and part.isascii() and part.isdigit() and len(part) == 8 and int(part):
            yield f"kvk:{part}"


def country_of(isil: str) -> str | None:
    """The country that an ISIL begins with; None where its prefix is no country."""
    prefix = isil.partition("-")[0].upper()
    return prefix if prefix in countries() else None


def host_of(address: str | None) -> str | None:
    """The host of an address without `www.`; None where there is none."""
    if not address:
        return None
    try:
        host = urlsplit(address if "://" in address else f"//{address}").hostname or ""
    except ValueError:
        return None
    return host.removeprefix("www.") or None


def site_of(address: str) -> str | None:
    """The host of an address that is the entrance of a site; None for a page within one, which many may share."""
    if match := _ENTRANCE.fullmatch(address):  # as nearly all are; parting an address takes ten times as long
        return match[1].lower()
    host = host_of(address.strip())
    parts = urlsplit(address.strip()) if host else None
    return host if parts and parts.scheme in ("http", "https") and parts.path in ("", "/") and not parts.query else None


def any_identifier(keys: Iterable[str]) -> bool:
    """True where one of the keys is more than the address of a site."""
    return any(not key.startswith("site:") for key in keys)
