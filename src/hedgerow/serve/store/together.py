"""Small writes of many, stored with one transaction: each is told when its own is stored."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, NamedTuple, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

Item = TypeVar("Item")
Found = TypeVar("Found")
Work = Callable[[AsyncConnection], Coroutine[object, None, Found]]
AllOf = Callable[[AsyncConnection, Sequence[Item]], Coroutine[object, None, Sequence[Found]]]
"""Does the same for several things at once; what came of each."""
Store = Callable[[Work[None]], Coroutine[Any, Any, None]]
"""Does work in a transaction."""

MOST = 100
"""How many share a transaction."""


class _Waiting(NamedTuple):
    """Something to be stored, how that is done, and who waits for it."""

    do: AllOf[Any, Any]
    item: Any
    done: asyncio.Future[Any]


class Together:
    """While one transaction is stored, the next gathers: an fsync each would take longer than all the work."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: deque[_Waiting] = deque()
        self._task: asyncio.Task[None] | None = None

    async def store_with_others(self, do: AllOf[Item, Found], item: Item) -> Found:
        """Does something with an item in a transaction, for all who ask for the same by then at once.

        Returns when that is committed; raises what went wrong with it. What came of it is undone, and it is done again
        alone, where somebody else's work in the transaction fails.
        """
        done: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(do, item, done))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="together")
        return await done

    async def _run(self) -> None:
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(MOST, len(self._waiting)))]
            if not await self._all(batch):
                for one in batch:  # one of them is at fault, and the others need not suffer
                    await self._all([one], alone=True)

    async def _all(self, batch: Sequence[_Waiting], alone: bool = False) -> bool:
        alike: dict[AllOf[Any, Any], list[_Waiting]] = {}
        for one in batch:
            alike.setdefault(one.do, []).append(one)
        found: list[tuple[_Waiting, Any]] = []

        async def everything(connection: AsyncConnection) -> None:
            found.clear()
            for do, some in alike.items():
                found.extend(zip(some, await do(connection, [one.item for one in some]), strict=True))

        try:
            await self._store(everything)
        except Exception as error:
            for one in batch if alone or len(batch) == 1 else []:
                if not one.done.done():
                    one.done.set_exception(error)
            return alone or len(batch) == 1
        for one, result in found:
            if not one.done.done():
                one.done.set_result(result)
        return True

    async def stop(self) -> None:
        """Stores what waits."""
        if self._task:
            with contextlib.suppress(asyncio.CancelledError):
                await self._task


async def each(connection: AsyncConnection, works: Sequence[Work[Any]]) -> list[Any]:
    """Different work of several, one after the other."""
    return [await work(connection) for work in works]
