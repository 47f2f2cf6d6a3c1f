"""The pages in a real browser: upload, preview, add, see the boxes, search, cite, delete; by mouse and by keyboard, narrow and
wide, light and dark, in three languages. Skipped, with the reason, only where there is no Chromium."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from axe_core_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from pecia import plugins
from pecia.server import refusals
from pecia.server.texts import LANGUAGES, Words, catalogue
from tests.server.papers import KINDS, paper
from tests.server.serving import GUIDE, PAPER, Server

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
ARTEFACTS = os.environ.get("PECIA_SCREENSHOTS")  # a folder for the pictures of a run
WAIT = 90_000  # milliseconds; a machine that does much else answers after many seconds
expect.set_options(timeout=WAIT)  # a page's own timeout does not hold for what is expected of it, which would be 5 seconds
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def page(browser: Browser, filled: Server) -> Iterator[Page]:
    """A page whose console stays empty and that asks nobody but the service."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=filled.base, locale="en")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    found = context.new_page()
    said, asked = list[str](), list[str]()
    found.on("console", lambda message: said.append(message.text))
    found.on("pageerror", lambda error: said.append(str(error)))
    found.on("request", lambda request: asked.append(request.url))
    found.set_default_timeout(WAIT)
    yield found
    context.close()
    assert said == []
    assert all(url.startswith(filled.base) for url in asked)


def keep(page: Page, name: str) -> None:
    if ARTEFACTS:
        page.screenshot(path=Path(ARTEFACTS) / f"{name}.png")


def turn(page: Page, key: str) -> None:
    """Presses a key that leads to another page, and waits for that."""
    with page.expect_navigation():
        page.keyboard.press(key)


def tab_to(page: Page, selector: str, key: str = "Tab") -> None:
    """Goes on with Tab until the first of these has the focus, as whoever has no mouse does."""
    wanted = page.locator(selector).first
    for _ in range(120):
        if wanted.evaluate("node => node === document.activeElement"):
            assert wanted.evaluate("node => node.matches(':focus-visible')"), f"{selector}: nothing shows the focus"
            return
        page.keyboard.press(key)
    pytest.fail(f"{selector} is not reached by {key}")


def violations(page: Page) -> list[Any]:
    found = Axe().run(page)["violations"]
    return [(item["id"], [node["html"][:160] for node in item["nodes"]][:3]) for item in found]


@needs_chromium
@pytest.mark.parametrize("strategy", KINDS)
def test_a_file_from_upload_to_deletion(page: Page, tmp_path: Path, strategy: str) -> None:
    own = paper(tmp_path, strategy)
    page.goto("/documents")
    page.set_input_files("#files", [own])
    row = page.locator("#list-of-files li")
    expect(row.locator("small")).to_contain_text("suggested")
    page.locator(f"input[name=strategy][value={strategy}]").check()
    expect(row.locator(".badge")).to_have_text(strategy)
    expect(page.locator(f".card[data-strategy={strategy}] .why")).not_to_be_empty()
    page.get_by_role("button", name="Preview", exact=True).click()
    previewed = page.locator(".previewed").first
    expect(previewed).to_contain_text("nothing was written")
    counted = int(re.findall(r"([\d,]+) chunk", previewed.inner_text())[0].replace(",", ""))
    expect(page.locator("table.list")).not_to_contain_text(own.name)
    keep(page, f"preview-{strategy}")
    page.get_by_role("button", name="Add to the library").click()
    expect(page.locator("#jobs .done").first).to_contain_text(own.name)
    lines = page.locator("table.list tr", has_text=own.name)
    line = lines.last  # a chat export is several documents; the one that was previewed first came first
    expect(line).to_contain_text(strategy)
    expect(line).to_contain_text(str(counted))
    line.get_by_role("link", name=own.name).click()
    first = page.locator(".chunk").first
    expect(first).to_be_visible()
    if own.suffix == ".pdf":
        expect(page.locator(".leaf img")).to_have_js_property("complete", value=True)
        while not page.locator(".box").count():
            turn(page, "ArrowRight")
        box = page.locator(".box .outline").first
    else:
        box = page.locator(".left .t").first
    keep(page, f"document-{strategy}")
    box.click()
    chosen = page.locator(".chunk[aria-current]")
    expect(chosen).to_have_count(1)
    expect(chosen).to_be_focused()
    words = " ".join(chosen.locator(".slots dd, .source .text").first.inner_text().split()[:4])
    key = page.url.partition("/documents/")[2].partition("?")[0].partition("#")[0]
    page.goto("/search?" + urlencode({"query": words, "document": key}))
    hit = page.locator(".hit", has_text=own.name).first
    expect(hit.locator("mark").first).to_be_visible()
    keep(page, f"search-{strategy}")
    if own.suffix == ".pdf":
        expect(hit.locator(".crop rect").first).to_be_attached()
    hit.get_by_role("button", name="Copy the citation").click()
    expect(hit.get_by_role("button", name="Copied")).to_be_visible()
    assert own.name in page.evaluate("() => navigator.clipboard.readText()")
    hit.get_by_role("link", name="Open in document").click()
    expect(page.locator(".chunk[aria-current]")).to_be_focused()
    page.goto("/documents")
    line = page.locator("table.list tr", has_text=own.name).first
    line.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Keep it").click()
    expect(line).to_be_visible()
    for left in reversed(range(page.locator("table.list tr", has_text=own.name).count())):
        line.get_by_role("button", name="Delete").click()
        page.get_by_role("button", name="Yes, delete it").click()
        expect(page.locator("table.list tr", has_text=own.name)).to_have_count(left)
    expect(page.locator("table.list")).not_to_contain_text(own.name)


