"""Hostile inputs, over a real server: refused in one line or inert, and the service goes on."""

import io
import re
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import reportlab.pdfgen.canvas
from lxml import html
from reportlab.lib.pdfencrypt import StandardEncryption

from pecia.errors import OptionError
from pecia.server.guard import same
from pecia.server.service import is_loopback, key_of
from pecia.server.uploads import NAME_BYTES, safe_name
from tests.server.serving import Server

KEY = "a-key-of-more-than-sixteen-characters"
SCRIPT = "<script>alert('x')</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a key, small limits and short times."""
    limits = {"PECIA_UPLOAD_FILES": "3", "PECIA_UPLOAD_BYTES": "300000", "PECIA_MAX_PAGES": "5", "PECIA_QUEUE_FILES": "3"}
    found = Server(tmp_path_factory.mktemp("keyed") / "library", PECIA_SERVE_KEY=KEY, **limits)
    found.session.headers["authorization"] = f"Bearer {KEY}"
    yield found
    found.stop()


def pdf(pages: int = 1, width: float = 200, height: float = 200, **options: Any) -> bytes:
    out = io.BytesIO()
    canvas = reportlab.pdfgen.canvas.Canvas(out, pagesize=(width, height), **options)
    for number in range(pages):
        canvas.drawString(20, 100, f"Words of page {number + 1}.")
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for number in range(12):
            package.writestr(f"word/{number}.xml", b"0" * (50 << 20))
    return out.getvalue()


ENTITIES = (
    b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "'
    + b"x" * 1000
    + b'">'
    + b"".join(b'<!ENTITY b%d "%s">' % (n, b"&b%d;" % (n - 1) * 10 if n else b"&b;" * 10) for n in range(9))
    + b"]><a>&b8;</a>"
)
OUTSIDE = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><a><p>Words and &b; more.</p></a>'


