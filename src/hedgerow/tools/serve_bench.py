"""How many turns a second a server stores: matches over real websockets against a real server process.

Every match has two players, each with a session and a socket of their own. The games are random ones, thought out
before the clock starts; a player sends a turn when the turn before has come down the own socket, and its time is what
passes until the server's event says that it is stored.

The websockets are the Sans-I/O protocol of `websockets` on bare transports of uvloop, so that the bench takes a fifth
of the server's CPU time for a turn of two players, and half of it with twenty who watch; on asyncio's own loop it takes
twice as much. It needs a task for every match, not one for every socket.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import http.client
import json
import math
import random
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any, TypeVar, cast

import msgspec
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

from hedgerow.game import HedgerowError
from hedgerow.games import make
from hedgerow.match import Match
from hedgerow.serve.process.run import loop_factory

Result = TypeVar("Result")
DICE = random.SystemRandom()
DIFFERENT = 40
"""How many different games are thought out; matches take turns with them."""


class Received(msgspec.Struct):
    """What a player needs to know of an event."""

    type: str
    version: int = -1
    message: str = ""


decode = msgspec.json.Decoder(Received).decode


def random_game(rules: str, seed: int) -> list[tuple[int, str]]:
    """Seat and text of every turn of a random game; nobody passes while there is anything else to do."""
    chance, match = random.Random(seed), Match(rules)
    kinds = match.rules.actions
    movers = []
    while match.outcome is None:
        if not match.mid_turn:
            movers.append(match.to_move)
        legal = match.rules.legal(match.plain)
        action = chance.choice([choice for choice in legal if choice < kinds.extra(0)] or legal)
        match.play(match.rules.spell(match.plain, action))
    return list(zip(movers, match.turns))


# --- a server to measure ----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def server_process(folder: str, *options: str, port: int = 0) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server of its own in a folder, and its port; it is killed at the end."""
    command = [sys.executable, "-m", "hedgerow", "serve", "--host", "127.0.0.1", "--port", str(port), "--data", folder]
    process = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.search(r":(\d+)$", said.strip())
        if not found:
            raise HedgerowError(f"the server did not start: {said + process.stderr.read()!r}; hint: try hedgerow serve")
        wait_until_ready(process, int(found[1]))
        yield process, int(found[1])
    finally:
        process.kill()
        process.communicate()


def wait_until_ready(process: subprocess.Popen[str], port: int, seconds: float = 30) -> None:
    """Returns when the server answers that it is ready: on a busy machine it may first say that it is not."""
    end = time.monotonic() + seconds
    while True:
        try:
            Visitor(port).ask("GET", "/readyz")
            return
        except (OSError, HedgerowError):
            if process.poll() is not None and process.stderr:
                raise HedgerowError(f"the server ended: {process.stderr.read()!r}; hint: try hedgerow serve") from None
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


def free_port() -> int:
    """A port that nobody listens at, and that no connection gets by itself while a server is being started again."""
    while True:
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", DICE.randrange(15_000, 30_000))) as free:
            return int(free.getsockname()[1])


class Visitor:
    """Somebody with a session, who asks the API one thing after another."""

    def __init__(self, port: int) -> None:
        self.line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.cookie = ""

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """What the server answers, read as JSON."""
        headers = {"Content-Type": "application/json"} | ({"Cookie": self.cookie} if self.cookie else {})
        self.line.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.line.getresponse()
        text = answer.read().decode()
        if cookie := answer.getheader("Set-Cookie"):
            self.cookie = cookie.split(";")[0]
        if answer.status >= 400:
            raise HedgerowError(f"{method} {path} was answered {answer.status}: {text[:200]}; hint: is it our server?")
        return json.loads(text)


# --- a player ---------------------------------------------------------------------------------------------------------


class PlayerSocket(asyncio.Protocol):
    """A websocket of a player: every text message goes to `hear`. It is `open` after the handshake."""

    def __init__(self, path: str, port: int, cookie: str, hear: Callable[[Any], None]) -> None:
        self.protocol = ClientProtocol(parse_uri(f"ws://127.0.0.1:{port}{path}"))
        self.cookie, self.hear = cookie, hear
        self.open = self.heard = False
        self.bytes = 0
        """How many bytes have come."""
        self.lost: Callable[[], None] | None = None
        self.transport: asyncio.WriteTransport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.WriteTransport, transport)
        request = self.protocol.connect()
        if self.cookie:
            request.headers["Cookie"] = self.cookie
        self.protocol.send_request(request)
        self._send()

    def data_received(self, data: bytes) -> None:
        self.bytes += len(data)
        self.protocol.receive_data(data)
        self._send()  # an answer to a ping, or to a close
        for event in self.protocol.events_received():
            if isinstance(event, Frame):
                if event.opcode is Opcode.TEXT:
                    self.heard = True
                    self.hear(event.data)
            else:
                self.open = self.protocol.handshake_exc is None

    def eof_received(self) -> None:
        self.protocol.receive_eof()

    def connection_lost(self, error: Exception | None) -> None:
        if self.lost:
            self.lost()

    def say(self, text: str) -> None:
        """Sends one message."""
        self.protocol.send_text(text.encode())
        self._send()

    def _send(self) -> None:
        for data in self.protocol.data_to_send():
            if data:
                self.transport.write(data)
            else:  # the library's sign for the end
                self.transport.close()


