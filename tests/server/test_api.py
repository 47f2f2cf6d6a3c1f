"""The JSON API over a real server: every verb, and what it refuses."""

import dataclasses
import json
from typing import Any

import pypdfium2
import pytest

from pecia import plugins
from pecia.library import Library
from tests.server.serving import GUIDE, PAPER, REPORT, Server

TEXT = ("short.md", b"# Ferries\n\nThe last ferry leaves at 22:40 from the east pier.\n\n# Buses\n\nThe night bus runs hourly.\n")


def entry(server: Server, name: str, strategy: str) -> dict[str, Any]:
    return next(item for item in server.documents() if (item["source_name"], item["strategy"]) == (name, strategy))


def chunks_of(server: Server, held: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.get(f"/documents/{held['id']}/chunks").json()["chunks"]
    return found


def test_without_a_strategy_the_default_is_taken_and_told(server: Server) -> None:
    answer = server.send(("default.txt", b"One sentence only.\n"))
    assert answer.status_code == 202
    assert answer.json()["strategy"] == "token"
    assert answer.headers["location"].endswith(answer.json()["id"])
    job = server.done(answer.json()["id"])
    assert [file["state"] for file in job["files"]] == ["done"]
    assert entry(server, "default.txt", "token")["chunk_count"] == 1


def test_the_same_file_twice_is_one_and_under_two_strategies_two(server: Server) -> None:
    first = server.ingest(TEXT, strategy="heading")
    again = server.ingest(("another name.md", TEXT[1]), strategy="heading")
    other = server.ingest(TEXT, strategy="token", max_tokens="100")
    assert [job["files"][0]["changed"] for job in (first, other)] == [True, True]
    assert again["files"][0]["documents"] == first["files"][0]["documents"]
    keys = [item["id"] for item in server.documents() if item["document_id"] == entry(server, TEXT[0], "token")["document_id"]]
    assert sorted(keys) == sorted(first["files"][0]["documents"] + other["files"][0]["documents"])
    assert server.get(f"/documents/{keys[0]}").json()["options"]["max_tokens"] in (100, 800)


def test_a_preview_is_what_ingest_gives_and_writes_nothing(server: Server) -> None:
    file = ("previewed.md", TEXT[1] + b"\n# Trams\n\nNone.\n")
    before = server.documents()
    seen = server.send(file, to="/preview", strategy="heading", max_tokens="60").json()["documents"][0]
    assert server.documents() == before
    assert {item["strategy"] for item in seen["suggestions"]} == set(plugins.strategy_names())
    assert all(item["reason"] for item in seen["suggestions"])
    server.ingest(file, strategy="heading", max_tokens="60")
    held = entry(server, file[0], "heading")
    chunks = server.get(f"/documents/{held['id']}/chunks").json()["chunks"]
    assert [chunk["chunk_id"] for chunk in chunks] == [chunk["chunk_id"] for chunk in seen["chunks"]]
    assert seen["chunk_count"] == held["chunk_count"] == len(chunks)


def test_auto_tells_its_reason_and_stands_beside_what_it_chose(server: Server) -> None:
    file = ("asked.md", b"".join(b"Q%d. Why is part %d so?\n\nA%d. Since it was built so.\n\n" % (n, n, n) for n in range(1, 7)))
    job, named = server.ingest(file, strategy="auto"), server.ingest(file, strategy="question")
    assert job["strategy"] == "auto"
    assert "question" in job["files"][0]["reason"] or "pair" in job["files"][0]["reason"]
    keys = [found["files"][0]["documents"][0] for found in (job, named)]
    ids = [[chunk["chunk_id"] for chunk in chunks_of(server, {"id": key})] for key in keys]
    assert ids[0] == ids[1]  # the same chunks of the same bytes, in two entries
    for key in keys:
        hits = server.post("/search", json={"query": "why is part 3 so", "k": 2, "document": key}).json()["hits"]
        assert {hit["document"] for hit in hits} == {key}


@pytest.mark.parametrize(
    ("strategy", "options", "status", "says"),
    [
        ("tokens", {}, 400, ["token", "question", "auto"]),
        ("token", {"max_tokns": "3"}, 400, ["max_tokens", "overlap_tokens"]),
        ("token", {"max_tokens": "many"}, 400, ["max_tokens", "integer"]),
        ("token", {"max_tokens": "3"}, 400, ["at least 16"]),
        ("auto", {"vocabulary": "spl"}, 400, ["max_tokens"]),
        ("token", {"tokenizer": "/etc/passwd"}, 400, ["reads no files"]),
        ("token", {"tokenizer": "gpt9"}, 400, ["gpt9", "cl100k_base"]),
        ("monograph", {"vocabulary": "x.toml"}, 400, ["reads no files"]),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(
    server: Server, strategy: str, options: dict[str, str], status: int, says: list[str]
) -> None:
    answer = server.send(TEXT, strategy=strategy, **options)
    error = answer.json()["error"]
    assert answer.status_code == status
    assert all(word in error["message"] for word in says), error
    assert "\n" not in error["message"]
    assert list((server.folder / "uploads").glob("*/*/short.md")) == []


def test_strategies_come_with_their_options_as_schema(server: Server) -> None:
    found = {item["name"]: item for item in server.get("/strategies").json()["strategies"]}
    assert set(found) == {*plugins.strategy_names(), "auto"}
    for name in plugins.strategy_names():
        properties = found[name]["options"]["properties"]
        defaults = plugins.options_class(name)()
        for key, value in properties.items():
            assert (value["default"] or None) == (getattr(defaults, key) or None)
            assert value["type"] in {"integer", "string", "boolean", "number"}
        closed = found[name]["options"]["x-command-line"]
        assert {*properties, *closed} == {item.name for item in dataclasses.fields(defaults) if item.init}
    assert found["conversation"]["options"]["x-command-line"] == ["entities"]
    assert "smpc" in found["monograph"]["options"]["properties"]["vocabulary"]["enum"]


def test_pairs_and_addresses_are_options_and_paths_are_none(server: Server) -> None:
    rows = ("pairs.csv", b"Naam/Name;Plaats\nHuis de Wael;Almkerk\nDe Oude Sluis;Heusden\n")
    given = {"mapping": "Naam/Name=preferred_label\nPlaats=settlement", "registry_type": "a/b"}
    found = server.send(rows, to="/preview", strategy="registry", **given).json()["documents"][0]
    assert [chunk["text"] for chunk in found["chunks"]] == [
        "preferred_label: Huis de Wael\nsettlement: Almkerk",
        "preferred_label: De Oude Sluis\nsettlement: Heusden",
    ]
    page = ("saved.html", b"<html><body><h1>Museum</h1><p>Open from ten until five on all days but Monday.</p></body></html>")
    address = "https://museum.example/visit"
    found = server.send(page, to="/preview", strategy="website", source_url=address).json()["documents"][0]
    assert {chunk["source_url"] for chunk in found["chunks"]} == {address}
    for strategy, option in (("entity", {"schema": "pyproject.toml"}), ("entity", {"schema": "slots.yaml"}),
                             ("conversation", {"entities": "names.csv"}), ("website", {"entities": "a"})):  # fmt: skip
        error = server.send(TEXT, to="/preview", strategy=strategy, **option)
        assert error.status_code == 400
        assert "command line" in error.json()["error"]["message"]
    assert server.send(rows, to="/preview", strategy="registry", mapping="/etc/passwd.toml").status_code == 400


def test_documents_are_listed_page_by_page_the_latest_first(filled: Server) -> None:
    whole = [item["id"] for item in filled.documents()]
    seen, after = list[str](), None
    while True:
        page = filled.get("/documents", params={"limit": 2, **({"after": after} if after else {})}).json()
        seen += [item["id"] for item in page["documents"]]
        if (after := page["next"]) is None:
            break
    assert seen == whole
    assert page["total"] == len(whole)
    assert [item["strategy"] for item in filled.get("/documents", params={"name": "HARBOUR"}).json()["documents"]] == [
        "page",
        "heading",
    ]


def test_a_document_tells_its_pages_and_a_page_is_a_picture(filled: Server) -> None:
    found = filled.get(f"/documents/{entry(filled, REPORT.name, 'page')['id']}").json()
    assert found["page_count"] == len(found["pages"]) == 7
    assert found["findings"] == len(found["finding_list"])
    assert found["uploaded_at"].endswith("Z")
    picture = filled.get(f"/documents/{found['id']}/pages/1.png")
    assert picture.content.startswith(b"\x89PNG")
    assert picture.headers["content-type"] == "image/png"
    assert filled.get(f"/documents/{found['id']}/pages/8.png").status_code == 404
    assert filled.get(f"/documents/{found['id']}/pages/0.png").status_code == 422
    guide = entry(filled, GUIDE.name, "heading")
    assert filled.get(f"/documents/{guide['id']}/pages/1.png").json()["error"]["code"] == "unsupported"


def test_the_source_comes_back_byte_by_byte_and_is_never_shown_in_place(filled: Server) -> None:
    answer = filled.get(f"/documents/{entry(filled, REPORT.name, 'page')['id']}/source")
    assert answer.content == REPORT.read_bytes()
    assert answer.headers["content-disposition"].startswith("attachment")
    assert "sandbox" in answer.headers["content-security-policy"]


def test_a_chunk_comes_with_its_citation_and_its_pages(filled: Server) -> None:
    held = entry(filled, PAPER.name, "question")
    chunks = filled.get(f"/documents/{held['id']}/chunks", params={"start": 2, "limit": 3}).json()
    assert chunks["total"] == held["chunk_count"]
    assert len(chunks["chunks"]) == 3
    chunk = next(item for item in chunks_of(filled, held) if len(set(item["source_page_range"])) == 2)
    found = filled.get(f"/chunks/{chunk['chunk_id']}").json()
    assert found["chunk"] == chunk
    assert found["document"] == held["id"]
    assert found["position"] == chunks_of(filled, held).index(chunk)
    assert found["citation"]["quote"] == chunk["source_text"].strip()
    assert found["citation"]["uri"] == f"/api/v1/documents/{held['id']}/source#page={chunk['source_page_range'][0] + 1}"
    pdf = pypdfium2.PdfDocument(filled.get(f"/chunks/{chunk['chunk_id']}.pdf").content)
    assert len(pdf) == chunk["source_page_range"][1] - chunk["source_page_range"][0] + 1
    assert pdf[0].get_textpage().get_text_bounded()
    pdf.close()


def test_search_cites_and_keeps_to_one_document(filled: Server) -> None:
    hits = filled.post("/search", json={"query": "how long to close the creek with a boom", "k": 3}).json()["hits"]
    assert [hit["rank"] for hit in hits] == list(range(1, len(hits) + 1))
    assert "41 minutes" in hits[0]["passage"]["quote"]
    assert hits[0]["passage"]["source_page_range"] == [3, 3]
    assert hits[0]["passage"]["regions"]
    assert "PDF page 4" in hits[0]["passage"]["text"]
    only = entry(filled, REPORT.name, "page")["id"]
    for where in (None, ["est_tokens>=1"], {"est_tokens>=": 1}):
        own = filled.post(
            "/search", json={"query": "the harbour and the creek", "k": 50, "document": only, "where": where}
        ).json()["hits"]
        assert own
        assert {hit["document"] for hit in own} == {only}


def test_a_table_in_a_hit_is_one_on_the_page_with_the_words_marked(filled: Server) -> None:
    asked = {"query": "price of an adult's ticket to the Wael museum"}
    page = filled.session.get(f"{filled.base}/search", params=asked, timeout=30).text
    quote = page.partition("<blockquote")[2].partition("</blockquote>")[0]
    assert '<th scope="col"><mark>Price</mark></th>' in quote
    assert "<td><mark>Adult</mark></td>" in quote
    assert "| ---" not in quote


def test_a_document_under_two_options_is_searched_apart(server: Server) -> None:
    text = "".join(f"# Part {number}\n\nWords about kelp, part {number}.\n\n" for number in range(12)).encode()
    one, two = (
        server.ingest(("kelp.md", text), strategy="token", max_tokens=str(size))["files"][0]["documents"][0] for size in (20, 40)
    )
    for key in (one, two):
        hits = server.post("/search", json={"query": "kelp", "k": 3, "document": key}).json()["hits"]
        assert len(hits) == 3
        assert {hit["document"] for hit in hits} == {key}


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"query": "  "}, 400, "blank"),
        ({"query": "x", "k": 0}, 422, "k"),
        ({"query": "x", "where": ["nothing"]}, 400, "condition"),
        ({"query": "x", "where": {"no_such": 1}}, 400, "no_such"),
        ({"query": "x", "mode": "telepathy"}, 400, "telepathy"),
        ({"query": "x", "document": "abc"}, 404, "abc"),
        ({"query": "x", "surprise": 1}, 422, "surprise"),
        ({}, 422, "query"),
    ],
)
def test_a_search_that_cannot_be_says_why(filled: Server, body: dict[str, Any], status: int, says: str) -> None:
    answer = filled.post("/search", json=body)
    assert answer.status_code == status
    assert says in answer.json()["error"]["message"]


