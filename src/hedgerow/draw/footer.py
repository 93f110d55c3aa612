"""What stands below a drawn board: who plays which shape, who is to move, and the trays."""

from __future__ import annotations

from html import escape

from hedgerow.draw.shapes import number, token
from hedgerow.scene import Scene

_LETTER, _BOLD = 0.56, 0.63
"""Widths of a letter, as a part of the font's size, on average."""


def footer(scene: Scene, width: float, top: float, letters: float) -> tuple[str, float]:
    """Every seat's shape and name with its tray, in the middle of `width`; and how much room that takes.

    Without trays as many seats stand in a line as fit, else one, so that the same tokens stand below each other.
    """
    kinds = list(dict.fromkeys(tray.kind for tray in scene.trays))
    names = [_name_width(scene, seat) for seat in range(len(scene.seats))]
    column = max(names) + 1.4 + 4.2 * len(kinds)
    lines = len(names) if kinds else -(-len(names) // max(1, int(width / letters // column)))
    per_line = -(-len(names) // lines)
    left, step = -column * per_line / 2 + 0.7, 2.2
    entries = []
    for seat in range(len(names)):
        x, y = left + seat % per_line * column, 0.5 + step * (seat // per_line + 0.5)
        entries.append(_entry(scene, seat, x, y, letters))
        entries += _trays(scene, seat, kinds, x + max(names) + 1.4, y, letters)
    drawn = "\n".join(entries)
    return f'<g class="footer" font-size="{number(letters)}" transform="translate(0 {number(top)})">\n{drawn}\n</g>', (
        letters * (lines * step + 1)
    )


def _name_width(scene: Scene, seat: int) -> float:
    words = _words(scene, seat)
    return 1.8 + len(words) * (_BOLD if seat == scene.to_move else _LETTER)


def _words(scene: Scene, seat: int) -> str:
    return scene.seats[seat] + (" to move" if seat == scene.to_move else "")


def _entry(scene: Scene, seat: int, x: float, y: float, letters: float) -> str:
    kind = "mover" if seat == scene.to_move else "player"
    return _shown(seat, "owner", x, y, letters, 1 / 27) + _text(kind, x + 1.7, y, letters, _words(scene, seat))


def _trays(scene: Scene, seat: int, kinds: list[str], x: float, y: float, letters: float) -> list[str]:
    return [
        _shown(seat, tray.kind, at, y, letters, 1 / 20) + _text("count", at + 1.9, y, letters, f"×{tray.count}")
        for tray in scene.trays
        for at in [x + 4.2 * kinds.index(tray.kind)]
        if tray.seat == seat
    ]


def _shown(seat: int, kind: str, x: float, y: float, letters: float, scale: float) -> str:
    place = f"translate({number((x + 0.7) * letters)} {number(y * letters)})"
    return f'<g transform="{place}">{token(seat, kind, scale * letters)}</g>'


def _text(kind: str, x: float, y: float, letters: float, words: str) -> str:
    return f'<text class="{kind}" x="{number(x * letters)}" y="{number(y * letters)}">{escape(words)}</text>'