class Bout:
    """One match between two lines, turn by turn; with a `pace`, players think about so many seconds."""

    def __init__(self, turns: list[tuple[int, str]], pace: float, times: list[float]) -> None:
        self.turns, self.pace, self.times = turns, pace, times
        self.lines: list[PlayerSocket] = []
        self.sent = [0.0] * (1 + max(seat for seat, _ in turns))
        self.done = asyncio.get_running_loop().create_future()

    def hear(self, seat: int, message: bytes) -> None:
        """One's own event is the acknowledgement; whoever is to move after it answers."""
        told = decode(message)
        if told.type == "refused":
            self.done.set_exception(HedgerowError(f"a turn was refused: {told.message}; hint: this is a defect"))
        if told.type != "event":
            return
        if seat == self.turns[told.version - 1][0]:
            self.times.append(time.perf_counter() - self.sent[seat])
            if told.version == len(self.turns) and not self.done.done():
                self.done.set_result(None)
        if told.version < len(self.turns) and seat == self.turns[told.version][0]:
            if self.pace:
                asyncio.get_running_loop().call_later(random.uniform(0, 2 * self.pace), self.play, told.version)
            else:
                self.play(told.version)

    def play(self, number: int) -> None:
        """Sends a turn."""
        seat, text = self.turns[number]
        self.sent[seat] = time.perf_counter()
        self.lines[seat].say(f'{{"type":"turn","number":{number},"text":"{text}"}}')


# --- the measurement --------------------------------------------------------------------------------------------------


async def bring(port: int, game: str, cookies: list[str], watchers: int, bout: Bout, query: str = "") -> Bout:
    """Opens the lines of a match: its players', then those who only watch."""
    loop, path = asyncio.get_running_loop(), f"/api/games/{game}/socket{query}"
    for seat, cookie in enumerate(cookies):
        line = PlayerSocket(path, port, cookie, lambda message, seat=seat: bout.hear(seat, message))  # type: ignore[misc]
        bout.lines.append(line)
        await loop.create_connection(lambda line=line: line, "127.0.0.1", port)  # type: ignore[misc]
    for _ in range(watchers):
        line = PlayerSocket(path, port, "", lambda message: None)
        bout.lines.append(line)
        await loop.create_connection(lambda line=line: line, "127.0.0.1", port)  # type: ignore[misc]
    while not all(line.heard for line in bout.lines):  # everybody knows where the game stands
        await asyncio.sleep(0.005)
    return bout


async def slot(bout: Bout, another: Callable[[], Awaitable[Bout]], end: float) -> None:
    """One match after another until the time is over."""
    while True:
        await asyncio.sleep(random.uniform(0, 2 * bout.pace))  # else all would begin at once
        bout.play(0)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(bout.done, max(0.0, end - time.perf_counter()))
        for line in bout.lines:
            line.transport.close()
        if bout.done.cancelled() or time.perf_counter() >= end:  # a timer may ring a moment early
            return
        bout = await another()


def prepared(port: int, rules: str, games: int) -> list[tuple[str, list[str]]]:
    """Games with everybody seated, and the players' cookies; one pair of people plays them all."""
    people = [Visitor(port) for _ in range(make(rules).players)]
    for person in people:
        person.ask("POST", "/api/guest")
    found = []
    for _ in range(games):
        game = people[0].ask("POST", "/api/games", {"rules": rules, "opponent": "friend"})["id"]
        for person in people[1:]:
            person.ask("POST", f"/api/games/{game}/join")
        found.append((game, [person.cookie for person in people]))
    return found


async def load(
    port: int, rules: str, matches: int, seconds: float, pace: float, watchers: int
) -> tuple[list[float], float]:
    """The seconds that every turn took, and the CPU time of the server for all of them."""
    scripts = [random_game(rules, seed) for seed in range(DIFFERENT)]
    mean = sum(map(len, scripts)) / DIFFERENT
    expected = min(matches / pace if pace else math.inf, 7_000) * seconds / mean
    pairs = prepared(port, rules, matches + int(expected))
    times: list[float] = []

    async def another() -> Bout:
        if not pairs:
            raise HedgerowError("there were not enough games prepared; hint: measure for a shorter time")
        game, cookies = pairs.pop()
        return await bring(port, game, cookies, watchers, Bout(scripts[len(pairs) % DIFFERENT], pace, times))

    first = [await another() for _ in range(matches)]
    gc.freeze()  # what is there stays: looking through it for garbage would be taken for a slow server
    before, end = cpu_of(port), time.perf_counter() + seconds
    await asyncio.gather(*(slot(bout, another, end) for bout in first))
    return times, cpu_of(port) - before


def cpu_of(port: int) -> float:
    """The CPU time of the server so far, as it says itself."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    line.request("GET", "/metrics")
    found = re.search(r"^process_cpu_seconds_total (\S+)$", line.getresponse().read().decode(), re.MULTILINE)
    assert found
    return float(found[1])


def open_files() -> None:
    """As many lines may be open at once as the system lets us."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Runs a coroutine on the fast event loop."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(work)


def measure(rules: str, matches: int, seconds: float, turns_per_s: float, watchers: int) -> dict[str, Any]:
    """Starts a server in a folder of its own, plays, and tells how fast; `turns_per_s` paces the load, 0 for none."""
    open_files()
    name = make(rules).name
    with tempfile.TemporaryDirectory() as folder, server_process(folder, "--engines", "0", "--no-limits") as (_, port):
        pace = matches / turns_per_s if turns_per_s else 0.0
        times, cpu = run(load(port, name, matches, seconds, pace, watchers))
        times.sort()
    if not times:
        raise HedgerowError("no turn was stored; hint: measure for a longer time")
    return {
        "game": name,
        "matches": matches,
        "watchers": watchers,
        "turns": len(times),
        "seconds": seconds,
        "turns_per_s": round(len(times) / seconds, 1),
        "p50_ms": round(1000 * times[len(times) // 2], 2),
        "p99_ms": round(1000 * times[int(0.99 * len(times))], 2),
        "max_ms": round(1000 * times[-1], 2),
        "server_cpu_us_per_turn": round(1e6 * cpu / len(times), 1),
    }
