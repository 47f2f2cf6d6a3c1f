"""Pages as programs save and make them: archives, mirrors, builders of sites, layouts in tables, notices of cookies."""

from __future__ import annotations

from email.message import EmailMessage
from email.policy import HTTP
from typing import Any

import pytest

from pecia import pipeline
from pecia.model import LeftOut
from pecia.parsing.html import parse_html
from pecia.testing.documents import parsed
from tests.strategies.website.test_website import cut


def sections(page: str, **options: Any) -> list[tuple[str, str]]:
    """(type, text) of each chunk."""
    made = cut(page, **options)
    return [(chunk.attributes["section_type"], " ".join(chunk.source_text.split())) for chunk in made.chunks]


def left_out(page: str) -> list[tuple[str, LeftOut | None, str]]:
    made = cut(page)
    return [(item.key, item.left_out_reason, " ".join(item.span.of(made.document.text).split())) for item in made.left_out]


@pytest.mark.parametrize(
    ("saved", "url"),
    [
        ("<!--\n Page saved with SingleFile \n url: https://a.example/over?x=1 \n saved date: Sat Mar 02 2024\n-->",
         "https://a.example/over?x=1"),
        ("<!-- Mirrored from www.a.example/geschichte.html by HTTrack Website Copier/3.x -->", "http://www.a.example/geschichte.html"),
        ('<link rel="canonical" href="https://web.archive.org/web/20190412083015/https://a.example/x/">', "https://a.example/x/"),
        ("<!-- saved from url=(0061)https://web.archive.org/web/20190412083015id_/http://a.example/ -->", "http://a.example/"),
        ('<link rel="canonical" href="https://a.example/web/2019/https-and-http/">', "https://a.example/web/2019/https-and-http/"),
    ],
)  # fmt: skip
def test_where_a_saved_page_is_from(saved: str, url: str) -> None:
    (chunk,) = cut(f"<html>{saved}<body><h1>Museum</h1><p>Text of it.</p></body></html>").chunks
    assert chunk.attributes["source_url"] == url


def test_the_toolbar_of_an_archive_is_none_of_the_page() -> None:
    page = """<html><body><div id="wm-ipp-base" lang="en"><div id="donato">Donate</div><div id="wm-ipp">55 captures</div></div>
    <div id="wm-ipp-print">The archive - https://a.example/</div><h1>Musée</h1><p>Des dentelles du XVII<sup>e</sup> siècle.</p>"""
    assert sections(page) == [("other", "Musée Des dentelles du XVIIe siècle.")]
    assert [(key, reason) for key, reason, _ in left_out(page)] == [("archive_toolbar", LeftOut.BOILERPLATE)]


def test_a_layout_of_tables_has_menus_and_titles_without_elements_for_them() -> None:
    page = """<html><body><table><tr><td><font size=2><a href=i.htm>Start</a><br><a href=b.htm>Best&auml;nde</a> |
    <a href=k.htm>Kontakt</a></font></td><td><font size=5><b>Geschichte des Archivs</b></font><p>Es wurde 1893 gegr&uuml;ndet,
    und im Krieg wurden Kisten verlagert.<p><b>Karten</b> und Pl&auml;ne liegen bei.</td></tr></table>
    <hr><center>&copy; 2003 Stadt Talheim | <a href=mailto:x@y.example>Webmaster</a></center></body></html>"""
    (history,) = sections(page)
    assert history[0] == "history"
    assert history[1].startswith("Geschichte des Archivs Es wurde 1893")
    assert left_out(page) == [
        ("navigation", LeftOut.NAVIGATION, "Start Bestände | Kontakt"),
        ("footer", LeftOut.BOILERPLATE, "© 2003 Stadt Talheim | Webmaster"),
    ]


def test_bold_paragraphs_are_titles_where_a_page_has_no_others() -> None:
    body = "<p><b>Openingstijden</b></p><p>Dagelijks.</p><p><strong>Contact</strong></p><p>Dorpsstraat 1</p>"
    assert sections(f"<html lang=nl><body>{body}</body></html>") == [
        ("visit", "Openingstijden Dagelijks."),
        ("contact", "Contact Dorpsstraat 1"),
    ]
    assert len(sections(f"<html lang=nl><body><h2>Bezoek</h2>{body}</body></html>")) == 1


def test_lists_of_links_in_the_content_stay() -> None:
    links = "".join(f'<li><a href="/{number}">Fonds {number}</a></li>' for number in range(5))
    page = f"<html><body><div><ul>{links}</ul></div><h1>Our archive</h1><h2>Collections</h2><ul>{links}</ul><p>Ask us.</p>"
    assert [key for key, _, _ in left_out(page)] == ["navigation"]
    assert sections(page)[-1] == ("collection", "Collections Fonds 0 Fonds 1 Fonds 2 Fonds 3 Fonds 4 Ask us.")


def test_a_link_to_the_content_is_none_of_it() -> None:
    page = '<html><body><a class="screen-reader-text" href="#content">Skip</a><h1 id="content">Museum</h1><p>It is old.</p>'
    assert sections(page) == [("other", "Museum It is old.")]


