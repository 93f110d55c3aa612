"""A rating graph as SVG: game by game from left to right, with round numbers at the side and days below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from markupsafe import Markup

from hedgerow.serve.web.texts import _
from hedgerow.serve.web.wording import day

LEFT, RIGHT, TOP, LOW = 62, 530, 14, 168
"""Where the lines are, in a picture 600 wide and 200 high."""
STEPS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


class Step(Protocol):
    """What one game changed."""

    at: int
    before: int
    after: int


def heights(low: int, high: int) -> list[int]:
    """Round numbers from below the lowest to above the highest, four steps at most.

    >>> heights(1395, 1605), heights(1500, 1500)
    ([1300, 1400, 1500, 1600, 1700], [1500, 1510])
    """
    step = next((s for s in STEPS if (high // s + 1 - low // s) <= 4), STEPS[-1])
    return list(range(low // step * step, (high // step + 1) * step + 1, step))


def rating_graph(title: str, steps: Sequence[Step]) -> Markup:
    """The graph of one ladder; there is at least one game."""
    ratings = [steps[0].before, *(step.after for step in steps)]
    marks = heights(min(ratings), max(ratings))

    def y(rating: float) -> float:
        return round(LOW - (rating - marks[0]) * (LOW - TOP) / (marks[-1] - marks[0]), 1)

    def x(number: int) -> float:
        return round(LEFT + number * (RIGHT - LEFT) / (len(ratings) - 1), 1)

    line = [f"{x(n)},{y(rating)}" for n, rating in enumerate(ratings)]
    return Markup(
        '<svg class="graph" viewBox="0 0 600 200" role="img" aria-label="{about}">{grid}'
        '<polyline class="line" points="{line}"/>'
        '<circle class="dot" cx="{x}" cy="{y}" r="4"/><text class="now" x="{beside}" y="{y}">{now}</text>{days}</svg>'
    ).format(
        about=_about(title, steps),
        grid=_grid({mark: y(mark) for mark in marks}),
        line=" ".join(line),
        x=x(len(steps)),
        y=y(ratings[-1]),
        beside=RIGHT + 8,
        now=ratings[-1],
        days=_days(steps),
    )


def _about(title: str, steps: Sequence[Step]) -> str:
    """What the picture shows, for those who do not see it."""
    return _(
        "%(game)s: from %(first)s on %(since)s to %(last)s on %(until)s",
        game=title,
        first=steps[0].before,
        since=day(steps[0].at),
        last=steps[-1].after,
        until=day(steps[-1].at),
    )


def _grid(marks: dict[int, float]) -> Markup:
    line = Markup('<path class="grid" d="M{} {}H{}"/><text class="mark" x="{}" y="{}">{}</text>')
    return Markup("").join(line.format(LEFT, y, RIGHT, LEFT - 8, y, mark) for mark, y in marks.items())


def _days(steps: Sequence[Step]) -> Markup:
    """The day of the first game and of the last."""
    first, last = day(steps[0].at), day(steps[-1].at)
    text = Markup('<text class="{}" x="{}" y="190">{}</text>')
    if first == last:
        return text.format("day middle", (LEFT + RIGHT) / 2, first)
    return text.format("day", LEFT, first) + text.format("day end", RIGHT, last)
