"""`hedgerow analyse FILE`: what the engine thinks of a position in a record."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hedgerow import draw
from hedgerow.game import Rules
from hedgerow.match import Match
from hedgerow.search.findings import NETWORK, SEARCH
from hedgerow.terminal.arguments import Json, RecordFile
from hedgerow.terminal.expecting import expected
from hedgerow.terminal.records import match_in
from hedgerow.terminal.talk import colourful, emit, talk

if TYPE_CHECKING:
    from hedgerow.search.findings import Analysis, Line


class Engine(StrEnum):
    """Who can be asked."""

    network = NETWORK
    search = SEARCH


def analyse(
    file: RecordFile,
    turn: Annotated[int | None, typer.Option(help="Analyse the position after this many turns.")] = None,
    seconds: Annotated[float | None, typer.Option(min=0.01, max=86_400, help="How long; 5 if nothing is said.")] = None,
    iterations: Annotated[
        int | None, typer.Option(min=1, help="How many random games, or visits by the network, at most.")
    ] = None,
    lines: Annotated[int, typer.Option(min=1, max=100, help="How many turns to show.")] = 5,
    threads: Annotated[int, typer.Option(min=1, max=64, help="How many threads search.")] = 1,
    engine: Annotated[Engine | None, typer.Option(help="Who speaks; the network where it knows the board.")] = None,
    as_json: Json = False,
) -> None:
    """Show the best turns in a position of a record; Ctrl-C ends the search early."""
    match = match_in(file, turn, ours=True)
    limit = 5.0 if seconds is None and iterations is None else seconds
    asked = {"seconds": limit, "iterations": iterations, "lines": lines, "threads": threads, "engine": engine}
    found = _searched(match, asked)
    if as_json:
        emit(found.as_dict())
    else:
        _show(match, found)


def _searched(match: Match, limits: dict[str, Any]) -> Analysis:
    """The last snapshot; the talk about it begins before the kernels compile."""
    from hedgerow.search.analysis import snapshots

    preparing = f"Preparing the kernels of {match.rules.name}…"
    if not talk().is_terminal:
        talk().print(preparing)
    with talk().status(preparing) as status:
        *_, found = snapshots(match, iterations=1, engine=limits["engine"])
        try:
            for found in snapshots(match, **limits):
                status.update(_progress(match.rules, found))
        except KeyboardInterrupt:
            talk().print("Stopped.")
    return found


def _progress(rules: Rules[Any], found: Analysis) -> str:
    best = found.lines[0]
    chance = f"{rules.seats[found.to_move]} {best.values[found.to_move]:.0%}"
    return f"{found.seconds:.1f} s, {found.told_by}: {best.turn}, {chance}"


def _show(match: Match, found: Analysis) -> None:
    """Who is expected to own what, the best turns as a table, then what is known of the whole."""
    from rich.console import Console
    from rich.table import Table

    rules = match.rules
    if found.owners:
        print("Who is expected to own each empty point in the end:\n")
        print(f"{draw.text(expected(match.scene(), found), color=colourful(sys.stdout))}\n")
    columns = ["turn", "visits", *(f"{seat} wins" for seat in rules.seats)]
    columns += [f"{rules.seats[0]}'s lead"] if found.scores else []
    columns += ["first thought"] if found.policy is not None else []
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, justify="left" if column == "turn" else "right", no_wrap=True)
    table.add_column("and then", overflow="fold")
    for line in found.lines:
        table.add_row(*_cells(rules, line))
    Console().print(table)
    print(_summary(rules, found))


def _cells(rules: Rules[Any], line: Line) -> list[str]:
    cells = [line.turn, f"{line.visits:,}", *(f"{value:.1%}" for value in line.values)]
    cells += [] if line.lead is None else [f"{line.lead:+.1f}"]
    cells += [] if line.prior is None else [f"{line.prior:.1%}"]
    proven = "" if line.proven is None else f"({_proof(rules, line.proven)}) "
    return [*cells, proven + ", ".join(line.variation[1:])]


def _proof(rules: Rules[Any], proven: int) -> str:
    return "a forced draw" if proven < 0 else f"{rules.seats[proven]} wins by force"


def _summary(rules: Rules[Any], found: Analysis) -> str:
    """The position in a few words."""
    parts = [f"{rules.name}: {rules.seats[found.to_move]} to move"]
    if found.proven is not None:
        parts.append(_proof(rules, found.proven))
    if found.scores:
        parts.append("expected scores " + ", ".join(f"{s} {n:.1f}" for s, n in zip(rules.seats, found.scores)))
    if found.lead is not None:
        ahead, behind = rules.seats if found.lead >= 0 else rules.seats[::-1]
        parts.append(f"{ahead} is expected to lead {behind} by {abs(found.lead):.1f}")
    return "; ".join([*parts, f"{found.told_by} in {found.seconds:.1f} s"]) + "."
