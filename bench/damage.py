"""Damage along the structure of a file: what `bench.fuzz` does to documents, and how it makes a broken one smaller."""

from __future__ import annotations

import copy
import io
import random
import re
import tomllib
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from lxml import etree

Holds = Callable[[bytes], bool]
Smaller = Callable[[bytes, Holds], bytes]

_DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
NUMBERS, ENCODINGS = tuple(_DATA["numbers"].split()), tuple(_DATA["encodings"].split())
STRANGE = (
    *_DATA["signs"],
    *"\0\ud800\udbff\udc00\udfff",  # TOML has no way to write these
    *_DATA["strange"],
    *(unit * times for unit in _DATA["repeated"] for times in (20, 800)),
)


class Damage:
    """Makes a damaged file from a start and a pool of others. `smaller` are the steps that minimise one."""

    def __init__(self, once: Callable[[random.Random, bytes, Sequence[bytes]], bytes], smaller: Sequence[Smaller]) -> None:
        self._once, self.smaller = once, smaller

    def __call__(self, picker: random.Random, data: bytes, pool: Sequence[bytes]) -> bytes:
        return self._once(picker, data, pool)


def damage_for(parser: str, starts: Sequence[bytes]) -> Damage:
    """What fits a parser: by what its files are made of."""
    names = Names(starts if parser != "docx" else [part for data in starts[:400] for part in parts_of(data).values()])
    if parser == "xml":
        names.tags += sorted({*re.findall(r"[a-z][\w-]+", (_package() / "parsing" / "xml.toml").read_text("utf-8"))})
    if parser in {"xml", "html"}:
        return Damage(lambda picker, data, pool: of_xml(picker, data, pool, names), (less_xml, less_bytes))
    if parser == "docx":
        return Damage(lambda picker, data, pool: of_package(picker, data, pool, names), (less_package, less_bytes))
    if parser == "pdf":
        return Damage(of_pdf, (less_bytes,))
    words = _DATA.get(parser, _DATA["text"])
    return Damage(lambda picker, data, pool: of_text(picker, data, pool, words), (less_text, less_bytes))


def _package() -> Path:
    import pecia

    return Path(pecia.__file__).parent


def of_bytes(picker: random.Random, data: bytes, pool: Sequence[bytes], words: Sequence[bytes] = (b"\0", b"\xff")) -> bytes:
    made = bytearray(data)
    for _ in range(1 << picker.randrange(5)):
        at = picker.randrange(len(made) + 1)
        end = min(len(made), at + picker.choice((1, 1, 2, 4, 16, 64, 256, 4096)))
        how = picker.randrange(10)
        if how == 0 and at < len(made):
            made[at] ^= 1 << picker.randrange(8)
        elif how == 1 and at < len(made):
            made[at] = picker.choice((0, 10, 13, 32, 40, 41, 60, 62, 127, 128, 194, 224, 237, 240, 254, 255))
        elif how == 2:
            del made[at:end]
        elif how == 3:
            made[at:at] = made[at:end] * picker.choice((1, 1, 2, 30))
        elif how == 4 and pool:
            other = picker.choice(pool)
            first = picker.randrange(len(other) + 1)
            made[at:end] = other[first : first + (end - at) * picker.randrange(1, 4)]
        elif how == 5:
            made[at:at] = bytes(picker.randrange(256) for _ in range(picker.randrange(1, 9)))
        elif how == 6 and picker.random() < 0.2:
            del made[at:]
        elif how == 7:
            if found := re.compile(rb"-?[0-9]+(?:\.[0-9]+)?").search(made, at, at + 300):
                made[found.start() : found.end()] = picker.choice(NUMBERS).encode()
        elif how == 8:
            made[at:at] = picker.choice(words)
        else:
            made[at:end] = reversed(made[at:end])
    return bytes(made)


