"""The machine opponents: a guest plays one to the end on the plain page, and nothing that it owes is ever forgotten."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from serving import rows

import hedgerow as hg
from hedgerow.serve import engines
from hedgerow.serve.bench import Visitor, server_process

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
        (thinker,) = thinking(process.pid)
        os.kill(thinker, signal.SIGKILL)
        play_first(ann, game, told)
        assert until_mine(ann, game)["version"] == 3
        (other,) = thinking(process.pid)
        assert other != thinker
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
    gone_after(other, 10)


def gone_after(process: int, seconds: float) -> None:
    """A process that thinks does not outlive its server."""
    end, words = time.monotonic() + seconds, Path(f"/proc/{process}/cmdline")
    while words.exists() and b"spawn_main" in words.read_bytes():
        assert time.monotonic() < end, "a process that thinks outlived its server"
        time.sleep(0.05)


@pytest.mark.parametrize("ready", [True, False])
def test_thinking(monkeypatch: pytest.MonkeyPatch, ready: bool) -> None:
    class Kitchen:
        def ask(self, name: str) -> bool:
            return ready

    monkeypatch.setattr(engines, "_kitchen", Kitchen())
    match = hg.Match("root_bound(side=4)")
    match.play("a1")
    text = engines.think(match.record(), "random(seed=1)")
    match.play(text)
    assert match.to_move == 0 and len(match.turns) == 2