@pytest.mark.parametrize(
    ("name", "data", "status", "code"),
    [
        ("locked.pdf", pdf(encrypt=StandardEncryption("secret", canPrint=0)), 422, "encrypted"),
        ("cut.pdf", pdf()[:300], 422, "broken"),
        ("empty.pdf", b"", 422, "broken"),
        ("picture.png", b"\x89PNG\r\n\x1a\n" + b"0" * 40, 415, "unsupported"),
        ("program", b"\x7fELF" + b"0" * 40, 415, "unsupported"),
        ("bomb.docx", bomb(), 413, "limit"),
        ("old.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), 422, "encrypted"),
    ],
)
def test_what_cannot_be_read_is_refused_at_the_door(server: Server, name: str, data: bytes, status: int, code: str) -> None:
    for to in ("/ingest", "/preview"):
        answer = server.send((name, data), to=to)
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (status, code), error
        assert name in error["message"]
        assert "\n" not in error["message"]
        assert str(server.folder) not in error["message"]
    assert not [item for item in server.documents() if item["source_name"] == name]


@pytest.mark.parametrize(("name", "data"), [("entities.xml", ENTITIES), ("outside.xml", OUTSIDE)])
def test_entities_are_not_resolved(server: Server, name: str, data: bytes) -> None:
    job = server.ingest((name, data), strategy="token")
    if job["state"] == "done":
        key = job["files"][0]["documents"][0]
        text = "".join(chunk["text"] for chunk in server.get(f"/documents/{key}/chunks").json()["chunks"])
        assert Path("/etc/hostname").read_text().strip() not in text
        assert len(text) < 2000
    else:
        assert job["files"][0]["error"]


def test_nothing_asks_a_network_for_what_a_document_names(server: Server) -> None:
    asked = list[str]()

    class Listening(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

    with ThreadingHTTPServer(("127.0.0.1", 0), Listening) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        at = f"http://127.0.0.1:{listening.server_port}"
        page = f"""<!doctype html><html><head><base href="{at}/base/"><link rel="stylesheet" href="{at}/a.css">
            <script src="{at}/a.js"></script></head><body><h1>Named</h1><img src="{at}/a.png"><iframe src="{at}/a.html"></iframe>
            <p>Words of the page that names them.</p><object data="{at}/a.svg"></object></body></html>"""
        xml = f"""<?xml version="1.0"?><?xml-stylesheet href="{at}/a.xsl"?><!DOCTYPE a SYSTEM "{at}/a.dtd" [<!ENTITY % b SYSTEM
            "{at}/b.ent"> %b;]><a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="{at}/c.xml"/><p>Words.</p></a>"""
        yaml = f"- id: {at}/entity\n  name: Named\n  schema: {at}/schema.yaml\n"
        mark = f"# Named\n\n![picture]({at}/a.png) <img src='{at}/b.png'>\n"
        paper = io.BytesIO()
        canvas = reportlab.pdfgen.canvas.Canvas(paper)
        canvas.drawString(20, 100, "Words with a link.")
        canvas.linkURL(f"{at}/link", (0, 0, 200, 200))
        canvas.save()
        files = {"page.html": page, "named.xml": xml, "named.yaml": yaml, "named.md": mark}
        for name, data in {**{name: text.encode() for name, text in files.items()}, "named.pdf": paper.getvalue()}.items():
            for key in server.ingest((name, data), strategy="auto")["files"][0]["documents"]:
                assert server.session.get(f"{server.base}/documents/{key}").ok
                server.get(f"/documents/{key}/pages/1.png")
        listening.shutdown()
    assert asked == []


def test_a_page_of_a_mile_is_drawn_within_limits(server: Server) -> None:
    key = server.ingest(("mile.pdf", pdf(width=14_000, height=14_000)), strategy="page")["files"][0]["documents"][0]
    answer = server.get(f"/documents/{key}/pages/1.png")
    assert answer.status_code == 200
    assert len(answer.content) < 5_000_000


def test_markup_of_a_document_is_text_on_every_page(server: Server) -> None:
    name = "evil <b>name</b>.md"
    data = f"# {SCRIPT}\n\nQ1. Why {SCRIPT}?\n\n| a {SCRIPT} | =1+1 |\n| --- | --- |\n| b | =cmd('x') |\n".encode()
    key = server.ingest((name, data), strategy="heading")["files"][0]["documents"][0]
    page, list_ = (server.session.get(f"{server.base}{path}").text for path in (f"/documents/{key}", "/documents"))
    found = server.session.get(f"{server.base}/search", params={"query": "why alert script"}).text
    for text in (page, found):
        assert "alert(" in text
    for text in (page, list_, found):
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "<b>name" not in text
        for element in html.fromstring(text).iter("*"):
            assert not [name for name in element.attrib if name.startswith("on") or name == "style"]
            assert element.tag != "script" or (element.get("src", "").startswith("/static/") and not element.text)
    asked = server.session.get(f"{server.base}/search", params={"query": f'"><script>{SCRIPT}', "language": '"><b>'}).text
    assert "<script>alert" not in asked
    assert '"><b>' not in asked


def test_every_answer_has_the_headers_of_safety(filled: Server) -> None:
    for path in ("/documents", "/search", "/nothing", "/static/pecia.js", "/api/v1/documents", "/api/v1/nothing", "/sign-in"):
        answer = filled.session.get(f"{filled.base}{path}")
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert "server" not in answer.headers
    text = filled.session.get(f"{filled.base}/documents").text
    assert not re.search(r'\s(?:src|href|action|formaction)="(?!/|#)', text)  # nothing from elsewhere


def test_pages_of_other_sites_change_nothing(server: Server) -> None:
    before = server.documents()
    for headers in (
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ):
        for answer in (
            server.post("/ingest", files=[("files", ("x.md", b"# X\n"))], headers=headers),
            server.session.delete(f"{server.base}/api/v1/documents/x", headers=headers),
            server.session.post(f"{server.base}/documents", files=[("files", ("x.md", b"# X\n"))], headers=headers),
        ):
            assert answer.status_code == 403
    own = server.session.post(f"{server.base}/documents", files=[("files", ("x.md", b"# X\n"))], data={"strategy": "token"})
    assert own.status_code == 400  # a form without the token of our page
    assert "load the page again" in own.text
    assert server.documents() == before


def test_a_form_with_the_token_of_its_page_works_without_a_script(server: Server) -> None:
    page = server.session.get(f"{server.base}/documents").text
    token = re.findall(r'name="token" value="([^"]+)"', page)[0]
    data = {"token": token, "strategy": "token", "token.max_tokens": "64", "page.max_tokens": "nonsense"}
    seen = server.session.post(f"{server.base}/documents/preview", files=[("files", ("plain.md", b"# A\n\nWords.\n"))], data=data)
    assert seen.status_code == 200
    assert "1 chunk, 0 findings" in seen.text
    sent = server.session.post(f"{server.base}/documents", files=[("files", ("plain.md", b"# A\n\nWords.\n"))], data=data)
    assert sent.url.endswith("/documents")
    for job in server.get("/jobs").json()["jobs"]:
        server.done(job["id"])
    key = next(item["id"] for item in server.documents() if item["source_name"] == "plain.md")
    assert server.session.post(f"{server.base}/documents/{key}/delete", data={"token": "other"}).status_code == 400
    assert server.session.post(f"{server.base}/documents/{key}/delete", data={"token": token}).status_code == 200
    assert not [item for item in server.documents() if item["source_name"] == "plain.md"]


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", ""])
def test_a_name_that_another_points_at_this_machine_is_not_answered(server: Server, host: str) -> None:
    assert server.get("/documents", headers={"host": host}).status_code in (400, 421)


def test_without_the_key_nothing_is_told(keyed: Server) -> None:
    for headers in (
        {"authorization": ""},
        {"authorization": "Bearer wrong"},
        {"authorization": f"Basic {KEY}"},
        {"authorization": f"Bearer {KEY}x"},
    ):
        for path in ("/documents", "/settings", "/openapi.json", "/nothing"):
            answer = keyed.get(path, headers=headers)
            assert answer.status_code == 401
            assert answer.json()["error"]["code"] == "key"
            assert KEY not in answer.text
    assert keyed.get("/documents", params={"key": KEY}, headers={"authorization": ""}).status_code == 401
    assert keyed.get("/health", headers={"authorization": ""}).status_code == 200
    assert keyed.get("/documents").status_code == 200


def test_a_browser_signs_in_and_out(keyed: Server) -> None:
    import requests

    browser = requests.Session()
    assert browser.get(f"{keyed.base}/documents").url.endswith("/sign-in")
    token = re.findall(r'name="token" value="([^"]+)"', browser.get(f"{keyed.base}/sign-in").text)[0]
    assert browser.post(f"{keyed.base}/sign-in", data={"token": token, "key": "wrong"}).status_code == 403
    assert browser.post(f"{keyed.base}/sign-in", data={"token": token, "key": KEY}).url.endswith("/documents")
    cookie = next(item for item in browser.cookies if item.name == "pecia_session")
    assert KEY not in str(cookie.value)
    assert cookie.has_nonstandard_attr("HttpOnly")
    forged = f"{int(str(cookie.value).split('.')[0]) + 999}.{str(cookie.value).split('.')[1]}"
    assert requests.get(f"{keyed.base}/api/v1/documents", cookies={"pecia_session": forged}, timeout=30).status_code == 401
    assert browser.post(f"{keyed.base}/sign-out", data={"token": token}).url.endswith("/sign-in")
    assert browser.get(f"{keyed.base}/documents").url.endswith("/sign-in")
    browser.close()
    assert KEY not in keyed.text()


def test_uploads_have_limits(keyed: Server) -> None:
    small = b"# Words\n"
    four = keyed.send(*[(f"{n}.md", small) for n in range(4)])
    assert (four.status_code, four.json()["error"]["code"]) == (413, "limit")
    large = keyed.send(("large.md", b"x" * 400_000))
    assert (large.status_code, large.json()["error"]["code"]) == (413, "limit")

    def endless() -> Iterator[bytes]:
        yield b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\n'
        for _ in range(40):
            yield b"x" * 10_000

    streamed = keyed.post("/ingest", data=endless(), headers={"content-type": "multipart/form-data; boundary=b"})
    assert streamed.status_code == 413  # no length was told
    pages = keyed.send(("pages.pdf", pdf(6)))
    assert (pages.status_code, pages.json()["error"]["message"]) == (
        413,
        "pages.pdf: it has 6 pages; the limit is 5 (PECIA_MAX_PAGES)",
    )
    assert keyed.documents() == []


@pytest.mark.parametrize(
    "body", [b"", b"--b--", b"nonsense", b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\nx']
)
def test_a_body_that_is_no_form_is_a_clear_error(server: Server, body: bytes) -> None:
    answer = server.post("/ingest", data=body, headers={"content-type": "multipart/form-data; boundary=b"})
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]["message"]
    assert server.post("/ingest", json={}).status_code == 400


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\windows\\win.ini", "win.ini"),
        ("a\0b\u202egnp.pdf", "abgnp.pdf"),
        (".hidden", "hidden"),
        ("", "document"),
        (None, "document"),
        ("...", "document"),
        ("con|pipe?.md", "con_pipe_.md"),
        ("  báo cáo\t2026 .pdf ", "báo cáo 2026.pdf"),
        ("文件.pdf", "文件.pdf"),
    ],
)
def test_names_are_made_safe(given: str | None, name: str) -> None:
    assert safe_name(given) == name


def test_a_long_name_keeps_its_suffix() -> None:
    name = safe_name("文" * 500 + ".pdf")
    assert len(name.encode()) <= NAME_BYTES
    assert name.endswith("文.pdf")


def test_other_machines_need_a_key() -> None:
    assert key_of("127.0.0.1", "") == key_of("::1", "") == ""
    for host in ("0.0.0.0", "::", "192.168.1.4", "127.evil.example"):
        assert not is_loopback(host)
        with pytest.raises(OptionError, match="PECIA_SERVE_KEY"):
            key_of(host, "")
        assert key_of(host, KEY) == KEY
    with pytest.raises(OptionError, match="at least 16"):
        key_of("127.0.0.1", "short")
    assert same(KEY, KEY)
    assert not same(KEY[:-1], KEY)
    assert not same("ключ\udc80", KEY)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("words")
    done = subprocess.run(
        [sys.executable, "-m", "pecia", "serve", "-l", str(tmp_path), "--port", "0"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "holds no library" in done.stderr
    assert [item.name for item in tmp_path.iterdir()] == ["file"]
