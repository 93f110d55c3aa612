"""The bus of several processes: what is stored in one is told in all, over a channel of Redis.

Those in the same process are told at once and never wait for Redis. It carries no truth: whoever misses a message finds
what it said in the database. So when Redis is away, nothing is kept for it; until it is back every process looks into
the database once a second for those who listen there, and once more when it is back.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import TypedDict

import msgspec
import redis.asyncio as redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from hedgerow.game import HedgerowError
from hedgerow.serve.bus.local import LocalBus, Message

log = logging.getLogger("hedgerow.bus")

BEAT = 1.0
"""At least so often, in seconds, every process says something; it hears itself, and so knows that the line holds."""
SILENCE = 4.0
"""After so many seconds without hearing anything the line is taken for dead."""
MOST = 5_000
"""How many messages may wait for Redis; beyond that others find out from the database."""

GONE = 10.0
"""After so many seconds without a word another process is taken for dead."""
BESIDE = ""
"""The name of a sender that is no server: an operator's command, which says one thing and goes."""

AT_ONCE = 500
"""How many games are looked up in one question."""

Parcel = tuple[str, int, list[tuple[str, int | None, str]]]
"""Who sends it, its number, and for every message its game, its version and its text."""
encode = msgspec.msgpack.Encoder().encode
decode = msgspec.msgpack.Decoder(Parcel).decode


class Heard(TypedDict):
    """What the client of Redis gives from a channel."""

    type: str
    data: bytes


def client_of(url: str) -> redis.Redis:
    """A client that fails at once instead of trying again, so that we know when something may have been missed."""
    try:
        return redis.Redis.from_url(
            url, retry=Retry(NoBackoff(), 0), socket_timeout=SILENCE, socket_connect_timeout=SILENCE
        )
    except ValueError:
        raise HedgerowError("cannot read the address of Redis; hint: redis://host:6379/0") from None


def channel(installation: str) -> str:
    """Where the processes on one database meet."""
    return f"hedgerow-{installation}"


async def tell_once(url: str, where: str, game: str, text: str) -> None:
    """Tells all servers something, from beside them."""
    client = client_of(url)
    try:
        await client.publish(where, encode((BESIDE, 0, [(game, None, text)])))
    except (RedisError, OSError) as error:
        log.warning("redis is away: %s; the servers find out for themselves", error)
    finally:
        await client.aclose()


