"""Notices: whose turn it is in games by correspondence, and which of them are over; and mails of them, where wanted."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.people import views
from hedgerow.serve.people.mail import give_key, plays_by_mail, wants_mail
from hedgerow.serve.people.views import NoticeView
from hedgerow.serve.store import mailbox, people
from hedgerow.serve.store.mailbox import NewNotice
from hedgerow.serve.store.rows import AccountRow, NoticeRow
from hedgerow.serve.store.schema import now

if TYPE_CHECKING:
    from hedgerow.serve.store import Store

log = logging.getLogger("hedgerow.notices")

WAIT = 600_000
"""How long a mail about a turn waits for those who play on the page, in milliseconds; they may see it there."""
SHORT = 60_000
"""The same for a mail about a challenge: somebody waits for the answer."""

Notes = dict[int, tuple[str, str]]
"""A kind and a text, by account."""


class Notices:
    """Writes and reads notices, those of one game in their order; `play.notify` decides what is worth one.

    Whether there are mails is said by the servers that send them, in the database: an engine worker sends none, and
    writes notices all the same.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.after: list[Callable[[str, Notes], None]] = []
        """Who is told of new notices about a game."""
        self._writing: set[asyncio.Task[None]] = set()
        self._last: dict[str, asyncio.Task[None]] = {}
        """What was last begun about a game: notices of one game are written in their order."""

    def tell(self, game: str, seated: set[int], notices: Notes) -> None:
        """Writes notices about a game, by account; those of its players who get none have read what there was."""
        self._begin(game, self._write(game, seated, notices))

    def say(self, game: str, by: int | None, to: set[int], text: str) -> None:
        """Somebody said or offers something in a game: a letter to those who play by mail; others look at the page."""
        self._begin(game, self._say(game, by, to, text))

    def _begin(self, game: str, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._after(self._last.get(game), work), name=game)
        self._last[game] = task
        self._writing.add(task)
        task.add_done_callback(self._written)

    def _written(self, task: asyncio.Task[None]) -> None:
        self._writing.discard(task)
        if self._last.get(task.get_name()) is task:
            del self._last[task.get_name()]
        if not task.cancelled() and (error := task.exception()):
            log.error("a notice could not be written", exc_info=error)

    async def _after(self, before: asyncio.Task[None] | None, work: Coroutine[Any, Any, None]) -> None:
        if before is not None:
            await asyncio.wait([before])
        await work

    async def _write(self, game: str, seated: set[int], notices: Notes) -> None:
        await self.store.write_alike(_write_all, News(game, frozenset(seated), notices, now()))
        for listener in self.after:
            listener(game, notices)

    async def _say(self, game: str, by: int | None, to: set[int], text: str) -> None:
        at = now()
        async with self.store.write() as connection:
            mails = await mailbox.mail_is_on(connection)
            for account in sorted(to) if mails else ():
                row = await people.account_row(connection, account)
                if row is None or not (wants_mail(row) and plays_by_mail(row)):
                    continue
                if by is None or not await mailbox.is_muted(connection, account, by):
                    await give_key(connection, account)
                    mail = {"account": account, "kind": "message", "address": row.mail, "subject": "", "body": text}
                    await mailbox.add_mail(connection, **mail, game=game, created=at, due=at)

    async def of(self, account: int, limit: int) -> views.Notices:
        """Somebody's notices, the latest first, and how many of all they have not read."""

        async def ask(connection: AsyncConnection) -> tuple[int, Sequence[NoticeRow]]:
            unread = await mailbox.unread(connection, account)
            return unread, await mailbox.notices_of(connection, account, limit) if limit else []

        unread, rows = await self.store.together(ask)
        keys = ("id", "kind", "game", "text", "created")
        found = [NoticeView(**{key: getattr(row, key) for key in keys}, read=row.read is not None) for row in rows]
        return views.Notices(unread=unread, notices=found)

    async def read(self, account: int, *, up_to: int | None = None, game: str | None = None) -> None:
        """Somebody has read their notices: all, or those up to a number, or about a game."""
        async with self.store.write() as connection:
            await mailbox.read_notices(connection, account, now(), up_to=up_to, game=game)

    async def stop(self) -> None:
        """Writes what is being written."""
        await asyncio.gather(*self._writing, return_exceptions=True)


class News(NamedTuple):
    """What is new in a game at a moment: who sits there, and who is told what."""

    game: str
    seated: frozenset[int]
    told: Notes
    at: int


async def _write_all(connection: AsyncConnection, some: Sequence[News]) -> list[None]:
    """The news of several games: whoever has just moved has read what there was to read; the next one gets a notice."""
    read = [(account, news.game) for news in some for account in sorted(news.seated - set(news.told))]
    await mailbox.read_about(connection, read, max(news.at for news in some))
    told = [
        NewNotice(account, kind, news.game, text, news.at)
        for news in some
        for account, (kind, text) in news.told.items()
    ]
    rows = await people.account_rows(connection, [new.account for new in told])
    told = [new for new in told if new.account in rows and rows[new.account].kind != "gone"]
    await mailbox.add_notices(connection, told)
    if told and await mailbox.mail_is_on(connection):
        await mail_later(connection, rows, told)
    return [None] * len(some)


async def mail_later(connection: AsyncConnection, rows: Mapping[int, AccountRow], told: Sequence[NewNotice]) -> None:
    """Something is new in games: mails say so, at once to those who were last heard of by mail."""
    wait = await mailbox.waiting_turns(connection, sorted({new.account for new in told}))
    mails = {}
    for new in told:
        row, about = rows[new.account], (new.account, new.game or "")
        if not wants_mail(row) or about in wait or about in mails:
            continue
        if row.mail_key is None:
            await give_key(connection, row.id)
        due = new.created if plays_by_mail(row) else new.created + (SHORT if new.kind == "asked" else WAIT)
        mail = {"account": row.id, "kind": "turns", "address": row.mail, "subject": "", "body": "", "game": new.game}
        mails[about] = {**mail, "created": new.created, "due": due}
    await mailbox.add_mails(connection, list(mails.values()))
