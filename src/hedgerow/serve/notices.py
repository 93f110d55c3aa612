"""Notices: whose turn it is in games by correspondence, and which of them are over; and mails of them, where wanted."""

from __future__ import annotations

import asyncio
import logging
import secrets
from typing import TYPE_CHECKING, Any

from hedgerow.serve.store import mailbox, people
from hedgerow.serve.store.schema import now

if TYPE_CHECKING:
    from hedgerow.serve.live import LiveGame
    from hedgerow.serve.store import Store

log = logging.getLogger("hedgerow.notices")

BATCH = 600_000
"""For how long turns are gathered into one mail, in milliseconds."""


class Notices:
    """Told of every game that moves on; only games with days for a turn are worth a notice.

    Whether there are mails is said by the servers that send them, in the database: an engine worker sends none, and
    writes notices all the same.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._writing: set[asyncio.Task[None]] = set()
        self._last: dict[str, asyncio.Task[None]] = {}
        """What was last begun about a game: notices of one game are written in their order."""

    def consider(self, live: LiveGame) -> None:
        """A game has begun or moved on."""
        if live.clock.control.kind != "days" or live.begun is None:
            return
        title, seated = live.match.rules.game.title, {seat.account for seat in live.seats if seat.account is not None}
        if live.over:
            told = dict.fromkeys(seated, ("over", f"{title}: the game is over."))
        else:
            mover = live.seats[live.match.to_move].account
            told = {} if mover is None else {mover: ("turn", f"{title}: it is your turn.")}
        task = asyncio.create_task(self._write_after(self._last.get(live.id), live.id, seated, told), name=live.id)
        self._last[live.id] = task
        self._writing.add(task)
        task.add_done_callback(self._written)

    def _written(self, task: asyncio.Task[None]) -> None:
        self._writing.discard(task)
        if self._last.get(task.get_name()) is task:
            del self._last[task.get_name()]
        if not task.cancelled() and (error := task.exception()):
            log.error("a notice could not be written", exc_info=error)

    async def _write_after(
        self, before: asyncio.Task[None] | None, game: str, seated: set[int], told: dict[int, tuple[str, str]]
    ) -> None:
        if before is not None:
            await asyncio.wait([before])
        await self._write(game, seated, told)

    async def _write(self, game: str, seated: set[int], told: dict[int, tuple[str, str]]) -> None:
        """Whoever has just moved has read what there was to read; the next one gets a notice."""
        at = now()
        async with self.store.write() as connection:
            mails = await mailbox.mail_is_on(connection)
            for account in seated - set(told):
                await mailbox.read_notices(connection, account, at, game=game)
            for account, (kind, text) in told.items():
                row = await people.account_row(connection, account)
                if row is not None and row.kind != "gone":
                    await mailbox.add_notice(connection, account, kind, game, text, at)
                    if mails:
                        await mail_later(connection, row, at)

    async def stop(self) -> None:
        """Writes what is being written."""
        await asyncio.gather(*self._writing, return_exceptions=True)


async def mail_later(connection: Any, row: Any, at: int) -> None:
    """Somebody's turn has come: a mail says so after a while, with all others that come until then."""
    wanted = row.mail and row.confirmed and row.turn_mails and row.banned is None
    if not wanted or await mailbox.mail_waits(connection, row.id, "turns"):
        return
    if row.mail_key is None:
        await people.change(connection, row.id, mail_key=secrets.token_urlsafe(24)[:32])
    mail = {"account": row.id, "kind": "turns", "address": row.mail, "subject": "", "body": ""}
    await mailbox.add_mail(connection, **mail, created=at, due=at + BATCH)
