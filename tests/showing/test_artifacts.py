"""Images of pages as files: what stands in the box, and nothing for what is not worth one."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from pecia.model import Box, Document, Page, Span
from pecia.showing.artifacts import extract
from pecia.showing.pictures import crop
from tests.showing.test_pictures import png, rgb
from tests.showing.test_render import made


def with_images(folder: Path, *boxes: Box, picture: bytes | None = None) -> Document:
    """A document of one page of 100 by 200 points at two pixels a point, on which each pixel tells its row and column."""
    rows = np.zeros((400, 200, 3), np.uint8)
    rows[..., 0] = np.arange(400)[:, None] // 2
    rows[..., 1] = np.arange(200)[None]
    (folder / "p1.png").write_bytes(png(rows) if picture is None else picture)
    document = made("")
    return replace(document, pages=(Page(0, None, 100.0, 200.0, Span(0, 0), boxes, "p1.png"),))


def test_an_image_is_cut_out_of_the_picture_of_its_page(tmp_path: Path) -> None:
    box = Box(10.25, 20, 60, 80)
    (page,) = extract(with_images(tmp_path, box), tmp_path)
    assert page == {"screenshot": "p1.png", "images": [{"bbox": [10.25, 20.0, 60.0, 80.0], "file": "p1-i01.png"}]}
    shown = rgb((tmp_path / "p1-i01.png").read_bytes())
    assert shown.shape == (120, 100, 3)
    assert shown[0, 0].tolist() == [20, 20, 0]
    assert shown[-1, -1].tolist() == [79, 119, 0]


def test_dots_have_no_file_and_a_scan_has_that_of_the_page(tmp_path: Path) -> None:
    (page,) = extract(with_images(tmp_path, Box(0, 0, 11, 90), Box(0, 0, 100, 199)), tmp_path)
    assert [image["file"] for image in page["images"]] == [None, "p1.png"]
    assert [path.name for path in tmp_path.iterdir()] == ["p1.png"]


def test_pages_without_pictures_say_so(tmp_path: Path) -> None:
    document = with_images(tmp_path, Box(0, 0, 50, 50))
    bare = replace(document, pages=(replace(document.pages[0], screenshot=None),))
    assert list(extract(bare, tmp_path)) == [
        {"screenshot": None, "images": [{"bbox": [0.0, 0.0, 50.0, 50.0], "file": None}]},
    ]
    assert [page["images"][0]["file"] for page in extract(with_images(tmp_path, Box(0, 0, 50, 50), picture=b"x"), tmp_path)] == [
        None
    ]


def test_a_crop_has_at_least_a_pixel() -> None:
    data = png(np.zeros((10, 10, 3)))
    for shares in ((1.0, 1.0, 1.0, 1.0), (0.5, 0.5, 0.5, 0.5)):
        cut = crop(data, shares)
        assert cut
        assert rgb(cut).shape == (1, 1, 3)
