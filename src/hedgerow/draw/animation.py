"""A game as one animated SVG: what never changes is drawn once, everything else is shown and hidden by CSS.

It plays in a loop, also as an `<img>`; where people ask for less motion, and in programs without animations, it is the
final position.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, groupby

from hedgerow.draw.hand import STRAIGHT
from hedgerow.draw.layout import layout
from hedgerow.draw.markup import clean
from hedgerow.draw.pencil import PENCIL
from hedgerow.draw.svg import bar, linked, svg_lines
from hedgerow.draw.themes import THEMES, style
from hedgerow.scene import Scene

SECONDS, REST = 0.8, 3.0
"""How long a position stands, and how much longer the last one does."""
_HEAD, _DESCRIPTION, _DEFINITIONS, _GROUND, _PLAY, _FOOTER = 0, 2, 4, 5, 6, -2
"""Where things stand in the lines of a drawing; what changes is the board, from `_PLAY` on, and the footer."""

_SPOT = re.compile(r'<(?:circle|rect) class="spot"[^>]*/>')
_BARE = re.compile(rf'<g class="point"[^>]*>{_SPOT.pattern}</g>')

Seen = tuple[bool, ...]
"""In which of the positions something is to be seen."""


def animated(
    scenes: Sequence[Scene],
    theme: str | None = None,
    labels: bool = True,
    size: int | None = None,
    *,
    title: str = "",
    seconds: float = SECONDS,
    rest: float = REST,
) -> str:
    """The positions one after the other, then again; `title` is read to those who cannot see it."""
    theme = theme or next(iter(THEMES))
    ident = _ident(scenes, theme, labels, seconds)
    every = (*scenes, _all_claims(scenes))
    *frames, claims = [svg_lines(scene, theme, labels, size, ident=ident, styled=False) for scene in every]
    head = max(frames, key=lambda lines: _area(lines[_HEAD]))
    moving = _Moving(ident, _times(len(frames), seconds, rest))
    body = [*chain.from_iterable(map(moving.line, zip(*map(_changing, frames)))), *_footer(frames, moving)]
    points = body.index('<g class="points">')
    body[points:points] = _links(scenes, theme, moving)
    return "\n".join(
        [
            head[_HEAD],
            f'<title id="{ident}-title">{clean(title or scenes[-1].title)}</title>',
            frames[-1][_DESCRIPTION],
            f"<style>\n{style(theme)}\n{moving.style()}\n</style>",
            claims[_DEFINITIONS],
            head[_GROUND],
            *body,
            "</svg>",
        ]
    )


class _Moving:
    """Gives every element that is not always there a class for the times at which it is."""

    def __init__(self, ident: str, times: Sequence[float]) -> None:
        self.ident, self.times = ident, times
        self.classes: dict[Seen, str] = {}

    def line(self, versions: Sequence[str]) -> list[str]:
        """A line of the drawing in all its versions."""
        found = dict.fromkeys(versions)
        if len(found) == 1:
            return [versions[0]] if versions[0] else []
        return [self.shown(text, tuple(text == version for version in versions)) for text in found if text]

    def shown(self, text: str, seen: Seen) -> str:
        """Elements in a group that is there at some times."""
        if all(seen):
            return text
        name = self.classes.setdefault(seen, f"{self.ident}-{len(self.classes)}")
        return f'<g class="{name}">{text}</g>'

    def style(self) -> str:
        """The rules of all classes."""
        still = [f".{name}" for seen, name in self.classes.items() if not seen[-1]]
        hidden = [f"{','.join(still)}{{visibility:hidden}}"] if still else []
        moves = [f".{name}{{animation:{name} {self.times[-1]:g}s step-end infinite}}" for name in self.classes.values()]
        keys = [f"@keyframes {name}{{{self._keys(seen)}}}" for seen, name in self.classes.items()]
        return "\n".join([*hidden, "@media (prefers-reduced-motion:no-preference){", *moves, "}", *keys])

    def _keys(self, seen: Seen) -> str:
        starts = [next(run)[0] for _, run in groupby(enumerate(seen), key=lambda one: one[1])]
        share = [100 * self.times[start] / self.times[-1] for start in starts]
        return "".join(
            f"{at:.3f}".rstrip("0").rstrip(".") + f"%{{visibility:{'visible' if seen[start] else 'hidden'}}}"
            for start, at in zip(starts, share)
        )


def _times(count: int, seconds: float, rest: float) -> list[float]:
    """When every position begins, and when the last one ends."""
    return [round(seconds * number, 3) for number in range(count)] + [round(seconds * count + rest, 3)]


def _all_claims(scenes: Sequence[Scene]) -> Scene:
    """A scene in which everybody claims something who ever does: its definitions have all hatches."""
    seats = sorted({seat for scene in scenes for _, seat in scene.claimed})
    return replace(scenes[-1], claimed=tuple((0, seat) for seat in seats))


def _changing(lines: list[str]) -> list[str]:
    """The lines of the board that may change.

    Left out are places to press, and the bars between stones, which grow with every stone: see `_links`.
    """
    drawn = lines[_PLAY:_FOOTER]
    kept = ["" if line.startswith('<path class="link-edge') or _BARE.fullmatch(line) else line for line in drawn]
    return [_SPOT.sub("", line) for line in kept]


def _footer(frames: Sequence[list[str]], moving: _Moving) -> Iterable[str]:
    """What stands below the board: every name and tray in the group that it is in, at its times."""
    told = [dict.fromkeys(_placed(frame[_FOOTER])) for frame in frames]
    every = dict.fromkeys(chain.from_iterable(told))
    for groups in dict.fromkeys(inside for inside, _ in every):
        yield from groups
        for one in every:
            if one[0] == groups:
                yield moving.shown(one[1], tuple(one in entries for entries in told))
        yield "</g>" * len(groups)


def _placed(footer: str) -> Iterable[tuple[tuple[str, ...], str]]:
    """Every element of a footer, a line each, with the lines of the groups around it."""
    around: tuple[str, ...] = ()
    for line in footer.split("\n"):
        if line == "</g>":
            around = around[:-1]
        elif line.count("<g") > line.count("</g>"):
            around += (line,)
        elif line:
            yield around, line


def _links(scenes: Sequence[Scene], theme: str, moving: _Moving) -> Iterable[str]:
    """The bars between stones: those that are there at the same times together."""
    if scenes[0].board.squares:
        return
    drawn = layout(scenes[0].board, PENCIL if theme == "pencil" else STRAIGHT, False)
    there = [set(linked(scene)) for scene in scenes]
    times: dict[tuple[int, Seen], list[str]] = {}
    for pair, seat in sorted(set(chain.from_iterable(there))):
        seen = tuple((pair, seat) in links for links in there)
        times.setdefault((seat, seen), []).append(drawn.links[pair])
    for (seat, seen), paths in times.items():
        yield moving.shown(bar(seat, "".join(paths)), seen)


def _area(head: str) -> float:
    """How much room a drawing takes, by its first line."""
    _, _, width, height = head.partition('viewBox="')[2].partition('"')[0].split()
    return float(width) * float(height)


def _ident(scenes: Sequence[Scene], *more: object) -> str:
    told = repr(([(scene.marks, scene.claimed, scene.last) for scene in scenes], scenes[0].board.names, more))
    return "h" + hashlib.blake2s(told.encode(), digest_size=5).hexdigest()
