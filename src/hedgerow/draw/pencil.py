"""A pencil's hand: on ruled paper, lines waver a little, and pieces are scribbled or ringed."""

from __future__ import annotations

import math

from hedgerow.draw.hand import Hand, plain_ground
from hedgerow.draw.markup import Edge, Spot, number, polyline
from hedgerow.draw.shapes import BODIES, RADIUS

_RULE = 26
"""How far the lines of the paper are apart."""


def _ruled(left: float, top: float, width: float, height: float) -> str:
    """The paper with its lines."""
    levels = (top + _RULE * row for row in range(1, math.ceil(height / _RULE)))
    lines = "".join(f"M{number(left)} {number(y)}h{number(width)}" for y in levels)
    return f'{plain_ground(left, top, width, height)}<path class="ruled" d="{lines}"/>'


def _wavering(edge: Edge) -> str:
    """A straight line as two strokes that bend a little, the same way every time it is drawn."""
    x, y, to_x, to_y = (round(value, 2) for spot in edge for value in spot)
    far = math.hypot(to_x - x, to_y - y)
    bend = min(2.2, 0.012 * far + 0.5)
    across = ((y - to_y) / far, (to_x - x) / far) if far else (0.0, 0.0)
    one, other = (bend * math.sin(x * 12.9 + y * 78.2 + to_x * 37.7 + to_y * 4.1 + turn) for turn in (0, 2))
    third = ((x + (to_x - x) / 3 + across[0] * one), (y + (to_y - y) / 3 + across[1] * one))
    last = ((x + (to_x - x) / 1.5 + across[0] * other), (y + (to_y - y) / 1.5 + across[1] * other))
    places = " ".join(f"{number(a)} {number(b)}" for a, b in (third, last, (to_x, to_y)))
    return f"M{number(x)} {number(y)}C{places}"


def _loop(radius: float, wobble: float, turns: float, first: float) -> str:
    """A ring drawn round a little more than once, never quite the same."""
    steps = round(turns * 20)
    spots: list[Spot] = []
    for step in range(steps + 1):
        angle = math.radians(first + 18 * step)
        far = radius + wobble * math.sin(2.3 * angle + first)
        spots.append((far * math.cos(angle), far * math.sin(angle)))
    return polyline(spots)


def _zigzag(radius: float, strokes: int) -> str:
    """A disc filled with strokes to and fro, slanting as a hand does."""
    spots: list[Spot] = []
    for stroke in range(strokes + 1):
        down = radius * (2 * stroke / strokes - 1) * 0.94
        half = math.sqrt(max(0.0, radius**2 - down**2)) + 0.7 * math.sin(5 * stroke)
        side = half if stroke % 2 else -half
        spots.append((side * 0.87 + down * 0.5, down * 0.87 - side * 0.5))
    return polyline(spots)


_SCRIBBLE = (
    f'<circle class="paper" r="{RADIUS}"/><path class="scribble" d="{_zigzag(RADIUS - 2, 13)}"/>'
    f'<path class="ring" d="{_loop(RADIUS - 0.6, 0.6, 1.15, 40)}"/>'
)
_RING = f'<circle class="paper" r="{RADIUS}"/><path class="ring" d="{_loop(RADIUS - 1, 0.9, 1.9, 200)}"/>'

PENCIL = Hand(_wavering, (_SCRIBBLE, _RING, *BODIES[2:]), _ruled)
