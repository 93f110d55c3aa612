"""Outgoing mail: a queue in the database, sent on several connections at once, and tried again when that fails.

Letters about a game are one thread. What a letter about somebody's turn says is written when it goes out, and it does
not go out when there is nothing left to say.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import logging
import secrets
import smtplib
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from email.utils import parseaddr

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.people import bounces
from hedgerow.serve.people.accounts import digest
from hedgerow.serve.people.addresses import spellings
from hedgerow.serve.people.letter_counts import LetterCounts
from hedgerow.serve.people.letter_texts import LETTERS, MOVED
from hedgerow.serve.people.letters import Letter, Part, body_of, message_id_of, subject_of, written
from hedgerow.serve.people.limits import Limits
from hedgerow.serve.people.names import keys_of
from hedgerow.serve.people.reply_addresses import ReplyAddresses
from hedgerow.serve.people.smtp import Carrier, Smtp, Unwritable
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import Store, mailbox, people
from hedgerow.serve.store.rows import AccountRow, MailRow
from hedgerow.serve.store.schema import now
from hedgerow.serve.store.tokens import lock_account

log = logging.getLogger("hedgerow.mail")

EVERY = 1.0
"""How often, in seconds, the queue is looked at."""
CLAIM = 20_000
"""For how long a mail is one process's to send, in milliseconds; it is renewed while that goes on."""
AGAIN = (60_000, 300_000, 1_800_000, 7_200_000, 28_800_000, 86_400_000)
"""After which times a mail is tried again; then it is given up."""
TOGETHER = 100
"""How many mails are taken from the queue at once."""
UNDER_WAY = 300
"""How many are being sent before no more are taken."""
LEAVING = 5.0
"""For how many seconds a server that stops waits for mails that are being sent."""
ASKED = 1_000
"""How many of those who have forgotten a password may wait to be looked up."""
HOUR, DAY = 3_600_000, 86_400_000
HOLDS = {"reset": HOUR, "confirm": 7 * DAY, "signup": 7 * DAY}
"""For how long a link in a mail holds."""
UNASKED = ("turns", "message")
"""Mails that come by themselves: only to confirmed addresses that want them and answer. All others were asked for."""


@dataclass(frozen=True)
class About:
    """What a letter says about a game: the subject of its thread, and parts with the board."""

    subject: str
    parts: Sequence[Part]
    concerned: bool
    """It is the reader's turn, or the game is over."""

    def headed(self, several: bool) -> list[Part]:
        """The parts, below what game it is where there are several."""
        return [*([self.subject.strip("[]")] if several else []), *self.parts]


Describe = Callable[[str, int | None, bool, bool], Awaitable[About | None]]
"""A game for an account, which may play by answering or not, in a hurry or not; None where it may not see the game."""


@dataclass(frozen=True)
class Draft:
    """A letter for the queue; an answer to it plays in its game, and boards of others follow."""

    kind: str
    address: str
    subject: str
    text: str
    owner: AccountRow | None = None
    game: str | None = None
    games: Sequence[str] = ()
    in_reply_to: str | None = None

    def row(self, at: int) -> dict[str, object]:
        """The same as it is kept."""
        row = {"kind": self.kind, "address": self.address, "subject": subject_of(self.subject)}
        about = {"account": self.owner.id if self.owner else None, "game": self.game}
        more = {"games": " ".join(self.games) or None, "in_reply_to": message_id_of(self.in_reply_to)}
        return {**row, **about, **more, "body": body_of(self.text), "created": at, "due": at}


@dataclass(frozen=True)
class Ready:
    """A mail that is claimed, whose it is, and what it says besides boards."""

    row: MailRow
    owner: AccountRow | None
    text: str


