"""Outgoing mail: a queue in the database, tried again when the mail server is away, and ended by one click.

Several turns that wait for somebody are one mail: what it says is written when it goes out, and it does not go out when
there is nothing left to say.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import smtplib
import ssl
from collections import deque
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.game import HedgerowError
from hedgerow.serve.people.accounts import digest
from hedgerow.serve.people.addresses import sender_of, spellings
from hedgerow.serve.people.limits import Limits
from hedgerow.serve.people.names import keys_of
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import Store, mailbox, people
from hedgerow.serve.store.rows import MailRow
from hedgerow.serve.store.schema import now
from hedgerow.serve.store.tokens import lock_account

log = logging.getLogger("hedgerow.mail")

EVERY = 5.0
"""How often, in seconds, the queue is looked at."""
CLAIM = 120_000
AGAIN = (60_000, 300_000, 1_800_000, 7_200_000, 28_800_000, 86_400_000)
"""After which times a mail is tried again; then it is given up."""
PATIENCE = 20.0
TOGETHER = 50
ASKED = 1_000
"""How many of those who have forgotten a password may wait to be looked up."""
DAY = 86_400_000
HOLDS = {"reset": 3_600_000, "confirm": 7 * DAY}
"""For how long a link in a mail holds."""


@dataclass(frozen=True)
class Smtp:
    """Where mail goes out: `smtp` with STARTTLS where it is offered, `smtps` with TLS from the start."""

    host: str
    port: int
    tls: bool
    user: str | None
    password: str | None
    sender: str

    @classmethod
    def of(cls, url: str, sender: str | None) -> Smtp:
        """Read from an address; raises HedgerowError that does not repeat it, because a password is in it."""
        parts = urlsplit(url)
        hint = "hint: like smtps://user:password@mail.example.org, with --mail-from if the user is no address"
        try:
            port = parts.port
        except ValueError:
            port = -1
        if parts.scheme not in ("smtp", "smtps") or not parts.hostname or port == -1:
            raise HedgerowError(f"cannot use the mail server; {hint}")
        user = unquote(parts.username) if parts.username else None
        password = unquote(parts.password) if parts.password else None
        sender = sender or user or ""
        if "@" not in sender:
            raise HedgerowError(f"nobody to send mail from; {hint}")
        tls = parts.scheme == "smtps"
        return cls(parts.hostname, port or (465 if tls else 587), tls, user, password, sender_of(sender))

    def send(self, message: EmailMessage) -> None:
        """Hands a message over, in a thread."""
        context = ssl.create_default_context()
        if self.tls:
            server: smtplib.SMTP = smtplib.SMTP_SSL(self.host, self.port, timeout=PATIENCE, context=context)
        else:
            server = smtplib.SMTP(self.host, self.port, timeout=PATIENCE)
        with server:
            if not self.tls and server.ehlo()[0] == 250 and server.has_extn("starttls"):
                server.starttls(context=context)
            if self.user and self.password:
                server.login(self.user, self.password)
            server.send_message(message)


class Words(NamedTuple):
    """What a mail says, and the key with which such mails are ended, where they can be."""

    subject: str
    body: str
    key: str | None


class Post:
    """The post office of a server with a mail server and a public URL."""

    def __init__(self, store: Store, settings: Settings, limits: Limits) -> None:
        assert settings.smtp and settings.public_url
        self.store = store
        self.limits = limits
        self._asked: deque[str] = deque()
        self.url = settings.public_url
        self.smtp = Smtp.of(settings.smtp, settings.mail_from)
        self.sent = self.failed = self.set_aside = 0
        self._task = asyncio.create_task(self._run(), name="post")

    # --- writing ------------------------------------------------------------------------------------------------------

    async def send_link(self, kind: str, account: int, address: str) -> None:
        """Sends a link that proves that they read mails of this address: to `confirm` it, or to `reset` a password."""
        token, at = secrets.token_urlsafe(32), now()
        about, words = LETTERS[kind]
        body = f"{words}\n\n{self.url}/{kind}/{token}\n\nIf you did not ask for it, do nothing.\n"
        row = {"kind": kind, "token": digest(token), "account": account, "about": address}
        async with self.store.write() as connection:
            owner = await lock_account(connection, account)
            if owner is None or owner.mail != address or owner.banned is not None:  # since a moment ago
                return
            await people.add_one_time_token(connection, **row, created=at, expires=at + HOLDS[kind])
            mail = {"account": account, "kind": kind, "address": address, "subject": about, "body": body}
            await mailbox.add_mail(connection, **mail, created=at, due=at)

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
        while True:
            try:
                while await self.deliver():
                    pass
            except Exception as error:  # the database is away; the next look is soon
                log.warning("could not look after the mail: %s", type(error).__name__)
            await asyncio.sleep(EVERY)

    async def deliver(self) -> int:
        """Tries every mail whose time has come; how many there were."""
        await self._look_up_asked()
        at = now()
        async with self.store.read() as connection:
            due = await mailbox.mails_due(connection, at, TOGETHER)
        for row in due:
            async with self.store.write() as connection:
                mine = await mailbox.claim_mail(connection, row.id, row.due or 0, at + CLAIM)
            if mine:
                await self._try(row, at)
        if due:
            async with self.store.write() as connection:
                await mailbox.forget_mail(connection, at - 30 * DAY)
        return len(due)

    async def _try(self, row: MailRow, at: int) -> None:
        """One mail that is claimed; one that cannot be a letter is set aside, so that it stands in nobody's way."""
        async with self.store.write() as connection:
            words = await self._words(connection, row, at)
            if words is None:
                await mailbox.settle_mail(connection, row.id, due=None)
        if words is not None:
            try:
                values = await self._sent(row, self._letter(row, words))
            except Exception as error:  # nothing that another try would mend; what it says may hold an address
                self.set_aside += 1
                log.error("mail %d is set aside, it cannot be sent: %s", row.id, type(error).__name__)
                values = {"due": None, "tries": row.tries + 1}
            async with self.store.write() as connection:
                await mailbox.settle_mail(connection, row.id, **values)

    async def _words(self, connection: AsyncConnection, row: MailRow, at: int) -> Words | None:
        """What a mail says; what turns wait is written down with it, so that another try says the same."""
        owner = await people.account_row(connection, row.account)
        if owner is None or (row.kind == "turns" and not (owner.turn_mails and owner.mail == row.address)):
            return None
        subject, body = row.subject, row.body
        if row.kind == "turns" and not body:
            waiting = await mailbox.take_for_mail(connection, row.account, at)
            if not waiting:
                return None
            subject = waiting[0].text if len(waiting) == 1 else f"{len(waiting)} games have news for you"
            body = "\n\n".join(f"{notice.text}\n{self.url}/games/{notice.game}" for notice in waiting) + "\n"
            await mailbox.settle_mail(connection, row.id, subject=subject[:200], body=body)
        return Words(subject, body, owner.mail_key if row.kind == "turns" else None)

    def _letter(self, row: MailRow, words: Words) -> EmailMessage:
        """The mail as it goes out."""
        message, body = EmailMessage(), words.body
        message["From"], message["To"], message["Subject"] = self.smtp.sender, row.address, words.subject
        message["Date"] = formatdate(usegmt=True)
        message["Message-ID"] = make_msgid(str(row.id), self.smtp.sender.rsplit("@", 1)[1].strip(">"))
        message["Auto-Submitted"] = "auto-generated"
        if words.key:
            link = f"{self.url}/unsubscribe/{words.key}"
            message["List-Unsubscribe"] = f"<{link}>"
            message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
            body += f"\n-- \nNo more mails like this: {link}\n"
        message.set_content(body)
        return message

    async def _sent(self, row: MailRow, message: EmailMessage) -> dict[str, int | None]:
        """Hands a mail over; what becomes of its row."""
        try:
            await asyncio.to_thread(self.smtp.send, message)
            self.sent += 1
            return {"sent": now(), "due": None, "tries": row.tries + 1}
        except (OSError, smtplib.SMTPException) as error:
            self.failed += 1
            final = isinstance(error, smtplib.SMTPRecipientsRefused) and all(
                code >= 500 for code, _ in error.recipients.values()
            )
            log.warning("mail %d did not go out: %s", row.id, type(error).__name__)
            again = None if final or row.tries >= len(AGAIN) else now() + AGAIN[row.tries]
            return {"due": again, "tries": row.tries + 1}

    async def stop(self) -> None:
        """What waits stays in the database."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        await self._look_up_asked()


LETTERS = {
    "reset": ("A new password for Hedgerow", "With this link you can choose a new password. It holds for an hour."),
    "confirm": ("Is this your address?", "With this link you confirm that this address is yours."),
}
