"""HTML: what a browser shows, in its order, with places that lxml.html resolves and an account that balances."""

import html
import unicodedata

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pecia import pipeline
from pecia.errors import EncodingError, LimitError
from pecia.model import BlockKind, Document, LineRange, XPath
from pecia.parsing.html import parse_html
from pecia.parsing.text import parse_text
from pecia.testing.documents import parsed


def squeezed(text: str) -> str:
    return unicodedata.normalize("NFD", "".join(text.split()))


def read(text: str | bytes) -> Document:
    """The document of a page, of which every law that holds for all pages has been checked."""
    data = text.encode() if isinstance(text, str) else text
    document = parsed(data, "a.html", parse_html)
    assert document.ledger().missing == 0
    if not document.text:
        return document
    tree = lxml.html.document_fromstring(data, parser=lxml.html.HTMLParser(encoding="utf-8")).getroottree()
    for block in document.blocks:
        (place,) = (place for place in block.places if isinstance(place, XPath))
        (element,) = tree.xpath(place.xpath)
        if block.kind is not BlockKind.TABLE and isinstance(text, str):
            held = "".join(node for node in element.itertext())
            assert squeezed(block.span.of(document.text)) in squeezed(held)
            if "*" not in place.xpath:
                assert tree.getpath(element) == place.xpath
    return document


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(block.kind.value, block.span.of(document.text)) for block in document.blocks]


def test_inline_markup_neither_loses_nor_moves_a_word() -> None:
    text = "<p>Give <b>not more than</b> 4<sup>th</sup> g, "
    text += "e<i>\u0301</i>té <span>a</span><span>b</span>\n   every&nbsp;day &lt;or&gt; so.</p>"
    assert blocks(read(text)) == [("paragraph", "Give not more than 4th g, été ab every\xa0day <or> so.")]


def test_boxes_breaks_and_kinds() -> None:
    document = read(
        "<body>Loose <div>one<p>two<br>three</p>four</div>"
        "<h2>A <em>title</em><br>of two</h2><ul><li>x<p>y</p><ul><li>z</ul><li>w</ul>"
        "<blockquote><p>said</p></blockquote><pre>\n if a:\n   b\n</pre>"
        "<figure><img src=a.png alt='A boat'><figcaption>Boat</figcaption></figure>"
        "<p>Mill Lane 4<br><br>Open daily</p><dl><dt>Fee</dt><dd>4 euro</dd></dl>"
    )
    assert blocks(document) == [
        ("paragraph", "Loose"), ("paragraph", "one"), ("paragraph", "two\nthree"), ("paragraph", "four"),
        ("heading", "A title of two"), ("list_item", "x"), ("paragraph", "y"), ("list_item", "z"), ("list_item", "w"),
        ("quote", "said"), ("code", " if a:\n   b"), ("caption", "Boat"),
        ("paragraph", "Mill Lane 4"), ("paragraph", "Open daily"),
        ("list_item", "Fee"), ("list_item", "4 euro"),
    ]  # fmt: skip
    assert [(item.kind, item.text) for item in document.furniture] == [("image", "A boat")]


def test_a_table_of_data_and_one_that_lays_out_the_page() -> None:
    document = read(
        "<table><caption>Fees | euro</caption><thead><tr><th>Who<th colspan=2>Fee</thead>"
        "<tr><td rowspan=2>Adults<td>4<br>a day<td>5<tr><td>6|7<td><b>8</b></table>"
        "<table><tr><td><h2>News</h2><p>Flood</p></td><td>Shop</td></tr></table>"
    )
    assert blocks(document) == [
        ("caption", "Fees | euro"),
        ("table", "| Who | Fee | Fee |\n| --- | --- | --- |\n| Adults | 4 a day | 5 |\n| Adults | 6\\|7 | 8 |"),
        ("heading", "News"),
        ("paragraph", "Flood"),
        ("paragraph", "Shop"),
    ]
    (table,) = document.tables
    assert table.header_rows == 1
    assert table.caption == "Fees | euro"
    assert table.cells[2] == ("Adults", "6|7", "8")


def test_what_a_browser_does_not_show_is_in_the_account() -> None:
    document = read(
        "<!-- saved from url=(0020)https://a.example/x --><html><head><title>The title</title><style>p{}</style></head><body>"
        "<script>run()</script><p hidden>secret</p><p style='color:red; display: none'>gone</p><noscript>turn on</noscript>"
        "<template><p>later</p></template><select><option>NL</option></select><!-- a remark --><p>Shown</p></body></html>"
    )
    assert blocks(document) == [("paragraph", "Shown")]
    assert {item.reason: item.size for item in document.dropped} == {
        "scripts": 5, "styles": 3, "hidden": 10, "noscript": 6, "templates": 5, "choices": 2, "comments": 7,
    }  # fmt: skip
    assert [(item.kind, item.text) for item in document.furniture] == [
        ("saved_from", "https://a.example/x"),
        ("title", "The title"),
    ]


PARTS = """<html lang="nl"><body class="has-sidebar">
<header><a href="/">Logo</a></header><div id="main-nav"><a href="/1">Agenda</a></div>
<div class="contentWithSidebar menu"><main><h1>Museum</h1><article><header><p>Of a section</p></header><p>Text</p>
<footer>By Ann</footer></article></main></div>
<div class="siteSidebar">Links</div><div role="contentinfo">Rights</div><div id="cookie_bar">Cookies</div></body></html>"""


