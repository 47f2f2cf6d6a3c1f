"""Real PDFs beside the Markdown that they were made from: text, order, paragraphs and headings.

`python -m bench.pdf_truth FOLDER` takes every PDF that has a Markdown file of its name, in folders of the same two last names,
somewhere under FOLDER.
"""

from __future__ import annotations

import argparse
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path

import pecia
from pecia.model import BlockKind, Document

_LINK = re.compile(r"!?\[([^\]]*)\]\((?:[^()]|\([^()]*\))*\)")
_MARKUP = re.compile(r"\*\*|(?<!\w)[*_](?=\w)|(?<=[\w.,;:)])[*_](?!\w)|`|\\(?=[^\w\s])")
_LEAD = re.compile(r"^\s*(?:[-*+•>]|\d+[.)])\s+")


def truth(markdown: str) -> tuple[list[str], list[str]]:
    """Blocks and headings of a Markdown file, as they are read: no marks, no addresses."""
    blocks, headings = list[str](), list[str]()
    markdown = re.sub(r"^(#+ .*)$", r"\n\1\n", markdown, flags=re.MULTILINE)
    for block in re.split(r"\n\s*\n|\n(?=\s*[-*+>]\s)|  \n", _MARKUP.sub("", _LINK.sub(r"\1", markdown))):
        text = block.strip()
        if not text or set(text) <= set("-=* "):
            continue
        if text.startswith("#"):
            text = text.lstrip("#")
            headings.append(plain(text))
        blocks.append(plain(_LEAD.sub("", text)))
    return blocks, headings


def plain(text: str) -> str:
    """For comparison: white space, case and shapes of quotes apart."""
    text = unicodedata.normalize("NFKC", text).translate(str.maketrans("‘’“”–—", "''\"\"--")).casefold()
    return " ".join(text.split())


def read(document: Document) -> tuple[list[str], list[str]]:
    """The same of what pecia reads; a paragraph that goes on elsewhere is joined to its rest."""
    texts, headings, rest = list[str](), list[str](), dict[str, int]()
    for block in document.blocks:
        text = plain(_LEAD.sub("", block.span.of(document.text)))
        if block.kind is BlockKind.HEADING:
            headings.append(text)
        if block.id in rest:
            texts[rest[block.id]] += " " + text
        else:
            texts.append(text)
        if block.continues_on:
            rest[block.continues_on] = rest.get(block.id, len(texts) - 1)
    return texts, headings


def score(wanted: tuple[list[str], list[str]], found: tuple[list[str], list[str]]) -> list[float]:
    """Words found, words in order among those, blocks that are one block, headings found, headings that are true."""
    words, own = (" ".join(blocks).split() for blocks in (wanted[0], found[0]))
    common = sum((Counter(words) & Counter(own)).values())
    ordered = sum(match.size for match in SequenceMatcher(None, words, own, autojunk=False).get_matching_blocks())
    whole = sum((Counter(wanted[0]) & Counter(found[0])).values())
    named = sum((Counter(wanted[1]) & Counter(found[1])).values())
    return [
        common / max(1, len(words)), ordered / max(1, common), whole / max(1, len(wanted[0])),
        named / max(1, len(wanted[1])), named / max(1, len(found[1])),
    ]  # fmt: skip


def missed(wanted: Sequence[str], found: Sequence[str]) -> list[str]:
    return sorted((Counter(wanted) - Counter(found)).elements())


def pairs(folder: Path) -> Iterator[tuple[Path, Path]]:
    texts = {(path.parent.parent.name, path.parent.name, path.stem): path for path in folder.rglob("*.md")}
    for path in sorted(folder.rglob("*.pdf")):
        beside = texts.get((path.parent.parent.name, path.parent.name, path.stem))
        if beside is not None:
            yield path, beside


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--explain", action="store_true", help="print the blocks and headings that are missed")
    options = parser.parse_args()
    print("| file | words | in order | blocks | headings found | headings true |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for path, beside in pairs(options.folder):
        wanted, found = truth(beside.read_text("utf-8")), read(pecia.parse(path))
        print(f"| {'/'.join(path.parts[-3:])} |", " | ".join(f"{value:.3f}" for value in score(wanted, found)), "|")
        if options.explain:
            for text in missed(wanted[0], found[0]):
                print("    block:", text[:160])
            for text in missed(wanted[1], found[1]):
                print("    heading:", text[:160])
            for text in missed(found[1], wanted[1]):
                print("    no heading:", text[:160])


if __name__ == "__main__":
    main()
