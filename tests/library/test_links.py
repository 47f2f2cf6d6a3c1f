"""Entities that a library holds are found again in its conversations and pages, whatever came first."""

import json
import sqlite3
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pecia import Library, pipeline
from pecia.cli.main import app
from pecia.storing.connection import DATABASE
from tests.library.test_vectors import Meanings

TALK = (
    "We went to Museum Ede on Monday, and the curator showed us how the looms of the eighteenth century were mended by hand. "
    "The museum keeps its letters in a cellar, and so does Het Zandhuis, as the people of ME like to tell every visitor."
)
FILES = {
    "talk.json": json.dumps([{"role": "user", "content": TALK}, {"role": "assistant", "content": f"{TALK} It is in Ede."}]),
    "page.html": "<html lang=en><title>Museum Ede</title><link rel=canonical href=https://www.museum-ede.example/><body>"
    "<h1>Museum Ede</h1><h2>About us</h2><p>The museum was founded in 1911, and Het Zandhuis lends to it.</p></body></html>",
    "list.csv": "Instelling,Plaats,ISIL code,website\n"
    "Museum Ede,Ede,NL-EdeM,https://museum-ede.example\nHet Zandhuis,Zeist,NL-ZstW,\n",
    "ede.yaml": "ghcid: NL-GE-EDE-M-ME\npreferred_label: Museum Ede\nalternative_names: [Edes Museum]\n"
    "identifiers:\n- {identifier_scheme: ISIL, identifier_value: NL-EdeM}\n"
    "custodian_place: {settlement: Ede, country: NL}\n",
}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


def add(library: Library, path: Path, **options: Any) -> None:
    for document in pipeline.parse_all(path):
        cutting = pipeline.cut(document, "auto", **options)
        library.add(document, cutting.chunks, strategy=cutting.strategy)


def relinked(library: Library) -> int:
    return len(list(library.relink()))


def told(library: Library, name: str) -> list[dict[str, Any]]:
    """What the chunks of a file say, their ids aside, which are of the options."""
    records = [chunk.to_record() for chunk in library.export() if chunk.source_name == name]
    return [{key: value for key, value in record.items() if key != "chunk_id"} for record in records]


@pytest.mark.parametrize("order", list(permutations(FILES))[::5])
def test_the_order_of_files_changes_nothing(files: Path, tmp_path: Path, order: tuple[str, ...]) -> None:
    with Library(tmp_path / "library") as library:
        for name in order:
            add(library, files / name)
            relinked(library)
        assert relinked(library) == 0
        assert told(library, "talk.json")[0]["mentioned_entities"] == ["NL-GE-EDE-M-ME", "Het Zandhuis"]
        page = told(library, "page.html")[0]
        assert (page["ghcid"], page["custodian_type"], page["settlement"]) == ("NL-GE-EDE-M-ME", "M", "Ede")
        assert list(library.verify()) == []
        found = library.export({"mentioned_entities": "NL-GE-EDE-M-ME"})
        assert {chunk.source_name for chunk in found} >= {"talk.json", "page.html"}


def test_it_says_what_the_same_files_say_when_they_are_given(files: Path, tmp_path: Path) -> None:
    entities = tuple(str(files / name) for name in ("ede.yaml", "list.csv"))
    with Library(tmp_path / "given") as given, Library(tmp_path / "held") as held:
        for name in ("talk.json", "page.html"):
            add(held, files / name)
            add(given, files / name, entities=entities)
        for name in ("list.csv", "ede.yaml"):
            add(held, files / name)
        assert relinked(held) == 2
        for name in ("talk.json", "page.html"):
            assert told(held, name) == told(given, name)
        add(given, files / "list.csv")
        assert relinked(given) == 0  # it was told what to know


def test_the_same_file_again_changes_nothing_and_what_goes_is_forgotten(files: Path, tmp_path: Path) -> None:
    with Library(tmp_path / "library") as library:
        add(library, files / "talk.json")
        before = told(library, "talk.json")
        ids = [chunk.chunk_id for chunk in library.export()]
        add(library, files / "ede.yaml")
        assert relinked(library) == 1
        linked = told(library, "talk.json")
        assert linked != before
        add(library, files / "talk.json")
        assert (relinked(library), told(library, "talk.json")) == (0, linked)
        assert [chunk.chunk_id for chunk in library.export() if chunk.source_name == "talk.json"] == ids
        library.delete((files / "ede.yaml").as_uri())
        assert relinked(library) == 1
        assert told(library, "talk.json") == before
        assert list(library.export({"mentioned_entities": "NL-GE-EDE-M-ME"})) == []
        connection = sqlite3.connect(tmp_path / "library" / DATABASE)
        unused = "SELECT count(*) FROM facet_value WHERE id NOT IN (SELECT value_id FROM facet)"
        assert connection.execute(unused).fetchone() == (0,)
        connection.close()


def test_what_was_interrupted_goes_on(files: Path, tmp_path: Path) -> None:
    with Library(tmp_path / "library") as library:
        for name in FILES:
            add(library, files / name)
        assert next(iter(library.relink())) == (1, 2)
        assert relinked(library) == 1
        assert relinked(library) == 0


def test_a_page_that_is_now_of_a_museum_is_embedded_as_such(files: Path, tmp_path: Path) -> None:
    with Library(tmp_path / "library", embedder=Meanings()) as library:
        for name in ("page.html", "talk.json"):
            add(library, files / name)
        list(library.embed(Meanings()))
        assert library.search("looms")[0].retriever == "hybrid"
        add(library, files / "ede.yaml")
        relinked(library)
        assert list(library.verify()) == []
        second = Meanings()
        list(library.embed(second))
        assert any(text.startswith("[M] [NL] ") and "founded" in text for text in second.asked)
        assert not any("looms" in text for text in second.asked)  # a conversation is of no entity, its vectors stay
        assert list(library.verify()) == []


def test_the_command_links_after_it_has_stored(files: Path, tmp_path: Path) -> None:
    folder = str(tmp_path / "library")
    runner = CliRunner()
    assert "linked" not in runner.invoke(app, ["ingest", str(files / "talk.json"), "-l", folder, "-s", "auto"]).stderr
    done = runner.invoke(app, ["ingest", str(files), "-l", folder, "-s", "auto"])
    assert done.exit_code == 0
    assert "2 conversations and pages linked" in done.stderr
    assert "linked" not in runner.invoke(app, ["ingest", str(files), "-l", folder, "-s", "auto"]).stderr
    shown = runner.invoke(app, ["export", "-l", folder, "--where", "mentioned_entities=NL-GE-EDE-M-ME"])
    assert {json.loads(line)["source_name"] for line in shown.stdout.splitlines()} >= {"talk.json", "page.html"}