class Post:
    """The post office of a server with a mail server and a public URL; `describe` says what is written about games."""

    def __init__(
        self, store: Store, settings: Settings, limits: Limits, addresses: ReplyAddresses, describe: Describe
    ) -> None:
        assert settings.smtp and settings.public_url
        self.store, self.limits, self.addresses, self.describe = store, limits, addresses, describe
        self.url = settings.public_url
        self.smtp = Smtp.of(settings.smtp, settings.mail_from)
        self.carrier = Carrier(self.smtp)
        self.sent = self.failed = self.set_aside = 0
        self.counts = LetterCounts()
        self._domain = parseaddr(addresses.address or self.smtp.sender)[1].rpartition("@")[2]
        self._asked: deque[str] = deque()
        self._done: list[dict[str, int | None]] = []
        self._settling = asyncio.Lock()
        self._wake = asyncio.Event()
        self._stopping = self._hurried = False
        self._only = settings.redis is None
        self._due = self._forgot = self._under_way = 0
        self._task = asyncio.create_task(self._run(), name="post")

    # --- writing ------------------------------------------------------------------------------------------------------

    async def send(
        self,
        kind: str,
        address: str,
        subject: str,
        text: str,
        *,
        connection: AsyncConnection,
        account: int | None = None,
        game: str | None = None,
        games: Sequence[str] = (),
        in_reply_to: str | None = None,
    ) -> None:
        """Queues a letter in a transaction; the boards of these games go with it, as they are when it is sent.

        `account` is who it is for, and `game` the one whose thread it is in and that an answer to it plays in.
        """
        owner = await people.account_row(connection, account) if account is not None else None
        await self.queue(connection, [Draft(kind, address, subject, text, owner, game, games, in_reply_to)])

    async def queue(self, connection: AsyncConnection, drafts: Sequence[Draft]) -> None:
        """Queues letters in a transaction."""
        at = now()
        await mailbox.add_mails(connection, [draft.row(at) for draft in drafts])
        for kind, owner in [(draft.kind, draft.owner) for draft in drafts if draft.owner]:
            if owner.mail_key is None:
                await give_key(connection, owner.id)
            if kind == "answer" and not wrote_since(owner, at - HOUR):
                await mailbox.wrote(connection, owner.id, at, at - HOUR)

    def wake(self) -> None:
        """Something was queued and is stored: it need not wait for the next look."""
        self._wake.set()

    async def send_link(self, kind: str, account: int, address: str) -> None:
        """Sends a link that proves that they read mails of this address: to `confirm` it, or to `reset` a password."""
        async with self.store.write() as connection:
            owner = await lock_account(connection, account)
            if owner is None or owner.mail != address or owner.banned is not None:  # since a moment ago
                return
            await self.queue_link(connection, kind, account, address)

    async def queue_link(self, connection: AsyncConnection, kind: str, account: int, address: str) -> None:
        """The same in a transaction, to any address; others of that kind do not hold any more."""
        token, at = secrets.token_urlsafe(32), now()
        about, words = LETTERS[kind]
        body = f"{words}\n\n{self.url}/{kind}/{token}\n\nIf you did not ask for it, do nothing.\n"
        row = {"kind": kind, "token": digest(token), "account": account, "about": address}
        await people.add_one_time_token(connection, **row, created=at, expires=at + HOLDS[kind])
        mail = {"account": account, "kind": kind, "address": address, "subject": about, "body": body}
        await mailbox.add_mail(connection, **mail, created=at, due=at)

    async def tell_move(self, connection: AsyncConnection, owner: AccountRow, address: str | None) -> None:
        """Tells somebody's address that another is to take its place, or that it is used no more."""
        assert owner.mail is not None
        subject, words = MOVED[address is not None]
        told = words.format(name=owner.name, address=address, url=self.url)
        await self.queue(connection, [Draft("moved", owner.mail, subject, told, owner)])

    async def send_signup(self, connection: AsyncConnection, address: str, about: str) -> None:
        """Asks whoever reads this address whether they want to sign up; `about` is kept until they say so.

        They do by the link, or by any answer: the token is in both, and names a one-time token of kind `signup`.
        """
        raw, at = secrets.token_bytes(20), now()
        token = base64.b32encode(raw).decode().lower()
        row = {"kind": "signup", "token": digest(token), "account": None, "about": about}
        await people.add_one_time_token(connection, **row, created=at, expires=at + HOLDS["signup"])
        subject, words = LETTERS["signup"]
        answer = "To confirm it, answer this mail, or follow this link:" if self.addresses.address else "To confirm it:"
        body = f"{words}\n\n{answer}\n\n{self.url}/signup/{token}\n\nIf you did not ask for it, do nothing.\n"
        await mailbox.add_mail(
            connection, kind="signup", address=address, subject=subject, body=body, created=at, due=at
        )

    def ask_reset(self, who: str) -> None:
        """Somebody has forgotten a password. Who it is, is looked up when the mail is next looked after.

        So nobody can tell by the time of an answer whether there is such a name or address.
        """
        if len(self._asked) < ASKED:
            self._asked.append(who)

    async def _look_up_asked(self) -> None:
        while self._asked:
            who = self._asked.popleft()
            try:
                async with self.store.read() as connection:
                    row = await mailbox.account_for_reset(connection, keys_of(who), spellings(who))
                if row is not None and row.mail and not await self.limits.wait_everywhere("mail", row.id):
                    await self.send_link("reset", row.id, row.mail)
            except Exception as error:  # the database is away: whoever waits for a mail asks again
                log.warning("could not look up who has forgotten a password: %s", type(error).__name__)

    # --- sending ------------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        with contextlib.suppress(Exception):  # the database is away: what was claimed waits a little
            await self._take_over()
        while not self._stopping:
            self._wake.clear()
            try:
                await self._send_what_waits()
                await self.carrier.rest()
            except Exception as error:  # the database is away; the next look is soon
                log.warning("could not look after the mail: %s", type(error).__name__)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), EVERY)

    async def _send_what_waits(self) -> None:
        """Everything that is due, batch after batch: one slow letter does not hold up those behind it."""
        sending: set[asyncio.Task[None]] = set()
        try:
            while not self._stopping:
                self._wake.clear()
                some = await self._claimed()
                if some:
                    sending.add(asyncio.create_task(self._try_all(some)))
                elif not sending:
                    return
                sending -= await self._some_sent(sending, full=self._under_way >= UNDER_WAY, more=bool(some))
            await asyncio.gather(*sending, return_exceptions=True)  # the server stops, and lets them come to their end
        finally:
            for task in sending:
                task.cancel()
            await asyncio.gather(*sending, return_exceptions=True)

    async def _some_sent(self, sending: set[asyncio.Task[None]], full: bool, more: bool) -> set[asyncio.Task[None]]:
        """Waits until there is room, or something new to send; the batches that are done."""
        if full:
            await asyncio.wait(sending, return_when=asyncio.FIRST_COMPLETED)
        elif not more:
            woken = asyncio.create_task(self._wake.wait())
            await asyncio.wait({*sending, woken}, timeout=EVERY, return_when=asyncio.FIRST_COMPLETED)
            woken.cancel()
        for task in (done := {task for task in sending if task.done()}):
            if error := task.exception():
                log.warning("could not look after some mails: %s", type(error).__name__)
        return done

    async def _take_over(self) -> None:
        """What a server had claimed that died need not wait where there is no other that could be sending it."""
        if self._only:
            async with self.store.write() as connection:
                await mailbox.release_mails(connection, now(), CLAIM)

    async def deliver(self) -> int:
        """Tries every mail whose time has come; how many there were."""
        some = await self._claimed()
        if some:
            await self._try_all(some)
        return self._due

    async def _claimed(self) -> list[Ready]:
        """Mails whose time has come and that nobody else sends, some of all."""
        await self._look_up_asked()
        at = now()

        async def claim(connection: AsyncConnection) -> tuple[int, list[Ready]]:
            due = await mailbox.mails_due(connection, at, TOGETHER)
            if not due:
                return 0, []
            mine = await mailbox.claim_mails(connection, [row.id for row in due], at, at + CLAIM)
            return len(due), await self._ready(connection, [row for row in due if row.id in mine], at)

        async with self.store.read() as connection:
            if not await mailbox.mails_due(connection, at, 1):
                self._due = 0
                return []
        if at - self._forgot > HOUR:
            await self.store.write_shared(lambda connection: mailbox.forget_mail(connection, at - 30 * DAY))
            self._forgot = at
        self._due, some = await self.store.write_shared(claim)
        self._hurried = self._due == TOGETHER  # more wait
        return some

    async def _ready(self, connection: AsyncConnection, rows: Sequence[MailRow], at: int) -> list[Ready]:
        """What mails say; that they tell of a turn is written down with them, so that another try does, too."""
        owners = await people.account_rows(connection, [row.account for row in rows if row.account is not None])
        wanted = [row for row in rows if _is_wanted(row, owners.get(row.account or 0))]
        untold = {row.id: (row.account or 0, row.game or "") for row in wanted if row.kind == "turns" and not row.body}
        news = await mailbox.take_for_mails(connection, untold.values(), at)
        texts = {mail: news[about] for mail, about in untold.items() if about in news}
        await mailbox.write_mails(connection, texts)
        ready = [row for row in wanted if row.id not in untold or row.id in texts]
        kept = {row.id for row in ready}
        for row in rows:
            if row.id not in kept:
                await mailbox.settle_mail(connection, row.id, due=None)
        return [Ready(row, owners.get(row.account or 0), texts.get(row.id, row.body)) for row in ready]

    async def _try_all(self, some: list[Ready]) -> None:
        """Side by side, as many as there are connections; what is not done stays claimed as long as it takes."""
        left = {one.row.id for one in some}
        self._under_way += len(some)
        holding = asyncio.create_task(self._hold(left))
        try:
            for outcome in await asyncio.gather(*(self._try(one, left) for one in some), return_exceptions=True):
                if isinstance(outcome, Exception):
                    log.warning("could not write down what became of a mail: %s", type(outcome).__name__)
        finally:
            self._under_way -= len(some)
            holding.cancel()
            if left:  # stopped in between: the next server need not wait
                async with self.store.write() as connection:
                    await mailbox.hold_mails(connection, sorted(left), now())

    async def _hold(self, left: set[int]) -> None:
        while True:
            await asyncio.sleep(CLAIM / 3_000)
            with contextlib.suppress(Exception):  # the database is away: a mail may go out twice, and says who it is
                async with self.store.write() as connection:
                    await mailbox.hold_mails(connection, sorted(left), now() + CLAIM)

    async def _try(self, one: Ready, left: set[int]) -> None:
        """One mail that is claimed; one that cannot be a letter is set aside, so that it stands in nobody's way."""
        row = one.row
        if self._stopping:
            return
        try:
            letter = await self._letter(one)
        except Exception as error:  # the database is away; it stays claimed, and is tried when that is over
            log.warning("mail %d could not be written: %s", row.id, type(error).__name__)
            left.discard(row.id)
            return
        values: dict[str, int | None] = {"mail": row.id, "tries": row.tries + 1, "sent": None, "bounced": None}
        values |= await self._sent(row, letter) if letter else {"due": None}
        left.discard(row.id)
        await self._settle(values)

    async def _sent(self, row: MailRow, letter: Letter) -> dict[str, int | None]:
        """Hands a mail over; what becomes of its row."""
        sender = self.addresses.for_bounces(row.id) or parseaddr(self.smtp.sender)[1]
        try:
            await self.carrier.carry(sender, row.address, lambda: written(letter))
            self.sent += 1
            self.counts.sent_seconds += (now() - (row.due or row.created)) / 1000
            return {"sent": now(), "due": None}
        except Unwritable as error:  # nothing that another try would mend; what it says may hold an address
            self.set_aside += 1
            log.error("mail %d is set aside, it cannot be sent: %s", row.id, type(error.__cause__).__name__)
            return {"due": None}
        except (OSError, smtplib.SMTPException) as error:
            self.failed += 1
            log.warning("mail %d did not go out: %s", row.id, type(error).__name__)
            if isinstance(error, smtplib.SMTPRecipientsRefused) and error.recipients[row.address][0] >= 500:
                return {"due": None, "bounced": now()}
            return {"due": None if row.tries >= len(AGAIN) else now() + AGAIN[row.tries]}

    async def _settle(self, what: dict[str, int | None]) -> None:
        """Writes down what became of a mail, together with all others that are done by then."""
        self._done.append(what)
        async with self._settling:
            done, self._done = self._done, []
            if not done:
                return

            async def settle(connection: AsyncConnection) -> None:
                refused = [one["mail"] for one in done if one["bounced"]]
                told = [{name: one[name] for name in ("mail", "due", "tries", "sent")} for one in done]
                await mailbox.settle_mails(connection, told)
                for mail in refused:
                    await bounces.record(connection, mail or 0)

            try:
                await self.store.write_shared(settle)
            except BaseException:
                self._done = done + self._done
                raise

    # --- what a letter says -------------------------------------------------------------------------------------------

    async def _letter(self, one: Ready) -> Letter | None:
        """A mail as it goes out; None where it tells of a turn that has passed."""
        row, owner = one.row, one.owner
        reply_to = self._reply_to(row, owner)
        tagged = reply_to is not None and reply_to != self.addresses.address
        abouts = [await self._about(game, row, tagged and game == row.game) for game in games_of(row)]
        first = abouts[0] if row.game and abouts else None
        if row.kind == "turns" and not (first and first.concerned):
            return None
        said = [one.text] if one.text and row.kind != "turns" else []
        thread = f"<game.{row.game}@{self._domain}>" if row.game else None
        before = row.in_reply_to or thread
        return Letter(
            sender=self.smtp.sender,
            to=row.address,
            subject=row.subject or (first.subject if first else "") or "Hedgerow",
            parts=[*said, *(part for about in abouts if about for part in about.headed(len(abouts) > 1))],
            message_id=self._message_id(row.id),
            reply_to=reply_to,
            in_reply_to=before,
            references=[known for known in dict.fromkeys((thread, before)) if known],
            unsubscribe=f"{self.url}/unsubscribe/{owner.mail_key}" if row.kind in UNASKED and owner else None,
            answers=row.kind == "answer",
        )

    async def _about(self, game: str, row: MailRow, answered: bool) -> About | None:
        return await self.describe(game, row.account, answered, self._hurried)

    def _reply_to(self, row: MailRow, owner: AccountRow | None) -> str | None:
        """Where an answer goes: to the secret address of a game, or of nobody but the owner; or to where all write."""
        if row.kind == "signup":
            token = row.body.rpartition("/signup/")[2].split()[0]
            return self.addresses.for_sign_up(token)
        secret = self.addresses.address_for(owner, row.game) if owner and (row.game or row.kind == "answer") else None
        return secret or self.addresses.address

    def _message_id(self, mail: int) -> str:
        """The same for every try, so that a letter which arrives twice is known again."""
        told = hmac.digest(self.addresses.secret, f"message {mail}".encode(), hashlib.sha256)
        return f"<{mail}.{told.hex()[:16]}@{self._domain}>"

    async def stop(self) -> None:
        """Waits a moment for what is being sent; what waits stays in the database."""
        self._stopping = True
        self._wake.set()
        await asyncio.wait({self._task}, timeout=LEAVING)
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        await self._look_up_asked()
        await self.carrier.stop()


