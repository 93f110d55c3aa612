"""The machines' turns as jobs on Redis, by dramatiq: a web process asks, an engine worker thinks and plays.

A job is asked for once per turn, as long as Redis remembers; a worker that thinks renews its claim every moment, so
that a job whose worker died is free again soon, and whoever sweeps the database asks for it anew. A turn thought out
twice is played once, because its number is given once.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import dramatiq
import redis
from dramatiq.brokers.redis import RedisBroker
from dramatiq.errors import BrokerConnectionError as BrokerAway
from redis.exceptions import RedisError

from hedgerow.game import HedgerowError

if TYPE_CHECKING:
    from hedgerow.serve.games import Games
    from hedgerow.serve.live import LiveGame

log = logging.getLogger("hedgerow.jobs")

QUEUE = "engine"
ACTOR = "answer"
LATER_QUEUE, LATER_ACTOR = "engine-later", "answer-later"
"""The jobs of addresses that ask for much: they are done when no others wait."""
MUCH, WITHIN = 12, 30
"""How many turns an address may ask for within so many seconds before the rest of them wait for others' jobs."""
ASKED = 600
"""For how many seconds a turn that waits in the queue is not asked for again."""
CLAIM = 6
"""For how many seconds a turn belongs to the worker that thinks about it, unless it says so again."""
EVERY = 2.0
"""How often it says so, and how often the length of the queue is looked up."""


class Queue:
    """The jobs of one house, on Redis. Every call here waits for the network: never in an event loop."""

    def __init__(self, url: str, house: str) -> None:
        self.name = f"hedgerow-{house}"
        try:
            self.client = redis.Redis.from_url(url, socket_timeout=5, socket_connect_timeout=5)
        except ValueError:
            raise HedgerowError("cannot read the address of Redis; hint: redis://host:6379/0") from None
        self.broker: Any = RedisBroker(client=self.client, namespace=self.name)  # type: ignore[no-untyped-call]
        for name in (QUEUE, LATER_QUEUE):
            self.broker.declare_queue(name)

    def ask(self, game: str, number: int, payer: str = "") -> bool:
        """A machine is to play turn `number` for a payer, an address; False where that was asked already."""
        if not self.client.set(self._key(game, number), "asked", nx=True, ex=ASKED):
            return False
        try:
            queue, actor = (LATER_QUEUE, LATER_ACTOR) if self._asks_much(payer) else (QUEUE, ACTOR)
            self.broker.enqueue(
                dramatiq.Message(queue_name=queue, actor_name=actor, args=(game, number), kwargs={}, options={})
            )
        except BaseException:
            self.client.delete(self._key(game, number))
            raise
        return True

    def _asks_much(self, payer: str) -> bool:
        """Whether somebody has asked for more than others in the last while, in all processes together."""
        if not payer:
            return False
        key = f"{self.name}:asks:{payer}"
        pipe = self.client.pipeline()
        pipe.set(key, 0, nx=True, ex=WITHIN)
        pipe.incr(key)
        return int(pipe.execute()[1]) > MUCH

    def claim(self, game: str, number: int) -> None:
        """Somebody is thinking about it now."""
        self.client.set(self._key(game, number), "thinking", ex=CLAIM)

    def waiting(self) -> int:
        """How many jobs wait or are being thought about."""
        return sum(int(self.broker.do_qsize(name)) for name in (QUEUE, LATER_QUEUE))

    def _key(self, game: str, number: int) -> str:
        return f"{self.name}:turn:{game}:{number}"


class Jobs:
    """What a web process has in place of engines of its own."""

    def __init__(self, games: Games, queue: Queue) -> None:
        self.queue = queue
        self.waiting = 0
        """How many games wait for a machine's turn, as of a moment ago."""
        self.played = 0
        self.addresses: Callable[[int], str] = lambda account: ""
        """Where an account was last seen."""
        self._thread = ThreadPoolExecutor(1, "jobs")
        self._looking: asyncio.Task[None] | None = None
        games.after.append(self.consider)

    async def start(self) -> None:
        """What is owed from before is the engine workers' to find."""
        self._looking = asyncio.create_task(self._look(), name="jobs")

    def consider(self, live: LiveGame) -> None:
        """A game has begun or moved on: perhaps a machine is to move now."""
        mover = live.to_move
        if mover is not None and live.begun is not None and live.seats[mover].player:
            payer = self.addresses(live.creator) or f"account {live.creator}"
            self._thread.submit(self._ask, live.id, live.version, payer)

    def _ask(self, game: str, number: int, payer: str) -> None:
        try:
            self.queue.ask(game, number, payer)
        except (RedisError, BrokerAway, OSError) as error:
            log.warning("could not ask for a machine's turn in %s: %s; a sweep will", game, error)

    async def _look(self) -> None:
        while True:
            with contextlib.suppress(RedisError, BrokerAway, OSError):
                self.waiting = await asyncio.to_thread(self.queue.waiting)
            await asyncio.sleep(EVERY)

    async def stop(self) -> None:
        """Asks for what was owed a moment ago, then no more."""
        if self._looking:
            self._looking.cancel()
        await asyncio.to_thread(self._thread.shutdown)
        self.queue.client.close()
