"""A long siege: many games go on while the server is attacked, killed and started again, and its disk is full."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import itertools
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from fuzzing import memory_of, talkative

from hedgerow.tools.serve_bench import PlayerSocket, Visitor, free_port, random_game

RULES = "hexbo(side=5)"
SCRIPTS = [random_game(RULES, seed) for seed in range(20)]
PER_PAIR = 20
"""How many games two people play at once; each pair has an address of its own."""


class Told(msgspec.Struct):
    """What a player needs to know of a message."""

    type: str
    version: int | None = None
    code: str = ""


decode = msgspec.json.Decoder(Told).decode


def visitor(port: int, source: str) -> Visitor:
    """Somebody who asks from another address of this machine."""
    made = Visitor(port)
    made.line = http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=(source, 0))
    return made


class Seated(PlayerSocket):
    """A player's line to the server, and in which of its lives it was opened: one of an earlier life is dead."""

    life = 0


class Keeper:
    """The server's process: started, killed and started again at the same place."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self.options, self.port = str(folder), options, free_port()
        self.deaths = 0
        self.settled = float("inf")
        """From when on it is measured: when everybody is back."""
        self._life = contextlib.ExitStack()

    async def start(self) -> None:
        """Returns when it answers."""
        life = talkative(self.folder, *self.options, port=self.port)
        self.process, _ = await asyncio.to_thread(self._life.enter_context, life)

    async def everybody(self, seconds: float) -> None:
        """Waits until all are back."""
        end = time.monotonic() + seconds
        while time.monotonic() < self.settled:
            assert time.monotonic() < end, f"not everybody was back after {seconds} s"
            await asyncio.sleep(0.05)

    async def kill(self) -> None:
        """As if the power failed."""
        self.settled = float("inf")
        self.deaths += 1
        self.process.kill()
        await asyncio.to_thread(self._life.close)

    @property
    def memory(self) -> float:
        """In MB; none while it is dead."""
        try:
            return memory_of(self.process.pid)
        except (OSError, IndexError):
            return 0.0


@dataclass
class Act:
    """A part of the siege: what was done to the server, and how people fared meanwhile."""

    name: str
    times: list[float] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    """How often, by the code."""
    peak: float = 0.0
    """The most memory that the server had, in MB."""

    def quantile(self, part: float) -> float:
        """So many of a hundred turns were stored within so many ms."""
        times = sorted(self.times)
        return 1000 * times[int(part * len(times))] if times else float("nan")

    def row(self) -> str:
        """A line of the table."""
        quantiles = "".join(f"{self.quantile(part):>9.1f}" for part in (0.5, 0.99))
        codes = ", ".join(f"{count} {code}" for code, count in self.refused.items())
        return f"{self.name:<14}{len(self.times):>8}{quantiles}{self.peak:>9.0f}  {codes}"


HEAD = f"{'act':<14}{'turns':>8}{'p50 ms':>9}{'p99 ms':>9}{'peak MB':>9}  refused"


class Table:
    """One game of two people, who come back whenever the line is lost, and go on where the server says they are."""

    def __init__(self, soak: Soak, game: str, cookies: list[str], source: str, number: int) -> None:
        self.soak, self.game, self.cookies, self.source = soak, game, cookies, source
        self.script = SCRIPTS[number % len(SCRIPTS)]
        self.acknowledged = 0
        self.sent = [(0.0, -1), (0.0, -1)]
        self.lines: list[Seated | None] = [None, None]
        self.tasks: set[asyncio.Task[None]] = set()
        self.unexpected: list[str] = []

    def begin(self) -> None:
        """Both sit down."""
        for seat in (0, 1):
            self._later(random.uniform(0, 1), self.come, seat)

    def _later(self, seconds: float, what: Callable[..., Awaitable[None]], *arguments: int) -> None:
        async def wait() -> None:
            await asyncio.sleep(seconds)
            await what(*arguments)

        task = asyncio.create_task(wait())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def come(self, seat: int) -> None:
        """Opens a line; where there is no server, or it has no time, again in a moment."""
        if self.soak.over:
            return
        path = f"/api/games/{self.game}/socket"
        line = Seated(path, self.soak.keeper.port, self.cookies[seat], lambda message: self.hear(seat, message))
        line.lost = lambda: self.lost(seat, line)
        line.life = self.soak.keeper.deaths
        try:
            loop, port = asyncio.get_running_loop(), self.soak.keeper.port
            await loop.create_connection(lambda: line, "127.0.0.1", port, local_addr=(self.source, 0))
            self.lines[seat] = line
        except OSError:
            self._later(random.uniform(0.2, 1), self.come, seat)

    def lost(self, seat: int, line: Seated) -> None:
        """The line is gone: the server was killed, or hung up."""
        if self.lines[seat] is line or self.lines[seat] is None:
            self.lines[seat] = None
            self._later(random.uniform(0.2, 1), self.come, seat)

    def hear(self, seat: int, message: bytes) -> None:
        """What the server says; one's own event is the acknowledgement."""
        told = decode(message)
        if told.type == "refused":
            self.refused(seat, told)
        if told.type not in ("state", "event") or told.version is None:
            return
        sent, number = self.sent[seat]
        if told.type == "event" and number == told.version - 1 and self.script[number][0] == seat:
            self.acknowledged = max(self.acknowledged, told.version)
            self.soak.measured(sent)
        if told.version < len(self.script) and self.script[told.version][0] == seat:
            self._later(random.uniform(0, 2 * self.soak.pace), self.play, seat, told.version)

    def refused(self, seat: int, told: Told) -> None:
        """The database has no room, or we ask too fast; a turn that is refused for another reason is a fault."""
        self.soak.act.refused[told.code] += 1
        if told.code in ("later", "too_many"):
            self._later(0.5, self.play, seat, self.sent[seat][1])
        elif told.code != "stale":
            self.unexpected.append(f"{self.game}: turn {self.sent[seat]} was refused: {told.code}")

    async def play(self, seat: int, number: int) -> None:
        """Sends a turn, unless the line is lost meanwhile: the next one tells where the game stands."""
        line = self.lines[seat]
        if line and line.open and not self.soak.over:
            self.sent[seat] = (time.monotonic(), number)
            line.say(f'{{"type":"turn","number":{number},"text":"{self.script[number][1]}"}}')


