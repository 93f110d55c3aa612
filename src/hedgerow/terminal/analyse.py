"""`hedgerow analyse FILE`: what the search thinks of a position in a record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from hedgerow.game import Rules
from hedgerow.match import Match
from hedgerow.terminal.records import match_in

if TYPE_CHECKING:
    from hedgerow.search.findings import Analysis, Line

talk = Console(stderr=True)


def analyse(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a record, - for standard input")],
    turn: Annotated[int | None, typer.Option(help="Analyse the position after this many turns.")] = None,
    seconds: Annotated[float | None, typer.Option(min=0, max=86_400, help="How long; 5 if nothing is said.")] = None,
    iterations: Annotated[int | None, typer.Option(min=1, help="How many random games at most.")] = None,
    lines: Annotated[int, typer.Option(min=1, max=100, help="How many turns to show.")] = 5,
    threads: Annotated[int, typer.Option(min=1, max=64, help="How many threads search.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the best turns in a position of a record; Ctrl-C ends the search early."""
    match = match_in(file, turn)
    limit = 5.0 if seconds is None and iterations is None else seconds
    found = _searched(match, {"seconds": limit, "iterations": iterations, "lines": lines, "threads": threads})
    if as_json:
        print(json.dumps(found.as_dict()))
    else:
        _show(match.rules, found)


def _searched(match: Match, limits: dict[str, Any]) -> Analysis:
    """The last snapshot; the talk about it begins before the kernels compile."""
    from hedgerow.search.analysis import snapshots

    preparing = f"Preparing the kernels of {match.rules.name}…"
    if not talk.is_terminal:
        talk.print(preparing)
    with talk.status(preparing) as status:
        *_, found = snapshots(match, iterations=1)
        try:
            for found in snapshots(match, **limits):
                status.update(_progress(match.rules, found))
        except KeyboardInterrupt:
            talk.print("Stopped.")
    return found


def _progress(rules: Rules[Any], found: Analysis) -> str:
    best = found.lines[0]
    chance = f"{rules.seats[found.to_move]} {best.values[found.to_move]:.0%}"
    return f"{found.seconds:.1f} s, {found.iterations:,} random games: {best.turn}, {chance}"


def _show(rules: Rules[Any], found: Analysis) -> None:
    """The best turns as a table, then what is known of the whole."""
    columns = ["turn", "visits", *(f"{seat} wins" for seat in rules.seats)]
    columns += [f"{rules.seats[0]} leads by"] if found.scores else []
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
    return "; ".join([*parts, f"{found.iterations:,} random games in {found.seconds:.1f} s"]) + "."
