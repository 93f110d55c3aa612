"""What two players feel of a flood: their turns over real sockets, while many clients ask for long positions.

    .venv/bin/python tests/serve/flood.py --clients 40 --seconds 10 [--no-limits]

Prints one JSON object: how long turns took, and what the flood was answered. Players and flood are processes of their
own, so that neither waits for the other; all of them come from one address.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import contextlib
import json
import multiprocessing
import random
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.synchronize import Event
from typing import Any

from hedgerow.match import Match
from hedgerow.tools.serve_bench import Bout, bring, prepared, random_game, server_process, slot

TURNS = 544
RULES = "tanbo"
"""What the flood asks about: so many turns of that game."""
PLAYED, PACE = "hexbo(side=5)", 0.02
"""What the players play, and about how many seconds they think."""


def long_line(rules: str = RULES, turns: int = TURNS, seed: int = 3) -> str:
    """So many random turns from the start."""
    chance, match = random.Random(seed), Match(rules)
    for _ in range(turns):
        match.play(match.rules.spell(match.plain, chance.choice(match.rules.legal(match.plain))))
    return " ".join(match.turns)


@dataclass
class Signals:
    """What the flood and whoever watches it tell each other."""

    asking: Event
    """Some have been answered."""
    enough: Event
    """Nobody need ask any more."""


async def client(port: int, body: bytes, signals: Signals, answers: collections.Counter[int]) -> None:
    """One client that asks again as soon as it is answered, on a connection that it keeps."""
    head = f"POST /api/positions HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    request = head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body
    while True:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
            with contextlib.closing(writer):
                while True:
                    writer.write(request)
                    answer = (await reader.readuntil(b"\r\n\r\n")).decode()
                    size = next(line for line in answer.lower().split("\r\n") if line.startswith("content-length:"))
                    await reader.readexactly(int(size.split(":")[1]))
                    answers[int(answer.split()[1])] += 1
                    signals.asking.set()


async def _flood(port: int, clients: int, body: bytes, signals: Signals) -> collections.Counter[int]:
    answers: collections.Counter[int] = collections.Counter()
    tasks = [asyncio.create_task(client(port, body, signals, answers)) for _ in range(clients)]
    while not signals.enough.is_set():
        await asyncio.sleep(0.1)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return answers


def flood(port: int, clients: int, body: bytes, signals: Signals, found: Any) -> None:
    """The process of all clients."""
    found.put(dict(asyncio.run(_flood(port, clients, body, signals))))


@contextlib.contextmanager
def flooded(port: int, clients: int) -> Iterator[dict[int, int]]:
    """Clients that ask for as long as this lasts; their answers by status are there at the end."""
    context = multiprocessing.get_context("spawn")
    signals, found = Signals(context.Event(), context.Event()), context.Queue()
    body = json.dumps({"rules": RULES, "turns": long_line()}).encode()
    process = context.Process(target=flood, args=(port, clients, body, signals, found))
    process.start()
    answers: dict[int, int] = {}
    try:
        assert signals.asking.wait(60), "nobody is answered"
        yield answers
    finally:
        signals.enough.set()
        answers |= found.get(timeout=60)
        process.join()


async def turns(port: int, games: list[tuple[str, list[str]]], seconds: float) -> list[float]:
    """How long the turns of two players took, one game after another."""
    times: list[float] = []
    scripts = [random_game(PLAYED, seed) for seed in range(len(games))]

    async def another() -> Bout:
        game, cookies = games.pop()
        return await bring(port, game, cookies, 0, Bout(scripts[len(games)], PACE, times))

    await slot(await another(), another, time.perf_counter() + seconds)
    return times


def measured(clients: int, seconds: float, *options: str) -> dict[str, Any]:
    """How long turns of two players took while so many clients asked."""
    with tempfile.TemporaryDirectory() as folder, server_process(folder, "--engines", "0", *options) as (_, port):
        games = prepared(port, PLAYED, 40)
        with flooded(port, clients) as answers:
            times = sorted(asyncio.run(turns(port, games, seconds)))
    at = {part: times[min(int(part / 100 * len(times)), len(times) - 1)] for part in (50, 99, 100)}
    told = {f"p{part}_ms": round(1000 * seconds, 1) for part, seconds in at.items()}
    return {"clients": clients, "turns": len(times), **told, "flood": answers}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--no-limits", action="store_true")
    asked = parser.parse_args()
    print(json.dumps(measured(asked.clients, asked.seconds, *(["--no-limits"] if asked.no_limits else []))))
