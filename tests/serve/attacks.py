"""What an enemy does to a server while others play: each attack goes on until its time is over.

They run in a process of their own (`python attacks.py KINDS PORT SECONDS GAME`), so that they do not slow players down.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable

from wire import connected, frame, handshake

from hedgerow.tools.serve_bench import random_game

SOURCES = [f"127.0.0.{number}" for number in range(10, 30)]
"""Where they come from; people are elsewhere."""


class Enemy:
    """One attack: where, for how long, and a game to listen to."""

    def __init__(self, port: int, seconds: float, game: str) -> None:
        self.port, self.game, self.end = port, game, time.monotonic() + seconds

    @property
    def goes_on(self) -> bool:
        """There is time left."""
        return time.monotonic() < self.end

    async def rest(self) -> None:
        """Until the time is over."""
        await asyncio.sleep(max(0.0, self.end - time.monotonic()))

    @contextlib.asynccontextmanager
    async def line(self, number: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """A connection that is cut without a word."""
        reader, writer = await connected(self.port, SOURCES[number % len(SOURCES)])
        try:
            yield reader, writer
        finally:
            writer.transport.abort()

    async def again_and_again(self, number: int, what: Callable[[int], Awaitable[None]]) -> None:
        """The same until the time is over, whatever becomes of it."""
        while self.goes_on:
            with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError, ValueError):
                await asyncio.wait_for(what(number), max(0.1, self.end - time.monotonic()))
            await asyncio.sleep(0.01)

    async def hammer(self, number: int, requests: Callable[[], bytes]) -> None:
        """One request after another over one connection, as fast as they are answered."""
        async with self.line(number) as (reader, writer):
            while self.goes_on:
                writer.write(requests())
                head = await reader.readuntil(b"\r\n\r\n")
                size = next(
                    (int(line[15:]) for line in head.lower().split(b"\r\n") if line[:15] == b"content-length:"), 0
                )
                await reader.readexactly(size)

    # --- the attacks --------------------------------------------------------------------------------------------------

    async def slow_readers(self, number: int) -> None:
        """Listens to a game and asks much, but reads nothing."""
        async with self.line(number) as (reader, writer):
            writer.write(handshake(f"/api/games/{self.game}/socket"))
            await reader.readuntil(b"\r\n\r\n")
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            while self.goes_on:
                writer.write(frame(b'{"type":"turn","number":0,"text":"' + b"x" * 1000 + b'"}'))
                await writer.drain()
                await asyncio.sleep(0.002)

    async def pings(self, number: int) -> None:
        """Control frames that want an answer, and reads none."""
        async with self.line(number) as (reader, writer):
            writer.write(handshake(f"/api/games/{self.game}/socket"))
            await reader.readuntil(b"\r\n\r\n")
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            many = frame(b"x" * 125, 0x89) * 50
            while self.goes_on:
                writer.write(many)
                await writer.drain()
                await asyncio.sleep(0)

    async def connections(self, number: int) -> None:
        """As many lines as there can be, most of which say next to nothing."""
        says = (b"", b"\r\n", b"GET / HTTP/1.1\r\n", handshake(f"/api/games/{self.game}/socket"))
        async with contextlib.AsyncExitStack() as stack:
            for at in range(100):
                _, writer = await stack.enter_async_context(self.line(number))
                writer.write(says[at % len(says)])
            await self.rest()

    async def positions(self, number: int) -> None:
        """Positions that take long to look at."""
        body = b'{"rules":"hexbo(side=10)","turns":"%s"}' % LONG_GAME
        await self.hammer(number, lambda: posted("/api/positions", body))

    async def sign_ups(self, number: int) -> None:
        """New accounts, each of which costs a hash."""
        name = (f"{chance.getrandbits(50):x}" for chance in itertools.repeat(random.Random()))
        body = b'{"name":"%s","password":"under the hedge"}'
        await self.hammer(number, lambda: posted("/api/sign-up", body % next(name).encode()))

    async def passwords(self, number: int) -> None:
        """Wrong passwords for many names."""
        body = b'{"name":"Ann %d","password":"over the hedge"}'
        await self.hammer(number, lambda: posted("/api/sign-in", body % random.randrange(1000)))

    async def chunks(self, number: int) -> None:
        """A body that does not end, and one that is too deep."""
        head = b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        async with self.line(number) as (_, writer):
            writer.write(posted("/api/positions", b"[" * 60_000) + head)
            while self.goes_on:
                writer.write(b"1000\r\n" + b"x" * 4096 + b"\r\n")
                await writer.drain()
                await asyncio.sleep(0)


def posted(path: str, body: bytes) -> bytes:
    """A request with JSON in it."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


LONG_GAME = " ".join(text for _, text in random_game("hexbo(side=10)", 1)).encode()
LINES = {
    "slow_readers": 40,
    "pings": 20,
    "connections": 20,
    "positions": 24,
    "sign_ups": 20,
    "passwords": 20,
    "chunks": 20,
}
"""The attacks, and with how many lines each is made; `connections` has a hundred each."""


async def attack(kinds: list[str], port: int, seconds: float, game: str) -> None:
    """One attack, or several at once."""
    enemy = Enemy(port, seconds, game)
    async with asyncio.TaskGroup() as group:
        for kind in kinds:
            for number in range(LINES[kind]):
                group.create_task(enemy.again_and_again(number, getattr(enemy, kind)))


if __name__ == "__main__":
    kinds, port, seconds, game = sys.argv[1:]
    asyncio.run(attack(kinds.split(","), int(port), float(seconds), game))
