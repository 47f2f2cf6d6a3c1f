"""Images of a document as files of their own, cut out of the pictures of its pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pecia.model import Box, Document, Page
from pecia.showing.pictures import crop

SMALLEST = 12.0  # points each way; below are rules, bullets and dots
WHOLE = 0.95  # of the page's area: a scan, whose image is the picture of the page


def extract(document: Document, folder: Path) -> Iterator[dict[str, Any]]:
    """Writes the images of each page that has a picture in `folder`, and gives for each page what a document's JSON
    says of it: `{"screenshot": name or None, "images": [{"bbox": [x0, y0, x1, y1], "file": name or None}]}`.

    An image is shown as the page shows it, at 144 dpi. One that is smaller than 12 points has no file; one that covers the
    page has the page's.
    """
    for page in document.pages:
        picture = (folder / page.screenshot).read_bytes() if page.screenshot and page.images else b""
        images = []
        for number, box in enumerate(page.images, 1):
            images.append({"bbox": box.to_list(), "file": _file(page, box, picture, folder, number)})
        yield {"screenshot": page.screenshot, "images": images}


def _file(page: Page, box: Box, picture: bytes, folder: Path, number: int) -> str | None:
    if not page.screenshot or min(box.width, box.height) < SMALLEST:
        return None
    if box.width * box.height >= WHOLE * page.width * page.height:
        return page.screenshot
    shares = box.x0 / page.width, box.y0 / page.height, box.x1 / page.width, box.y1 / page.height
    cut = crop(picture, shares)
    if cut is None:
        return None
    name = f"{Path(page.screenshot).stem}-i{number:02d}.png"
    (folder / name).write_bytes(cut)
    return name
