"""XML of any vocabulary: blocks, places that resolve, an account that balances, and nothing that expands."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from pecia import pipeline
from pecia.errors import BrokenError, EncodingError, LimitError
from pecia.model import BlockKind, Document, Severity, Span, XPath
from pecia.parsing.xml import CODES, parse_xml
from pecia.testing.documents import parsed
from pecia.text.tables import to_markdown


def read(text: str | bytes) -> Document:
    """The document of some XML, of which every law that holds for all XML has been checked."""
    data = text.encode() if isinstance(text, str) else text
    document = parsed(data, "a.xml", parse_xml)
    assert document.ledger().missing == 0
    root = etree.fromstring(data, etree.XMLParser(resolve_entities=False))
    for block in document.blocks:
        places = [place.xpath for place in block.places if isinstance(place, XPath)]
        assert places
        elements = [root.xpath(place) for place in places]
        assert all(len(found) == 1 for found in elements), places
        if block.kind is not BlockKind.TABLE:
            held = "".join("".join(found[0].itertext()) for found in elements)
            assert squeezed(block.span.of(document.text)) in squeezed(held)
    assert squeezed("".join(block.span.of(document.text) for block in document.blocks)) == squeezed(document.text)
    return document


def squeezed(text: str) -> str:
    return unicodedata.normalize("NFD", "".join(text.split()))


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(block.kind.value, block.span.of(document.text)) for block in document.blocks]


LABEL = """<?xml version="1.0"?>
<?xml-stylesheet href="spl.xsl"?>
<document xmlns="urn:hl7-org:v3">
  <title>Examplin tablets</title>
  <!-- a remark -->
  <author><name>EXAMPLIN<suffix>XR</suffix></name></author>
  <component><section ID="S1">
    <title>1	Indications</title>
    <text>
      <paragraph>Examplin <content styleCode="bold">500 mg</content>
         is for H<sub>2</sub>O<footnote>Not tested.</footnote> only.</paragraph>
      <list><caption>Uses</caption><item>Fever</item><item>Pain<list><item>of the head</item></list></item></list>
      <table><caption>Doses</caption><thead><tr><th>Age</th><th colspan="2">Dose | day</th></tr></thead>
        <tbody><tr><td rowspan="2">Adults</td><td>1</td><td>2 <br/>tablets</td></tr><tr><td>3</td><td/></tr></tbody></table>
    </text>
    <component><section><title>1.1 Children</title><text>None.</text></section></component>
  </section></component>
</document>"""


def test_a_drug_label() -> None:
    document = read(LABEL)
    table = "| Age | Dose \\| day | Dose \\| day |\n| --- | --- | --- |\n| Adults | 1 | 2 tablets |\n| Adults | 3 |  |"
    assert blocks(document) == [
        ("heading", "Examplin tablets"),
        ("paragraph", "EXAMPLIN XR"),
        ("heading", "1 Indications"),
        ("paragraph", "Examplin 500 mg is for H2O"),
        ("footnote", "Not tested."),
        ("paragraph", "only."),
        ("caption", "Uses"),
        ("list_item", "Fever"),
        ("list_item", "Pain"),
        ("list_item", "of the head"),
        ("caption", "Doses"),
        ("table", table),
        ("heading", "1.1 Children"),
        ("paragraph", "None."),
    ]
    assert [block.level for block in document.blocks if block.kind is BlockKind.HEADING] == [1, 2, 3]
    assert document.blocks[3].continues_on == document.blocks[5].id
    assert document.blocks[12].places == (
        XPath(
            "/*[local-name()='document'][1]/*[local-name()='component'][1]/*[local-name()='section'][1]"
            "/*[local-name()='component'][1]/*[local-name()='section'][1]/*[local-name()='title'][1]"
        ),
    )
    (found,) = document.tables
    assert (found.caption, found.header_rows) == ("Doses", 1)
    assert found.cells[1:] == (("Adults", "1", "2 tablets"), ("Adults", "3", ""))
    assert to_markdown(found) == table == found.span.of(document.text)
    assert {item.reason: item.size for item in document.dropped} == {"comments": 7, "processing instructions": 14}


ARTICLE = """<article><front><article-meta><title-group><article-title>On <italic>cows</italic></article-title></title-group>
<contrib><name><surname>Herrero</surname><given-names>M</given-names></name></contrib></article-meta></front>
<body><sec><label>1</label><title>Methods</title><p>We write<disp-formula><label>(1)</label><math>x</math></disp-formula>here.</p>
<table-wrap><label>Table 1</label><caption><title>The herd.</title></caption><alternatives><table><tr><td>a</td></tr></table>
</alternatives></table-wrap>
<disp-quote><p>So be it.</p></disp-quote><preformat>a
  b</preformat></sec></body>