@needs_chromium
def test_arrows_go_from_chunk_to_chunk_and_from_page_to_page(page: Page, filled: Server) -> None:
    key = next(item["id"] for item in filled.documents() if item["strategy"] == "question" and item["source_name"] == PAPER.name)
    page.goto(f"/documents/{key}?page=2")
    chunks = page.locator(".chunk")
    for number in range(chunks.count()):
        page.keyboard.press("ArrowDown")
        expect(chunks.nth(number)).to_be_focused()
        one = chunks.nth(number).get_attribute("data-chunk")
        expect(page.locator(f'.box.on[data-chunk="{one}"]')).to_have_count(1)
    page.keyboard.press("ArrowUp")
    expect(chunks.nth(chunks.count() - 2)).to_be_focused()
    turn(page, "ArrowRight")
    expect(page).to_have_url(re.compile("page=3"))
    turn(page, "ArrowLeft")
    expect(page).to_have_url(re.compile("page=2"))
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()


@needs_chromium
def test_a_file_from_upload_to_deletion_by_keyboard_alone(page: Page, tmp_path: Path) -> None:
    own = tmp_path / "by-keyboard.md"
    own.write_bytes(b"# Tides\n\nThe pilot waits for the flood.\n\n# Buoys\n\nThe green buoy was moved in March.\n" * 2)
    page.goto("/documents")
    tab_to(page, "#files")
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Space")
    chooser.value.set_files(own)
    expect(page.locator("#list-of-files small")).to_contain_text("suggested")
    tab_to(page, "input[name=strategy]:checked")
    while page.locator("input[name=strategy][value=token]:checked").count() == 0:
        page.keyboard.press("ArrowDown")
    tab_to(page, ".options.on summary")
    page.keyboard.press("Enter")
    tab_to(page, "input[name='token.max_tokens']")
    page.keyboard.type("20")
    tab_to(page, "#preview-button")
    page.keyboard.press("Enter")
    expect(page.locator(".previewed")).to_contain_text("nothing was written")
    expect(page.locator("#preview")).to_be_focused()
    tab_to(page, "button.primary", "Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#jobs .done").first).to_contain_text(own.name)
    tab_to(page, "table.list tbody a")
    turn(page, "Enter")
    expect(page.locator("h1")).to_contain_text(own.name)
    tab_to(page, ".chunk")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".chunk").nth(1)).to_be_focused()
    tab_to(page, ".title a[href*=search]", "Shift+Tab")
    turn(page, "Enter")
    expect(page.locator("input[type=search]")).to_be_focused()
    page.keyboard.type("green buoy")
    turn(page, "Enter")
    tab_to(page, ".hit h2 a")
    turn(page, "Enter")
    expect(page.locator(".chunk[aria-current]")).to_be_focused()
    page.goto("/documents")
    tab_to(page, "table.list .act button")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Keep it")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("table.list .act button").first).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="Yes, delete it")).to_be_focused()
    turn(page, "Enter")
    expect(page.locator("table.list")).not_to_contain_text(own.name)


@needs_chromium
def test_a_failed_job_is_told_after_the_page_is_loaded_again(page: Page, filled: Server) -> None:
    job = filled.ingest(("no-such-column.csv", b"a;b\n1;2\n3;4\n"), strategy="registry", mapping="Naam=preferred_label")
    assert job["state"] == "failed"
    page.goto("/documents")
    told = page.locator("#jobs li", has_text="no-such-column.csv")
    expect(told).to_contain_text("failed: the mapping names none of its columns")
    expect(told.get_by_role("button")).to_have_count(0)
    assert "no-such-column.csv" not in page.locator("#list").inner_text()


