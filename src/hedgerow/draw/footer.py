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
_COLUMN, _LARGER = 4.9, 1.35
"""How wide a token with its number is, and how much larger than the names it is written."""


class Footer(NamedTuple):
    """What is drawn, and how much room it takes."""

    drawn: str
    width: float
    height: float


def footer(scene: Scene, width: float, top: float, letters: float, bodies: tuple[str, ...] = ()) -> Footer:
    """Every seat's shape and name, in the middle of `width` if that is wide enough; below them a line for each tray."""
    names = [_name_width(scene, seat) for seat in range(len(scene.seats))]
    places = _places(names, width / letters)
    entries = [_name(scene, seat, place, letters, bodies) for seat, place in enumerate(places)]
    trays, across, down = _trays(scene, places[-1][1] + _LINE / 2, letters, bodies)
    shown = "\n".join([*entries, *trays])
    place = f'font-size="{number(letters)}" transform="translate(0 {number(top)})"'
    return Footer(
        drawn=f'<g class="footer" {place}>\n{shown}\n</g>',
        width=letters * max(_GAP - 2 * places[0][0], across),
        height=letters * (down + 0.8),
    )


def _places(names: list[float], room: float) -> list[Spot]:
    """Where every seat's entry begins: all in one line if they fit, else in columns."""
    whole = sum(names) + _GAP * (len(names) - 1)
    if whole + _GAP <= room:
        return [(sum(names[:seat]) + _GAP * seat - whole / 2, _LINE / 2) for seat in range(len(names))]
    column = max(names) + _GAP
    most = max(1, int(room // column))
    across = math.ceil(len(names) / math.ceil(len(names) / most))
    left = (_GAP - across * column) / 2
    return [(left + seat % across * column, _LINE * (seat // across + 0.5)) for seat in range(len(names))]


def _trays(scene: Scene, top: float, letters: float, bodies: tuple[str, ...]) -> tuple[list[str], float, float]:
    """The trays with tokens, a line for every seat, larger than the names: drawn, how wide, and where they end."""
    trays = [tray for tray in scene.trays if has_emblem(tray.kind)]
    kinds, seats = sorted({tray.kind for tray in trays}), sorted({tray.seat for tray in trays})
    size = letters * _LARGER
    left = -_COLUMN * len(kinds) / 2
    drawn = [
        _tray(
            t, (left + _COLUMN * kinds.index(t.kind), top / _LARGER + _LINE * (seats.index(t.seat) + 0.5)), size, bodies
        )
        for t in trays
    ]
    grown = f'<g font-size="{number(size)}">'
    lines = [grown, *drawn, "</g>"] if drawn else []
    return lines, _LARGER * (_COLUMN * len(kinds) + _GAP), top + _LARGER * _LINE * len(seats)


def _name_width(scene: Scene, seat: int) -> float:
    return 1.8 + len(_words(scene, seat)) * (_BOLD if seat == scene.to_move else _LETTER)


def _words(scene: Scene, seat: int) -> str:
    """Who it is, whether they are to move, and what they have in trays that no token has a picture for."""
    plain = [f"{t.count} {t.kind}" for t in scene.trays if t.seat == seat and not has_emblem(t.kind)]
    return ", ".join([scene.seats[seat] + (" to move" if seat == scene.to_move else ""), *plain])


def _name(scene: Scene, seat: int, place: Spot, letters: float, bodies: tuple[str, ...]) -> str:
    kind = "mover" if seat == scene.to_move else "player"
    return _shape(seat, "owner", place, letters, 1 / 27, bodies) + _text(kind, place, letters, _words(scene, seat))


def _tray(tray: Tray, place: Spot, letters: float, bodies: tuple[str, ...]) -> str:
    """A token and how many of it."""
    shape = _shape(tray.seat, tray.kind, place, letters, 1 / 20, bodies)
    shown = shape + _text("count", place, letters, f"×{tray.count}")
    return f'<g role="img" aria-label="{clean(f"{tray.count} {tray.kind}")}">{shown}</g>'


def _shape(seat: int, kind: str, place: Spot, letters: float, scale: float, bodies: tuple[str, ...]) -> str:
    at = f"translate({number((place[0] + 0.7) * letters)} {number(place[1] * letters)})"
    return f'<g transform="{at}">{token(seat, kind, scale * letters, bodies)}</g>'


def _text(kind: str, place: Spot, letters: float, words: str) -> str:
    x, y = number((place[0] + 1.8) * letters), number(place[1] * letters)
    return f'<text class="{kind}" x="{x}" y="{y}">{clean(words)}</text>'
