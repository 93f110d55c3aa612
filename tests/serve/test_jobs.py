"""Engine workers: jobs on Redis, thought about by processes elsewhere; what is lost on the way is found again."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import dramatiq.worker
import pytest
import redis
from places import PrivateRedis, private_redis, redis_url
from test_engines import RULES, gone_after, play_first, thinking, until_mine

from hedgerow.serve.engine.jobs import CLAIM_SECONDS, MOST_ASKED, OWN_ASKED_SECONDS, QUEUE, Queue, own_queue
from hedgerow.serve.engine.worker import Worker
from hedgerow.tools.serve_bench import Visitor, server_process

__all__ = ["private_redis", "redis_url"]


@contextlib.contextmanager
def engine_worker(database: str, redis: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that thinks; it is killed at the end."""
    command = [sys.executable, "-m", "hedgerow", "engine-worker", "--database", database, "--redis", redis]
    process = subprocess.Popen([*command, "--processes", "1"])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_turn_is_asked_for_once_until_its_claim_runs_out(redis_url: str) -> None:
    queue = Queue(redis_url, secrets.token_hex(4))
    try:
        assert queue.ask("g", 4) and not queue.ask("g", 4) and queue.ask("g", 6) and queue.waiting() == 2
        queue.claim("g", 4)
        assert not queue.ask("g", 4)
        assert 0 < queue.client.ttl(queue._key("turn", "g", 4)) <= CLAIM_SECONDS
        queue.client.delete(queue._key("turn", "g", 4))  # as its worker has died, and the claim has run out
        assert queue.ask("g", 4) and queue.waiting() == 3
    finally:
        for key in queue.client.scan_iter(f"{queue.name}*"):
            queue.client.delete(key)


class Order:
    """Engines that only note which games they were asked to answer in."""

    processes = 1

    def __init__(self) -> None:
        self.games: list[str] = []

    async def answer(self, game: str) -> None:
        self.games.append(game)
        await asyncio.sleep(0.01)


async def in_order(queue: Queue, jobs: int) -> list[str]:
    """The games in the order in which a worker answers."""
    order = Order()
    worker = Worker(order, queue, asyncio.get_running_loop())  # type: ignore[arg-type]
    worker.start()
    async with asyncio.timeout(60):
        while len(order.games) < jobs:
            await asyncio.sleep(0.02)
    await asyncio.to_thread(worker.stop)
    return order.games


def test_one_address_cannot_keep_all_others_waiting(
    private_redis: PrivateRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dramatiq.worker, "QUEUE_PREFETCH", 2)
    queue = Queue(private_redis.url, "order", "w")
    for number in range(4 * MOST_ASKED):
        queue.ask(f"guest {number}", 0, "192.0.2.1")
    queue.ask("regular", 0, "192.0.2.2")
    assert queue.waiting() == 4 * MOST_ASKED + 1
    order = asyncio.run(in_order(queue, 4 * MOST_ASKED + 1))
    assert order.index("regular") <= 2 * MOST_ASKED and len(set(order)) == 4 * MOST_ASKED + 1


def test_a_turn_that_could_not_be_asked_for_is_not_remembered(
    private_redis: PrivateRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = Queue(private_redis.url, "x")

    def fails(message: object) -> None:
        raise redis.ConnectionError("gone")

    with monkeypatch.context() as patch:
        patch.setattr(queue.broker, "enqueue", fails)
        with pytest.raises(redis.ConnectionError):
            queue.ask("g", 1)
    assert queue.ask("g", 1)


def test_a_games_turns_go_to_the_worker_that_keeps_its_players(private_redis: PrivateRedis) -> None:
    web, first, second = (Queue(private_redis.url, "kept", worker) for worker in ("", "one", "two"))

    def where(game: str, number: int) -> str:
        """The queue that a job came to; it is emptied."""
        before = {name: web.broker.do_qsize(name) for name in (QUEUE, own_queue("one"), own_queue("two"))}
        assert web.ask(game, number)
        found = [name for name, size in before.items() if web.broker.do_qsize(name) > size]
        for name in found:
            web.broker.flush(name)
        return " ".join(found)

    assert where("g", 0) == QUEUE, "nobody keeps it yet"
    for worker in (first, second):
        worker.beat(1)
    first.claim("g", 0)
    assert where("g", 2) == own_queue("one") and where("other", 2) == QUEUE
    assert 0 < web.client.ttl(web._key("turn", "g", 2)) <= OWN_ASKED_SECONDS, "a sweep asks others soon"
    first.beat(0)
    assert where("g", 4) == QUEUE, "it has no process free"
    first.beat(1)
    assert web.ask("g", 6) and where("g", 8) == QUEUE, "something waits for it"
    assert web.ask("g", 10, anybody=True) and web.broker.do_qsize(QUEUE) == 1 and web.waiting() == 2
    second.claim("g", 8)
    assert where("g", 12) == own_queue("two"), "another has taken over"
    second.leave()
    first.client.delete(first._key("worker", "one"))  # as its heartbeat has run out
    assert where("g", 14) == QUEUE
    second.forget_the_dead()
    assert web.client.smembers(web._key("workers")) == set()


def test_a_worker_goes_on_with_the_games_it_began(private_redis: PrivateRedis) -> None:
    asyncio.run(_goes_on(private_redis.url))


async def _goes_on(url: str) -> None:
    web, orders = Queue(url, "on"), [Order(), Order()]
    workers = [
        Worker(order, Queue(url, "on", name), asyncio.get_running_loop())  # type: ignore[arg-type]
        for order, name in zip(orders, ("one", "two"))
    ]
    beats = [asyncio.create_task(worker.beat()) for worker in workers]
    for worker in workers:
        worker.start()
    async with asyncio.timeout(60):
        for number in range(8):
            await asyncio.to_thread(web.ask, "g", number)
            while sum(len(order.games) for order in orders) <= number:
                await asyncio.sleep(0.02)
            while await asyncio.to_thread(web._holder, "g") is None:  # it is busy for a moment
                await asyncio.sleep(0.02)
    for beat, worker in zip(beats, workers):
        beat.cancel()
        await asyncio.to_thread(worker.stop)
    assert sorted(order.games for order in orders) == [[], ["g"] * 8]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to find the processes that think")
def test_machines_play_whatever_is_killed(tmp_path: Path, postgres: str, private_redis: PrivateRedis) -> None:
    places = ("--database", postgres, "--redis", private_redis.url, "--no-limits")
    with server_process(str(tmp_path), *places) as (_, port):
        ann = Visitor(port)
        game = ann.ask("POST", "/api/games", {"rules": RULES, "seat": 1, "level": 1})["id"]
        with engine_worker(postgres, private_redis.url) as worker:
            told = until_mine(ann, game)
            assert told["version"] == 1
            processes = thinking(worker.pid)
            worker.kill()
            for process in processes:
                gone_after(process, 30)
        play_first(ann, game, told)  # asked for, and nobody there
        private_redis.kill()  # and what was asked for is lost
        private_redis.start()
        with engine_worker(postgres, private_redis.url):
            for _ in range(2):
                play_first(ann, game, told := until_mine(ann, game))
            told = until_mine(ann, game)
        assert told["version"] == len(told["turns"]) >= 6
