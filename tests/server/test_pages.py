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

from pecia.server.texts import LANGUAGES, catalogue
from tests.server.papers import KINDS, paper
from tests.server.serving import GUIDE, PAPER, Server

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
ARTEFACTS = os.environ.get("PECIA_SCREENSHOTS")  # a folder for the pictures of a run
WAIT = 90_000
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
    expect(row.locator("small")).to_contain_text("suggested", timeout=WAIT)
    page.locator(f"input[name=strategy][value={strategy}]").check()
    expect(row.locator(".badge")).to_have_text(strategy)
    expect(page.locator(f".card[data-strategy={strategy}] .why")).not_to_be_empty()
    page.get_by_role("button", name="Preview", exact=True).click()
    previewed = page.locator(".previewed").first
    expect(previewed).to_contain_text("nothing was written", timeout=WAIT)
    counted = int(re.findall(r"([\d,]+) chunk", previewed.inner_text())[0].replace(",", ""))
    expect(page.locator("table.list")).not_to_contain_text(own.name)
    keep(page, f"preview-{strategy}")
    page.get_by_role("button", name="Add to the library").click()
    expect(page.locator("#jobs .done").first).to_contain_text(own.name, timeout=WAIT)
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
            page.keyboard.press("ArrowRight")
            page.wait_for_load_state()
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
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("page=3"))
    page.wait_for_load_state()
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile("page=2"))
    page.wait_for_load_state()
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()


@needs_chromium
@pytest.mark.parametrize(
    ("width", "scheme", "language"),
    [(360, "dark", "vi"), (1600, "light", "zh-TW"), (800, "light", "en"), (1280, "dark", "en")],
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
        "refusal": "/documents/nothing",
    }.items():
        page.goto(path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width, name
        assert violations(page) == [], name
        keep(page, f"{name}-{width}-{scheme}-{language}")
    assert page.locator("html").get_attribute("lang") == {"vi": "vi", "zh-TW": "zh-Hant", "en": "en"}[language]
    context.close()


def test_catalogues_have_the_same_words_and_places_for_values() -> None:
    english = catalogue("en")
    for language in LANGUAGES:
        own = catalogue(language)
        assert own.keys() == english.keys()
        for key, words in own.items():
            assert sorted(re.findall(r"\{\w+\}", words)) == sorted(re.findall(r"\{\w+\}", english[key])), key
