"""Clocks of games by correspondence that wait for somebody on vacation: the row of a game says when its flag falls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.play.clocks import LAG, Control
from hedgerow.serve.play.live import LiveGame
from hedgerow.serve.store import vacations

if TYPE_CHECKING:
    from hedgerow.serve.store import Store


async def first_due(connection: AsyncConnection, control: Control, account: int | None, at: int) -> int | None:
    """When the first flag of a game that begins now falls, if this account has the first turn."""
    if control.kind == "none":
        return None
    begins = await vacations.back(connection, account, at) if control.kind == "days" else at
    return begins + control.base_ms + LAG


async def waits(store: Store, live: LiveGame, at: int) -> bool:
    """Whether the clock of a game that is held waits, for somebody who has gone on vacation since it was read."""
    if live.clock.control.kind != "days":
        return False
    mover = live.seats[live.match.to_move].account
    async with store.read() as connection:
        due = await vacations.due(connection, live.id)
        back = await vacations.back(connection, mover, at)
    if back > at >= (due or 0):  # the turn came to them at the very moment in which they left
        due = back + live.clock.control.base_ms + LAG
        async with store.write() as connection:
            await vacations.set_due(connection, live.id, live.version, due)
    live.wait_until(due)
    live.settle()
    return due is not None and due > at
