"""Saved pages: sections with their elements, what is left out and why, and what the page says of itself."""

from pathlib import Path
from typing import Any

import lxml.html
import pytest

from pecia import pipeline, plugins
from pecia.model import Chunk, Document
from pecia.parsing.html import parse_html
from pecia.strategies.website.page import common_element
from pecia.strategies.website.titles import section_type
from pecia.testing.documents import parsed


def cut(page: str | bytes, **options: Any) -> pipeline.Cutting:
    data = page.encode() if isinstance(page, str) else page
    cutting = pipeline.cut(parsed(data, "page.html", parse_html), "website", **options)
    assert not [finding for finding in cutting.findings() if finding.rule != "LAW102"]
    tree = lxml.html.document_fromstring(data, parser=lxml.html.HTMLParser(encoding="utf-8"))
    if isinstance(page, str):
        for chunk in cutting.chunks:
            (element,) = tree.xpath(chunk.attributes["xpath"])
            assert element.tag == chunk.attributes["html_tag"]
            held = "".join("".join(element.itertext()).split())
            for line in chunk.source_text.split("\n"):
                assert "|" in line or "".join(line.split()) in held
    return cutting


def told(chunk: Chunk, *names: str) -> tuple[Any, ...]:
    return tuple(chunk.attributes[name] for name in names)


PAGE = """<!-- saved from url=(0028)https://www.museum.example/a -->
<html lang="de-AT"><head><title>Heimatmuseum Talheim</title></head><body>
<header><nav><a href="/">Start</a> <a href="/x">Karte</a></nav><h1>Heimatmuseum Talheim</h1></header>
<div class="cookie-hinweis"><p>Diese Seite verwendet Cookies.</p></div>
<main>
<section><header><h2>Öffnungszeiten</h2></header><p>Täglich von <b>10 bis</b> 17 Uhr.</p><img src="tor.jpg"></section>
<aside><h3>Rundbrief</h3></aside>
<section><h2>Unsere Sammlung</h2><p>Zinn und Glas.</p><h3>Leihgaben</h3><p>Auf Antrag.</p></section>
<article><h2>Geschichte des Hauses</h2><p>Gegründet 1901.</p><blockquote lang="fr"><p>Un lieu.</p></blockquote></article>
<p>Träger ist die Gemeinde.</p>
</main>
<footer><p>Alle Rechte vorbehalten</p></footer></body></html>"""


def test_sections_their_elements_and_what_they_are_about() -> None:
    cutting = cut(PAGE)
    found = [(*told(chunk, "section_type", "xpath", "has_images"), chunk.source_text.strip()) for chunk in cutting.chunks]
    assert found == [
        ("other", "/html/body/header/h1", False, "Heimatmuseum Talheim"),
        ("visit", "/html/body/main/section[1]", True, "Öffnungszeiten\n\nTäglich von 10 bis 17 Uhr."),
        ("collection", "/html/body/main/section[2]", False, "Unsere Sammlung\n\nZinn und Glas.\n\nLeihgaben\n\nAuf Antrag."),
        ("history", "/html/body/main/article", False, "Geschichte des Hauses\n\nGegründet 1901.\n\nUn lieu."),
        ("other", "/html/body/main/p", False, "Träger ist die Gemeinde."),
    ]
    assert {told(chunk, "source_url", "language", "data_tier") for chunk in cutting.chunks} == {
        ("https://www.museum.example/a", "de", "TIER_2_VERIFIED")
    }
    assert [chunk.headings for chunk in cutting.chunks][1] == ("Heimatmuseum Talheim", "Öffnungszeiten")
    assert told(cutting.chunks[1], "line_start", "line_end") == (6, 6)
    assert told(cutting.chunks[2], "primary_class", "has_collections") == ("CustodianCollection", True)


def test_what_is_left_out_has_a_reason() -> None:
    cutting = cut(PAGE)
    text = cutting.document.text
    assert [(item.left_out_reason, item.span.of(text).strip()) for item in cutting.left_out] == [
        ("navigation", "Start Karte"),
        ("boilerplate", "Diese Seite verwendet Cookies."),
        ("boilerplate", "Rundbrief"),
        ("boilerplate", "Alle Rechte vorbehalten"),
    ]


FLAT = """<html><body><h1>Town archive</h1><p>Welcome to the archive of the town.</p><img src=a>
<h2>Contact</h2><p>Mill Lane 4</p>
<h2>History</h2><p>It was founded in 1850 by the town.</p>
<img src=b><p>Moved in 1900.</p></body></html>"""


def test_a_flat_page_has_the_element_that_holds_each_section() -> None:
    cutting = cut(FLAT)
    assert [told(chunk, "section_type", "xpath", "has_images") for chunk in cutting.chunks] == [
        ("other", "/html/body", True),
        ("contact", "/html/body", False),
        ("history", "/html/body", True),
    ]
    assert {chunk.attributes["language"] for chunk in cutting.chunks} == {"en"}