def strange(picker: random.Random, text: str, words: Sequence[str], pool: Sequence[str] = ()) -> str:
    """The text with strange characters in it, or with parts of it gone, doubled or elsewhere."""
    for _ in range(1 << picker.randrange(4)):
        at = picker.randrange(len(text) + 1)
        if picker.random() < 0.5:  # at the begin of a line things mean more
            at = text.rfind("\n", 0, at) + 1
        end = min(len(text), at + picker.choice((1, 2, 5, 20, 100)))
        how = picker.randrange(9)
        if how == 0:
            text = text[:at] + picker.choice(STRANGE) + text[at:]
        elif how == 1:
            text = text[:at] + picker.choice(words) * picker.choice((1, 1, 1, 3, 40)) + text[at:]
        elif how == 2:
            text = text[:at] + text[end:]
        elif how == 3:
            text = text[:end] + text[at:end] * picker.choice((1, 2, 40)) + text[end:]
        elif how == 4 and pool:
            other = picker.choice(pool)
            first = picker.randrange(len(other) + 1)
            text = text[:at] + other[first : first + picker.randrange(300)] + text[end:]
        elif how == 5:
            text = text[:at] + text[at:end].translate({32: picker.choice(STRANGE), 10: picker.choice(STRANGE)}) + text[end:]
        elif how == 6:
            text = re.sub(r"[0-9]+", lambda _: picker.choice(NUMBERS), text[:4000], count=1) + text[4000:]
        elif how == 7:
            text = text[:at] + unicodedata.normalize(picker.choice(("NFC", "NFD", "NFKD")), text[at:end]).swapcase() + text[end:]
        else:
            text = text[:at] + chr(picker.choice((picker.randrange(0x3000), picker.randrange(0x110000)))) + text[at:]
    return text


def of_text(picker: random.Random, data: bytes, pool: Sequence[bytes], words: Sequence[str]) -> bytes:
    others = [picker.choice(pool).decode("utf-8", "replace")] if pool else []
    text = strange(picker, data.decode("utf-8", "surrogateescape" if picker.random() < 0.3 else "replace"), words, others)
    if picker.random() < 0.7:
        made = text.encode("utf-8", picker.choice(("surrogatepass", "replace", "replace")))
    else:
        made = text.encode(picker.choice(ENCODINGS), "ignore")
    return of_bytes(picker, made, pool) if picker.random() < 0.15 else made


class Names:
    """Names of elements and attributes, and values of attributes, in files: what a vocabulary is made of."""

    def __init__(self, starts: Iterable[bytes]) -> None:
        tags, attributes, values = set[str](), set[str](), set[str]()
        for data in starts:
            root = tree(data)
            for element in root.iter(etree.Element) if root is not None else ():
                if "}" in element.tag or ":" not in element.tag:
                    tags.add(element.tag)
                attributes.update(map(str, element.attrib))
                values.update(value for value in element.attrib.values() if len(value) < 40)
        self.tags, self.attributes = sorted(tags) or ["a"], sorted({*attributes, "colspan", "rowspan", "morerows"})
        self.values = [*sorted(values)[:2000], *NUMBERS, "true", "false", "none", "", "preserve"]


def tree(data: bytes) -> Any:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def of_xml(picker: random.Random, data: bytes, pool: Sequence[bytes], names: Names) -> bytes:
    root = tree(data) if picker.random() < 0.9 else None
    if root is None:
        return of_text(
            picker, data, pool, ["<a>", "</a>", "<!--", "]]>", "<![CDATA[", "&a;", "<?x ?>", "<!DOCTYPE a [", 'a="', "<"]
        )
    for _ in range(1 << picker.randrange(5)):
        elements = list(root.iter(etree.Element))
        try:
            _change(picker, picker.choice(elements), picker.choice(elements), pool, names)
        except (ValueError, TypeError):  # a name or character that XML does not allow
            continue
    encoding = picker.choice(("utf-8", "utf-8", "utf-8", "utf-16", "us-ascii", "iso-8859-1", "big5"))
    try:
        made: bytes = etree.tostring(root, encoding=encoding, xml_declaration=picker.random() < 0.7)
    except (ValueError, LookupError, etree.SerialisationError):
        made = etree.tostring(root, encoding="utf-8")
    if picker.random() < 0.05:
        made = made.replace(b"&#8232;", b"&e;")
        kinds = (
            b'<!DOCTYPE a [<!ENTITY e "x&amp;y">]>',
            b'<!DOCTYPE a [<!ENTITY e "<i>x</i>">]>',
            b'<!DOCTYPE a SYSTEM "x.dtd">',
            b"\xef\xbb\xbf",
            b"\n",
            b"<?p q?>",
        )
        made = picker.choice(kinds) + re.sub(rb"^<\?xml[^>]*>", b"", made)
    return of_bytes(picker, made, pool, (b"<", b">", b"&", b'"', b"/", b"]]>")) if picker.random() < 0.1 else made


