"""What a turn costs as people play it: two browsers' lines at every match, and those who watch, against a real server.

Every player loads the page of the game once and then says on its line what `game.js` says: a turn with every press that
chooses something, so that one of two pieces goes up twice. A turn's time is what passes from the last press until the
other's board has come.
"""

from __future__ import annotations

import asyncio
import gc
import http.client
import json
import math
import random
import tempfile
import time
from typing import Any

import msgspec

from hedgerow.game import HedgerowError
from hedgerow.games import make
from hedgerow.tools.serve_bench import (
    DIFFERENT,
    Bout,
    PlayerSocket,
    bring,
    cpu_of,
    decode,
    open_files,
    prepared,
    random_game,
    run,
    server_process,
)
from hedgerow.tools.serve_bench import slot as play_on

PAGES = ("/", "/lobby", "the game's page")
LOADS = 100
"""How often a page is loaded to measure it."""


class PageBout(Bout):
    """One match between the lines of two pages."""

    def __init__(self, turns: list[tuple[int, str]], pace: float, times: list[float]) -> None:
        super().__init__(turns, pace, times)
        self.number = self.pressed = 0
        self.told = [0] * len(self.sent)
        """How far every player has been told."""

    def hear(self, seat: int, message: bytes) -> None:
        """The board tells both that a turn is stored; a turn that only begins is answered to its player alone."""
        told = decode(message)
        if told.type == "refused":
            self.done.set_exception(HedgerowError(f"a turn was refused: {told.message}; hint: this is a defect"))
        elif told.type == "tried":
            self.press()
        elif told.type == "board" and told.version > self.told[seat]:
            self.told[seat] = told.version
            self.moved(seat, told.version)

    def moved(self, seat: int, version: int) -> None:
        """A player's board shows a turn; whoever is to move after it answers."""
        mover = self.turns[version - 1][0]
        if seat != mover:
            self.times.append(time.perf_counter() - self.sent[mover])
        if version == len(self.turns):
            if min(self.told) == version and not self.done.done():
                self.done.set_result(None)
        elif seat == self.turns[version][0]:
            if self.pace:
                asyncio.get_running_loop().call_later(random.uniform(0, 2 * self.pace), self.play, version)
            else:
                self.play(version)

    def play(self, number: int) -> None:
        """Begins a turn."""
        self.number, self.pressed = number, 0
        self.press()

    def press(self) -> None:
        """Chooses something more of it."""
        seat, text = self.turns[self.number]
        self.pressed += 1
        self.sent[seat] = time.perf_counter()
        chosen = " ".join(text.split()[: self.pressed])
        self.lines[seat].say(f'{{"type":"turn","number":{self.number},"text":"{chosen}","thought":0}}')


