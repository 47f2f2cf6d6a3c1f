"""UserUnit: the size of a page's unit in 1/72 inch. pdfium does not read it; viewers do."""

from __future__ import annotations

import re
import zlib

_UNIT = re.compile(rb"/UserUnit\s+(\d+(?:\.\d+)?)")
_OBJECTS = re.compile(rb"/Type\s*/ObjStm\b.{0,400}?stream\r?\n", re.DOTALL)
LARGEST = 75_000.0  # what the largest sheet in use would need


def user_unit(data: bytes) -> float:
    """The unit that the pages state, where all that state one agree; else 1. Looks into object streams too."""
    found = set(_UNIT.findall(data))
    if b"/ObjStm" in data and not found:
        for match in _OBJECTS.finditer(data):
            try:
                found |= set(_UNIT.findall(zlib.decompressobj().decompress(data[match.end() : match.end() + (1 << 22)], 1 << 20)))
            except zlib.error:  # encrypted, or another filter
                continue
    units = {float(unit) for unit in found}
    return units.pop() if len(units) == 1 and 0 < min(units) <= LARGEST else 1.0
