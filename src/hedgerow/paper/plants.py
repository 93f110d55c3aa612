"""A position as a botanical plate shows it: stones as plants that grew branch by branch, pieces as pressed leaves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from reportlab.pdfgen.canvas import Canvas

from hedgerow.draw.shapes import EMBLEM_PARTS, SMALLER, UNIT, Part
from hedgerow.paper.board import Ink, Place, draw_claims, draw_grid, draw_labels
from hedgerow.paper.tokens import draw_token, greys, trace
from hedgerow.scene import Scene

Spot = tuple[float, float]

FAINT = Ink(line=0.8, line_pt=0.3, square=1.0, label=0.55, last=False)

OVATE = "M0 0C-5.6 -2.6 -7.4 -9.4 0 -19C7.4 -9.4 5.6 -2.6 0 0Z"
LANCE = "M0 0C-3.4 -4 -3.6 -12 0 -21C3.6 -12 3.4 -4 0 0Z"
ROUND = (
    "M0 0C-3 -2.4 -9.4 -3.6 -8.2 -10.4C-7.2 -16.6 -1.6 -16.8 0 -13.4C1.6 -16.8 7.2 -16.6 8.2 -10.4C9.4 -3.6 3 -2.4 0 0Z"
)
TOOTHED = (
    "M0 0L-3.6 -1.6L-3.2 -4L-6.4 -6L-5.2 -8.2L-7.4 -11L-4.8 -12.2L-4.6 -15.4L-2 -15.6L0 -20"
    "L2 -15.6L4.6 -15.4L4.8 -12.2L7.4 -11L5.2 -8.2L6.4 -6L3.2 -4L3.6 -1.6Z"
)
HEART = "M0 0C-2 -1 -8.8 -0.6 -8.2 -7.2C-7.8 -12 -3 -13.6 0 -19.6C3 -13.6 7.8 -12 8.2 -7.2C8.8 -0.6 2 -1 0 0Z"
LEAVES = (OVATE, OVATE, LANCE, ROUND, HEART, TOOTHED)
"""By seat: how the leaves of its plants are shaped, from the stem at (0, 0) upwards, in a world of UNIT a step."""
VEIN = "M0 -1.5V-14"


class Branch(NamedTuple):
    """A stone and the one that it grew from, itself where it is the first of its plant."""

    point: int
    parent: int


def branches(scene: Scene, ages: Mapping[int, int]) -> list[Branch]:
    """Every stone with the neighbour of its seat that it grew from: the oldest one that was there before it."""
    owner = {mark.point: mark.seat for mark in scene.marks}

    def born(point: int) -> tuple[int, int]:
        return ages.get(point, 0), point

    found = []
    for point in sorted(owner, key=born):
        older = [q for q in scene.board.neighbours[point] if owner.get(q) == owner[point] and born(q) < born(point)]
        found.append(Branch(point, min(older, key=born) if older else point))
    return found


def weights(grown: list[Branch]) -> dict[int, int]:
    """How many stones grew from each one, itself included: stems are as thick as what they carry."""
    found = {branch.point: 1 for branch in grown}
    for point, parent in reversed(grown):
        if parent != point:
            found[parent] += found[point]
    return found


def draw_plants(canvas: Canvas, scene: Scene, place: Place, ages: Mapping[int, int]) -> None:
    """Draws a position as plants on a faint board."""
    canvas.saveState()
    draw_grid(canvas, scene.board, place, FAINT, scene.divide)
    draw_labels(canvas, scene.board, place, FAINT)
    draw_claims(canvas, scene, place, 0.55)
    stones = all(mark.kind == "stone" for mark in scene.marks)
    if stones:
        _draw_stones(canvas, scene, place, ages)
    else:
        for mark in scene.marks:
            _draw_specimen(canvas, place.at(scene.board.spots[mark.point]), place.step, mark.seat, mark.kind)
    canvas.restoreState()


# --- stones as plants -------------------------------------------------------------------------------------------------


def _draw_stones(canvas: Canvas, scene: Scene, place: Place, ages: Mapping[int, int]) -> None:
    owner = {mark.point: mark.seat for mark in scene.marks}
    grown = branches(scene, ages)
    heavy = weights(grown)
    spots = {point: place.at(scene.board.spots[point]) for point in owner}
    for point, parent in grown:
        if parent != point:
            ends = (_thickness(heavy[parent], place.step), _thickness(heavy[point], place.step))
            _draw_stem(canvas, spots[parent], spots[point], ends, owner[point])
    for point, parent in grown:
        children = [child for child, from_here in grown if from_here == point != child]
        ways = [_angle(spots[point], spots[child]) for child in children]
        grew = _angle(spots[parent], spots[point]) if parent != point else 90.0
        taken = ways if parent == point else [*ways, grew + 180]
        for way in _leaf_ways(grew, taken):
            _draw_leaf(canvas, spots[point], way, place.step * (1.12 if not children else 0.9), owner[point])
    for point in owner:
        draw_token(canvas, spots[point], place.step, owner[point], scale=0.4)


def _thickness(carried: int, step: float) -> float:
    return step * min(0.2, 0.05 * math.sqrt(1 + carried))


def _angle(start: Spot, end: Spot) -> float:
    return math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))


def _leaf_ways(grew: float, taken: list[float]) -> Iterator[float]:
    """In which directions leaves stand: two to the sides, one ahead where nothing grows on."""
    for way in (grew, grew + 62, grew - 62):
        if all(abs((way - other + 180) % 360 - 180) > 38 for other in taken):
            yield way


def _draw_stem(canvas: Canvas, start: Spot, end: Spot, widths: tuple[float, float], seat: int) -> None:
    """A stem that tapers and bends a little, the same way every time it is drawn."""
    along = (end[0] - start[0], end[1] - start[1])
    far = math.hypot(*along)
    across = (-along[1] / far, along[0] / far)
    bend = 0.09 * far * math.sin(0.7 * start[0] + 1.3 * end[1] + 0.4 * start[1])
    sides: tuple[list[Spot], list[Spot]] = ([], [])
    for number in range(11):
        share = number / 10
        off = bend * math.sin(math.pi * share)
        half = (widths[0] + (widths[1] - widths[0]) * share) / 2
        for side, way in zip(sides, (1, -1)):
            shift = off + way * half
            side.append(
                (start[0] + along[0] * share + across[0] * shift, start[1] + along[1] * share + across[1] * shift)
            )
    path = canvas.beginPath()
    path.moveTo(*sides[0][0])
    for spot in (*sides[0][1:], *reversed(sides[1])):
        path.lineTo(*spot)
    path.close()
    canvas.setLineJoin(1)
    canvas.setFillGray(greys(seat).fill)
    canvas.setStrokeGray(greys(seat).edge)
    canvas.setLineWidth(0.022 * far)
    canvas.drawPath(path, stroke=1, fill=1)


def _draw_leaf(canvas: Canvas, spot: Spot, way: float, step: float, seat: int) -> None:
    """A leaf that stands away from a spot in a direction."""
    shades, size = greys(seat), step / UNIT
    canvas.saveState()
    canvas.translate(*spot)
    canvas.rotate(way - 90)
    canvas.scale(size, -size)
    canvas.setLineJoin(1)
    canvas.setLineWidth(0.9)
    canvas.setFillGray(shades.fill)
    canvas.setStrokeGray(shades.edge)
    canvas.drawPath(trace(canvas.beginPath(), LEAVES[seat]), stroke=1, fill=1)
    canvas.setStrokeGray(shades.ink)
    canvas.setLineWidth(0.7)
    canvas.drawPath(trace(canvas.beginPath(), VEIN), stroke=1, fill=0)
    canvas.restoreState()


# --- pieces as specimens ----------------------------------------------------------------------------------------------


def _draw_specimen(canvas: Canvas, spot: Spot, step: float, seat: int, kind: str) -> None:
    """The emblem of a piece alone, larger: filled for the first player, in outline for the second."""
    size = 1.42 * step / UNIT * SMALLER.get(kind, 1.0)
    canvas.saveState()
    canvas.translate(*spot)
    canvas.scale(size, -size)
    for part in EMBLEM_PARTS.get(kind, ()):
        _draw_pressed(canvas, part, seat)
    canvas.restoreState()


def _draw_pressed(canvas: Canvas, part: Part, seat: int) -> None:
    shades = greys(seat)
    canvas.setLineCap(1)
    canvas.setLineJoin(1)
    manners: list[tuple[float | None, float, float]]
    if part.kind == "emblem":
        manners = [(shades.fill, 0.9, shades.edge)]
    elif part.kind == "vein":
        manners = [(None, 0.8, shades.ink)]
    else:  # strokes: a dark line, hollow for the light player
        manners = [(None, 3.2, 0.0), (None, 1.5, shades.fill)]
    for fill, width, stroke in manners:
        canvas.setLineWidth(width)
        canvas.setStrokeGray(stroke)
        canvas.setFillGray(1.0 if fill is None else fill)
        drawn = {"stroke": 1, "fill": int(fill is not None)}
        if part.path:
            canvas.drawPath(trace(canvas.beginPath(), part.path), **drawn)
        else:
            canvas.circle(0, 0, part.radius, **drawn)
