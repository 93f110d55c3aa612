"""Redis to test with: the one that is there, and private ones that may be killed."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import redis
from serving import REQUIRED

from hedgerow.tools.serve_bench import free_port

PATIENCE = float(os.environ.get("HEDGEROW_PATIENCE", "30"))
"""How many seconds something may take to recover: 3 on a machine that does nothing else, more on a busy one."""
REDIS = os.environ.get("HEDGEROW_TEST_REDIS", "redis://127.0.0.1:6379/0")


@pytest.fixture
def redis_url() -> str:
    """The address of a Redis that others may use, too."""
    try:
        redis.Redis.from_url(REDIS, socket_connect_timeout=2).ping()
    except redis.RedisError as error:
        if REQUIRED:
            raise
        pytest.skip(f"set HEDGEROW_TEST_REDIS to a Redis (now {REDIS}): {error}")
    return REDIS


class PrivateRedis:
    """A Redis of one's own, to kill and to start again at the same place; it keeps nothing."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen([*command, "--dir", str(self._folder)], stdout=subprocess.DEVNULL)
        client, end = redis.Redis(port=self.port), time.monotonic() + 10
        while True:
            try:
                client.ping()
                return
            except redis.RedisError:
                assert time.monotonic() < end, "redis-server did not start"
                time.sleep(0.02)

    def kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None


@pytest.fixture
def private_redis(tmp_path: Path) -> Iterator[PrivateRedis]:
    """A Redis that may be killed."""
    if not shutil.which("redis-server"):
        if REQUIRED:
            raise FileNotFoundError("redis-server")
        pytest.skip("needs redis-server")
    made = PrivateRedis(tmp_path)
    made.start()
    yield made
    made.kill()


async def until(true: Callable[[], bool | Awaitable[bool]], seconds: float = PATIENCE) -> float:
    """Waits for something to become true; how many seconds it took."""
    begun = time.monotonic()
    while True:
        found = true()
        if found if isinstance(found, bool) else await found:
            return time.monotonic() - begun
        assert time.monotonic() - begun < seconds, "it did not happen"
        await asyncio.sleep(0.02)
