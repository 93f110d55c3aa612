"""Who plays which shape: a line of tokens and names that stands below a board, with what lies beside it."""

from __future__ import annotations

from collections.abc import Sequence

from reportlab.pdfgen.canvas import Canvas

from hedgerow.draw.shapes import has_emblem
from hedgerow.paper import fonts
from hedgerow.paper.tokens import draw_token
from hedgerow.scene import Scene

_SHAPE, _GAP = 1.5, 1.3
"""How much room a token and the gap behind a name take, in letter heights."""
LINE = 1.5
"""From line to line."""


def seat_lines(scene: Scene, size: float, room: float, names: Sequence[str] = ()) -> list[list[int]]:
    """The seats by line, as many on each as fit into a width."""
    lines: list[list[int]] = [[]]
    taken = 0.0
    for seat in range(len(scene.seats)):
        wide = _width(scene, seat, size, names)
        if lines[-1] and taken + wide > room:
            lines.append([])
            taken = 0.0
        lines[-1].append(seat)
        taken += wide + _GAP * size
    return lines


def draw_seats(
    canvas: Canvas, scene: Scene, x: float, y: float, size: float, room: float, names: Sequence[str] = ()
) -> float:
    """Every seat's token and name about x, the one to move in bold, from the line at y down; where the next one is."""
    for line in seat_lines(scene, size, room, names):
        widths = [_width(scene, seat, size, names) for seat in line]
        left = x - (sum(widths) + _GAP * size * (len(line) - 1)) / 2
        for seat, wide in zip(line, widths):
            draw_token(canvas, (left + size / 2, y + fonts.MIDDLE * size), 1.15 * size, seat)
            canvas.setFillGray(0)
            fonts.write(canvas, left + _SHAPE * size, y, *_told(scene, seat, names), size)
            left += wide + _GAP * size
        y -= LINE * size
    return y


def _told(scene: Scene, seat: int, names: Sequence[str]) -> tuple[str, str]:
    """What is said of a seat, and in which face."""
    mover = seat == scene.to_move
    words = names[seat] if names else scene.seats[seat] + (" to move" if mover else "")
    return words, fonts.BOLD if mover else fonts.ROMAN


def _width(scene: Scene, seat: int, size: float, names: Sequence[str]) -> float:
    return fonts.width(*_told(scene, seat, names), size) + _SHAPE * size


def tray_lines(scene: Scene) -> int:
    """How many lines the trays take: one for every seat that has any."""
    return len({tray.seat for tray in scene.trays})


def draw_trays(canvas: Canvas, scene: Scene, x: float, y: float, size: float) -> float:
    """What lies beside the board, a line for every seat: tokens and how many, or words where no token shows it.

    Returns where the next line is.
    """
    for line, seat in enumerate(sorted({tray.seat for tray in scene.trays})):
        level = y - LINE * size * line
        parts = [(tray.kind, f"×{tray.count}") for tray in scene.trays if tray.seat == seat and has_emblem(tray.kind)]
        plain = ", ".join(
            f"{tray.count} {tray.kind}" for tray in scene.trays if tray.seat == seat and not has_emblem(tray.kind)
        )
        words = f"{scene.seats[seat]}: {plain}" if plain else scene.seats[seat]
        widths = [fonts.width(count, fonts.ROMAN, size) + 2.4 * size for _, count in parts]
        left = x - (sum(widths) + fonts.width(words, fonts.ROMAN, size) + 0.8 * size) / 2
        canvas.setFillGray(0.25)
        fonts.write(canvas, left, level, words, fonts.ROMAN, size)
        left += fonts.width(words, fonts.ROMAN, size) + 0.8 * size
        for (kind, count), taken in zip(parts, widths):
            draw_token(canvas, (left + 0.8 * size, level + fonts.MIDDLE * size), 1.6 * size, seat, kind)
            canvas.setFillGray(0.25)
            fonts.write(canvas, left + 1.7 * size, level, count, fonts.ROMAN, size)
            left += taken
    return y - LINE * size * tray_lines(scene)
