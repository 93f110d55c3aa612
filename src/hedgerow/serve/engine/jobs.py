"""The machines' turns as jobs on Redis, by dramatiq: a web process asks, an engine worker thinks and plays.

A job is asked for once per turn, as long as Redis remembers. A worker that thinks renews its claim, so that a job whose
worker died is free again soon, and whoever sweeps the database asks for it anew. Every worker also has a queue of its
own: a game's turns go there while that worker keeps the game's players and has a free process, and whatever it does not
take up at once any worker may. A turn thought out twice is played once, because its number is given once.
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
from hedgerow.serve.engine.seats import WARM_SECONDS

if TYPE_CHECKING:
    from hedgerow.serve.play.games import Games
    from hedgerow.serve.play.live import LiveGame

log = logging.getLogger("hedgerow.jobs")

QUEUE, ACTOR = "engine", "answer"
LATER_QUEUE, LATER_ACTOR = "engine-later", "answer-later"
"""The jobs of addresses that ask for much: they are done when no others wait."""
OWN_ACTOR = "answer-own"
"""The jobs of a worker's own queue: turns of games whose players it keeps."""
MOST_ASKED, MOST_ASKED_SECONDS = 12, 30
"""How many turns an address may ask for within so many seconds before the rest of them wait for others' jobs."""
ASKED_SECONDS = 600
"""For how long a turn that waits in the queue is not asked for again."""
OWN_ASKED_SECONDS = 4
"""The same for a worker's own queue: after that, a sweep asks any worker."""
CLAIM_SECONDS = 6
"""For how long a turn belongs to the worker that thinks about it, and a worker counts as alive, unless renewed."""
RENEW_SECONDS = 2.0
"""How often both are renewed, and how often the length of the queue is looked up."""


