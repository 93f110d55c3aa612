"""Lengths and sheets of paper, in points (72 to the inch) once they are read."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from hedgerow.game import BadOption

MM = 72 / 25.4
UNITS = {"mm": MM, "cm": 10 * MM, "in": 72.0, "pt": 1.0}
_LENGTH = re.compile(r"\s*([0-9]{0,9}\.?[0-9]{0,9})\s*([A-Za-z]*)\s*")


class Sheet(NamedTuple):
    """A sheet of paper upright: how it is called, how wide and how high."""

    title: str
    width: float
    height: float

    @property
    def lying(self) -> Sheet:
        """The same sheet on its side."""
        return Sheet(self.title, self.height, self.width)


SHEETS = {"a4": Sheet("A4", 210 * MM, 297 * MM), "letter": Sheet("Letter", 612, 792)}


def sheet_named(name: str) -> Sheet:
    """The sheet of that name, in any case of letters.

    >>> sheet_named("A4").title
    'A4'
    """
    if name.lower() not in SHEETS:
        raise BadOption(f"no paper {name[:40]!r}; hint: {' or '.join(SHEETS)}")
    return SHEETS[name.lower()]


def length(text: str, least: float = 0.0, most: float = math.inf, what: str = "length") -> float:
    """A length with its unit, in points; raises BadOption for what is none, or is not between least and most.

    >>> round(length("18mm"), 2), length("1 in"), length("2.5pt")
    (51.02, 72.0, 2.5)
    """
    found = _LENGTH.fullmatch(text)
    if not found or not re.search(r"\d", found[1]):
        raise BadOption(f"cannot read the {what} {text[:40]!r}; hint: a number and mm, cm, in or pt, like 18mm")
    if found[2].lower() not in UNITS:
        said = f"no unit {found[2][:20]!r}" if found[2] else f"{text[:40]!r} has no unit"
        raise BadOption(f"{said}; hint: mm, cm, in or pt, like {found[1][:9]}mm")
    points = float(found[1]) * UNITS[found[2].lower()]
    if not least - 1e-6 <= points <= most + 1e-6:
        wrong = "small" if points < least else "large"
        raise BadOption(f"the {what} {text[:40].strip()!r} is too {wrong}; hint: from {in_mm(least)} to {in_mm(most)}")
    return points


def in_mm(points: float) -> str:
    """A length as people say it.

    >>> in_mm(51.0236), in_mm(72)
    ('18 mm', '25.4 mm')
    """
    return f"{round(points / MM, 1):g} mm"
