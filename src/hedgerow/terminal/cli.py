"""The command line: `hedgerow games | rules | show | analyse | arena | gtp | perft | bench | warm | serve |
engine-worker | mail | check | command`.

Data goes to stdout, talk to stderr; `--json` where a program would read it; mistakes end with a line and exit code 2.
"""

from __future__ import annotations

import json
import os
import sys
import time
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from hedgerow import __version__, draw
from hedgerow.game import HedgerowError, Rules
from hedgerow.games import game as game_of
from hedgerow.games import games as game_names
from hedgerow.games import make
from hedgerow.match import Match
from hedgerow.terminal import admin, analyse, bench, check, command, engine
from hedgerow.terminal import engine_worker as thinking
from hedgerow.terminal import mail as letters
from hedgerow.terminal import serve as play_server
from hedgerow.terminal.records import match_in

app = typer.Typer(no_args_is_help=True, add_completion=False, help="The home of the root games.")
app.add_typer(bench.app, name="bench", help="Measure speed.")
app.add_typer(admin.app, name="admin", help="Look after a play server: people, games, backups.")
app.command()(analyse.analyse)
app.command()(engine.arena)
app.command()(engine.gtp)
app.command()(play_server.serve)
app.command()(letters.mail)
app.command()(check.check)
app.command()(command.command)
app.command("engine-worker")(thinking.engine_worker)
talk = Console(stderr=True)

GameName = Annotated[str, typer.Argument(metavar="GAME", help="like hexbo or hexbo:side=5,players=3")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def main() -> None:
    """Runs a command; whatever Hedgerow refuses becomes one line on stderr and exit code 2."""
    try:
        app()
    except HedgerowError as error:
        talk.print(f"error: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        talk.print(f"error: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(1)


def emit(data: Any) -> None:
    """One line of JSON on stdout."""
    print(json.dumps(data))


@app.callback(invoke_without_command=True)
def version(show: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if show:
        print(__version__)
        raise typer.Exit


@app.command()
def games(as_json: Json = False) -> None:
    """List the games and their options."""
    found = [game_of(name) for name in game_names()]
    if as_json:
        emit(
            [
                {"name": g.name, "title": g.title, "designer": g.designer, "about": g.about, "options": _options(g)}
                for g in found
            ]
        )
        return
    table = Table("game", "what it is", "options with their defaults", box=None, pad_edge=False, padding=(0, 2, 1, 0))
    for g in found:
        options = "\n".join(f"{o.name} = {o.default}; {o.allowed}: {o.about}" for o in g.options)
        table.add_row(f"[bold]{g.name}[/bold]\n{g.title}", f"{g.about}\n[dim]{g.designer}[/dim]", options)
    Console().print(table)


def _options(game: Any) -> list[dict[str, Any]]:
    return [
        {"name": o.name, "default": o.default, "values": list(o.values), "free": o.free, "about": o.about}
        for o in game.options
    ]


@app.command()
def rules(game: GameName, as_json: Json = False) -> None:
    """Read the rules of a game."""
    settled = make(game)
    if as_json:
        emit({"name": settled.name, "rules": settled.game.rules_text()})
    elif sys.stdout.isatty():
        Console(width=min(100, Console().width)).print(Markdown(settled.game.rules_text()))
    else:
        print(settled.game.rules_text())


@app.command()
def show(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a record, - for standard input")],
    turn: Annotated[int | None, typer.Option(help="Show the position after this many turns.")] = None,
    svg: Annotated[bool, typer.Option("--svg", help="Print an SVG picture.")] = False,
    as_json: Json = False,
) -> None:
    """Show the game in a record: its board, whose turn it is, or how it ended."""
    match = match_in(file, turn)
    if svg:
        print(match.svg())
    elif as_json:
        emit(_told(match))
    else:
        color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        print(draw.text(match.scene(), color=color))
        turns = f"{len(match.turns)} turn{'s' * (len(match.turns) != 1)}"
        print(f"\n{match.rules.name}, {turns}. {match.prompt}")


def _told(match: Match) -> dict[str, Any]:
    outcome = match.outcome
    return {
        "game": match.rules.name,
        "tags": match.tags,
        "turns": list(match.turns),
        "to_move": None if outcome else match.to_move,
        "cells": match.cells(),
        "position": match.position(),
        "prompt": match.prompt,
        "outcome": outcome
        and {
            "reason": outcome.reason,
            "scores": outcome.scores,
            "winners": outcome.winners,
            "places": outcome.places,
        },
    }


@app.command()
def perft(
    game: GameName,
    depth: Annotated[int, typer.Argument(min=0, max=40, help="how many plies deep")],
    as_json: Json = False,
) -> None:
    """Count the action sequences of each length, to compare implementations."""
    fast = _announced(make(game))
    counts = []
    for plies in range(depth + 1):
        begun = time.perf_counter()
        counts.append(fast.perft(plies))
        if not as_json:
            print(f"{plies:3} {counts[-1]:>16,}   {time.perf_counter() - begun:8.3f} s")
    if as_json:
        emit({"game": make(game).name, "perft": counts})


@app.command()
def warm(
    games: Annotated[
        list[str] | None, typer.Argument(metavar="[GAME]...", help="all games at their defaults if none")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compile the kernels ahead of time, so that nothing has to wait for them later."""
    from hedgerow.kernels import cache

    told = []
    wanted = [make(name) for name in games or game_names()]
    with Progress(
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=talk
    ) as bar:
        task = bar.add_task("kernels", total=len(wanted))
        for settled in wanted:
            begun, before = time.perf_counter(), cache.compiled_and_loaded()
            settled.fast.warm(partial(_say, bar, task, settled.name))
            bar.advance(task)
            compiled, loaded = (now - then for now, then in zip(cache.compiled_and_loaded(), before))
            seconds = round(time.perf_counter() - begun, 2)
            told.append({"game": settled.name, "compiled": compiled, "loaded": loaded, "seconds": seconds})
        bar.update(task, description="kernels ready")
    if as_json:
        emit({"folder": str(cache.folder()), "games": told})
    else:
        for row in told:
            print(f"{row['game']}: {row['compiled']} compiled, {row['loaded']} loaded, {row['seconds']} s")


def _say(bar: Progress, task: TaskID, name: str, step: str) -> None:
    bar.update(task, description=f"{name}: {step}")


def _announced(settled: Rules[Any]) -> Any:
    """The compiled twin, with a word on stderr while it gets ready."""
    with talk.status(f"Preparing the kernels of {settled.name}…"):
        settled.fast.perft(1)
    return settled.fast
