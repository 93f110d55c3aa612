"""A drawing seen from the other side: the board is turned half round, what is read or stands there stays upright."""

from __future__ import annotations

import re

from hedgerow.draw.markup import number

_PLAY = re.compile(r'<g class="play" data-turn="([^"]+)"')
_UPRIGHT = (
    (re.compile(r'<g class="point"[^>]* transform="translate\([^)]*\)'), r"\g<0> rotate(180)"),
    (re.compile(r'<text class="label" x="([^"]+)" y="([^"]+)"'), r'\g<0> transform="rotate(180 \1 \2)"'),
    (re.compile(r'class="shadow" transform="translate\(0 '), r"\g<0>-"),
)


def turned(drawing: str) -> str:
    """The same drawing after half a turn."""
    for found, instead in _UPRIGHT:
        drawing = found.sub(instead, drawing)
    return _PLAY.sub(_half_a_turn, drawing)


def _half_a_turn(found: re.Match[str]) -> str:
    return f'{found[0]} transform="rotate(180) translate(0 {number(-float(found[1]))})"'