def _change(picker: random.Random, element: Any, other: Any, pool: Sequence[bytes], names: Names) -> None:
    if picker.random() < 0.5:
        _change_inside(picker, element, names)
        return
    parent, how = element.getparent(), picker.randrange(8)
    if how == 0 and parent is not None:
        parent.remove(element)
    elif how == 1 and parent is not None:
        for _ in range(picker.choice((1, 1, 2, 30))):
            element.addnext(copy.deepcopy(element))
    elif how == 2 and element not in other.iterancestors() and element is not other:
        other.insert(picker.randrange(len(other) + 1), element)
    elif how == 3:
        inside = etree.SubElement(element, picker.choice(names.tags))
        for child in list(element)[:-1][: picker.randrange(1, 9)]:
            inside.append(child)
    elif how == 4:
        for _ in range(picker.choice((1, 4, 40))):
            inside = copy.copy(element) if len(element) < 2 else etree.Element(element.tag)
            element.append(inside)
            element = inside
    elif how == 5 and pool and (root := tree(picker.choice(pool))) is not None:
        element.append(picker.choice(list(root.iter(etree.Element))))
    elif len(other) < 50:
        element.append(copy.deepcopy(other))


def _change_inside(picker: random.Random, element: Any, names: Names) -> None:
    how = picker.randrange(7)
    if how == 0:
        element.tag = picker.choice(names.tags)
    elif how in {1, 2}:
        element.set(picker.choice(names.attributes), picker.choice(names.values))
    elif how == 3 and element.attrib:
        del element.attrib[picker.choice(list(element.attrib))]
    elif how == 4:
        element.text = strange(picker, element.text or "", ["|", "\n", " "])
    elif how == 5:
        element.tail = strange(picker, element.tail or "", ["|", "\n", " "])
    else:
        made = picker.choice((etree.Comment(" c "), etree.ProcessingInstruction("p", "q"), etree.Entity("#8232")))
        made.tail = picker.choice(("", "t", None))
        element.insert(picker.randrange(len(element) + 1), made)


