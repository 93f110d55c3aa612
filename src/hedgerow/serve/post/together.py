"""Small writes of many, stored with one transaction: each is told when its own is stored."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store import Store

Work = Callable[[AsyncConnection], Awaitable[None]]

MOST = 100
"""How many share a transaction."""


class Together:
    """While one transaction is stored, the next gathers: an fsync each would take longer than all the work."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._waiting: deque[tuple[Work, asyncio.Future[None]]] = deque()
        self._task: asyncio.Task[None] | None = None

    async def store_with_others(self, work: Work) -> None:
        """Does the work in a transaction; returns when that is committed, and raises what went wrong with it."""
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((work, done))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="together")
        await done

    async def _run(self) -> None:
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(MOST, len(self._waiting)))]
            if not await self._all(batch):
                for one in batch:  # one of them is at fault, and the others need not suffer
                    await self._all([one], alone=True)

    async def _all(self, batch: list[tuple[Work, asyncio.Future[None]]], alone: bool = False) -> bool:
        async def everything(connection: AsyncConnection) -> None:
            for work, _ in batch:
                await work(connection)

        try:
            await self.store.write_together(everything)
        except Exception as error:
            for _, done in batch if alone or len(batch) == 1 else []:
                if not done.done():
                    done.set_exception(error)
            return alone or len(batch) == 1
        for _, done in batch:
            if not done.done():
                done.set_result(None)
        return True

    async def stop(self) -> None:
        """Stores what waits."""
        if self._task:
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
