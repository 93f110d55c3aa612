"""Numbers, words and paths as SVG spells them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

Spot = tuple[float, float]
"""(right, down)."""
Edge = tuple[Spot, Spot]
"""A straight line, from one spot to another."""


def number(value: float) -> str:
    """At most two decimals.

    >>> number(3.14159), number(-0.001), number(40.0)
    ('3.14', '0', '40')
    """
    return f"{round(value, 2) + 0:.2f}".rstrip("0").rstrip(".")


def clean(words: str) -> str:
    """Words for an element or an attribute: plain ASCII, so that no page can misread them, and nothing XML cannot hold.

    >>> clean("<Root> & Thorn\\x00 ×3")
    '&lt;Root&gt; &amp; Thorn &#215;3'
    """
    known = re.sub(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]", "", words)
    return escape(known).encode("ascii", "xmlcharrefreplace").decode()


def polyline(spots: Iterable[Spot]) -> str:
    """An open path.

    >>> polyline([(0, 0), (1.5, 2)])
    'M0 0L1.5 2'
    """
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in spots)


def polygon(corners: Iterable[Spot]) -> str:
    """A closed path."""
    return polyline(corners) + "Z"