def test_what_is_deleted_is_gone_and_its_twin_stays(server: Server) -> None:
    text = b"# Twin\n\nTwo entries of one file, so that one may go.\n"
    one, two = (server.ingest(("twin.md", text), strategy=name)["files"][0]["documents"][0] for name in ("token", "heading"))
    kept = next(iter((server.folder / "originals").glob(f"*/{server.get(f'/documents/{one}').json()['document_id']}*")))
    assert server.delete(f"/documents/{one}").json() == {"chunks": 1}
    assert server.get(f"/documents/{one}").status_code == server.delete(f"/documents/{one}").status_code == 404
    assert server.get(f"/documents/{two}/source").content == text
    assert server.delete(f"/documents/{two}").status_code == 200
    assert not kept.exists()
    assert server.post("/search", json={"query": "twin entries"}).json()["hits"] == []


def test_events_tell_of_a_job_until_it_ends(server: Server) -> None:
    job = server.send(PAPER, strategy="page").json()["id"]
    with server.get(f"/jobs/{job}/events", stream=True) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = [line.decode() for line in answer.iter_lines()]
    told = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    assert told[-1]["state"] == "done"
    assert {item["id"] for item in told} == {job}
    assert server.get("/jobs/nothing/events").status_code == 404


def test_events_of_all_jobs_go_on(server: Server) -> None:
    job = server.ingest(("told.md", b"# Told\n\nWords that are told of.\n"))["id"]
    with server.get("/events", stream=True) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = (line.decode() for line in answer.iter_lines())
        told = next(line for line in lines if line.startswith("data: ") and job in line)  # the stream does not end
    assert json.loads(told.removeprefix("data: "))["state"] == "done"


