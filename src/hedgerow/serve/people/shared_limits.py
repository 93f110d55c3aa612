"""Rate limits that several processes share: sliding windows in Redis, by the `limits` library.

When Redis is away every process counts for itself, as it does in any case; no request fails or waits long for it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING

import redis.asyncio as redis
from limits import RateLimitItemPerSecond
from limits.aio.storage import RedisStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

if TYPE_CHECKING:
    from hedgerow.serve.people.limits import Limit

log = logging.getLogger("hedgerow.limits")

PATIENCE = 2.0
"""How many seconds Redis may take: one that is dead says so at once, and one that is only slow should still count."""
REST = 5.0
"""For how many seconds it is not asked again when it was away."""
CONNECTIONS = 50


class SharedLimits:
    """The same buckets for all processes of one installation."""

    def __init__(self, url: str, installation: str) -> None:
        self._installation = f"hedgerow-{installation}"
        self._pool = redis.BlockingConnectionPool.from_url(
            url,
            max_connections=CONNECTIONS,
            timeout=PATIENCE,
            socket_timeout=PATIENCE,
            socket_connect_timeout=PATIENCE,
            retry=Retry(NoBackoff(), 0),
        )
        # the address is the pool's; the library only wants to see one that it can read
        storage = RedisStorage("async+redis://", implementation="redispy", connection_pool=self._pool)  # type: ignore[arg-type]
        self._windows = SlidingWindowCounterRateLimiter(storage)
        self._rests_until = 0.0
        self._away = False

    async def wait(self, what: str, limit: Limit, key: str, cost: float) -> float:
        """Takes so many from what all share; 0, or after how many seconds to ask again. 0 when Redis is away, too."""
        if time.monotonic() < self._rests_until:
            return 0.0
        item = RateLimitItemPerSecond(
            max(1, round(limit.burst)), max(1, round(limit.burst / limit.rate)), namespace=self._installation
        )
        try:
            async with asyncio.timeout(PATIENCE):
                taken = await self._windows.hit(item, what, key, cost=max(1, round(cost)))
                again = 0.0 if taken else (await self._windows.get_window_stats(item, what, key)).reset_time
        except (RedisError, OSError, TimeoutError) as error:
            self._goes(error)
            return 0.0
        if self._away:
            self._away = False
            log.info("limits are shared again")
        return max(1.0, again - time.time()) if again else 0.0

    def _goes(self, error: Exception) -> None:
        self._rests_until = time.monotonic() + REST
        if not self._away:
            self._away = True
            log.warning("redis is away, so every process counts its limits alone: %s", type(error).__name__)

    async def stop(self) -> None:
        """Lets go of Redis."""
        await self._pool.disconnect()
