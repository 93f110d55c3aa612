"""What pages with lists cost on a server that has many games: a database filled in bulk, and a real server process.

Two people look at them: the one who has played most of all, and one of those who play now and then.
"""

from __future__ import annotations

import http.client
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hedgerow.game import HedgerowError
from hedgerow.serve.people.sessions import COOKIE
from hedgerow.tools.many_games import ManyGames, fill, middle_of, token_of
from hedgerow.tools.serve_bench import cpu_of, server_process

FIRST = 5
"""How often every page is loaded before anybody looks at the clock."""


def addresses(middle: str, often: int, seldom: int) -> Iterator[tuple[str, str, int]]:
    """What is measured: its name, its address, and who looks."""
    name = quote(f"Player {often}")
    yield "home", "/", often
    yield "home, seldom here", "/", seldom
    yield "lobby", "/lobby", often
    yield "your games", "/your-games", often
    yield "your games, seldom here", "/your-games", seldom
    yield "next game that waits", "/api/your-games/next", often
    yield "public games", "/api/games?mine=false", seldom
    yield "archive", "/archive", seldom
    yield "archive, in the middle", f"/archive?before={middle}", seldom
    yield "archive, a player", f"/archive?player={name}", seldom
    yield "archive, a player's wins", f"/archive?player={name}&result=win", seldom
    yield "archive, a player's draws", f"/archive?player={name}&result=draw", seldom
    yield "archive, a player in the middle", f"/archive?player={name}&before={middle}", seldom
    yield "archive, a game", "/archive?rules=tanbo", seldom
    yield "archive, a rare board", "/archive?rules=" + quote("hexbo(players=3)"), seldom
    yield "archive, draws", "/archive?result=draw", seldom
    yield "archive, a day long ago", "/archive?since=2000-01-01&until=2000-01-02", seldom
    yield "a profile", f"/people/{often}", seldom
    yield "a profile, seldom here", f"/people/{seldom}", often
    yield "leaders", "/leaders", seldom


def measure(games: int, folder: str | None = None, database: str | None = None, loads: int = 100) -> dict[str, Any]:
    """Fills a database, or takes one that was filled before, and loads every page so often."""
    with tempfile.TemporaryDirectory() as made:
        where = Path(folder or made)
        begun = time.perf_counter()
        fill(where, database, games)
        filled = time.perf_counter() - begun
        people = ManyGames(games).people
        middle = middle_of(where, database)
        options = ["--engines", "0", "--no-limits", *(["--database", database] if database else [])]
        with server_process(str(where), *options) as (_, port):
            pages = {name: _load(port, path, who, loads) for name, path, who in addresses(middle, 1, people // 2)}
    return {"games": games, "database": "postgresql" if database else "sqlite", "fill_s": round(filled, 1), **pages}


def _load(port: int, path: str, account: int, loads: int) -> dict[str, Any]:
    """What one page costs."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    times: list[float] = []
    before, size = 0.0, 0
    for load in range(FIRST + loads):
        if load == FIRST:
            before, times = cpu_of(port), []
        begun = time.perf_counter()
        line.request("GET", path, headers={"Cookie": f"{COOKIE}={token_of(account)}"})
        answer = line.getresponse()
        size = len(answer.read())
        times.append(time.perf_counter() - begun)
        if answer.status != 200:
            raise HedgerowError(f"{path} was answered with {answer.status}; hint: is the database one of this bench?")
    spent = cpu_of(port) - before
    times.sort()
    return {
        "p50_ms": round(1e3 * times[len(times) // 2], 2),
        "p99_ms": round(1e3 * times[int(len(times) * 0.99)], 2),
        "cpu_ms": round(1e3 * spent / loads, 2),
        "bytes": size,
    }


def in_words(told: dict[str, Any]) -> str:
    """What was measured, for people: a table."""
    head = f"{told['games']:,} games on {told['database']}, filled in {told['fill_s']} s"
    lines = [f"{'page':34} {'p50 ms':>8} {'p99 ms':>8} {'CPU ms':>8} {'bytes':>8}"]
    for name, page in told.items():
        if isinstance(page, dict):
            numbers = (f"{page[key]:>8}" for key in ("p50_ms", "p99_ms", "cpu_ms", "bytes"))
            lines.append(f"{name:34} {' '.join(numbers)}")
    return "\n".join([head, *lines])
