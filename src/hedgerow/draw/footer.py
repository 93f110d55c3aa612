"""What stands below a drawn board: who plays which shape, who is to move, and the trays.

Lengths here are in letter heights until they are written.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from hedgerow.draw.markup import Spot, clean, number
from hedgerow.draw.shapes import has_emblem, token
from hedgerow.scene import Scene, Tray

_LETTER, _BOLD = 0.56, 0.63
"""How wide a letter is on average."""
_GAP, _LINE = 1.6, 2.2
"""Between two seats, and from line to line."""


class Footer(NamedTuple):
    """What is drawn, and how much room it takes."""

    drawn: str
    width: float
    height: float


def footer(scene: Scene, width: float, top: float, letters: float) -> Footer:
    """Every seat's shape and name with its tray, in the middle of `width` if that is wide enough."""
    starts = _tray_starts(scene)
    trays = starts.pop("")
    names = [_name_width(scene, seat) for seat in range(len(scene.seats))]
    places = _places(names, trays, width / letters)
    entries = []
    for seat, (x, y) in enumerate(places):
        entries.append(_name(scene, seat, (x, y), letters))
        behind = x + max(names) + _GAP
        entries += [_tray(tray, (behind + starts[tray.kind], y), letters) for tray in scene.trays if tray.seat == seat]
    shown = "\n".join(entries)
    place = f'font-size="{number(letters)}" transform="translate(0 {number(top)})"'
    return Footer(
        drawn=f'<g class="footer" {place}>\n{shown}\n</g>',
        width=letters * (_GAP - 2 * places[0][0]),
        height=letters * (places[-1][1] + _LINE / 2 + 0.8),
    )


def _places(names: list[float], trays: float, room: float) -> list[Spot]:
    """Where every seat's entry begins: all in one line if they fit, else in columns; with trays below each other."""
    whole = sum(names) + _GAP * (len(names) - 1)
    if not trays and whole + _GAP <= room:
        return [(sum(names[:seat]) + _GAP * seat - whole / 2, _LINE / 2) for seat in range(len(names))]
    column = max(names) + _GAP + trays
    most = 1 if trays else max(1, int(room // column))
    across = math.ceil(len(names) / math.ceil(len(names) / most))
    left = (_GAP - across * column) / 2
    return [(left + seat % across * column, _LINE * (seat // across + 0.5)) for seat in range(len(names))]


def _tray_starts(scene: Scene) -> dict[str, float]:
    """How far behind the names every kind of token stands, the same for all seats; under "" the width of all."""
    starts, width = {}, 0.0
    for kind in sorted({tray.kind for tray in scene.trays}):
        starts[kind] = width
        width += 4.6 if has_emblem(kind) else 3 + _LETTER * len(kind)
    return starts | {"": width}


def _name_width(scene: Scene, seat: int) -> float:
    return 1.8 + len(_words(scene, seat)) * (_BOLD if seat == scene.to_move else _LETTER)


def _words(scene: Scene, seat: int) -> str:
    return scene.seats[seat] + (" to move" if seat == scene.to_move else "")


def _name(scene: Scene, seat: int, place: Spot, letters: float) -> str:
    kind = "mover" if seat == scene.to_move else "player"
    return _shape(seat, "owner", place, letters, 1 / 27) + _text(kind, place, letters, _words(scene, seat))


def _tray(tray: Tray, place: Spot, letters: float) -> str:
    """A token and how many of it; in words where no token has a picture of its own."""
    if not has_emblem(tray.kind):
        return _text("count", (place[0] - 1.8, place[1]), letters, f"{tray.count} {tray.kind}")
    return _shape(tray.seat, tray.kind, place, letters, 1 / 20) + _text("count", place, letters, f"×{tray.count}")


def _shape(seat: int, kind: str, place: Spot, letters: float, scale: float) -> str:
    at = f"translate({number((place[0] + 0.7) * letters)} {number(place[1] * letters)})"
    return f'<g transform="{at}">{token(seat, kind, scale * letters)}</g>'


def _text(kind: str, place: Spot, letters: float, words: str) -> str:
    x, y = number((place[0] + 1.8) * letters), number(place[1] * letters)
    return f'<text class="{kind}" x="{x}" y="{y}">{clean(words)}</text>'
