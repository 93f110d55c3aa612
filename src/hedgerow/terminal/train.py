"""`hedgerow train`: a network learns a game by playing itself; needs the extra `hedgerow[train]`."""

from __future__ import annotations

import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table

from hedgerow.game import BadOption, HedgerowError, Rules
from hedgerow.games import make

if TYPE_CHECKING:
    from hedgerow.learn.checkpoint import Progress

talk = Console(stderr=True)


def train(
    boards: Annotated[list[str], typer.Argument(metavar="GAME...", help="boards of one game, like hexbo:side=5 hexbo")],
    out: Annotated[Path, typer.Option(help="The folder for checkpoints and the finished network.")],
    minutes: Annotated[
        float, typer.Option(min=0, help="How long to train; 0 writes the network of the folder's checkpoint.")
    ] = 10.0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the folder's checkpoint.")] = False,
    from_package: Annotated[
        bool, typer.Option("--from-package", help="Go on from the network that the package brings with it.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Which random choices.")] = 0,
    games: Annotated[int, typer.Option(min=0, help="Games side by side on each board; 0: as the device likes.")] = 0,
    simulations: Annotated[int, typer.Option(min=0, help="Evaluations a move; 0: as the device likes.")] = 0,
    channels: Annotated[int, typer.Option(min=0, help="Width of a new network; 0: as the device likes.")] = 0,
    blocks: Annotated[int, typer.Option(min=0, help="Depth of a new network; 0: as the device likes.")] = 0,
    threads: Annotated[int, typer.Option(min=0, help="Of the processor; 0: one a core.")] = 0,
    match_every: Annotated[
        float, typer.Option(min=0, help="Minutes between matches with the last kept one and with search.")
    ] = 2.0,
) -> None:
    """Train a network by self-play: on a GPU if there is one, else on the processor (small boards only)."""
    if not minutes and not resume:
        raise BadOption("nothing is learned in 0 minutes; hint: --resume writes what the folder's checkpoint knows")
    refuse_two_beginnings(out, resume, from_package)
    try:
        import onnx  # noqa: F401
        import torch
    except ImportError as missing:
        raise HedgerowError(f"{missing.name} is not installed; hint: pip install 'hedgerow[train]'") from None
    from hedgerow.learn import checkpoint
    from hedgerow.learn.eighths import quantise
    from hedgerow.learn.export import export
    from hedgerow.learn.reading import shipped
    from hedgerow.learn.training import CPU, Recipe, Training

    rules = [make(name) for name in boards]
    beginning = shipped(rules[0]) if from_package else None
    recipe = Recipe() if torch.cuda.is_available() else CPU
    if beginning or resume:
        shape = beginning.progress.shape if beginning else checkpoint.read(out)["progress"]["shape"]
        recipe = replace(recipe, channels=shape["channels"], blocks=shape["blocks"])
    counts = {"games": games, "simulations": simulations, "channels": channels, "blocks": blocks, "threads": threads}
    asked: dict[str, Any] = {name: count for name, count in counts.items() if count}
    recipe = replace(recipe, seed=seed, match_every=60 * match_every, **asked)
    training = Training(rules, recipe, out, resume, beginning)
    if not resume and not beginning:
        tell_of_the_package(rules[0], training.progress)
    stop_gently(training)
    make_folder(out)
    if minutes:
        begun = time.monotonic()
        with Live(console=talk, auto_refresh=False) as live:
            training.run(60 * minutes, lambda progress: live.update(table(progress, begun, minutes), refresh=True))
    export(training.mean.cpu().float(), training.progress, out / "exact.onnx")
    quantise(rules, out / "exact.onnx", out / "network.onnx")
    talk.print(f"the network is {out / 'network.onnx'}", markup=False, highlight=False)


def refuse_two_beginnings(out: Path, resume: bool, from_package: bool) -> None:
    """A training has one beginning, and writes over nothing that it does not go on from."""
    if resume and from_package:
        raise BadOption(
            "--resume and --from-package are two beginnings; hint: --resume alone goes on from the folder's"
        )
    if out.exists() and not resume and any(out.iterdir()):
        raise BadOption(f"there is something in {str(out)!r}; hint: --resume, or another folder")


def make_folder(out: Path) -> None:
    """The folder is there before anything is learned, and not only when the first checkpoint is to be kept."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadOption(f"cannot keep a network in {str(out)!r}; hint: give a folder that can be written") from error


def tell_of_the_package(rules: Rules[Any], progress: Progress) -> None:
    """Says that there is a network to go on from, where the package has one of this shape."""
    from hedgerow.search.networks import network_for  # which loads compiled code

    known = network_for(rules)
    if known and known.told["shape"] == progress.shape:
        learned = f"{known.told['evaluations'] / 1e6:.0f} million evaluations"
        line = f"a new network begins; hint: --from-package goes on from the package's, which has had {learned}"
        talk.print(line, markup=False, highlight=False)


def stop_gently(training: Any) -> None:
    """Ctrl-C and a kill end the training as its time does: with a checkpoint."""

    def stop(*_: object) -> None:
        training.stopped = True

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)


def table(progress: Progress, begun: float, minutes: float) -> Table:
    """How far it has come."""
    from hedgerow.learn.duel import ITERATIONS, VISITS

    shown = Table(title=" ".join(progress.boards), show_header=False, title_justify="left")
    spent = (time.monotonic() - begun) / 60
    rows = {
        "time": f"{spent:.1f} of {minutes:g} minutes; {progress.seconds / 60:.1f} in all",
        "games": f"{progress.games:,}",
        "evaluations": f"{progress.evaluations:,}, {progress.evaluations_a_second:,.0f} a second",
        "positions learned from": f"{progress.positions:,} in {progress.steps:,} steps",
        "losses": ", ".join(f"{name} {loss:.3f}" for name, loss in progress.losses.items() if loss),
        "Elo so far": f"{progress.elo:.0f} above the first network it was matched with",
    }
    if progress.search:
        _, won, played = progress.search[-1]
        rows["against search"] = f"{won:g} of {played} games won by {VISITS} visits against {ITERATIONS} random games"
    for name, value in rows.items():
        shown.add_row(name, value)
    return shown
