"""Pieces: the seat gives a piece its body, so that players differ without colour; the kind gives it its emblem.

Everything is drawn about (0, 0), in a world where neighbouring points are UNIT apart.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from hedgerow.draw.markup import Spot, clean, number, polygon, polyline

UNIT = 40
"""Length of one step between neighbouring points."""
RADIUS = 16.5

SMALLER = {"diminished": 0.7, "undergrowth": 0.86}
"""Kinds drawn smaller than a stone."""


class Part(NamedTuple):
    """One part of a piece: its class, which says how it is drawn, and its path, or the radius of a circle."""

    kind: str
    path: str = ""
    radius: float = 0.0


def markup(parts: tuple[Part, ...]) -> str:
    """Parts as SVG."""
    return "".join(
        f'<path class="{kind}" d="{path}"/>' if path else f'<circle class="{kind}" r="{radius}"/>'
        for kind, path, radius in parts
    )


@lru_cache(maxsize=1024)
def token(seat: int, kind: str, scale: float = 1.0, bodies: tuple[str, ...] = ()) -> str:
    """A seat's body with the emblem of the last word of `kind`, where that has one; the words are its classes."""
    shown = kind.split()[-1]
    scale *= SMALLER.get(shown, 1.0)
    scaled = f' transform="scale({number(scale)})"' if scale != 1 else ""
    body, emblem = (bodies or BODIES)[seat], markup(EMBLEM_PARTS.get(shown, ()))
    return f'<g class="seat-{seat} {clean(kind)}"{scaled}>{body}{emblem}</g>'


def has_emblem(kind: str) -> bool:
    """A piece of this kind can be told from others of its seat."""
    return kind in EMBLEM_PARTS


def _around(count: int, first: float, *radii: float) -> list[Spot]:
    """Spots evenly round the middle, the first at an angle in degrees, taking turns at each of the radii."""
    angles = [math.radians(first + 360 * index / count) for index in range(count)]
    far = [radii[index % len(radii)] for index in range(count)]
    return [(radius * math.cos(angle), radius * math.sin(angle)) for radius, angle in zip(far, angles)]


def _rays(count: int, inner: float, outer: float) -> str:
    """Short lines that point away from the middle."""
    return "".join(polyline(ray) for ray in zip(_around(count, 0, inner), _around(count, 0, outer)))


_DISC = Part("body", radius=RADIUS)

BODY_PARTS: tuple[tuple[Part, ...], ...] = (
    (_DISC,),
    (_DISC, Part("inner", radius=RADIUS - 3.6)),
    (Part("body", "M-1.8 -18.4Q0 -21 1.8 -18.4L18.4 10.6Q19.6 13.8 16.2 14.4H-16.2Q-19.6 13.8 -18.4 10.6Z"),),
    (
        Part(
            "body",
            "M-2.2 -18.6Q0 -20.6 2.2 -18.6L18.6 -2.2Q20.6 0 18.6 2.2"
            "L2.2 18.6Q0 20.6 -2.2 18.6L-18.6 2.2Q-20.6 0 -18.6 -2.2Z",
        ),
    ),
    (Part("body", polygon(_around(6, 30, 17.5))), Part("inner", polygon(_around(6, 30, 9)))),
    (Part("body", polygon(_around(10, -90, 20, 10.5))),),
)
"""By seat: disc, ringed disc, triangle, diamond, hexagon, star."""

BODIES = tuple(map(markup, BODY_PARTS))

_KICK = (Part("stroke", _rays(8, 6, 10.4)), Part("emblem", radius=2.8))

EMBLEM_PARTS: dict[str, tuple[Part, ...]] = {
    "root": (Part("stroke", "M-8 -9.5H8M0 -9.5V10.5M0 -6.5L-8 1.5M0 -6.5L8 1.5M0 0L-5.5 5.5M0 0L5.5 5.5"),),
    "kicker": _KICK,
    "diminished": _KICK,
    "maple": (
        Part(
            "emblem",
            "M0 -12.5L2.3 -8.2L4.9 -9.5L4.1 -3.4L7.2 -6.4L8.1 -4.3L11.6 -4.9L10.3 -1.2L11.8 0.2L6 4.9L6.7 7.2L0.8 6.3"
            "V11.5H-0.8V6.3L-6.7 7.2L-6 4.9L-11.8 0.2L-10.3 -1.2L-11.6 -4.9L-8.1 -4.3L-7.2 -6.4L-4.1 -3.4L-4.9 -9.5"
            "L-2.3 -8.2Z",
        ),
    ),
    "oak": (
        Part(
            "emblem",
            "M0 -12.5C3.6 -12.5 4.6 -9.6 3.2 -7.4C7.4 -8.6 9 -3.8 5 -2.2C9.6 -2 9 3.8 4.4 3.2C6 6.6 3.2 8.4 0.8 7.6"
            "V12H-0.8V7.6C-3.2 8.4 -6 6.6 -4.4 3.2C-9 3.8 -9.6 -2 -5 -2.2C-9 -3.8 -7.4 -8.6 -3.2 -7.4"
            "C-4.6 -9.6 -3.6 -12.5 0 -12.5Z",
        ),
        Part("vein", "M0 -8.5V6.5M0 -3.2L2.8 -5.2M0 -3.2L-2.8 -5.2M0 2L3.6 -0.2M0 2L-3.6 -0.2"),
    ),
    "birch": (
        Part(
            "emblem",
            "M0 -12.5L2.6 -8L3.4 -8.2L4.4 -5L5.4 -5L6 -1.6L7.2 -1.2L7 2.2L7.8 3.4L5.8 6L4.6 7.4Q2.4 8.4 0.7 7.6V12H-0.7"
            "V7.6Q-2.4 8.4 -4.6 7.4L-5.8 6L-7.8 3.4L-7 2.2L-7.2 -1.2L-6 -1.6L-5.4 -5L-4.4 -5L-3.4 -8.2L-2.6 -8Z",
        ),
        Part("vein", "M0 -8.5V6.5M0 -1.5L3 -4M0 -1.5L-3 -4M0 3L4.6 -0.4M0 3L-4.6 -0.4"),
    ),
    "undergrowth": (
        Part(
            "emblem",
            "M-7.5 7.5C-12.5 7.5 -13 0.5 -8 -0.2C-8.5 -5.5 -3.5 -7 -1.8 -4.4C-1 -9.5 6 -9 5.4 -3.6C10.5 -4.6 12.6 1 9.4"
            " 3C12 5.4 10 7.5 7.5 7.5Z",
        ),
        Part("vein", "M0 7.5V0M0 4.5L-4.2 1.2M0 3L4 -0.4M-5 7.5L-6.2 4.6M5.4 7.5L6.6 4.2"),
    ),
}
"""By kind: a stem with roots under the ground, a kick all round, the leaves of three trees, a shrub."""
