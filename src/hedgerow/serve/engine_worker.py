"""`hedgerow engine-worker` at work: takes jobs from Redis, thinks in processes of its own, plays what comes of it.

It also sweeps the database for turns that machines owe and nobody thinks about, so that nothing which was lost on the
way is lost for good.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal

import dramatiq
import dramatiq.worker
from dramatiq.errors import BrokerConnectionError as BrokerAway
from redis.exceptions import RedisError

from hedgerow.serve.engines import Engines
from hedgerow.serve.games import Games
from hedgerow.serve.jobs import ACTOR, EVERY, LATER_ACTOR, LATER_QUEUE, QUEUE, Queue
from hedgerow.serve.notices import Notices
from hedgerow.serve.plans import Plans
from hedgerow.serve.redis_bus import RedisBus
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import open_store, queries
from hedgerow.serve.store.schema import now
from hedgerow.serve.streams import Streams

log = logging.getLogger("hedgerow.engine-worker")

SWEEP = 3.0
"""How often, in seconds, the database is asked for turns that are owed."""
GRACE = 2_000
"""How old, in milliseconds, they are before a sweep takes them up: most are asked for at once."""


def run(settings: Settings) -> None:
    """Thinks until it is told to stop; what it was thinking about is thought about again elsewhere."""
    dramatiq.worker.QUEUE_PREFETCH = settings.engines + 1  # one at hand of each queue; the rest may be done elsewhere
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_work(settings))


async def _work(settings: Settings) -> None:
    assert settings.redis
    store = await open_store(settings.data, settings.database)
    async with store.read() as connection:
        house = await queries.house(connection)
    queue, bus = Queue(settings.redis, house), RedisBus(settings.redis, f"hedgerow-{house}")
    games = Games(store, bus)
    bus.heard = games.hear
    Streams(games, bus)  # so that people's programs are told of the machines' turns
    notices, plans = Notices(store), Plans(games)  # nobody else hears of a machine's turn in time
    games.after.append(notices.consider)
    engines = Engines(games, settings.engines)
    engines.wake()
    worker = Worker(engines, queue, asyncio.get_running_loop())
    stopped = asyncio.Event()
    for told in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(told, stopped.set)
    worker.start()
    sweeping = asyncio.create_task(worker.sweep(), name="sweep")
    log.info("thinking in %d processes", settings.engines)
    await stopped.wait()
    sweeping.cancel()
    await engines.stop()
    await asyncio.to_thread(worker.stop)
    await plans.stop()
    await notices.stop()
    await bus.stop()
    await store.close()


class Worker:
    """Dramatiq's threads, which do no more than wait for the event loop; the thinking is done in processes."""

    def __init__(self, engines: Engines, queue: Queue, loop: asyncio.AbstractEventLoop) -> None:
        self.engines = engines
        self.queue = queue
        self._loop = loop
        options = {"max_retries": 5, "min_backoff": 500}
        for place, (actor, name) in enumerate(((ACTOR, QUEUE), (LATER_ACTOR, LATER_QUEUE))):
            dramatiq.Actor(
                self._answer, broker=queue.broker, actor_name=actor, queue_name=name, priority=place, options=options
            )
        self._worker = dramatiq.Worker(queue.broker, worker_threads=engines.processes)

    def start(self) -> None:
        """Takes jobs from now on."""
        self._worker.start()

    def _answer(self, game: str, number: int) -> None:
        """The actor: returns when the turn is stored, or is no longer owed."""
        asyncio.run_coroutine_threadsafe(self._thought(game, number), self._loop).result()

    async def _thought(self, game: str, number: int) -> None:
        claiming = asyncio.create_task(self._claim(game, number))
        try:
            await self.engines.answer(game)
        finally:
            claiming.cancel()

    async def _claim(self, game: str, number: int) -> None:
        while True:
            with contextlib.suppress(RedisError, OSError):
                await asyncio.to_thread(self.queue.claim, game, number)
            await asyncio.sleep(EVERY)

    async def sweep(self) -> None:
        """Asks for every turn that is owed and that nobody thinks about."""
        store = self.engines.games.store
        while True:
            try:
                async with store.read() as connection:
                    owed = await queries.machines_owe(connection, now() - GRACE)
                for row in owed:
                    if await asyncio.to_thread(self.queue.ask, row.id, row.version):
                        log.info("took up a machine's turn in %s", row.id)
            except (RedisError, BrokerAway, OSError) as error:
                log.warning("redis is away: %s", error)
            except Exception as error:  # the database is away: the next sweep finds it
                log.warning("could not look for turns that are owed: %s", error)
            await asyncio.sleep(SWEEP)

    def stop(self) -> None:
        """Gives back what was not begun."""
        with contextlib.suppress(Exception):
            self._worker.stop(timeout=3_000)
        with contextlib.suppress(Exception):
            self.queue.broker.close()
