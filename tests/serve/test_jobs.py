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

from hedgerow.serve.bench import Visitor, server_process
from hedgerow.serve.engine_worker import Worker
from hedgerow.serve.jobs import CLAIM, MUCH, Queue

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
        assert 0 < queue.client.ttl(queue._key("g", 4)) <= CLAIM
        queue.client.delete(queue._key("g", 4))  # as its worker has died, and the claim has run out
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
    queue = Queue(private_redis.url, "order")
    for number in range(4 * MUCH):
        queue.ask(f"guest {number}", 0, "192.0.2.1")
    queue.ask("regular", 0, "192.0.2.2")
    assert queue.waiting() == 4 * MUCH + 1
    order = asyncio.run(in_order(queue, 4 * MUCH + 1))
    assert order.index("regular") <= 2 * MUCH and len(set(order)) == 4 * MUCH + 1


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


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to find the processes that think")
def test_machines_play_whatever_is_killed(tmp_path: Path, postgres: str, private_redis: PrivateRedis) -> None:
    places = ("--database", postgres, "--redis", private_redis.url, "--no-limits")
    with server_process(str(tmp_path), *places) as (_, port):
        ann = Visitor(port)
        game = ann.ask("POST", "/api/games", {"rules": RULES, "seat": 1, "level": 1})["id"]
        with engine_worker(postgres, private_redis.url) as worker:
            told = until_mine(ann, game)
            assert told["version"] == 1
            thinkers = thinking(worker.pid)
            worker.kill()
            for thinker in thinkers:
                gone_after(thinker, 30)
        play_first(ann, game, told)  # asked for, and nobody there
        private_redis.kill()  # and what was asked for is lost
        private_redis.start()
        with engine_worker(postgres, private_redis.url):
            for _ in range(2):
                play_first(ann, game, told := until_mine(ann, game))
            told = until_mine(ann, game)
        assert told["version"] == len(told["turns"]) >= 6