def test_parts_that_are_not_content_are_told_by_element_role_and_name() -> None:
    document = read(PARTS)
    parts = {item.text: item.kind for item in document.furniture if item.kind != "language"}
    assert parts == {
        "header": "header", "div#main-nav": "navigation", "div.siteSidebar": "sidebar", "div": "footer",
        "div#cookie_bar": "cookie_notice",
    }  # fmt: skip
    assert "Of a section" in document.text
    assert "Agenda" in document.text, "a parser drops nothing that a browser shows"


def test_lines_are_those_of_the_file() -> None:
    document = read("<html>\n<body>\n<p>one\n\n<p>two\nthree <b\n>four</b>\n</body></html>")
    lines = [place for block in document.blocks for place in block.places if isinstance(place, LineRange)]
    assert lines == [LineRange(3, 3), LineRange(5, 7)]


@pytest.mark.parametrize(
    ("data", "text", "codes"),
    [
        ('<meta charset="windows-1252"><p>café ’t'.encode("cp1252"), "café ’t", set()),
        ('<meta charset="iso-8859-1"><p>’t café'.encode("cp1252"), "’t café", set()),
        ('<meta http-equiv=Content-Type content="text/html; charset=koi8-r"><p>музей'.encode("koi8-r"), "музей", set()),
        ('<meta charset="windows-1252"><p>café'.encode(), "café", {"HTM101"}),
        ('<meta charset="utf-8"><p>un café très serré'.encode("cp1252"), "un café très serré", {"HTM101", "ENC101"}),
        ("<p>café".encode("utf-8-sig"), "café", set()),
        ("<p>café noir, café au lait".encode("utf-16"), "café noir, café au lait", set()),
        ("<p>Häuser und Bücher".encode("latin-1"), "Häuser und Bücher", {"ENC101"}),
    ],
)  # fmt: skip
def test_encodings(data: bytes, text: str, codes: set[str]) -> None:
    document = parsed(data, "a.html", parse_html)
    assert document.text == text
    assert {finding.rule for finding in document.findings} == codes


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(EncodingError):
        read(b'<meta charset="windows-1252"><p>\x00\x01\xff\xfe')


def test_strange_names_deep_nesting_and_a_heading_that_never_ends() -> None:
    document = read("<o:p>x</o:p><a'b><p>y</p></a'b>" + "<div>" * 200 + "deep")
    assert [text for _, text in blocks(document)] == ["x", "y", "deep"]
    with pytest.raises(LimitError, match="nested"):
        read("<div>" * 3000)
    endless = read("<h2><div>News</div>" + "<div>A paragraph of a page whose title nothing closes.</div>" * 20)
    assert [kind for kind, _ in blocks(endless)] == ["heading", *["paragraph"] * 20]


def test_empty_pages() -> None:
    for text in ("", "  ", "<!-- x -->", "<html></html>"):
        assert parsed(text.encode(), "a.html", parse_html).text == ""


TAGS = (
    "p",
    "b",
    "div",
    "li",
    "ul",
    "td",
    "tr",
    "table",
    "h1",
    "br",
    "pre",
    "span",
    "section",
    "nav",
    "script",
    "a",
    "option",
    "caption",
)
WORDS = st.sampled_from(("word", "e\u0301", " ", "\n", "&amp;", "文字", "<!--c-->", "|"))
PAGES = st.lists(
    st.one_of(WORDS, st.sampled_from(TAGS).map("<{}>".format), st.sampled_from(TAGS).map("</{}>".format)), max_size=40
).map("".join)


@given(PAGES)
def test_any_markup_keeps_its_words_in_order(page: str) -> None:
    document = read(page)
    for name in ("heading", "token"):
        for finding in pipeline.cut(document, name, max_tokens=40, target_tokens=30, overlap_tokens=0).findings():
            assert finding.rule == "LAW102", finding


QUESTIONS = """Minutes of the harbour committee

Question 1
How many berths has the new harbour?

Answer
It has forty berths, of which ten are for visitors.
The harbour master keeps the list.

Question 2
When does the ferry leave?

Answer
The ferry leaves at nine and at noon.

Question 3
Who pays for the lights?

Answer
The municipality pays for them.
"""


@pytest.mark.parametrize("form", ["paragraphs", "breaks", "preformatted", "boxes"])
def test_questions_are_the_same_as_in_plain_text(form: str) -> None:
    parts = [html.escape(part) for part in QUESTIONS.strip().split("\n\n")]
    made = {
        "paragraphs": "".join(f"<p>{part.replace(chr(10), '<br>')}</p>" for part in parts),
        "breaks": "<body>" + "<br><br>".join(part.replace("\n", "<br>\n") for part in parts),
        "preformatted": "<pre>" + "\n\n".join(parts) + "</pre>",
        "boxes": "".join("<div>" + "".join(f"<div>{line}</div>" for line in part.split("\n")) + "</div>" for part in parts),
    }[form]

    def pairs(document: Document) -> list[tuple[object, ...]]:
        cutting = pipeline.cut(document, "question")
        names = ("question_id", "question_text", "qa_style")
        found = [chunk for chunk in cutting.chunks if chunk.chunk_kind.value == "pair"]
        return [(*(chunk.attributes[name] for name in names), squeezed(chunk.source_text)) for chunk in found]

    expected = pairs(parsed(QUESTIONS.encode(), "a.txt", parse_text))
    assert len(expected) == 3
    assert pairs(read(made)) == expected


def test_headings_carry_their_path() -> None:
    document = read(
        "<h1>Guide</h1><p>Start.</p><h2>Loans</h2><p>" + "Loans are made on request. " * 30 + "</p><h2>Fees</h2><p>None."
    )
    cutting = pipeline.cut(document, "heading", max_tokens=120, target_tokens=100)
    assert [chunk.headings for chunk in cutting.chunks][-1] == ("Guide", "Fees")
    assert not list(cutting.findings())