@lru_cache(4000)
def parts_of(data: bytes) -> dict[str, bytes]:
    """The entries of a package by name; nothing where it is none."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            return {item.filename: package.read(item) for item in package.infolist() if item.file_size < 1 << 20}
    except Exception:
        return {}


def packed(parts: Iterable[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as package:
        for name, content in parts:
            package.writestr(zipfile.ZipInfo(name), content, method)
    return buffer.getvalue()


_ZIP = [word.encode() for word in _DATA["zip"]] + [bytes(4), b"\xff" * 4]


def of_package(picker: random.Random, data: bytes, pool: Sequence[bytes], names: Names) -> bytes:
    parts = dict(parts_of(data))
    xml = [name for name in parts if name.endswith((".xml", ".rels"))]
    if not xml or picker.random() < 0.05:
        return of_bytes(picker, data, pool, _ZIP)
    for _ in range(picker.choice((1, 1, 2, 3))):
        name = picker.choice((picker.choice(xml), "word/document.xml"))
        how, other = picker.random(), parts_of(picker.choice(pool)) if pool else {}
        if how < 0.03:
            parts.pop(name, None)
        elif how < 0.06:
            parts[picker.choice(xml)] = parts.get(name, b"")
        elif how < 0.16 and other:
            same = name if name in other else picker.choice(list(other))
            parts[same] = other[same]
        elif how < 0.18:
            parts[picker.choice((name.upper(), f"/{name}", name.replace("/", "\\"), f"{name}/"))] = parts.get(name, b"")
        else:
            parts[name] = of_xml(picker, parts.get(name, b""), [item for key, item in other.items() if key in xml], names)
    return packed(parts.items(), picker.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))


_STREAM = re.compile(rb"stream\r?\n(.*?)\r?\n?endstream", re.DOTALL)
_TOKENS = [f" {word} ".encode() for word in (*_DATA["pdf"], *NUMBERS)]


def of_pdf(picker: random.Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    streams = list(_STREAM.finditer(data))
    if streams and picker.random() < 0.5:
        found = picker.choice(streams)
        try:
            inside, packs = zlib.decompressobj().decompress(found[1], 1 << 18), True
        except zlib.error:
            inside, packs = found[1], False
        inside = of_bytes(picker, inside, (inside,), _TOKENS)
        data = data[: found.start(1)] + (zlib.compress(inside, 1) if packs else inside) + data[found.end(1) :]
        if picker.random() < 0.7:
            return data
    return of_bytes(picker, data, pool if picker.random() < 0.2 else (data,), _TOKENS)


def _without(items: list[Any], holds: Callable[[list[Any]], bool]) -> list[Any]:
    """As few of the items, in order, as still hold: halves are left out, then quarters, down to single ones."""
    size = max(1, len(items) // 2)
    while True:
        at, before = 0, len(items)
        while at < len(items):
            fewer = items[:at] + items[at + size :]
            if holds(fewer):
                items = fewer
            else:
                at += size
        if size > 1:
            size //= 2
        elif len(items) == before:
            return items


def less_bytes(data: bytes, holds: Holds) -> bytes:
    return bytes(_without(list(data), lambda items: holds(bytes(items)))) if len(data) < 200_000 else data


def less_text(data: bytes, holds: Holds) -> bytes:
    try:
        lines = data.decode().splitlines(keepends=True)
    except UnicodeDecodeError:
        return data
    lines = _without(lines, lambda items: holds("".join(items).encode()))
    return "".join(_without(list("".join(lines)), lambda items: holds("".join(items).encode()))).encode()


def less_xml(data: bytes, holds: Holds) -> bytes:
    """Without the elements, attributes and texts that the fault does not need."""
    root = tree(data)
    if root is None or not holds(etree.tostring(root)):
        return data
    changed = True
    while changed:
        changed = False
        for element in list(root.iter(etree.Element))[1:]:
            parent = element.getparent()
            if parent is None:
                continue
            at = parent.index(element)
            kept: bytes = etree.tostring(root)
            parent.remove(element)
            if holds(etree.tostring(root)):
                changed = True
            else:
                parent.insert(at, element)
                if etree.tostring(root) != kept and not holds(etree.tostring(root)):
                    return kept
        for element in root.iter(etree.Element):
            for name, value in list(element.attrib.items()):
                del element.attrib[name]
                if holds(etree.tostring(root)):
                    changed = True
                else:
                    element.set(name, value)
    made: bytes = etree.tostring(root)
    return made


def less_package(data: bytes, holds: Holds) -> bytes:
    parts = list(parts_of(data).items())
    if not holds(packed(parts)):
        return data
    parts = _without(parts, lambda items: holds(packed(items)))
    for at, (name, content) in enumerate(parts):

        def with_part(candidate: bytes, at: int = at, name: str = name) -> bool:
            return holds(packed([*parts[:at], (name, candidate), *parts[at + 1 :]]))

        if content:
            parts[at] = name, less_xml(content, with_part)
    return packed(parts)
