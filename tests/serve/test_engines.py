"""The machine opponents: a guest plays one to the end on the plain page, and nothing that it owes is ever forgotten."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from serving import rows
from sqlalchemy.exc import OperationalError

import hedgerow as hg
from hedgerow.serve.engine import engines
from hedgerow.serve.engine.engines import Engines
from hedgerow.serve.engine.seats import think_by_plain_rules
from hedgerow.serve.play import backoff
from hedgerow.serve.play.clocks import Control
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
from hedgerow.tools.serve_bench import Visitor, server_process

RULES = "root_bound(side=3)"


def state(person: Visitor, game: str) -> dict[str, Any]:
    found: dict[str, Any] = person.ask("GET", f"/api/games/{game}?picture=false")
    return found


def until_mine(person: Visitor, game: str, seconds: float = 60) -> dict[str, Any]:
    end = time.monotonic() + seconds
    while True:
        told = state(person, game)
        if told["state"] == "over" or told["to_move"] == told["you"]:
            return told
        assert time.monotonic() < end, "the machine did not answer"
        time.sleep(0.02)


def thinking(server: int) -> list[int]:
    """The processes that the server started to think."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if parent == server and b"spawn_main" in words:
                found.append(int(entry.name))
    return found


def play_first(person: Visitor, game: str, told: dict[str, Any]) -> None:
    """Plays the first legal action, and `done` or another where the turn goes on."""
    text = told["legal"][0]["text"]
    while (seen := person.ask("GET", f"/api/games/{game}?picture=false&partial={quote(text)}"))["turn_goes_on"]:
        text += f" {seen['legal'][-1]['text']}"
    person.ask("POST", f"/api/games/{game}/turns", {"number": told["version"], "text": text})


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to find the processes that think")
def test_the_machine_plays_to_the_end_whatever_is_killed(tmp_path: Path) -> None:
    with server_process(str(tmp_path), "--engines", "0") as (process, port):
        ann = Visitor(port)
        game = ann.ask("POST", "/api/games", {"rules": RULES, "seat": 1, "level": 1})["id"]
        assert state(ann, game)["version"] == 0
        process.kill()
    with server_process(str(tmp_path), "--engines", "1") as (process, port):
        session, ann = ann.cookie, Visitor(port)
        ann.cookie = session
        told = until_mine(ann, game)  # the turn that was owed when the server was killed
        assert told["version"] == 1
        killed = thinking(process.pid)
        for one in killed:
            os.kill(one, signal.SIGKILL)
        play_first(ann, game, told)
        assert until_mine(ann, game)["version"] == 3
        others = thinking(process.pid)
        assert killed and others and not set(killed) & set(others)
        while (told := until_mine(ann, game))["state"] != "over":
            play_first(ann, game, told)
        process.kill()
    turns = rows(tmp_path / "hedgerow.db", "SELECT seat, text FROM turns ORDER BY number")
    match = hg.Match(RULES)
    for seat, text in turns:
        assert match.to_move == seat
        match.play(str(text))
    assert match.outcome is not None and {seat for seat, _ in turns} == {0, 1}
    assert rows(tmp_path / "hedgerow.db", "SELECT state, version FROM games") == [("over", len(match.turns))]
    for other in others:
        gone_after(other, 10)


