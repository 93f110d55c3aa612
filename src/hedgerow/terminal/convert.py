"""`hedgerow convert`: games and positions from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hedgerow import exchange
from hedgerow.game import HedgerowError
from hedgerow.match import Match
from hedgerow.terminal import completing, files, pictures
from hedgerow.terminal.records import match_in, taken_back

SUFFIXES = {one.suffix: one.name for one in exchange.FORMATS.values()}
SUFFIXES |= {".svg": "svg", ".png": "png", ".pdf": "pdf", ".gif": "gif"}
NAMES = (*exchange.FORMATS, *pictures.POSITIONS, *pictures.GAMES)
BINARY = {"png", "pdf", "gif"}


def convert(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE... OUT", help="games, and what to write at the end; - for standard in- and output"
        ),
    ],
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help=f"What to write: {', '.join(NAMES)}; by the ending of OUT if nothing is said.",
            autocompletion=completing.formats,
        ),
    ] = None,
    turns: Annotated[
        str | None, typer.Option(metavar="N,N,...", help="The positions after so many turns, several on one sheet.")
    ] = None,
    animated: Annotated[bool, typer.Option("--animated", help="The whole game as an animated SVG.")] = False,
    theme: Annotated[
        str | None,
        typer.Option(help="How boards look, like day, night, paper or pencil.", autocompletion=completing.themes),
    ] = None,
    width: Annotated[int | None, typer.Option(min=50, max=4000, help="How wide a picture is, in pixels.")] = None,
    columns: Annotated[int | None, typer.Option(min=1, max=20, help="How many boards stand side by side.")] = None,
    title: Annotated[str, typer.Option(help="A title over a sheet.")] = "",
    seconds: Annotated[
        float, typer.Option(min=0.02, max=60, help="How long each position of an animation stands.")
    ] = 0.8,
    paper: Annotated[str, typer.Option(help="The paper of a PDF: a4 or letter.")] = "a4",
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Convert games and positions: records, reports and SGF, pictures, sheets and animations.

    A game becomes a record, a report of Abstract Play, SGF, an animated SVG or a GIF; records, reports, SGF are read.

    Positions become text, SVG, PNG or PDF.
    """
    *inputs, out = sources
    if not inputs:
        raise HedgerowError("nothing to write to; hint: hedgerow convert game.txt game.svg")
    name = _format(out, to, animated)
    look = pictures.Look(theme, width, columns, paper, title, seconds)
    wanted = _numbers(turns) if turns is not None else None
    if name in BINARY and str(out) == "-":
        files.refuse_terminal(f"a {name.upper()}", f"hedgerow convert game.txt game.{name}")
    found = [(source, match_in(source)) for source in inputs]
    if name in pictures.POSITIONS:
        content = pictures.POSITIONS[name](_entries(found, wanted), look)
    else:
        content = _game(found, wanted, name, look)
    files.write(out, content, force=force)


def _format(out: Path, to: str | None, animated: bool) -> str:
    name = to or SUFFIXES.get(out.suffix.lower())
    if name is None:
        hint = f"--to, or one of {', '.join(SUFFIXES)}"
        raise HedgerowError(f"no format for {str(out)!r:.60}; hint: {hint}")
    if name not in NAMES:
        raise HedgerowError(f"no format {name!r:.40}; hint: {', '.join(NAMES)}")
    if animated and name not in ("svg", "animation", "gif"):
        raise HedgerowError(f"{name} cannot be animated; hint: svg and gif can")
    return "animation" if animated and name == "svg" else name


def _numbers(text: str) -> list[int]:
    """The turns that somebody wants."""
    words = text.split(",")
    if not all(word.strip().isdecimal() and len(word) < 7 for word in words) or len(words) > 500:
        raise HedgerowError(f"cannot read the turns {text!r:.40}; hint: --turns 10,20,30")
    return [int(word) for word in words]


def _entries(found: list[tuple[Path, Match]], wanted: list[int] | None) -> list[tuple[Match, str]]:
    """Every position with its caption."""
    entries = []
    for source, match in found:
        named = [_named(source, match)] if len(found) > 1 else []
        for turn in wanted or [len(match.turns)]:
            whole = turn == len(match.turns) and match.outcome is not None
            told = match.prompt.rstrip(".") if whole else _after(turn)
            entries.append((taken_back(match, turn), ": ".join([*named, told])))
    return entries


def _named(source: Path, match: Match) -> str:
    """Who plays, or the name of the file."""
    names = [match.tags.get(seat, "?") for seat in match.rules.seats]
    return source.stem if "?" in names else " – ".join(names)


def _after(turn: int) -> str:
    return "the start" if turn == 0 else f"after {turn} turn{'s' * (turn != 1)}"


def _game(found: list[tuple[Path, Match]], wanted: list[int] | None, name: str, look: pictures.Look) -> bytes:
    """One game as a file."""
    if len(found) > 1 or (wanted and len(wanted) > 1):
        raise HedgerowError(f"{name} tells one game; hint: svg, png and pdf make a sheet of several positions")
    match = found[0][1] if wanted is None else taken_back(found[0][1], wanted[0])
    if name in pictures.GAMES:
        return pictures.GAMES[name](match, look)
    return exchange.FORMATS[name].write(match).encode()