def test_what_a_builder_of_sites_calls_a_widget_is_content() -> None:
    page = """<html><body><div class="elementor elementor-12"><div class="elementor-element elementor-widget">
    <div class="elementor-widget-container"><h2>About us</h2></div></div>
    <div class="elementor-widget elementor-widget-text-editor"><p>Founded in 1921 by dock workers.</p></div></div>
    <div id="secondary" class="widget-area"><p>Recent posts</p></div></body></html>"""
    assert sections(page) == [("about", "About us Founded in 1921 by dock workers.")]
    assert [key for key, _, _ in left_out(page)] == ["sidebar"]


def test_the_name_of_a_site_above_its_menu_is_its_head() -> None:
    page = """<html><body><div id="header"><div>Arquivo Distrital</div><div class="menu"><h2>Menu</h2><p>Início</p></div></div>
    <div><h1>Visitar o arquivo</h1><p>A sala de leitura está aberta.</p></div></body></html>"""
    assert sections(page) == [("visit", "Visitar o arquivo A sala de leitura está aberta.")]


NOTICES = {
    "en": "This website uses cookies to improve your experience.",
    "nl": "Wij maken gebruik van cookies.",
    "de": "Unsere Website verwendet Cookies.",
    "fr": "Notre site utilise des cookies.",
    "es": "Nuestra web utiliza cookies propias y de terceros.",
    "pt": "O nosso site utiliza cookies. Ao continuar, aceita-os.",
}


@pytest.mark.parametrize("language", NOTICES)
def test_a_notice_of_cookies_is_left_out_with_its_buttons(language: str) -> None:
    notice = f'<div class="x9"><div><p>{NOTICES[language]}</p><div><button>OK</button></div></div></div>'
    page = f'<html lang="{language}"><body><div><h1>Museum</h1><p>Some text of it.</p></div>{notice}</body></html>'
    assert [text for _, text in sections(page)] == ["Museum Some text of it."]
    assert [(key, reason) for key, reason, _ in left_out(page)] == [("cookie_notice", LeftOut.BOILERPLATE)]


def test_a_notice_amid_the_content_takes_nothing_of_it_along() -> None:
    words = "Bread is baked here. " * 60
    page = f"<html><body><div><p>We use cookies.</p><h2>Contact</h2><p>Tel. 1234</p><h2>About us</h2><p>{words}</p></div></html>"
    assert [text[:17] for _, text in sections(page)] == ["Contact Tel. 1234", "About us Bread is"]


def test_what_stands_beside_the_box_of_the_content_is_no_part_of_its_last_section() -> None:
    page = """<html><body><div class="p"><h1>Mill</h1><p>Old.</p><h2>Contact</h2><p>Mill Lane 1</p></div>
    <div class="q"><p>Powered by a program.</p></div></body></html>"""
    assert sections(page)[1:] == [("contact", "Contact Mill Lane 1"), ("other", "Powered by a program.")]
    flat = "<html><body><h2>Contact</h2><p>Mill Lane 1</p><div><p>Bus 9</p></div></body></html>"
    assert sections(flat) == [("contact", "Contact Mill Lane 1 Bus 9")]


def test_names_of_pictures_are_no_text() -> None:
    page = '<html><body><h1>Visit</h1><p><i class="material-icons">location_on</i> Mill Lane 1</p></body></html>'
    assert sections(page) == [("visit", "Visit Mill Lane 1")]


@pytest.mark.parametrize("charset", ["utf-8", "windows-1252"])
def test_a_page_saved_with_its_parts_in_one_file(charset: str) -> None:
    page = "<html lang=fr><body><h1>Musée</h1>\n<p>Créé en 1958, près du château, le musée abrite des œuvres.</p></body></html>"
    message = EmailMessage()
    message["Snapshot-Content-Location"] = "https://a.example/musee"
    message.set_content(page, subtype="html", charset=charset, cte="quoted-printable")
    message.add_related(b"\x89PNG", "image", "png")
    made = pipeline.cut(parsed(message.as_bytes(policy=HTTP), "page.mhtml", parse_html), "website")
    (chunk,) = made.chunks
    assert chunk.source_text == "Musée\n\nCréé en 1958, près du château, le musée abrite des œuvres."
    assert [chunk.attributes[name] for name in ("source_url", "xpath", "line_start", "line_end")] == [
        "https://a.example/musee", "/html/body", 1, 2,
    ]  # fmt: skip
    assert not list(made.findings())


def test_what_stands_below_the_main_part_is_no_part_of_its_last_section() -> None:
    page = """<html><body><div><main><h1>Mill</h1><p>Old.</p><h2>Contact</h2><p>Mill Lane 1</p></main>
    <div><h4>Subscribe</h4><p>Your address</p></div></div></body></html>"""
    made = cut(page)
    assert [(chunk.headings, chunk.attributes["xpath"]) for chunk in made.chunks] == [
        (("Mill",), "/html/body/div/main"),
        (("Mill", "Contact"), "/html/body/div/main"),
        (("Subscribe",), "/html/body/div/div"),
    ]
