"""Letters are carried out in the order in which they came, once each, and answered.

A letter is done with the transaction that stores its answer. What its commands change is marked with the command in the
transaction that stores the change. So whenever the server dies, the letter is tried again, finds what it has done
already, and is answered.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.commands.accounts import confirm_signup
from hedgerow.serve.commands.carrying import carry_out
from hedgerow.serve.commands.speaking import Answer, Sender
from hedgerow.serve.people.mail import Post
from hedgerow.serve.play.backoff import is_away
from hedgerow.serve.post import who
from hedgerow.serve.post.alone import Alone
from hedgerow.serve.post.answering import Reply, reply_to
from hedgerow.serve.post.reading import Read, read
from hedgerow.serve.post.receiving import QUICK
from hedgerow.serve.post.together import Together
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.store import inbox
from hedgerow.serve.store.rows import LetterRow
from hedgerow.serve.store.schema import now

log = logging.getLogger("hedgerow.post")

EVERY = 0.5
"""How often, in seconds, letters are looked for that others have stored."""
TOGETHER = 50
"""How many letters are taken at a time."""
SOON = 3_000
"""After how many milliseconds a letter is tried again when the database was away; it is none of its fault."""
AGAIN = (10_000, 60_000, 600_000, 3_600_000)
"""After which times a letter is tried again that fails for reasons of its own; then it is given up, and told so."""
DAY = 86_400_000
KEPT = 60 * DAY
"""For how long it is known that a letter was here."""
SORRY = Answer(
    ok=False,
    text="Something went wrong with your mail on our side. What of it was done is on the page; the rest is not.",
)


class Worker:
    """Carries letters out as long as the server runs."""

    def __init__(self, server: Server, post: Post) -> None:
        self.server, self.post = server, post
        self.together = Together(server.store)
        self.done = self.put_off = self.given_up = 0
        self._alone = Alone(server.store)
        self._wake = asyncio.Event()
        self._forgot = 0
        self._task = asyncio.create_task(self._run(), name="letters")

    def wake(self) -> None:
        """There is a new letter."""
        self._wake.set()

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                while await self._alone.held() and await self.work():
                    pass
                await self._forget()
            except Exception as error:  # the database is away; the next look is soon
                log.warning("could not look after the letters: %s", type(error).__name__)
                await asyncio.sleep(EVERY)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), EVERY)

    async def work(self) -> int:
        """Carries out what is due, each sender's letters in order; how many letters there were."""
        async with self.server.store.read() as connection:
            due = await inbox.due(connection, now(), TOGETHER)
        by_sender: defaultdict[str, list[LetterRow]] = defaultdict(list)
        for row in due:
            by_sender[row.sender.lower() or row.recipient].append(row)
        ends = await asyncio.gather(*(self._in_order(rows) for rows in by_sender.values()), return_exceptions=True)
        for error in ends:  # all have come to their end before anything is tried again
            if isinstance(error, BaseException):
                raise error
        return len(due)

    async def _in_order(self, rows: Sequence[LetterRow]) -> None:
        """One sender's letters; those behind one that must wait wait, too."""
        for number, row in enumerate(rows):
            try:
                await self._carry(row)
            except Exception as error:
                until = await self._failed(row, error)
                for later in rows[number + 1 :] if until else ():
                    await self._put_off(later, until, later.tries)
                if until:
                    return

    async def _carry(self, row: LetterRow) -> None:
        """One letter, from what it says to its answer."""
        assert row.raw is not None
        found = read(row.raw) if len(row.raw) <= QUICK else await asyncio.to_thread(read, row.raw)
        if found.bounce or not row.sender or found.automatic or self.server.reply_addresses.is_ours(found.sender):
            await self._settle(row, found, None)
            return
        sender = await who.sender_of(self.server, row, found)
        if token := self.server.reply_addresses.sign_up(row.recipient):
            confirmed = await self._confirmed(sender, token)
            reply = reply_to(sender, found, [confirmed], proven=confirmed.ok)
        else:
            answers = await carry_out(self.server, sender, found.subject, found.body)
            reply = reply_to(sender, found, answers)
        await self._settle(row, found, reply)

    async def _confirmed(self, sender: Sender, token: str) -> Answer:
        """What comes of an answer to the mail that asks whether somebody wants to sign up."""
        try:
            return await confirm_signup(self.server, sender, token)
        except Refused as refused:
            if is_away(refused):
                raise
            return Answer(ok=False, text=str(refused), command="signup")

    async def _settle(self, row: LetterRow, found: Read, reply: Reply | None) -> None:
        """The letter is done, and what follows from it is stored with that."""

        async def store(connection: AsyncConnection) -> None:
            if not await inbox.settle(connection, row.id):
                return
            if found.bounce and found.bounce.permanent:
                await self.server.bounces.came_back(row.recipient, connection)
            if reply and await who.may_be_answered(connection, reply, found):
                await reply.send(self.post, connection)

        await self.together.store_with_others(store)
        self.done += 1
        if reply:
            self.post.wake()

    async def _failed(self, row: LetterRow, error: Exception) -> int:
        """A letter could not be carried out; when it is tried again, 0 where it is given up."""
        if is_away(error):
            return await self._put_off(row, now() + SOON, row.tries)
        log.error("letter %d failed: %s", row.id, type(error).__name__, exc_info=error)
        if row.tries < len(AGAIN):
            return await self._put_off(row, now() + AGAIN[row.tries], row.tries + 1)
        self.given_up += 1
        found = read(row.raw or b"")
        sender = await who.sender_of(self.server, row, found)
        await self._settle(row, found, reply_to(sender, found, [SORRY]))
        return 0

    async def _put_off(self, row: LetterRow, until: int, tries: int) -> int:
        async with self.server.store.write() as connection:
            await inbox.put_off(connection, row.id, until, tries)
        self.put_off += 1
        return until

    async def _forget(self) -> None:
        """Once a day, letters that are done since long."""
        if now() - self._forgot > DAY:
            async with self.server.store.write() as connection:
                await inbox.forget(connection, now() - KEPT)
            self._forgot = now()

    async def stop(self) -> None:
        """What is not done stays in the database."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        await self.together.stop()
        await self._alone.release()
