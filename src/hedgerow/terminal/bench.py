"""Benchmarks: how fast the compiled rules play."""

from __future__ import annotations

import json
import math
import time
from typing import Annotated, Any

import typer

from hedgerow.game import HedgerowError, Rules
from hedgerow.games import make
from hedgerow.terminal.arguments import GameName, Json
from hedgerow.terminal.talk import emit, talk

app = typer.Typer(no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Measure speed."""


@app.command()
def playouts(
    game: GameName,
    seconds: Annotated[float, typer.Option(min=0.01, max=600, help="How long to measure, in CPU time.")] = 3.0,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Which random games.")] = 1,
    as_json: Json = False,
) -> None:
    """Play random games from the start position on one thread, by CPU time."""
    told = measure(make(game), seconds, seed)
    if as_json:
        emit(told)
    else:
        print(
            f"{told['game']}: {told['playouts_per_s']:,.0f} playouts/s, {told['plies_per_s']:,.0f} plies/s, "
            f"{told['mean_plies']:.1f} plies a game"
        )


@app.command()
def search(
    game: GameName,
    seconds: Annotated[float, typer.Option(min=0.01, max=600, help="How long to search.")] = 4.0,
    threads: Annotated[int, typer.Option(min=1, max=64, help="How many threads share the tree.")] = 1,
    as_json: Json = False,
) -> None:
    """Search the start position by plain UCT with full random playouts."""
    told = measure_search(make(game), seconds, threads)
    if as_json:
        emit(told)
    else:
        print(
            f"{told['game']}: {told['iterations_per_s']:,.0f} iterations/s on {told['threads']} threads, "
            f"{told['nodes']:,} nodes, {told['depth']} deep"
        )


@app.command()
def alphabeta(
    game: GameName,
    seconds: Annotated[float, typer.Option(min=0.01, max=600, help="How long to search, in CPU time.")] = 4.0,
    as_json: Json = False,
) -> None:
    """Search the start position by alpha-beta on one thread, by CPU time."""
    told = measure_alphabeta(make(game), seconds)
    if as_json:
        emit(told)
    else:
        print(f"{told['game']}: {told['plays_per_s']:,.0f} plays/s of one core, {told['depth']} deep")


@app.command()
def network(
    game: GameName,
    seconds: Annotated[float, typer.Option(min=0.01, max=600, help="How long to search, in CPU time.")] = 4.0,
    as_json: Json = False,
) -> None:
    """Search the start position with the game's network on one thread, by CPU time."""
    told = measure_network(make(game), seconds)
    if as_json:
        emit(told)
    else:
        print(
            f"{told['game']}: {told['evaluations_per_s']:,.0f} evaluations/s of one core, "
            f"{told['nodes']:,} nodes, {told['depth']} deep"
        )


@app.command()
def serve(
    game: Annotated[str, typer.Argument(metavar="GAME", help="like hexbo:side=5")] = "hexbo(side=5)",
    matches: Annotated[int, typer.Option("--matches", "-k", min=1, max=5000, help="How many at a time.")] = 200,
    seconds: Annotated[float, typer.Option(min=0.5, max=600, help="How long to measure.")] = 8.0,
    pace: Annotated[float, typer.Option(min=0, help="Turns a second of all matches together; 0: no waiting.")] = 0.0,
    watchers: Annotated[int, typer.Option(min=0, max=100, help="How many watch every match.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, which it always does.")] = True,
) -> None:
    """Play matches over websockets against a server process of its own, on SQLite; prints one line of JSON."""
    from hedgerow.tools.serve_bench import measure as measure_server

    with talk().status(f"Playing {game} on a server…"):
        told = measure_server(game, matches, seconds, pace, watchers)
    emit(told)


@app.command()
def page(
    game: Annotated[str, typer.Argument(metavar="GAME", help="like hexbo:side=5")] = "hexbo(side=5)",
    matches: Annotated[int, typer.Option("--matches", "-k", min=1, max=2000, help="How many at a time.")] = 20,
    seconds: Annotated[float, typer.Option(min=0.5, max=600, help="How long to measure.")] = 8.0,
    pace: Annotated[float, typer.Option(min=0, help="Turns a second of all matches together; 0: no waiting.")] = 0.0,
    watchers: Annotated[int, typer.Option(min=0, max=2000, help="How many watch every match.")] = 0,
    pages: Annotated[bool, typer.Option("--pages", help="Measure loading pages instead.")] = False,
    as_json: Json = False,
) -> None:
    """Measure what a turn costs as browsers play it: the same messages, against a server process of its own."""
    from hedgerow.tools import page_bench

    with talk().status(f"Playing {game} on a server…"):
        told = page_bench.measure_pages(game) if pages else page_bench.measure(game, matches, seconds, pace, watchers)
    print(json.dumps(told) if as_json else page_bench.in_words(told))


@app.command()
def levels(
    game: Annotated[str, typer.Argument(metavar="GAME", help="like hexbo or hexbo:side=5")],
    first: Annotated[int, typer.Option("--from", min=2, help="The lowest level that meets the one below it.")] = 2,
    last: Annotated[int, typer.Option("--to", min=2, help="The highest.")] = 4,
    games: Annotated[int, typer.Option(min=1, max=100_000, help="How many games each, at most.")] = 100,
    seconds: Annotated[float, typer.Option(min=0, help="No game is begun later; 0: all are played.")] = 0.0,
    processes: Annotated[int, typer.Option(min=1, max=64, help="How many engine processes think.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Which games.")] = 0,
    as_json: Json = False,
) -> None:
    """Play each level of a game against the one below, by engine processes as a server's games are."""
    from hedgerow.tools import levels_bench

    with talk().status(f"Playing {game}…"):
        told = levels_bench.measure(game, first, last, games, seconds or math.inf, processes, seed)
    print(json.dumps(told) if as_json else levels_bench.in_words(told))


@app.command()
def lists(
    games: Annotated[int, typer.Option(min=100, max=50_000_000, help="How many games to fill in.")] = 1_000_000,
    data: Annotated[str | None, typer.Option(help="A folder to keep them in, for the next time.")] = None,
    database: Annotated[str | None, typer.Option(help="An empty PostgreSQL database instead of SQLite.")] = None,
    loads: Annotated[int, typer.Option(min=1, max=100_000, help="How often every page is loaded.")] = 100,
    as_json: Json = False,
) -> None:
    """Measure what pages with lists cost on a server of its own with many games, which are filled in at once."""
    from hedgerow.tools import lists_bench

    with talk().status(f"Making {games:,} games and looking at them…"):
        told = lists_bench.measure(games, data, database, loads)
    print(json.dumps(told) if as_json else lists_bench.in_words(told))


@app.command()
def mail(
    game: Annotated[str, typer.Argument(metavar="GAME", help="like hexbo:side=5")] = "hexbo(side=5)",
    games: Annotated[int, typer.Option("--games", "-k", min=1, max=5000, help="How many at a time.")] = 100,
    seconds: Annotated[float, typer.Option(min=0.5, max=600, help="How long to measure.")] = 8.0,
    as_json: Json = False,
) -> None:
    """Count the mails a second that go the whole way: SMTP in, a turn played and stored, the answer out by SMTP."""
    from hedgerow.tools import mail_bench

    with talk().status(f"Playing {game} by mail…"):
        told = mail_bench.measure(game, games, seconds)
    print(json.dumps(told) if as_json else mail_bench.in_words(told))


def measure_search(rules: Rules[Any], seconds: float, threads: int) -> dict[str, Any]:
    """Searches the start position for a while; depth is the length of the principal variation."""
    from hedgerow.search.knobs import Knobs
    from hedgerow.search.uct import Search

    found = Search(rules, rules.start(), Knobs(), threads=threads, memory=1024)
    with talk().status(f"Preparing the kernels of {rules.name}…"):
        found.run(iterations=10)
    with talk().status(f"Searching {rules.name}…"):
        begun, before = time.perf_counter(), found.done
        found.run(seconds=seconds)
        spent = time.perf_counter() - begun
    return {
        "game": rules.name,
        "iterations_per_s": (found.done - before) / spent,
        "threads": threads,
        "iterations": found.done - before,
        "seconds": spent,
        "nodes": int(found.tree.used[0]),
        "depth": len(list(found.variation(1000))),
    }


def measure_alphabeta(rules: Rules[Any], seconds: float) -> dict[str, Any]:
    """Searches the start position as players by alpha-beta do; ends early where a deeper look would take too long."""
    from hedgerow.search.alphabeta import Limit, Look, table_for
    from hedgerow.search.timing import CPU, counted

    start = rules.start()
    with talk().status(f"Preparing the kernels of {rules.name}…"):
        Look(rules, start, rules.legal(start), table_for(1000), 0, Limit(None, 1000)).run()
    with talk().status(f"Searching {rules.name}…"), counted(CPU):
        look = Look(rules, start, rules.legal(start), table_for(None), 0, Limit(seconds, None))
        begun = time.process_time()
        found = look.run()
        spent = time.process_time() - begun
    plays = int(look.work.cursor.plays[0])
    return {
        "game": rules.name,
        "plays_per_s": plays / spent,
        "plays": plays,
        "cpu_seconds": spent,
        "depth": found.depth,
    }


def measure_network(rules: Rules[Any], seconds: float) -> dict[str, Any]:
    """Searches the start position as players with a network do, and counts what the network is asked."""
    from hedgerow.search.net import BATCH, NetSearch
    from hedgerow.search.networks import Asked, network_for
    from hedgerow.search.timing import CPU, counted

    class Counted:
        def __init__(self, network: Asked) -> None:
            self.network, self.evaluations = network, 0

        def evaluate(self, seen: Any, *more: str) -> Any:
            self.evaluations += len(seen)
            return self.network.evaluate(seen, *more)

    known = network_for(rules)
    if known is None:
        raise HedgerowError(f"there is no network for {rules.name}; hint: hedgerow train makes one")
    found = NetSearch(rules, rules.start(), asked := Counted(known), memory=1024)
    with talk().status(f"Preparing the kernels of {rules.name}…"):
        found.run(iterations=40 * BATCH)
    with talk().status(f"Searching {rules.name}…"), counted(CPU):
        begun, before = time.process_time(), asked.evaluations
        found.run(seconds=seconds)
        spent = time.process_time() - begun
    return {
        "game": rules.name,
        "evaluations_per_s": (asked.evaluations - before) / spent,
        "evaluations": asked.evaluations - before,
        "cpu_seconds": spent,
        "nodes": int(found.tree.used[0]),
        "depth": len(list(found.variation(1000))),
    }


def measure(rules: Rules[Any], seconds: float, seed: int) -> dict[str, Any]:
    """Plays random games in growing batches until the CPU time is spent."""
    with talk().status(f"Preparing the kernels of {rules.name}…"):
        rules.fast.playouts(100, seed)
    games = plies = 0
    batch, spent = 100, 0.0
    with talk().status(f"Playing {rules.name}…"):
        while spent < seconds:
            begun = time.process_time()
            lengths = rules.fast.playouts(batch, seed + games).lengths
            spent += time.process_time() - begun
            games, plies = games + batch, plies + int(lengths.sum())
            batch = max(1, min(2 * batch, int((seconds - spent) * games / spent) + 1))
    return {
        "game": rules.name,
        "playouts_per_s": games / spent,
        "plies_per_s": plies / spent,
        "mean_plies": plies / games,
        "playouts": games,
        "cpu_seconds": spent,
    }