def load_page(port: int, path: str, cookie: str) -> bytes:
    """Loads a page as a browser does, without what it keeps anyway."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    line.request("GET", path, headers={"Cookie": cookie, "Accept": "text/html"} if cookie else {"Accept": "text/html"})
    answer = line.getresponse()
    page = answer.read()
    line.close()
    if answer.status != 200:
        raise HedgerowError(f"GET {path} was answered {answer.status}; hint: is it our server?")
    return page


class Measured(msgspec.Struct):
    """What was measured in a while."""

    times: list[float]
    cpu: float
    players: int
    """Bytes that came down the lines of players, and of those who watch."""
    watchers: int


async def load(port: int, rules: str, matches: int, seconds: float, pace: float, watchers: int) -> Measured:
    """Plays for a while."""
    scripts = [random_game(rules, seed) for seed in range(DIFFERENT)]
    mean = sum(map(len, scripts)) / DIFFERENT
    expected = min(matches / pace if pace else math.inf, 1_000) * seconds / mean
    pairs = prepared(port, rules, matches + int(expected))
    found = Measured([], 0.0, 0, 0)
    lines: list[list[PlayerSocket]] = []

    async def another() -> Bout:
        if not pairs:
            raise HedgerowError("there were not enough games prepared; hint: measure for a shorter time")
        game, cookies = pairs.pop()
        for cookie in cookies:
            await asyncio.to_thread(load_page, port, f"/games/{game}", cookie)
        bout = PageBout(scripts[len(pairs) % DIFFERENT], pace, found.times)
        await bring(port, game, cookies, watchers, bout, "?view=page&said=0")
        for line in bout.lines:
            line.bytes = 0  # how the game stood at first is no turn
        lines.append(bout.lines)
        return bout

    first = [await another() for _ in range(matches)]
    gc.freeze()  # what is there stays: looking through it for garbage would be taken for a slow server
    before, end = cpu_of(port), time.perf_counter() + seconds
    await asyncio.gather(*(play_on(bout, another, end) for bout in first))
    found.cpu = cpu_of(port) - before
    players = len(scripts[0]) and make(rules).players
    found.players = sum(line.bytes for match in lines for line in match[:players])
    found.watchers = sum(line.bytes for match in lines for line in match[players:])
    if not found.times:
        raise HedgerowError("no turn was stored; hint: measure for a longer time")
    return found


def measure(rules: str, matches: int, seconds: float, turns_per_s: float, watchers: int) -> dict[str, Any]:
    """Starts a server in a folder of its own, plays, and tells what a turn costs.

    What those who watch cost is the difference between so many seconds with them and as many without.
    """
    open_files()
    name = make(rules).name
    pace = matches / turns_per_s if turns_per_s else 0.0
    with tempfile.TemporaryDirectory() as folder, server_process(folder, "--engines", "0", "--no-limits") as (_, port):
        alone = run(load(port, name, matches, seconds, pace, 0))
        found = run(load(port, name, matches, seconds, pace, watchers)) if watchers else alone
    times, others = sorted(found.times), make(rules).players - 1
    turns = len(times) / others
    told = {
        "game": name,
        "matches": matches,
        "watchers": watchers,
        "turns": int(turns),
        "seconds": seconds,
        "turns_per_s": round(turns / seconds, 1),
        "server_cpu_ms_per_turn": round(1e3 * alone.cpu * others / len(alone.times), 3),
        "bytes_per_viewer_turn": round(found.players / turns / (others + 1)),
        "p50_ms": round(1e3 * times[len(times) // 2], 2),
        "p99_ms": round(1e3 * times[int(0.99 * len(times))], 2),
    }
    if watchers:
        more = found.cpu / turns - alone.cpu * others / len(alone.times)
        told["cpu_ms_per_watcher_turn"] = round(1e3 * more / watchers, 4)
        told["bytes_per_watcher_turn"] = round(found.watchers / turns / watchers)
    return told


def measure_pages(rules: str) -> dict[str, Any]:
    """What loading a page costs the server, and how large it is."""
    name, told = make(rules).name, dict[str, Any](game=make(rules).name)
    with tempfile.TemporaryDirectory() as folder, server_process(folder, "--engines", "0", "--no-limits") as (_, port):
        game, cookies = prepared(port, name, 20)[0]
        for path in PAGES:
            address = path if path.startswith("/") else f"/games/{game}"
            size = len([load_page(port, address, cookies[0]) for _ in range(10)][-1])
            before = cpu_of(port)
            for _ in range(LOADS):
                load_page(port, address, cookies[0])
            told[path] = {"cpu_ms": round(1e3 * (cpu_of(port) - before) / LOADS, 2), "bytes": size}
    return told


def in_words(told: dict[str, Any]) -> str:
    """What was measured, for people."""
    if "turns" not in told:
        return json.dumps(told)
    watched = (
        f"\neach who watches: {told['cpu_ms_per_watcher_turn']} ms CPU, {told['bytes_per_watcher_turn']:,} bytes a turn"
        if told["watchers"]
        else ""
    )
    return (
        f"{told['game']}: {told['turns_per_s']} turns/s, {told['server_cpu_ms_per_turn']} ms CPU a turn, "
        f"{told['bytes_per_viewer_turn']:,} bytes per player and turn, "
        f"p50 {told['p50_ms']} ms, p99 {told['p99_ms']} ms from press to the other's board{watched}"
    )