class RedisBus(LocalBus):
    """Publishes here at once, and in the other processes by way of Redis."""

    shared = True

    def __init__(self, url: str, channel: str) -> None:
        super().__init__()
        self.heard: Callable[[str, Message], None] = lambda game, message: None
        """Called with every message of another process, before those who listen here."""
        self.catch_up: Callable[..., Awaitable[None]] | None = None
        """Tells those who listen to some games here what they have missed."""
        self.missed: Callable[[], None] = lambda: None
        """Called when something may have been missed that has no version."""
        self.came: Callable[[str], None] = lambda process: None
        """Called with the name of another process that is heard for the first time, or again."""
        self.gone: Callable[[str], None] = lambda process: None
        """Called with the name of another process that is heard no more."""
        self.whole = False
        """Nothing is being missed just now."""
        self.name = secrets.token_hex(8)
        self._channel = channel
        self._client = client_of(url)
        self._waiting: list[tuple[str, int | None, str]] = []
        self._parcels = 0
        self._last: dict[str, int] = {}
        """The number of the last parcel of each other process: a gap says that one was lost on the way."""
        self._alive: dict[str, float] = {}
        """When each other process was last heard."""
        self._wake = asyncio.Event()
        self._behind: set[asyncio.Task[None]] = set()
        self._stopping = False
        loops = {"send": self._send, "receive": self._receive, "look": self._look}
        self._tasks = [asyncio.create_task(self._for_ever(loop), name=f"bus {name}") for name, loop in loops.items()]

    # --- out ----------------------------------------------------------------------------------------------------------

    def publish(self, game: str, message: Message) -> None:
        self.tell_here(game, message)
        if len(self._waiting) < MOST:
            self._waiting.append((game, message.version, message.text))
            self._wake.set()

    async def _send(self) -> None:
        """Everything that waits goes in one parcel, while the next one gathers; an empty one is a heartbeat."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(BEAT):  # not wait_for, which can swallow that we are told to stop
                await self._wake.wait()
        self._wake.clear()
        parcel, self._waiting = self._waiting, []
        self._parcels += 1
        await self._client.publish(self._channel, encode((self.name, self._parcels, parcel)))

    # --- in -----------------------------------------------------------------------------------------------------------

    async def _receive(self) -> None:
        """Listens until the line breaks."""
        async with self._client.pubsub(ignore_subscribe_messages=False) as line:
            await line.subscribe(self._channel)
            heard = time.monotonic()
            while time.monotonic() - heard < SILENCE and not self._stopping:
                told: Heard | None = await line.get_message(timeout=BEAT)
                self._count_heads()
                if told is None:
                    continue
                heard = time.monotonic()
                if told["type"] == "subscribe":
                    self._wake.set()  # to hear ourselves at once
                elif told["type"] == "message":
                    await self._unpack(told["data"])
        raise RedisError("nothing was heard for a while")

    async def _begin(self) -> None:
        """Redis is there, and we hear and are heard; what was said before is looked up once."""
        log.info("redis is there")
        self.whole = True
        self._alive = dict.fromkeys(self._alive, time.monotonic())  # nobody could be heard
        await self._look_once()

    async def _unpack(self, data: bytes) -> None:
        try:
            sender, number, parcel = decode(data)
        except msgspec.MsgspecError:
            log.warning("cannot read a message on %s", self._channel)
            return
        if sender == self.name:
            if not self.whole:
                await self._begin()
            return
        if sender != BESIDE:
            await self._hear_from(sender, number)
        for game, version, text in parcel:
            try:
                self._hear(game, Message(text, version))
            except Exception:  # the rest of the parcel is still good
                log.exception("a message about %s was not heard", game)

    def _hear(self, game: str, message: Message) -> None:
        self.heard(game, message)
        known, version = self.told.get(game), message.version
        if version is not None and known is not None and version > known + 1:
            self._fetch(game)
        else:
            self.tell_here(game, message)

    async def _hear_from(self, sender: str, number: int) -> None:
        """Another process is alive; what it said that was lost on the way, or before it was heard, is looked up."""
        new = sender not in self._alive
        self._alive[sender] = time.monotonic()
        before, self._last[sender] = self._last.get(sender, number - 1), number
        if number != before + 1:
            await self._look_once()
        elif new:
            self.came(sender)

    def _count_heads(self) -> None:
        """Whoever has not been heard for a while is gone: killed, or cut off from Redis."""
        if not self.whole or not self._alive:
            return
        since = time.monotonic() - GONE
        for process in [process for process, at in self._alive.items() if at < since]:
            del self._alive[process]
            self._last.pop(process, None)
            self.gone(process)

    def _fetch(self, game: str) -> None:
        if self.catch_up:
            task = asyncio.ensure_future(self.catch_up(game))
            self._behind.add(task)
            task.add_done_callback(self._fetched)

    def _fetched(self, task: asyncio.Task[None]) -> None:
        self._behind.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.warning("could not catch up: %s", error)

    # --- without Redis ------------------------------------------------------------------------------------------------

    async def _look(self) -> None:
        await asyncio.sleep(BEAT)
        if not self.whole:
            await self._look_once()

    async def _look_once(self) -> None:
        self.missed()
        games = list(self.told)
        for start in range(0, len(games), AT_ONCE):
            if self.catch_up:
                try:
                    await self.catch_up(*games[start : start + AT_ONCE])
                except Exception as error:  # the database is away, too: the next look finds it
                    log.warning("could not catch up: %s", error)
                    return

    async def _for_ever(self, step: Callable[[], Awaitable[None]]) -> None:
        """One step after the other; when Redis is away, a moment's rest in between."""
        while not self._stopping:  # the client of Redis can swallow a cancellation, so that alone would not end it
            try:
                await step()
            except (RedisError, OSError) as error:
                if self.whole:
                    log.warning("redis is away: %s", error)
                self.whole = False
                self._waiting.clear()
                await asyncio.sleep(BEAT / 4)
            except Exception:
                log.exception("the bus stumbled")
                await asyncio.sleep(BEAT)

    async def stop(self) -> None:
        """Sends what is waiting, then lets go."""
        with contextlib.suppress(RedisError, OSError, TimeoutError):
            if self._waiting:
                async with asyncio.timeout(BEAT):
                    await self._send()
        self._stopping = True
        for task in (*self._tasks, *self._behind):
            task.cancel()
        await asyncio.gather(*self._tasks, *self._behind, return_exceptions=True)
        with contextlib.suppress(RedisError, OSError):
            await self._client.aclose()