class Soak:
    """All of it: the server, the tables, and the acts."""

    def __init__(self, keeper: Keeper, games: int, pace: float) -> None:
        self.keeper, self.pace, self.over = keeper, pace, False
        self.act = Act("begin")
        self.acts = [self.act]
        self.games = games
        self.tables: list[Table] = []

    def measured(self, sent: float) -> None:
        """A turn is stored; it counts unless the server was just started."""
        if sent > self.keeper.settled:
            self.act.times.append(time.monotonic() - sent)

    def prepare(self) -> None:
        """People from many addresses, and their games."""
        for number in itertools.count():
            if len(self.tables) >= self.games:
                return
            source = f"127.0.{1 + number // 200}.{1 + number % 200}"
            people = [visitor(self.keeper.port, source) for _ in range(2)]
            for person in people:
                person.ask("POST", "/api/guest")
            for _ in range(min(PER_PAIR, self.games - len(self.tables))):
                self._prepare_game(people, source)

    def _prepare_game(self, people: list[Visitor], source: str) -> None:
        game = people[0].ask("POST", "/api/games", {"rules": RULES, "opponent": "friend"})["id"]
        people[1].ask("POST", f"/api/games/{game}/join")
        cookies = [person.cookie for person in people]
        self.tables.append(Table(self, game, cookies, source, len(self.tables)))

    @contextlib.contextmanager
    def during(self, name: str) -> Iterator[Act]:
        """A new act."""
        self.act = Act(name)
        self.acts.append(self.act)
        yield self.act

    async def watch(self) -> None:
        """Notes how much memory there is, and when everybody is back after a kill."""
        while not self.over:
            await asyncio.sleep(0.25)
            self.act.peak = max(self.act.peak, self.keeper.memory)
            lines = [line for table in self.tables for line in table.lines]
            here = all(line and line.heard and line.life == self.keeper.deaths for line in lines)
            if here and self.keeper.settled == float("inf"):
                self.keeper.settled = time.monotonic()

    async def attacked(self, kinds: str, seconds: float) -> None:
        """Attacks from a process of its own; returns when they are over."""
        command = [
            sys.executable,
            str(Path(__file__).parent / "attacks.py"),
            kinds,
            str(self.keeper.port),
            str(seconds),
        ]
        process = await asyncio.create_subprocess_exec(
            *command, self.tables[0].game, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        _, said = await process.communicate()
        assert process.returncode == 0, said.decode()[-2000:]

    def lost(self) -> list[str]:
        """Every game whose acknowledged turns are not all there, or are not those that were played."""
        found = [fault for table in self.tables for fault in table.unexpected]
        for table in self.tables:
            told = visitor(self.keeper.port, table.source).ask("GET", f"/api/games/{table.game}?picture=false")
            played = [text for _, text in table.script[: told["version"]]]
            if told["version"] < table.acknowledged or told["turns"] != played:
                found.append(f"{table.game}: {table.acknowledged} acknowledged, {told['version']} there")
        return found

    def report(self) -> str:
        """The table of all acts."""
        total = sum(table.acknowledged for table in self.tables)
        end = f"{total} turns acknowledged in {len(self.tables)} games, {self.keeper.deaths} kills"
        return "\n".join([HEAD, *(act.row() for act in self.acts), end])


# --- a disk that is full ----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def small_disk(at: Path, megabytes: int) -> Iterator[Path | None]:
    """A disk of its own for a folder, in memory; None where we may not mount one."""
    at.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(at)]
    if os.geteuid() or subprocess.run(command, capture_output=True).returncode:
        yield None
        return
    try:
        yield at
    finally:
        subprocess.run(["umount", "-l", str(at)], check=True)


@contextlib.contextmanager
def full(disk: Path) -> Iterator[None]:
    """Nothing more fits on it."""
    filler = disk / "filler"
    try:
        with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(1 << 16))
        with filler.open("ab", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(b"\0" * 512)
        yield
    finally:
        filler.unlink()
