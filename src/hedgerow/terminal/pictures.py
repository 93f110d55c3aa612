"""Positions and games as files: characters, SVG, PNG, PDF, and animations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hedgerow import draw
from hedgerow.draw.themes import THEMES
from hedgerow.game import HedgerowError
from hedgerow.match import Match

Entries = Sequence[tuple[Match, str]]
"""Positions with their captions."""


@dataclass(frozen=True)
class Look:
    """How pictures are made."""

    theme: str | None = None
    width: int | None = None
    """In pixels."""
    columns: int | None = None
    paper: str = "a4"
    title: str = ""
    seconds: float = 0.8
    """How long a position of an animation stands."""

    def __post_init__(self) -> None:
        if self.theme is not None and self.theme not in THEMES:
            raise HedgerowError(f"no theme {self.theme!r:.40}; hint: {', '.join(THEMES)}")


def text(entries: Entries, look: Look) -> bytes:
    """The boards in characters, one below the other."""
    parts = []
    for match, caption in entries:
        head = [caption, ""] if len(entries) > 1 else []
        parts.append("\n".join([*head, draw.text(match.scene())]) + "\n")
    return "\n".join(parts).encode()


def svg(entries: Entries, look: Look) -> bytes:
    """One board, or a sheet of several."""
    if len(entries) == 1 and not look.title:
        return draw.svg(entries[0][0].scene(), look.theme, size=look.width).encode() + b"\n"
    from hedgerow.draw.sheet import sheet

    return sheet(_scenes(entries), look.theme, look.columns, title=look.title).encode() + b"\n"


def png(entries: Entries, look: Look) -> bytes:
    """The same in pixels."""
    from hedgerow.draw.png import THEME
    from hedgerow.draw.raster import raster
    from hedgerow.draw.sheet import columns_for, sheet

    theme = look.theme or THEME
    if len(entries) == 1 and not look.title:
        return raster(draw.svg(entries[0][0].scene(), theme, styled=False, sparse=True), theme, look.width or 880)
    made = sheet(_scenes(entries), theme, look.columns, title=look.title, styled=False, sparse=True)
    across = min(len(entries), look.columns or columns_for(len(entries)))
    return raster(made, theme, look.width or min(4000, 560 * across))


def pdf(entries: Entries, look: Look) -> bytes:
    """On paper, several a sheet."""
    from hedgerow.paper.positions import positions_pdf

    return positions_pdf(entries, paper=look.paper, columns=look.columns, title=look.title or None)


def _scenes(entries: Entries) -> list[tuple[draw.Scene, str]]:
    return [(match.scene(), caption) for match, caption in entries]


POSITIONS: dict[str, Callable[[Entries, Look], bytes]] = {"text": text, "svg": svg, "png": png, "pdf": pdf}
"""What positions can become."""


def frames(match: Match) -> list[draw.Scene]:
    """The start, and every position after a turn."""
    return [match.after(turns).scene() for turns in range(len(match.turns) + 1)]


def animated_svg(match: Match, look: Look) -> bytes:
    """A game as an animated SVG."""
    from hedgerow.draw.animation import animated

    scenes = frames(match)
    title = look.title or f"{scenes[-1].title}: {len(match.turns)} turns"
    return animated(scenes, look.theme, size=look.width, title=title, seconds=look.seconds).encode() + b"\n"


def gif(match: Match, look: Look) -> bytes:
    """A game as a GIF, with progress on stderr."""
    from hedgerow.draw.gif import gif as moving
    from hedgerow.draw.png import THEME, WIDTH
    from hedgerow.terminal.talk import progress

    scenes = frames(match)
    with progress("drawing positions", len(scenes)) as done:
        return moving(scenes, look.theme or THEME, look.width or WIDTH, seconds=look.seconds, progress=done)


GAMES: dict[str, Callable[[Match, Look], bytes]] = {"animation": animated_svg, "gif": gif}
"""What a whole game can become."""
