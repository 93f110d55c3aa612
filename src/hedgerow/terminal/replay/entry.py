"""`hedgerow replay FILE`: what the command line says, and whether the screen or lines of text show the game."""

from __future__ import annotations

from typing import Annotated

import typer

from hedgerow.game import HedgerowError
from hedgerow.terminal.arguments import RecordFile
from hedgerow.terminal.records import match_in


def replay(
    file: RecordFile,
    turn: Annotated[int | None, typer.Option(help="Begin after this many turns.")] = None,
    seconds: Annotated[float, typer.Option(min=0.05, max=60, help="How long each turn stands while it plays.")] = 1.0,
    plain: Annotated[bool, typer.Option("--plain", help="Lines of text instead of the screen.")] = False,
    theme: Annotated[str, typer.Option(metavar="dark|light", help="Colours for a dark or a light room.")] = "dark",
) -> None:
    """Step through a game: arrows, Home and End, space to play it, a number to jump there."""
    from hedgerow.terminal.play.reader import plain_because

    if theme not in ("dark", "light"):
        raise HedgerowError(f"no theme {theme[:20]!r}; hint: dark or light")
    match = match_in(file)
    if turn is not None and not 0 <= turn <= len(match.turns):
        raise HedgerowError(f"no turn {turn}; hint: the record has {len(match.turns)}")
    if plain_because(plain):
        from hedgerow.terminal.replay.lines import tell

        tell(match, turn or 0)
        return
    from hedgerow.terminal.replay.screen import run

    raise typer.Exit(run(match, turn or 0, seconds, theme))