<back><ref-list><title>References</title><ref><label>1</label><mixed-citation><year>2019</year>. <source>Land</source>
</mixed-citation></ref></ref-list></back></article>"""


def test_an_article() -> None:
    document = read(ARTICLE)
    assert blocks(document) == [
        ("heading", "On cows"),
        ("paragraph", "Herrero M"),
        ("heading", "1 Methods"),
        ("paragraph", "We write"),
        ("formula", "(1) x"),
        ("paragraph", "here."),
        ("caption", "Table 1 The herd."),
        ("table", "|  |\n| --- |\n| a |"),
        ("quote", "So be it."),
        ("code", "a\n  b"),
        ("heading", "References"),
        ("list_item", "1 2019. Land"),
    ]
    assert [block.level for block in document.blocks if block.level] == [1, 2, 2]
    assert document.tables[0].caption == "Table 1 The herd."
    places = ["/article[1]/body[1]/sec[1]/label[1]", "/article[1]/body[1]/sec[1]/title[1]"]
    assert [place.to_json()["xpath"] for place in document.blocks[2].places] == places


def test_a_finding_aid() -> None:
    document = read(
        "<ead><eadheader><titlestmt><titleproper>Papers</titleproper></titlestmt></eadheader><archdesc><did>"
        "<unittitle>Fonds</unittitle><persname><part>Weil</part><part>1909</part></persname></did><dsc><c01><did>"
        "<unittitle>Letters</unittitle></did><c02><did><unittitle>One letter</unittitle><unitdate>1941</unitdate></did></c02>"
        "</c01></dsc></archdesc></ead>"
    )
    assert blocks(document) == [
        ("heading", "Papers"),
        ("heading", "Fonds"),
        ("paragraph", "Weil 1909"),
        ("heading", "Letters"),
        ("paragraph", "One letter"),
        ("paragraph", "1941"),
    ]
    assert [block.level for block in document.blocks if block.level] == [1, 2, 3]


def test_space_is_folded_unless_it_is_to_be_kept() -> None:
    document = read("<a><p> one\n\t two<b> three </b> four</p><p xml:space='preserve'>  one\n  two</p><p>5\xa0mg</p></a>")
    assert blocks(document) == [("paragraph", "one two three four"), ("paragraph", "  one\n  two"), ("paragraph", "5\xa0mg")]


def test_the_way_back_counts_the_characters_of_text_nodes() -> None:
    document = read("<a>\n <p>Lie&#x302;&#x300;u <b>du&#x300;ng</b></p></a>")
    assert document.text == "Liều dùng"
    at = document.alignment.to_source(Span(2, 3))
    assert [(span.start, span.end) for span in at] == [(4, 7)]
    assert [(span.start, span.end) for span in document.alignment.to_source(Span(4, 9))][-1][1] == 2 + 7 + 5


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "windows-1252"])
def test_the_declared_encoding_is_used(encoding: str) -> None:
    assert read(f"<?xml version='1.0' encoding='{encoding}'?><p>Größe é</p>".encode(encoding)).text == "Größe é"


def test_entities_stand_as_they_are_written(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    document = read(f'<!DOCTYPE a [<!ENTITY co "Acme"><!ENTITY x SYSTEM "{secret.as_uri()}">]><a>By &co;, &co; &amp; &x;.</a>')
    assert document.text == "By &co;, &co; & &x;."
    assert [(finding.rule, finding.severity) for finding in document.findings] == [("XML101", Severity.WARNING)] * 2
    assert document.findings[0].message == "the entity &co; is not resolved; it stands as written (2 times)"


LAUGHS = '<!DOCTYPE a [<!ENTITY l0 "ha">' + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10)) + "]>"


@pytest.mark.parametrize(
    ("data", "error", "says"),
    [
        (LAUGHS + "<a b='&l9;'/>", LimitError, "amplification"),
        (LAUGHS + "<a>&l9;</a>", LimitError, "amplification"),
        ("<a>" * 10_000 + "</a>" * 10_000, LimitError, "Excessive depth"),
        ("<a>" + "x " * 6_000_000 + "</a>", LimitError, "Text node too long"),
        ("<a><b></a>", BrokenError, "line 1"),
        ("", BrokenError, "empty"),
        ("not xml", BrokenError, "'<' not found"),
        ("<a>&nbsp;</a>", BrokenError, "nbsp"),
        (b"<?xml version='1.0' encoding='utf-8'?><a>\xe9</a>", EncodingError, "character encoding"),
        ("<?xml version='1.0' encoding='klingon'?><a/>", EncodingError, "klingon"),
    ],
)
def test_what_is_not_read_gives_one_clear_line(data: str | bytes, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        read(data)
    assert "\n" not in str(caught.value)
    assert "HUGE" not in str(caught.value)


def test_a_table_cannot_be_blown_up() -> None:
    row = '<tr><td colspan="1000000" rowspan="99999">xyz</td></tr>'
    for rows in (
        row * 2000,
        row + "<tr/>" * 20_000,
        "<tr>" + "<td colspan='100'/>" * 100 + "</tr>" + "<tr><td>x</td></tr>" * 5000,
    ):
        data = f"<table>{rows}</table>"
        assert len(read(data).text) < 4 * len(data) + 50_000


def test_many_siblings_are_read_in_linear_time() -> None:
    document = parsed(("<l>" + "<x>item <b>text</b></x>" * 30_000 + "</l>").encode(), "a.xml", parse_xml)
    assert document.blocks[-1].places == (XPath("/l[1]/x[30000]"),)


NAMES = st.sampled_from(
    ["sec", "p", "title", "b", "x", "list", "item", "table", "tr", "td", "label", "caption", "note", "ref", "pre", "br"]
)
TEXTS = st.sampled_from(
    ["", " ", "word", " two words ", "a\n b", "e\u0301", "\u0301", "|", "\\|e\u0301|", "量", "\xa0", "<!-- c -->"]
)


@st.composite
def elements(draw: st.DrawFn, depth: int = 0) -> str:
    name = draw(NAMES)
    space = draw(st.sampled_from(["", "", " xmlns='u:y'", " xml:space='preserve'", " colspan='3' rowspan='2'"]))
    inner = draw(TEXTS)
    if depth < 5:
        for child in draw(st.lists(elements(depth + 1), max_size=4)):
            inner += child + draw(TEXTS)
    return f"<{name}{space}>{inner}</{name}>"


@given(elements())
def test_any_tree_is_read_whole(text: str) -> None:
    document = read(text)
    if not document.tables:  # they add pipes, and repeat what spans
        assert squeezed(document.text) == squeezed("".join(etree.fromstring(text.encode()).xpath("//text()")))


@pytest.mark.parametrize("strategy", ["token", "heading"])
@pytest.mark.parametrize("text", [LABEL, ARTICLE])
def test_strategies_cut_it(strategy: str, text: str) -> None:
    cutting = pipeline.cut(read(text), strategy, max_tokens=60)
    assert not [finding for finding in cutting.findings() if finding.severity is Severity.ERROR]
    assert all(chunk.locators for chunk in cutting.chunks)


def test_every_code_says_what_why_and_gives_an_example() -> None:
    assert all("\n\nWhy: " in text and "\nExample: " in text for _, text in CODES.values())
