"""Acknowledged means stored: the server is killed in the middle of load, and every turn it acknowledged is there."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from places import PATIENCE
from serving import rows

from hedgerow.match import Match
from hedgerow.tools.serve_bench import Bout, Visitor, bring, cpu_of, prepared, random_game, server_process

KILLS = int(os.environ.get("HEDGEROW_KILLS", "2"))
RULES = "hexbo(side=5)"
MATCHES = 30
Kill = Callable[[], None]


async def load_until_killed(port: int, games: list[tuple[str, list[str]]], kill: Kill, after: int) -> list[int]:
    """Plays all games, kills the server after so many turns; how many of each game were acknowledged."""
    bouts = [Bout(random_game(RULES, seed), 0.0, []) for seed in range(len(games))]
    for (game, cookies), bout in zip(games, bouts):
        await bring(port, game, cookies, 0, bout)
    lost = asyncio.Event()
    bouts[0].lines[0].lost = lost.set
    for bout in bouts:
        bout.play(0)
    while sum(len(bout.times) for bout in bouts) < after:
        await asyncio.sleep(0.001)
    kill()
    await asyncio.wait_for(lost.wait(), 20)
    await asyncio.sleep(0.1)
    return [len(bout.times) for bout in bouts]


def check_all_is_there(port: int, games: list[tuple[str, list[str]]], acknowledged: list[int], ahead: int = 1) -> None:
    """Every acknowledged turn, at most `ahead` that were on their way back, and play goes on from there."""
    visitor = Visitor(port)
    for seed, ((game, cookies), count) in enumerate(zip(games, acknowledged)):
        script = [text for _, text in random_game(RULES, seed)]
        told = visitor.ask("GET", f"/api/games/{game}?picture=false")
        assert count <= told["version"] <= count + ahead
        assert told["turns"] == script[: told["version"]]
        if told["state"] == "playing":
            visitor.cookie = cookies[told["to_move"]]
            asked = {"number": told["version"], "text": script[told["version"]]}
            assert visitor.ask("POST", f"/api/games/{game}/turns", asked)["number"] == told["version"]


@pytest.mark.parametrize("number", range(KILLS))
def test_no_acknowledged_turn_is_lost(tmp_path: Path, number: int) -> None:
    with server_process(str(tmp_path), "--engines", "0", "--no-limits") as (process, port):
        games = prepared(port, RULES, MATCHES)
        after = random.Random(number).randrange(2 * MATCHES, 30 * MATCHES)
        acknowledged = asyncio.run(load_until_killed(port, games, process.kill, after))
    assert sum(acknowledged) >= after
    with server_process(str(tmp_path), "--engines", "0", "--no-limits") as (_, port):
        assert cpu_of(port) < 3  # of work, and it is back
        check_all_is_there(port, games, acknowledged)
    for game, version in rows(tmp_path / "hedgerow.db", "SELECT id, version FROM games"):
        match = Match(RULES)
        texts = rows(tmp_path / "hedgerow.db", f"SELECT text FROM turns WHERE game = '{game}' ORDER BY number")
        for (text,) in texts:
            match.play(str(text))
        assert len(match.turns) == version


def test_clocks_go_on_while_nobody_is_there(tmp_path: Path) -> None:
    with server_process(str(tmp_path), "--engines", "0", "--no-limits") as (process, port):
        ann, bo = Visitor(port), Visitor(port)
        clocks = [{"kind": "live", "minutes": 60, "increment": 0}, {"kind": "live", "minutes": 0.05, "increment": 0}]
        games = []
        for clock in clocks:
            games.append(ann.ask("POST", "/api/games", {"rules": RULES, "opponent": "friend", "clock": clock})["id"])
            bo.ask("POST", f"/api/games/{games[-1]}/join")
        ann.ask("POST", f"/api/games/{games[0]}/turns", {"number": 0, "text": "A1"})
        before = ann.ask("GET", f"/api/games/{games[0]}?picture=false")["clock"]
        process.kill()
    time.sleep(3.5)  # the second game's flag falls while there is nobody to see it
    with server_process(str(tmp_path), "--engines", "0", "--no-limits") as (_, port):
        after = Visitor(port).ask("GET", f"/api/games/{games[0]}?picture=false")["clock"]
        assert (after["left"], after["since"]) == (before["left"], before["since"])
        assert after["now"] - before["now"] >= 3500
        end = time.monotonic() + PATIENCE
        while (told := Visitor(port).ask("GET", f"/api/games/{games[1]}?picture=false"))["state"] != "over":
            assert time.monotonic() < end
            time.sleep(0.05)
        assert told["outcome"] == {"reason": "time", "scores": None, "winners": [1], "places": [2, 1]}
