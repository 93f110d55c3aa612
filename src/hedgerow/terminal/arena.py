"""`hedgerow arena`: players play each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hedgerow.game import BadOption
from hedgerow.terminal import completing
from hedgerow.terminal.arguments import GameName, Json
from hedgerow.terminal.talk import emit, talk

if TYPE_CHECKING:
    from hedgerow.search.arena import Result
    from hedgerow.search.odds import Sprt, Tally


class ClockName(StrEnum):
    """What time players can think by."""

    wall = "wall"
    cpu = "cpu"


Players = Annotated[
    list[str],
    typer.Argument(
        metavar="PLAYER PLAYER...",
        help="like random, level:3 or uct:iterations=1000",
        autocompletion=completing.players,
    ),
]


def arena(
    game: GameName,
    players: Players,
    games: Annotated[int, typer.Option(min=1, help="Games for each pair, rounded up to whole rotations.")] = 100,
    processes: Annotated[int, typer.Option(min=1, max=256, help="How many games at a time.")] = 1,
    openings: Annotated[int, typer.Option(min=0, help="Begin with so many random plies.")] = 2,
    book: Annotated[Path | None, typer.Option(help="Begin with the openings in this file, one a line.")] = None,
    sprt: Annotated[
        str, typer.Option(metavar="ELO0,ELO1[,ALPHA,BETA]", help="Stop when one of two Elo differences is clear.")
    ] = "",
    records: Annotated[Path | None, typer.Option(help="Keep the games in this new folder.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on after the games in the folder of --records.")] = False,
    resign: Annotated[bool, typer.Option("--resign", help="Players give up hopeless games for two.")] = False,
    clock: Annotated[
        ClockName,
        typer.Option(help="What players' seconds are: on the wall, or of the processor, fair on a busy machine."),
    ] = ClockName.wall,
    seed: Annotated[int, typer.Option(min=0, help="Which openings, seats and random choices.")] = 0,
    as_json: Json = False,
) -> None:
    """Let players play each other: seats rotated, openings shared, win rates and Elo with 95 % intervals."""
    from hedgerow.search.arena import arena as play

    test = read_sprt(sprt) if sprt else None
    with told_meanwhile() as progress:
        result = play(
            game,
            players,
            games=games,
            openings=openings,
            book=book,
            processes=processes,
            seed=seed,
            resign=resign,
            clock=clock.value,
            sprt=test,
            records=records,
            resume=resume,
            progress=progress,
        )
    if as_json:
        emit(result.as_dict())
    else:
        report(result)
    if result.stopped in ("interrupted", "a process died"):
        raise typer.Exit(1)


@contextmanager
def told_meanwhile() -> Iterator[Callable[[Result], None]]:
    """Tells on a terminal how the games go, of which it is told after each."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(
        *columns, TimeRemainingColumn(), console=talk(), transient=True, disable=not talk().is_terminal
    ) as bar:
        task = bar.add_task("preparing the kernels", total=None)

        def show(so_far: Result) -> None:
            bar.update(task, total=so_far.planned, completed=so_far.games, description=headline(so_far))

        yield show


def read_sprt(text: str) -> Sprt:
    """The sequential test that `elo0,elo1` or `elo0,elo1,alpha,beta` means."""
    from hedgerow.search.odds import Sprt

    try:
        settings = [float(word) for word in text.split(",")]
    except ValueError:
        settings = []
    if len(settings) not in (2, 4) or not all(map(math.isfinite, settings)):
        raise BadOption(f"cannot read the test {text[:40]!r}; hint: write it like --sprt 0,30 or --sprt 0,30,0.05,0.05")
    return Sprt(*settings)


def headline(result: Result) -> str:
    """How the first two players stand, in a few words."""
    tally = result.tallies[0, 1]
    words = f"{tally.wins} won, {tally.draws} drawn, {tally.losses} lost"
    if result.sprt:
        low, high = result.sprt.bounds
        words += f", LLR {result.sprt.ratio(tally):.2f} ({low:.2f} to {high:.2f})"
    return words


def report(result: Result) -> None:
    """The result as tables on stdout."""
    from rich.console import Console
    from rich.table import Table

    out = Console(highlight=False)
    out = out if out.is_terminal else Console(highlight=False, width=200)  # a file is as wide as it needs to be
    out.print(f"{result.game}: {result.games} games", markup=False)
    pairs = Table("player", "against", "won", "drawn", "lost", "rate %", "95 %", "Elo", "95 %", box=None)
    for (one, other), tally in result.tallies.items():
        pairs.add_row(result.players[one], result.players[other], *cells(tally))
    out.print(pairs)
    if len(result.players) > 2:
        out.print()
        totals = Table("player", "won", "drawn", "lost", "rate %", "95 %", "Elo", "95 %", box=None)
        for one in sorted(range(len(result.players)), key=lambda one: -result.total(one).rate):
            totals.add_row(result.players[one], *cells(result.total(one)))
        out.print(totals)
    for line in remarks(result):
        out.print(line, markup=False)


def cells(tally: Tally) -> list[str]:
    """A tally as the cells of a table's row."""
    (low, high), (weak, strong) = tally.interval, tally.elo_interval
    counts = [str(tally.wins), str(tally.draws), str(tally.losses)]
    rate = [f"{100 * tally.rate:.1f}", f"{100 * low:.1f} to {100 * high:.1f}"]
    return counts + rate + [f"{tally.elo:+.0f}", f"{weak:+.0f} to {strong:+.0f}"]


def remarks(result: Result) -> list[str]:
    """What a table does not tell: thinking time, the test, why it stopped, what went wrong."""
    thought = [
        f"{name} {spent / max(1, turns):.2g} s"
        for name, spent, turns in zip(result.players, result.seconds, result.turns)
    ]
    lines = [f"a turn took: {', '.join(thought)}"]
    if result.sprt:
        clear = {"elo0": result.sprt.elo0, "elo1": result.sprt.elo1}.get(result.verdict)
        ratio = f"LLR {result.sprt.ratio(result.tallies[0, 1]):.2f}"
        lines.append(f"test: {ratio}, {'nothing is clear yet' if clear is None else f'Elo {clear:+g} is accepted'}")
    if result.stopped:
        lines.append(f"stopped after {result.games} of {result.planned} games: {result.stopped}")
    errors = [f"error in game {number}: {result.players[one]}: {text}" for number, one, text in result.faults]
    return lines + errors[:20] + ([f"and {len(errors) - 20} errors more"] if len(errors) > 20 else [])
