"""What is drawn on a page: where raster images and other pictures stand, and the rulings that a reader sees.

One walk over the page objects. A ruling is a straight line along an edge of the page, however it was drawn: a stroked
line, a thin filled box, one side of a stroked rectangle. A filled box without a line around it is a shade.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field

import pypdfium2
import pypdfium2.raw as raw

from pecia.model import Box
from pecia.parsing.pdf import native
from pecia.parsing.pdf.frame import Frame
from pecia.parsing.pdf.regions import MOST_MARKS, Mark, Region, regions

MOST_OBJECTS = 20_000  # drawings with more objects are not searched to their end
MOST_SEGMENTS = 400  # of one path: a grid drawn at once has fewer, a map or a letter drawn as a path is no grid
MOST_LINES = 8_000  # of a page: beyond this it is a drawing, and its lines are no rulings
BOX_SEGMENTS = 6  # corners of a box and what closes it
TOLD = 12  # segments of a path that tell whether it is bent
DEEPEST = 3  # forms within forms
THIN = 3.0  # points: a box this thin is a line
STRAIGHT = 0.2  # points that the ends of a straight segment may differ across its direction
PALE = 250  # of 255: a filling this light cannot be told from paper

Matrix = tuple[float, float, float, float, float, float]
Corners = tuple[float, float, float, float]
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, order=True)
class Ruling:
    """A straight line: `at` is where it stands across its direction, `start` and `end` along it; points as shown."""

    at: float
    start: float
    end: float


@dataclass(slots=True)
class Drawings:
    """Boxes of raster images clipped to the page, the pictures of any kind from the top, and the rulings, unsorted."""

    images: tuple[Box, ...] = ()
    pictures: tuple[Region, ...] = ()
    across: list[Ruling] = field(default_factory=list)
    down: list[Ruling] = field(default_factory=list)
    shades: list[Ruling] = field(default_factory=list)  # upper and lower edges of boxes filled with a colour


def drawings(page: pypdfium2.PdfPage, frame: Frame) -> Drawings:
    """What is drawn on the page."""
    found, images, marks = Drawings(), [], list[Mark]()
    pen = _Pen(frame, found)
    count, get = native.count_objects, native.object_at
    for item, kind, corners, matrix in _objects(native.address_of(page.raw), count, get, IDENTITY, DEEPEST):
        left, top, right, bottom = _shown(corners, frame.matrix)
        drawn = "image"
        if kind == raw.FPDF_PAGEOBJ_PATH:
            drawn = pen.draw(item, matrix, (left, top, right, bottom))
        # A path that leaves the page is cut off at some edge within it, which its own box does not tell.
        cut = left < -THIN or top < -THIN or right > frame.width + THIN or bottom > frame.height + THIN
        left, right = max(0.0, left), min(frame.width, right)
        top, bottom = max(0.0, top), min(frame.height, bottom)
        if right < left or bottom < top:
            continue
        if kind == raw.FPDF_PAGEOBJ_IMAGE and right > left and bottom > top:
            images.append(Box(left, top, right, bottom))
        if drawn and len(marks) < MOST_MARKS and not (drawn != "image" and cut):
            marks.append(Mark(drawn, left, top, right, bottom))
    found.images, found.pictures = tuple(images), tuple(regions(marks, frame.width, frame.height))
    return found


class _Pen:
    """Adds the rulings of path objects, in the frame that a viewer shows."""

    def __init__(self, frame: Frame, found: Drawings) -> None:
        self._frame, self._found = frame, found
        self._floats = (ctypes.c_float * 6)()
        self._at = ctypes.addressof(self._floats)
        self._ints = (ctypes.c_int * 6)()
        self._int_at = ctypes.addressof(self._ints)

    def draw(self, item: int, matrix: Matrix, corners: Corners) -> str:
        """Gives what a path is: `curve`, `box` or `line`; empty where it cannot be seen."""
        if len(self._found.across) + len(self._found.down) + len(self._found.shades) > MOST_LINES:
            return "curve"
        left, top, right, bottom = corners
        width, height = right - left, bottom - top
        if width <= THIN or height <= THIN:
            if height <= THIN and width > 2 * height:
                self._found.across.append(Ruling((top + bottom) / 2, left, right))
            elif width <= THIN and height > 2 * width:
                self._found.down.append(Ruling((left + right) / 2, top, bottom))
            return "line"
        count = native.count_segments(item)
        if not native.draw_mode(item, self._int_at, self._int_at + 4):
            return ""
        fill, stroke = self._ints[0], self._ints[1]
        if not (fill or stroke):
            return ""
        if stroke and 2 <= count <= MOST_SEGMENTS:
            self._lines(item, count, matrix)
        elif not stroke and not self._is_tinted(item):
            return ""
        elif not stroke and 2 <= count <= BOX_SEGMENTS:
            self._found.shades += (Ruling(top, left, right), Ruling(bottom, left, right))
        return "curve" if self._is_bent(item, count) else "box"

    def _is_bent(self, item: int, count: int) -> bool:
        """One of its first segments is bent or slanted; of a path with very many, all are taken to be."""
        if count > MOST_SEGMENTS:
            return True
        last = 0.0, 0.0
        for index in range(min(count, TOLD)):
            segment = native.segment_at(item, index)
            kind = native.segment_kind(segment)
            if kind == raw.FPDF_SEGMENT_BEZIERTO:
                return True
            if not native.segment_point(segment, self._at, self._at + 4):
                return False
            x, y = self._floats[0], self._floats[1]
            if kind == raw.FPDF_SEGMENT_LINETO and abs(x - last[0]) > THIN and abs(y - last[1]) > THIN:
                return True
            last = x, y
        return False

    def _is_tinted(self, item: int) -> bool:
        """The filling can be told from paper."""
        at = self._int_at
        if not native.object_fill(item, at, at + 4, at + 8, at + 12):
            return False
        return bool(self._ints[3]) and min(self._ints[:3]) < PALE

    def _lines(self, item: int, count: int, own: Matrix) -> None:
        matrix = own
        if native.object_matrix(item, self._at):
            a, b, c, d, e, f = self._floats
            matrix = _times((a, b, c, d, e, f), own)
        a, b, c, d, e, f = _times(matrix, self._frame.matrix)
        first = last = (0.0, 0.0)
        for index in range(count):
            segment = native.segment_at(item, index)
            if not native.segment_point(segment, self._at, self._at + 4):
                return
            x, y = self._floats[0], self._floats[1]
            point = a * x + c * y + e, b * x + d * y + f
            kind = native.segment_kind(segment)
            if kind == raw.FPDF_SEGMENT_MOVETO:
                first = point
            elif kind == raw.FPDF_SEGMENT_LINETO:
                self._line(last, point)
            last = point
            if native.segment_closes(segment):
                self._line(last, first)
                last = first

    def _line(self, one: tuple[float, float], two: tuple[float, float]) -> None:
        if abs(one[1] - two[1]) <= STRAIGHT < abs(one[0] - two[0]):
            self._found.across.append(Ruling((one[1] + two[1]) / 2, min(one[0], two[0]), max(one[0], two[0])))
        elif abs(one[0] - two[0]) <= STRAIGHT < abs(one[1] - two[1]):
            self._found.down.append(Ruling((one[0] + two[0]) / 2, min(one[1], two[1]), max(one[1], two[1])))


def _objects(
    owner: int, count: native.Call, get: native.Call, matrix: Matrix, depth: int
) -> Iterator[tuple[int, int, Corners, Matrix]]:
    """Address, kind, box in user space and the matrix of the forms around it, of images, paths and shadings."""
    edges = (ctypes.c_float * 4)()
    at = ctypes.addressof(edges)
    for index in range(min(count(owner), MOST_OBJECTS)):
        item = get(owner, index)
        kind = native.object_kind(item)
        if kind in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_SHADING):
            if native.object_bounds(item, at, at + 4, at + 8, at + 12):
                left, bottom, right, top = edges
                box = left, bottom, right, top
                yield item, kind, box if matrix is IDENTITY else _moved(box, matrix), matrix
        elif kind == raw.FPDF_PAGEOBJ_FORM and depth:
            own = (ctypes.c_float * 6)()
            if native.object_matrix(item, ctypes.addressof(own)):
                a, b, c, d, e, f = own
                inner = _times((a, b, c, d, e, f), matrix)
                yield from _objects(item, native.count_form_objects, native.form_object_at, inner, depth - 1)


def _times(one: Matrix, two: Matrix) -> Matrix:
    a, b, c, d, e, f = one
    g, h, i, j, k, m = two
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def _moved(box: Corners, matrix: Matrix) -> Corners:
    a, b, c, d, e, f = matrix
    corners = [(a * x + c * y + e, b * x + d * y + f) for x in (box[0], box[2]) for y in (box[1], box[3])]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def _shown(box: Corners, matrix: Matrix) -> Corners:
    """The box in the frame of a viewer, whose matrix turns by right angles only."""
    a, b, c, d, e, f = matrix
    x0, y0, x1, y1 = box
    one, two = a * x0 + c * y0 + e, a * x1 + c * y1 + e
    three, four = b * x0 + d * y0 + f, b * x1 + d * y1 + f
    return min(one, two), min(three, four), max(one, two), max(three, four)
