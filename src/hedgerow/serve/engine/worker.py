"""`hedgerow engine-worker` at work: takes jobs from Redis, thinks in processes of its own, plays what comes of it.

It also sweeps the database for turns that machines owe and nobody thinks about, so that nothing which was lost on the
way is lost for good.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import Callable
from secrets import token_hex
from typing import ParamSpec

import dramatiq
import dramatiq.worker
from dramatiq.errors import BrokerConnectionError as BrokerAway
from redis.exceptions import RedisError

from hedgerow.serve.bus.redis import RedisBus
from hedgerow.serve.engine.engines import Engines
from hedgerow.serve.engine.jobs import (
    ACTOR,
    LATER_ACTOR,
    LATER_QUEUE,
    OWN_ACTOR,
    QUEUE,
    RENEW_SECONDS,
    Queue,
    own_queue,
)
from hedgerow.serve.people.notices import Notices
from hedgerow.serve.people.push import Push
from hedgerow.serve.play.bells import Bells
from hedgerow.serve.play.games import Games
from hedgerow.serve.play.notify import notifier
from hedgerow.serve.play.plans import Plans
from hedgerow.serve.play.presence import Spectators
from hedgerow.serve.play.streams import Streams
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import open_store, queries
from hedgerow.serve.store.schema import now

Params = ParamSpec("Params")

log = logging.getLogger("hedgerow.engine-worker")

SWEEP_SECONDS = 3.0
"""How often the database is asked for turns that are owed."""
GRACE_MS = 2_000
"""How old they are before a sweep takes them up: most are asked for at once."""


def run(settings: Settings) -> None:
    """Thinks until it is told to stop; what it was thinking about is thought about again elsewhere."""
    dramatiq.worker.QUEUE_PREFETCH = settings.engines + 1  # one at hand of each queue; the rest may be done elsewhere
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_work(settings))


async def _work(settings: Settings) -> None:
    assert settings.redis
    store = await open_store(settings.data, settings.database)
    async with store.read() as connection:
        installation = await queries.installation(connection)
    queue, bus = Queue(settings.redis, installation, token_hex(4)), RedisBus(settings.redis, f"hedgerow-{installation}")
    games = Games(store, bus)
    bus.heard = games.hear
    Streams(games, bus)  # so that people's programs are told of the machines' turns
    notices, plans = Notices(store), Plans(games)  # nobody else hears of a machine's turn in time
    games.after.append(notifier(notices))
    bells, push = Bells(games, bus, Spectators(bus)), Push(store, settings)
    notices.after += [push.tell, lambda _game, notes: bells.ring(notes)]
    engines = Engines(games, settings.engines, installation)
    engines.wake()
    worker = Worker(engines, queue, asyncio.get_running_loop())
    stopped = asyncio.Event()
    for told in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(told, stopped.set)
    worker.start()
    tasks = [asyncio.create_task(worker.sweep(), name="sweep"), asyncio.create_task(worker.beat(), name="heartbeat")]
    log.info("thinking in %d processes", settings.engines)
    await stopped.wait()
    for task in tasks:
        task.cancel()
    await engines.stop()
    await asyncio.to_thread(worker.stop)
    await plans.stop()
    await notices.stop()
    await push.stop()
    await bus.stop()
    await store.close()


class Worker:
    """Dramatiq's threads, which do no more than wait for the event loop; the thinking is done in processes."""

    def __init__(self, engines: Engines, queue: Queue, loop: asyncio.AbstractEventLoop) -> None:
        self.engines = engines
        self.queue = queue
        self._loop = loop
        self._busy = 0
        self._beating = asyncio.Lock()
        options = {"max_retries": 5, "min_backoff": 500}
        actors = (OWN_ACTOR, own_queue(queue.worker), 0), (ACTOR, QUEUE, 0), (LATER_ACTOR, LATER_QUEUE, 1)
        for actor, name, priority in actors:
            dramatiq.Actor(
                self._answer, broker=queue.broker, actor_name=actor, queue_name=name, priority=priority, options=options
            )
        self._worker = dramatiq.Worker(queue.broker, worker_threads=engines.processes)

    def start(self) -> None:
        """Takes jobs from now on."""
        self._worker.start()

    def _answer(self, game: str, number: int) -> None:
        """The actor: returns when the turn is stored, or is no longer owed."""
        asyncio.run_coroutine_threadsafe(self._thought(game, number), self._loop).result()

    async def _thought(self, game: str, number: int) -> None:
        self._busy += 1
        claimed = asyncio.Event()
        claiming = asyncio.create_task(self._claim(game, number, claimed))
        try:
            await self.engines.answer(game)
        finally:
            await claimed.wait()  # so that nobody hears that it is busy after hearing that it is free
            claiming.cancel()
            self._busy -= 1
            await self._beat()

    async def _claim(self, game: str, number: int, claimed: asyncio.Event) -> None:
        await self._beat()
        while True:
            await self._say(self.queue.claim, game, number)
            claimed.set()
            await asyncio.sleep(RENEW_SECONDS)

    @property
    def _free(self) -> int:
        """How many processes have nothing to do."""
        return max(0, self.engines.processes - self._busy)

    async def beat(self) -> None:
        """Says every moment that this worker is alive."""
        while True:
            await self._beat()
            await self._say(self.queue.forget_the_dead)
            await asyncio.sleep(RENEW_SECONDS)

    async def _beat(self) -> None:
        async with self._beating:  # one after the other, so that the last one said is true
            await self._say(self.queue.beat, self._free)

    async def _say(self, call: Callable[Params, None], *arguments: Params.args, **named: Params.kwargs) -> None:
        """Tells Redis something, if it is there."""
        with contextlib.suppress(RedisError, OSError):
            await asyncio.to_thread(call, *arguments, **named)

    async def sweep(self) -> None:
        """Asks for every turn that is owed and that nobody thinks about."""
        store = self.engines.games.store
        while True:
            try:
                async with store.read() as connection:
                    owed = await queries.machines_owe(connection, now() - GRACE_MS)
                for row in owed:
                    if await asyncio.to_thread(self.queue.ask, row.id, row.version, anybody=True):
                        log.info("took up a machine's turn in %s", row.id)
            except (RedisError, BrokerAway, OSError) as error:
                log.warning("redis is away: %s", error)
            except Exception as error:  # the database is away: the next sweep finds it
                log.warning("could not look for turns that are owed: %s", error)
            await asyncio.sleep(SWEEP_SECONDS)

    def stop(self) -> None:
        """Gives back what was not begun."""
        with contextlib.suppress(Exception):
            self.queue.leave()
        with contextlib.suppress(Exception):
            self._worker.stop(timeout=3_000)
        with contextlib.suppress(Exception):
            self.queue.broker.close()