class Queue:
    """The jobs of one database's servers and workers, on Redis; `worker` is the name of whoever takes jobs.

    Every call here waits for the network: never in an event loop.
    """

    def __init__(self, url: str, installation: str, worker: str = "") -> None:
        self.name = f"hedgerow-{installation}"
        self.worker = worker
        try:
            self.client = redis.Redis.from_url(url, socket_timeout=5, socket_connect_timeout=5)
        except ValueError:
            raise HedgerowError("cannot read the address of Redis; hint: redis://host:6379/0") from None
        self.broker: Any = RedisBroker(client=self.client, namespace=self.name)  # type: ignore[no-untyped-call]
        for name in (QUEUE, LATER_QUEUE, *([own_queue(worker)] if worker else [])):
            self.broker.declare_queue(name)

    # --- asking -------------------------------------------------------------------------------------------------------

    def ask(self, game: str, number: int, payer: str = "", anybody: bool = False) -> bool:
        """A machine is to play turn `number` for a payer, an address; False where that was asked already.

        `anybody` may think about it, even where a worker keeps the game's players.
        """
        worker = None if anybody else self._holder(game)
        seconds = OWN_ASKED_SECONDS if worker else ASKED_SECONDS
        if not self.client.set(self._key("turn", game, number), "asked", nx=True, ex=seconds):
            return False
        try:
            if self._asks_much(payer):
                self._enqueue(LATER_QUEUE, LATER_ACTOR, game, number)
            elif worker:
                self._enqueue(own_queue(worker), OWN_ACTOR, game, number)
                for key in (own_queue(worker), f"{own_queue(worker)}.msgs"):  # nobody empties a dead worker's queue
                    self.client.expire(f"{self.name}:{key}", ASKED_SECONDS)
            else:
                self._enqueue(QUEUE, ACTOR, game, number)
        except BaseException:
            self.client.delete(self._key("turn", game, number))
            raise
        return True

    def _enqueue(self, queue: str, actor: str, game: str, number: int) -> None:
        self.broker.enqueue(
            dramatiq.Message(queue_name=queue, actor_name=actor, args=(game, number), kwargs={}, options={})
        )

    def _asks_much(self, payer: str) -> bool:
        """Whether somebody has asked for more than others in the last while, in all processes together."""
        if not payer:
            return False
        key = self._key("asks", payer)
        pipe = self.client.pipeline()
        pipe.set(key, 0, nx=True, ex=MOST_ASKED_SECONDS)
        pipe.incr(key)
        return int(pipe.execute()[1]) > MOST_ASKED

    def _holder(self, game: str) -> str | None:
        """The worker that keeps a game's players, if it is alive, has a free process, and nothing waits for it."""
        kept: Any = self.client.get(self._key("holder", game))
        if kept is None:
            return None
        worker = kept.decode()
        pipe = self.client.pipeline()
        pipe.get(self._key("worker", worker))
        pipe.llen(f"{self.name}:{own_queue(worker)}")
        free, waiting = pipe.execute()
        return worker if free is not None and int(free) > 0 and not waiting else None

    def waiting(self) -> int:
        """How many jobs wait or are being thought about."""
        workers: Any = self.client.smembers(self._key("workers"))
        own = [own_queue(worker.decode()) for worker in workers]
        return sum(int(self.broker.do_qsize(name)) for name in (QUEUE, LATER_QUEUE, *own))

    # --- a worker's side ----------------------------------------------------------------------------------------------

    def claim(self, game: str, number: int) -> None:
        """This worker thinks about the turn now, and keeps the game's players from now on."""
        pipe = self.client.pipeline()
        pipe.set(self._key("turn", game, number), "thinking", ex=CLAIM_SECONDS)
        pipe.set(self._key("holder", game), self.worker, ex=int(WARM_SECONDS))
        pipe.execute()

    def beat(self, free: int) -> None:
        """The heartbeat: this worker is alive and has so many free processes."""
        pipe = self.client.pipeline()
        pipe.sadd(self._key("workers"), self.worker)
        pipe.set(self._key("worker", self.worker), free, ex=CLAIM_SECONDS)
        pipe.expire(f"{self.name}:__acks__.{self.broker.broker_id}.{own_queue(self.worker)}", ASKED_SECONDS)
        pipe.execute()

    def forget_the_dead(self) -> None:
        """Workers without a heartbeat are no longer listed."""
        workers: Any = self.client.smembers(self._key("workers"))
        for worker in workers:
            if not self.client.exists(self._key("worker", worker.decode())):
                self.client.srem(self._key("workers"), worker)

    def leave(self) -> None:
        """This worker stops: what waits in its own queue is found by a sweep."""
        self.client.delete(self._key("worker", self.worker))
        self.client.srem(self._key("workers"), self.worker)
        self.broker.flush(own_queue(self.worker))

    def _key(self, *parts: object) -> str:
        return ":".join((self.name, *map(str, parts)))


def own_queue(worker: str) -> str:
    """The name of a worker's own queue."""
    return f"engine-of-{worker}"


class Jobs:
    """A web process's side: asks for the machines' turns, in place of engines of its own."""

    def __init__(self, games: Games, queue: Queue) -> None:
        self.queue = queue
        self.waiting = 0
        """How many games wait for a machine's turn, as of a moment ago."""
        self.played = 0
        self.addresses: Callable[[int], str] = lambda account: ""
        """Where an account was last seen."""
        self._thread = ThreadPoolExecutor(1, "jobs")
        self._looking: asyncio.Task[None] | None = None
        games.after.append(self.game_changed)

    async def start(self) -> None:
        """What is owed from before is the engine workers' to find."""
        self._looking = asyncio.create_task(self._look(), name="jobs")

    def game_changed(self, live: LiveGame) -> None:
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
            await asyncio.sleep(RENEW_SECONDS)

    async def stop(self) -> None:
        """Asks for what was owed a moment ago, then no more."""
        if self._looking:
            self._looking.cancel()
        await asyncio.to_thread(self._thread.shutdown)
        self.queue.client.close()
