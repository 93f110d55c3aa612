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

import hedgerow as hg
from hedgerow.serve import thinkers as processes
from hedgerow.serve.bench import Visitor, server_process
from hedgerow.serve.thinkers import Thinkers, think

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
        "import sys; from hedgerow.serve.thinkers import think_plainly; "
        "print(think_plainly(sys.stdin.read())); print('numba' in sys.modules)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], input=match.record(), capture_output=True, text=True, check=True
    )
    turn, numba = told.stdout.splitlines()
    match.play(turn)
    assert match.to_move == 0 and numba == "False"


@pytest.mark.anyio
async def test_what_is_asked_for_is_compiled_and_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    for priority in ("NICE", "LAST"):  # nobody here has to give way to other programs
        monkeypatch.setattr(processes, priority, 0)
    thinkers = Thinkers(1)
    match = hg.Match(RULES)
    match.play("a1")
    try:
        assert not thinkers.ready(RULES)
        assert match.rules.judge(match.plain, (await thinkers.thought(match.record(), "level(1)")).split()[0])
        await thinkers.kitchen.wait(120, lambda: {(RULES, "level(1)"), (RULES, "uct")} <= thinkers.able[0].ready)
        assert thinkers.ready(RULES)
        text = await thinkers.thought(match.record(), "uct(iterations=50,seed=1)")
        assert text == think(match.record(), "uct(iterations=50,seed=1)")
    finally:
        thinkers.stop()


@pytest.mark.anyio
async def test_what_cannot_be_prepared_or_thought_out_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "LAST", 0)
    thinkers, match = Thinkers(1), hg.Match(RULES)
    kitchen = thinkers.kitchen
    try:
        assert not kitchen.ask(RULES, "nobody(7)")
        while (RULES, "nobody(7)") in kitchen.compiled:
            await asyncio.sleep(0.05)
        assert not kitchen.ask(RULES, "nobody(7)") and (RULES, "nobody(7)") in kitchen.compiled, "it is tried again"
        thinkers.able[0].ready.add((RULES, "level(1)"))
        assert match.rules.judge(match.plain, (await thinkers.thought(match.record(), "nobody(7)")).split()[0])
    finally:
        thinkers.stop()