def _is_wanted(row: MailRow, owner: AccountRow | None) -> bool:
    """It is for nobody in particular, or for somebody who is there, and who wants what comes unasked."""
    if row.kind in UNASKED:
        return owner is not None and wants_mail(owner) and owner.mail == row.address
    return row.account is None or owner is not None


def games_of(row: MailRow) -> list[str]:
    """The games whose boards go with a mail, the one of its thread first."""
    return list(dict.fromkeys([*([row.game] if row.game else []), *(row.games or "").split()]))


def wants_mail(row: AccountRow) -> bool:
    """Somebody gets mails that come by themselves."""
    return bool(row.mail and row.confirmed and row.turn_mails and row.banned is None and row.paused is None)


def wrote_since(row: AccountRow, since: int) -> bool:
    """It is written down that somebody gave a command by mail since then, and was not seen on the page after it."""
    return plays_by_mail(row) and (row.by_mail or 0) >= since


def plays_by_mail(row: AccountRow) -> bool:
    """Somebody was last heard of by mail, and not seen on the page since."""
    return row.by_mail is not None and row.by_mail >= row.seen


async def give_key(connection: AsyncConnection, account: int) -> None:
    """Somebody gets a key for links and addresses in mails, if they have none."""
    row = await people.account_row(connection, account)
    if row is not None and row.mail_key is None:
        await people.change(connection, account, mail_key=secrets.token_urlsafe(24)[:32])
