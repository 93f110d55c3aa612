"""Letters are carried out in the order in which they came, once each, and answered.

A letter is done with the transaction that stores its answer. What its commands change is marked with the command in the
transaction that stores the change. So whenever the server dies, the letter is tried again, finds what it has done
already, and is answered.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.commands.accounts import confirm_signup
from hedgerow.serve.commands.carrying import carry_out
from hedgerow.serve.commands.speaking import Answer, Sender
from hedgerow.serve.people.limits import Busy
from hedgerow.serve.people.mail import Post
from hedgerow.serve.people.reply_addresses import ReplyAddresses
from hedgerow.serve.play.backoff import is_away
from hedgerow.serve.post import who
from hedgerow.serve.post.alone import Alone
from hedgerow.serve.post.answering import Reply, reply_to, send_all
from hedgerow.serve.post.reading import Read, read
from hedgerow.serve.post.receiving import QUICK
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.store import inbox, people
from hedgerow.serve.store.inbox import Waiting
from hedgerow.serve.store.rows import AccountRow, LetterRow
from hedgerow.serve.store.schema import now

log = logging.getLogger("hedgerow.post")

EVERY = 0.5
"""How often, in seconds, letters are looked for that others have stored."""
AT_ONCE = 100
"""How many letters are under way at once."""
EACH = 10
"""How many of them one sender has."""
LOOKED = 1_000
"""How far down the line is looked for somebody who has none."""
SOON = 3_000
"""After how many milliseconds a letter is tried again when the database was away; it is none of its fault."""
APART = 50
"""How many milliseconds lie between letters that are tried again because too many had a word to be proven."""
AGAIN = (10_000, 60_000, 600_000, 3_600_000)
"""After which times a letter is tried again that fails for reasons of its own; then it is given up, and told so."""
DAY = 86_400_000
KEPT = 60 * DAY
"""For how long it is known that a letter was here."""
SORRY = Answer(
    ok=False,
    text="Something went wrong with your mail on our side. What of it was done is on the page; the rest is not.",
)


class Settled(NamedTuple):
    """A letter that is done, and what is answered."""

    row: LetterRow
    found: Read
    reply: Reply | None


@dataclass(frozen=True)
class Taken:
    """Letters that are taken up, and what the database says about them, asked for all at once."""

    rows: Sequence[LetterRow] = ()
    begun: Container[int] = ()
    """Those that have done something already."""
    owners: Mapping[int, AccountRow] = field(default_factory=dict)
    """The accounts that their secret addresses name."""


async def _taken_up(addresses: ReplyAddresses, busy: Container[str], room: int, connection: AsyncConnection) -> Taken:
    """Letters of those who have nothing under way, as many as there is room for."""
    chosen = fair(await inbox.line(connection, now(), LOOKED), busy, room)
    if not chosen:
        return Taken()
    rows = await inbox.these(connection, chosen)
    named = [tag.account for row in rows if (tag := addresses.tag(row.recipient))]
    return Taken(rows, await inbox.begun(connection, chosen), await people.account_rows(connection, named))


def whose(letter: Waiting | LetterRow) -> str:
    """Whose letters are done in order: those of one sender, or reports to one address, which nobody sends."""
    return letter.sender.lower() or letter.recipient


def fair(line: Sequence[Waiting], busy: Container[str], room: int) -> list[int]:
    """Which letters are taken up next: a few of everybody who has none under way, those first who wait longest."""
    chosen, counted = list[int](), Counter[str]()
    for letter in line:
        sender = whose(letter)
        if len(chosen) < room and sender not in busy and counted[sender] < EACH:
            chosen.append(letter.id)
            counted[sender] += 1
    return chosen


class Worker:
    """Carries letters out as long as the server runs."""

    def __init__(self, server: Server, post: Post) -> None:
        self.server, self.post, self.counts = server, post, post.counts
        self._alone = Alone(server.store)
        self._wake = asyncio.Event()
        self._forgot = self._next_place = 0
        self._busy: dict[str, asyncio.Task[None]] = {}
        """What is under way, by sender: everybody's letters are done in order, and nobody waits for somebody else's."""
        self._under_way = 0
        self._task = asyncio.create_task(self._run(), name="letters")

    def wake(self) -> None:
        """There is a new letter."""
        self._wake.set()

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                while await self._alone.held() and await self._begin():
                    pass
                await self._forget()
            except Exception as error:  # the database is away; the next look is soon
                log.warning("could not look after the letters: %s", type(error).__name__)
                await asyncio.sleep(EVERY)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), EVERY)

    async def _begin(self) -> int:
        """Begins with what is due of those who have nothing under way; how many letters that are."""
        room = AT_ONCE - self._under_way
        if room <= 0:
            return 0
        take_up = partial(_taken_up, self.server.reply_addresses, frozenset(self._busy), room)
        taken = await self.server.store.together(take_up)
        by_sender: defaultdict[str, list[LetterRow]] = defaultdict(list)
        for row in taken.rows:
            by_sender[whose(row)].append(row)
        self.counts.received += sum(not row.tries for row in taken.rows)
        for sender, rows in by_sender.items():
            task = self._busy[sender] = asyncio.create_task(self._in_order(rows, taken), name=sender)
            self._under_way += len(rows)
            task.add_done_callback(partial(self._ended, sender, len(rows)))
        return len(taken.rows)

    def _ended(self, sender: str, letters: int, task: asyncio.Task[None]) -> None:
        """A sender's letters are done, or put off; where not even that could be stored, the next look is later."""
        del self._busy[sender]
        self._under_way -= letters
        if not task.cancelled() and (error := task.exception()):
            log.warning("could not look after a letter: %s", type(error).__name__)
        else:
            self._wake.set()

    async def _in_order(self, rows: Sequence[LetterRow], taken: Taken) -> None:
        """One sender's letters; those behind one that must wait wait, too."""
        for number, row in enumerate(rows):
            try:
                await self._carry(row, taken if number == 0 else None, fresh=row.id not in taken.begun)
            except Exception as error:
                until = await self._failed(row, error)
                for later in rows[number + 1 :] if until else ():
                    await self._put_off(later, until, later.tries)
                if until:
                    return

    async def _carry(self, row: LetterRow, taken: Taken | None, fresh: bool) -> None:
        """One letter, from what it says to its answer; what was found out before those before it were done is old."""
        assert row.raw is not None
        found = read(row.raw) if len(row.raw) <= QUICK else await asyncio.to_thread(read, row.raw)
        if found.bounce or not row.sender or found.automatic or self.server.reply_addresses.is_ours(found.sender):
            await self._settle(row, found, None)
            self.counts.ignored += 1
            return
        sender = await who.sender_of(self.server, row, found, taken.owners if taken else None, fresh)
        if token := self.server.reply_addresses.sign_up(row.recipient):
            confirmed = await self._confirmed(sender, token)
            answers = [confirmed]
            reply = reply_to(sender, found, answers, proven=confirmed.ok)
        else:
            answers = await carry_out(self.server, sender, found.subject, found.body)
            reply = reply_to(sender, found, answers)
        await self._settle(row, found, reply)
        obeyed = bool(answers) and all(answer.ok for answer in answers)
        self.counts.obeyed += obeyed
        self.counts.refused += not obeyed

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
        self.counts.answered += await self.server.store.write_alike(self._settle_all, Settled(row, found, reply))
        self.counts.settled_seconds += (now() - row.received) / 1000
        if reply:
            self.post.wake()

    async def _settle_all(self, connection: AsyncConnection, some: Sequence[Settled]) -> list[bool]:
        """Several letters are done, those that somebody else has done without effect; which of them are answered."""
        mine = await inbox.settle(connection, [one.row.id for one in some])
        replies, answered = list[Reply](), set[int]()
        for row, found, reply in [one for one in some if one.row.id in mine]:
            if found.bounce and found.bounce.permanent:
                await self.server.bounces.came_back(row.recipient, connection)
            if reply and await who.may_be_answered(connection, reply, found, replies):
                replies.append(reply)
                answered.add(row.id)
        await send_all(self.post, connection, replies)
        return [one.row.id in answered for one in some]

    async def _failed(self, row: LetterRow, error: Exception) -> int:
        """A letter could not be carried out; when it is tried again, 0 where it is given up."""
        if isinstance(error, Busy):  # one after the other: all at once, most of them would find no room again
            self._next_place = max(self._next_place + APART, now() + SOON)
            return await self._put_off(row, self._next_place, row.tries)
        if is_away(error):
            return await self._put_off(row, now() + SOON, row.tries)
        log.error("letter %d failed: %s", row.id, type(error).__name__, exc_info=error)
        if row.tries < len(AGAIN):
            return await self._put_off(row, now() + AGAIN[row.tries], row.tries + 1)
        self.counts.given_up += 1
        found = read(row.raw or b"")
        sender = await who.sender_of(self.server, row, found)
        await self._settle(row, found, reply_to(sender, found, [SORRY]))
        return 0

    async def _put_off(self, row: LetterRow, until: int, tries: int) -> int:
        async with self.server.store.write() as connection:
            await inbox.put_off(connection, row.id, until, tries)
        self.counts.put_off += 1
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
        for task in (under_way := list(self._busy.values())):
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        await self._alone.release()