def test_a_job_that_waits_is_cancelled(server: Server) -> None:
    many = [(f"many-{number}.md", f"# Many {number}\n\nWords.\n".encode()) for number in range(20)]
    job = server.send(*many, strategy="heading").json()["id"]
    assert server.delete(f"/jobs/{job}").status_code == 200
    found = server.done(job)
    assert {file["state"] for file in found["files"]} <= {"done", "cancelled"}
    assert any(file["state"] == "cancelled" for file in found["files"])
    assert server.delete("/jobs/nothing").status_code == 404


def test_settings_hold_no_secret(server: Server) -> None:
    found = server.get("/settings").json()
    assert found["max_pages"] == 5000
    assert not [name for name in found if "key" in name or "secret" in name]


def test_every_route_is_described_with_examples_and_errors(server: Server) -> None:
    described = server.get("/openapi.json").json()
    for path, verbs in described["paths"].items():
        for verb, route in verbs.items():
            assert route["summary"], (path, verb)
            assert route["description"], (path, verb)
            assert path.endswith("/health") or "401" in route["responses"], (path, verb)
    for name, schema in described["components"]["schemas"].items():
        if name not in {"ChunkRecord", "SearchRequest", "SettingsRecord"}:
            for field, value in schema["properties"].items():
                nested = "$ref" in json.dumps(value) or value.get("type") == "array"
                assert "examples" in value or nested, (name, field)


def test_what_came_by_the_command_line_is_listed_too(server: Server, tmp_path: Any) -> None:
    import pecia

    file = tmp_path / "by hand.md"
    file.write_text("# By hand\n\nAdded beside the service.\n", "utf-8")
    cutting = pecia.cut(pecia.parse(file), "heading")
    with Library(server.folder) as library:
        library.add(cutting.document, cutting.chunks, strategy=cutting.strategy)
    held = entry(server, "by hand.md", "heading")
    assert (held["findings"], held["uploaded_at"], held["page_count"]) == (None, None, None)
    hit = server.post("/search", json={"query": "added beside the service", "k": 1}).json()["hits"][0]
    assert str(tmp_path) not in json.dumps(hit)
