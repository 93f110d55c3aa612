"""How lines and bodies are drawn: straight, or as a hand draws them (see pencil)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hedgerow.draw.markup import Edge, number, polyline
from hedgerow.draw.shapes import BODIES


@dataclass(frozen=True, eq=False)
class Hand:
    """How a line between two spots, the bodies of the seats and the paper are drawn."""

    segment: Callable[[Edge], str]
    bodies: tuple[str, ...]
    ground: Callable[[float, float, float, float], str]
    """From left, top, width and height."""


def plain_ground(left: float, top: float, width: float, height: float) -> str:
    """What the board lies on."""
    x, y, across, down = map(number, (left, top, width, height))
    return f'<rect class="ground" x="{x}" y="{y}" width="{across}" height="{down}" rx="14"/>'


STRAIGHT = Hand(polyline, BODIES, plain_ground)