def test_something_left_out_amid_a_section_parts_it() -> None:
    cutting = cut("<main><div><h2>News</h2><p>One.</p><aside>Shop</aside><p>Two.</p></div><h2>Visit</h2><p>Daily.</p></main>")
    first, second, third = cutting.chunks
    assert told(first, "xpath") == told(second, "xpath") == ("/html/body/main/div",)
    assert (second.source_text.strip(), second.context_labels, second.headings) == ("Two.", ("News",), ("News",))
    assert third.attributes["section_type"] == "visit"


def test_a_long_section_is_cut_and_each_part_shows_its_title() -> None:
    rows = "".join(f"<tr><td>{year}</td><td>{'A fire, a flood and a rebuilding. ' * 4}</td></tr>" for year in range(1700, 1760))
    page = f"<section><h1>House</h1><section><h2>History</h2><table><tr><th>Year</th><th>Event</th></tr>{rows}</table></section>"
    parts = [chunk for chunk in cut(page).chunks if chunk.attributes["section_type"] == "history"]
    assert len(parts) > 1
    assert all(chunk.est_tokens <= 800 for chunk in parts)
    assert all("History" in chunk.text and "| Year | Event |" in chunk.text for chunk in parts)
    assert {chunk.attributes["xpath"] for chunk in parts} == {"/html/body/section/section"}


@pytest.mark.parametrize(
    ("head", "options", "url"),
    [
        ('<link rel="canonical" href="https://a.example/x">', {"source_url": "https://b.example/"}, "https://a.example/x"),
        ('<meta property="og:url" content="https://a.example/x">', {}, "https://a.example/x"),
        ('<link rel="canonical" href="/x"><meta property="og:url" content="https://a.example/y">', {}, "https://a.example/x"),
        ('<link rel="canonical" href="">', {"source_url": "https://b.example/"}, "https://b.example/"),
        ("", {}, None),
    ],
)
def test_where_a_page_is_from(head: str, options: dict[str, str], url: str | None) -> None:
    (chunk,) = cut(f"<html><head>{head}</head><body><p>Text</p></body></html>", **options).chunks
    assert told(chunk, "source_url", "source_id") == (url, url or "page.html")


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("About us", "about"), ("Over ons", "about"), ("Über uns", "about"), ("À propos", "about"), ("Quiénes somos", "about"),
        ("Quem somos", "about"), ("Get in touch", "contact"), ("Kontakt & Anfahrt", "contact"), ("Onze collecties", "collection"),
        ("Gemäldesammlung", "collection"), ("Fondos", "collection"), ("Accès et horaires", "visit"), ("Openingstijden", "visit"),
        ("Horários e bilhetes", "visit"), ("Aktuelles", "news"), ("Nieuws en agenda", "news"), ("Histoire du musée", "history"),
        ("Bestuur en medewerkers", "about"), ("L’équipe", "about"), ("El equipo", "about"), ("Where to find us", "contact"),
        ("Dónde estamos", "contact"), ("Archivbestände", "collection"), ("Praktische informatie", "visit"), ("Preços", "visit"),
        ("Vrienden van het museum", None), ("Education", None), ("Forschung", None),
        ("Stadtgeschichte", "history"), ("A nossa história", "history"), ("Geschiedenis van de collectie", "history"),
        ("Sponsors", None), ("Storytelling", None),
    ],
)  # fmt: skip
def test_titles_in_six_languages(title: str, kind: str | None) -> None:
    assert section_type(title) == kind


def test_an_old_encoding_and_markup_that_is_broken() -> None:
    page = '<meta charset="iso-8859-1"><h2>Présentation<p>Le <b>musée</p> est à Nîmes.</span><h2>Accès</h2><p>Gare 5 min</i>'
    chunks = cut(page.encode("cp1252")).chunks
    assert [told(chunk, "section_type", "language") for chunk in chunks] == [("about", "fr"), ("visit", "fr")]
    assert "Le musée" in chunks[0].source_text


def test_the_smallest_element_of_several() -> None:
    assert common_element(["/a/b[1]/p", "/a/b[1]/p/i"]) == "/a/b[1]/p"
    assert common_element(["/a/b[1]/p", "/a/b[10]/p"]) == "/a"
    assert common_element(["/a/p", "/a/p/x", "/a/p-q"]) == "/a"


def test_pages_are_detected() -> None:
    document: Document = parsed(PAGE.encode(), "page.html", parse_html)
    assert plugins.choose(document)[0] == "website"


def test_running_heads_of_a_file_that_is_no_page_leave_nothing_out() -> None:
    document = pipeline.parse(Path(__file__).parents[3] / "examples" / "harbour-report.pdf")
    assert "header" in {item.kind for item in document.furniture}
    strategy = plugins.strategy("website")
    assert not [segment for segment in strategy.segment(document) if segment.left_out_reason]
