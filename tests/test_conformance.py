"""Our own strategies and parsers pass the suites that others can run on theirs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from pecia import plugins
from pecia.model import Chunk, Document, Segment, Source, Span
from pecia.parsing.csv.reader import parse_csv
from pecia.parsing.docx.reader import parse_docx
from pecia.parsing.html import parse_html
from pecia.parsing.json.reader import parse_json
from pecia.parsing.markdown import parse_markdown
from pecia.parsing.pdf import parse as parse_pdf
from pecia.parsing.text import parse_text
from pecia.parsing.xml import parse_xml
from pecia.parsing.yaml.reader import parse_yaml
from pecia.protocols import ParseOptions, Strategy
from pecia.strategies.token.strategy import TokenStrategy
from pecia.testing.parsers import Parse, check_parser
from pecia.testing.strategies import check_strategy

EXAMPLES = Path(__file__).parents[1] / "examples"
XML = "<doc><title>Liều dùng</title><sec><p>500 <b>mg</b>, ngày 2 lần.</p><!-- no --></sec></doc>".encode()


@pytest.mark.parametrize("name", plugins.strategy_names())
def test_our_strategies(name: str) -> None:
    check_strategy(partial(plugins.strategy, name))


@pytest.mark.parametrize(
    ("parse", "names"),
    [
        (parse_text, ["minutes.txt"]),
        (parse_markdown, ["archive-guide.md", "README.md"]),
        (parse_pdf, ["harbour-report.pdf", "supplementary-paper.pdf"]),
    ],
)
def test_our_parsers(parse: Parse, names: Sequence[str]) -> None:
    check_parser(parse, [(EXAMPLES / name).read_bytes() for name in names], damaged=15)


CSV = 'Naam;Plaats;"Noot"\r\nMusée d\'Été;"Öhr;dorf";"regel 1\r\nregel ""2"""\r\n;;\r\nMolen;Amsterdam\r\n'.encode("cp1252")
YAML = """# custodians
- &one
  name: Liều
  list: [a, "b\\u0301", {c: d}]
- <<: *one
  note: >
    folded
    text

---
- plain
...
""".encode()
JSON = '{"@graph": [{"name": "Li\\u1ec1u", "n": 1e5, "x": [true, null]}, {"name": "二"}], "rest": "é"}'.encode()


@pytest.mark.parametrize(("parse", "sample"), [(parse_csv, CSV), (parse_yaml, YAML), (parse_json, JSON)])
def test_our_parsers_of_records(parse: Parse, sample: bytes) -> None:
    check_parser(parse, [sample], damaged=150)


def test_our_xml_parser() -> None:
    check_parser(parse_xml, [XML])


HTML = """<!DOCTYPE html><html lang=vi><meta charset=utf-8><title>Thuốc</title>
<nav><a href=/>Trang đầu</a></nav><h1>Liều dùng</h1>
<p>500 <b>mg</b>,<br>ngày 2 lần.<table><tr><th>Tuổi<th>Liều<tr><td rowspan=2>Trẻ em<td>5 mg<tr><td>6 mg</table>
<script>x()</script><ul><li>một<li>hai</ul><!-- no --><pre>a  b</pre></html>""".encode()


def test_our_html_parser() -> None:
    check_parser(parse_html, [HTML], damaged=150)


def test_our_docx_parser(tmp_path: Path) -> None:
    docx = pytest.importorskip("docx")
    made = docx.Document()
    made.add_heading("Liều dùng", 1)
    made.add_paragraph("Người lớn: 500 mg.")
    made.add_table(2, 2).cell(0, 0).text = "Tuổi"
    made.save(str(tmp_path / "a.docx"))
    check_parser(parse_docx, [(tmp_path / "a.docx").read_bytes()])


# A suite that cannot fail is a fault itself.


@dataclass(frozen=True)
class Losing:
    """A strategy that leaves its last chunk out."""

    inner: Strategy

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    def chunk(self, document: Document, segments: Sequence[Segment]) -> Iterator[Chunk]:
        yield from list(self.inner.chunk(document, segments))[:-1]


def test_the_suite_names_a_strategy_that_loses_text() -> None:
    with pytest.raises(AssertionError, match="LAW101"):
        check_strategy(lambda **options: Losing(plugins.strategy("token", **options)))  # type: ignore[arg-type]


def test_the_suite_names_a_parser_that_loses_text() -> None:
    def losing(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
        for document in parse_text(data, source, options):
            yield replace(document, blocks=document.blocks[:-1])

    with pytest.raises(AssertionError, match="visible text stands in no block"):
        check_parser(losing, [b"one\n\ntwo\n"])


def test_the_suite_names_a_strategy_that_is_out_of_order() -> None:
    class Backwards(TokenStrategy):
        def segment(self, document: Document) -> Iterator[Segment]:
            middle = len(document.text) // 2
            yield Segment("b", "part", "", Span(middle, len(document.text)))
            yield Segment("a", "part", "", Span(0, middle))

    def make(**options: object) -> Strategy:
        plain = plugins.strategy("token", **options)
        return Backwards(plain.options)  # type: ignore[arg-type]

    with pytest.raises(AssertionError):
        check_strategy(make, tokenizers=())