def gone_after(process: int, seconds: float) -> None:
    """A process that thinks does not outlive its server."""
    end, words = time.monotonic() + seconds, Path(f"/proc/{process}/cmdline")
    while words.exists() and b"spawn_main" in words.read_bytes():
        assert time.monotonic() < end, "a process that thinks outlived its server"
        time.sleep(0.05)


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whatever is started from now on finds no compiled kernels."""
    (tmp_path / "cache").mkdir(mode=0o700)
    monkeypatch.setenv("HEDGEROW_CACHE", str(tmp_path / "cache"))


def test_nothing_waits_for_a_compiler(tmp_path: Path, cold: None) -> None:
    with server_process(str(tmp_path / "data"), "--engines", "1") as (_, port):
        ann = Visitor(port)
        game = ann.ask("POST", "/api/games", {"rules": RULES, "level": 1})["id"]
        play_first(ann, game, state(ann, game))
        assert until_mine(ann, game)["version"] == 2
        assert RULES not in ann.ask("GET", "/api/engine")["ready"]


def test_the_plain_answer_needs_no_numba(tmp_path: Path) -> None:
    match = hg.Match(RULES)
    match.play("a1")
    code = (
        "import sys; from hedgerow.serve.engine.seats import think_by_plain_rules; "
        "print(think_by_plain_rules(sys.stdin.read())); print('numba' in sys.modules)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], input=match.record(), capture_output=True, text=True, check=True
    )
    turn, numba = told.stdout.splitlines()
    match.play(turn)
    assert match.to_move == 0 and numba == "False"


# --- turns that are lost on the way -----------------------------------------------------------------------------------


class Lost:
    """In place of thinking: the first turns are lost, each in a way of its own; then the plain player plays."""

    def __init__(self, *ways: str) -> None:
        self.ways = list(ways)

    async def __call__(self, game: str, record: str, player: str) -> str:
        way = self.ways.pop(0) if self.ways else ""
        if way == "raises":
            raise ZeroDivisionError
        if way == "is cancelled":
            raise asyncio.CancelledError
        if way == "finds the database away":
            raise OperationalError("BEGIN", {}, OSError("away"))
        return think_by_plain_rules(record)


@pytest.mark.anyio
@pytest.mark.parametrize("way", ["raises", "is cancelled", "finds the database away"])
async def test_a_turn_that_was_lost_is_found_again(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("SWEEP_SECONDS", 0.02), ("GRACE_MS", 0), ("RETRY_SECONDS", 0.1)):
        monkeypatch.setattr(engines, name, value)
    monkeypatch.setattr(backoff, "SHORT", 0.1)
    monkeypatch.setattr(Engines, "wake", lambda self: None)
    lost = Lost(way, way)
    monkeypatch.setattr(Engines, "_thought", lambda self, *asked: lost(*asked))
    server = await Server.start(Settings(data=tmp_path, engines=1))
    try:
        (me, _), games = await server.accounts.guest(), server.games
        seats: list[dict[str, Any]] = [{"player": "level(1)"}, {"account": me.id}]
        game = (await games.create(RULES, me.id, seats, Control(), private=False)).id
        async with asyncio.timeout(60):
            while not games.version(game):
                await asyncio.sleep(0.01)
        assert not lost.ways and server.engines and not server.engines.waiting
    finally:
        await server.stop()


@pytest.mark.anyio
async def test_a_turn_that_cannot_be_stored_is_not_thought_out_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    thought: list[str] = []

    async def think(self: Engines, game: str, record: str, player: str) -> str:
        thought.append(think_by_plain_rules(record))
        return thought[-1]

    monkeypatch.setattr(Engines, "wake", lambda self: None)
    monkeypatch.setattr(Engines, "_thought", think)
    server = await Server.start(Settings(data=tmp_path, engines=1))
    play, full = server.games.play, [True]

    async def refuses_once(*asked: Any) -> Any:
        if full and full.pop():
            raise Refused("later", "the disk is full; hint: later")
        return await play(*asked)

    monkeypatch.setattr(server.games, "play", refuses_once)
    try:
        me, _ = await server.accounts.guest()
        seats: list[dict[str, Any]] = [{"player": "level(1)"}, {"account": me.id}]
        game = (await server.games.create(RULES, me.id, seats, Control(), private=False)).id
        async with asyncio.timeout(60):
            while not server.games.version(game):
                await asyncio.sleep(0.01)
        assert (await server.games.get(game)).turns == thought and len(thought) == 1
    finally:
        await server.stop()