@needs_chromium
def test_sources_without_pages_are_shown_as_what_they_are(page: Page, filled: Server) -> None:
    of = {item["source_name"]: item["id"] for item in filled.documents()}
    page.goto(f"/documents/{of['registry.csv']}")
    assert page.locator(".rows thead th").all_inner_texts() == ["Name", "Place", "Code", "Since"]
    row = page.locator(".rows tbody tr").nth(1)
    assert row.locator("td").all_inner_texts() == ["Museum Oude Sluis", "Heusden", "NL-HeuS24", "1954"]
    row.click()
    expect(page.locator(".chunk").nth(1)).to_be_focused()
    expect(page.locator(".chunk").nth(1).locator(".slots")).to_contain_text("Heusden")
    page.goto(f"/documents/{of['conversation.json']}")
    assert page.locator(".said b").all_inner_texts() == ["human", "assistant"]
    expect(page.locator("h1 small")).to_contain_text("Ledgers")
    page.goto(f"/documents/{of['website.html']}")
    expect(page.locator(".gutter").first).to_have_text("/html/body/main/h1")
    assert page.locator(".run th").all_inner_texts() == ["Ticket", "Price"]
    page.goto(f"/documents/{of['entity.yaml']}")
    expect(page.locator(".gutter").first).to_contain_text("lines 1–")
    page.goto("/documents?name=conversation.json")
    assert sorted(page.locator("table.list th small").all_inner_texts()) == ["Ledgers of the ferry", "Ledgers, asked again"]


@needs_chromium
@pytest.mark.parametrize(
    ("width", "scheme", "language"),
    [(360, "dark", "vi"), (1024, "dark", "en"), (1600, "light", "zh-TW")],
)
def test_pages_fit_and_are_accessible(browser: Browser, filled: Server, width: int, scheme: Any, language: str) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, locale=language, base_url=filled.base, bypass_csp=True
    )
    page = context.new_page()
    page.set_default_timeout(WAIT)
    key = {item["strategy"] + item["source_name"]: item["id"] for item in filled.documents()}
    for name, path in {
        "documents": "/documents",
        "page": f"/documents/{key['question' + PAPER.name]}?page=2",
        "text": f"/documents/{key['heading' + GUIDE.name]}",
        "search": "/search?query=kevralol+suy+than",
        "nothing found": "/search?query=zzyzx",
        "refusal": "/documents/nothing",
        "sign-in": "/sign-in",
        **{name: f"/documents/{key[name + name + KINDS[name][0]]}" for name in ("conversation", "website", "registry", "entity")},
    }.items():
        page.goto(path)
        page.locator(".leaf img").evaluate_all("found => Promise.all(found.map((image) => image.decode()))")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width, name
        if width != 1024:  # what lies between the others is looked at for its layout alone
            assert violations(page) == [], name
        keep(page, f"{name}-{width}-{scheme}-{language}")
    page.goto("/documents")
    page.set_input_files("#files", [GUIDE])
    page.locator("#list-of-files small", has_text=re.compile(r"\d")).wait_for()
    page.locator("input[value=registry]").check()
    page.locator(".options.on summary").click()
    page.locator("#preview-button").click()
    page.locator(".previewed").wait_for()
    page.locator("table.list .act button").first.click()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    assert violations(page) == []
    keep(page, f"preview-{width}-{scheme}-{language}")
    assert page.locator("html").get_attribute("lang") == {"vi": "vi", "zh-TW": "zh-Hant", "en": "en"}[language]
    context.close()


@pytest.mark.parametrize("language", sorted(LANGUAGES.keys() - {"en"}))
def test_every_rule_and_every_kind_of_error_is_explained(language: str) -> None:
    words = Words(language)
    assert words.section("rule").keys() == plugins.codes().keys()
    assert words.section("fault").keys() == {code for _, _, code in refusals._STATUS} | {*refusals._CODES.values(), "http"}


def test_a_finding_and_an_error_are_told_in_the_language_of_the_page(filled: Server) -> None:
    job = filled.ingest(("twice.csv", b"Name;Name\nA;B\nC;D\n"), strategy="registry")
    entry = job["files"][0]["documents"][0]
    for language, named, lost in (
        ("vi", "Cột trùng tên hoặc không tên: ", "Không tìm thấy: "),
        ("en", "", ""),
    ):
        asked = {"Accept-Language": language}
        page = filled.session.get(f"{filled.base}/documents/{entry}", headers=asked).text
        assert f'<b>CSV102</b> {named}<span lang="en">' in page
        refused = filled.session.get(f"{filled.base}/documents/nothing", headers=asked)
        assert refused.status_code == 404
        assert f'<p role="alert">{lost}<span lang="en">' in refused.text
    filled.session.delete(f"{filled.base}/api/v1/documents/{entry}").raise_for_status()


@needs_chromium
def test_a_refused_file_is_told_in_the_language_of_the_page(browser: Browser, filled: Server) -> None:
    context = browser.new_context(locale="zh-TW", base_url=filled.base)
    page = context.new_page()
    page.set_default_timeout(WAIT)
    page.goto("/documents")
    page.set_input_files("#files", {"name": "picture.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7 and no more"})
    expect(page.locator("#list-of-files .alarm")).to_contain_text("檔案已損壞: ")
    context.close()


def test_catalogues_have_the_same_words_and_places_for_values() -> None:
    english = catalogue("en")
    for language in LANGUAGES:
        own = {key: words for key, words in catalogue(language).items() if not key.startswith(("fault.", "rule."))}
        assert own.keys() == english.keys()
        for key, words in own.items():
            assert sorted(re.findall(r"\{\w+\}", words)) == sorted(re.findall(r"\{\w+\}", english[key])), key
