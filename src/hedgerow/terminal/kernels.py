"""`hedgerow perft` and `hedgerow warm`: the compiled rules, counted and prepared."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hedgerow.game import Rules
from hedgerow.games import games as game_names
from hedgerow.games import make
from hedgerow.terminal import completing
from hedgerow.terminal.arguments import GameName, Json
from hedgerow.terminal.talk import emit, talk

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


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
        with talk().status(f"Counting sequences of {plies} plies…"):
            counts.append(fast.perft(plies))
        if not as_json:
            print(f"{plies:3} {counts[-1]:>16,}   {time.perf_counter() - begun:8.3f} s", flush=True)
    if as_json:
        emit({"game": make(game).name, "perft": counts})


def _announced(settled: Rules[Any]) -> Any:
    """The compiled twin, with a word on stderr while it gets ready."""
    with talk().status(f"Preparing the kernels of {settled.name}…"):
        settled.fast.perft(1)
    return settled.fast


def warm(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GAME]...", help="all games at their defaults if none", autocompletion=completing.games
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compile the kernels ahead of time, so that nothing has to wait for them later."""
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from hedgerow.kernels import cache

    told = []
    wanted = [make(name) for name in games or game_names()]
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=talk()) as bar:
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
