"""People with mailboxes: a real mail server that keeps what arrives, and correspondents who write and wait for mail."""

from __future__ import annotations

import contextlib
import email
import re
import smtplib
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import policy
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Any

from aiosmtpd.controller import Controller

from hedgerow.tools.mail_bench import options
from hedgerow.tools.serve_bench import free_port, server_process

PATIENCE = 60.0
"""Seconds to wait for a mail before it counts as lost; a busy machine is slow."""


class Mailboxes:
    """A mail server for everybody: it keeps what arrives, by address."""

    def __init__(self) -> None:
        self._arrived = threading.Condition()
        self.boxes: defaultdict[str, list[EmailMessage]] = defaultdict(list)
        self.envelopes: list[tuple[str, str]] = []
        self.refuses: set[str] = set()
        """Addresses that do not exist."""

    async def handle_RCPT(self, _: Any, __: Any, envelope: Any, address: str, ___: Any) -> str:
        if address.lower() in self.refuses:
            return "550 5.1.1 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _: Any, __: Any, envelope: Any) -> str:
        message = email.message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        with self._arrived:
            for address in envelope.rcpt_tos:
                self.boxes[address.lower()].append(message)
                self.envelopes.append((envelope.mail_from, address.lower()))
            self._arrived.notify_all()
        return "250 OK"

    def wait(self, address: str, count: int, seconds: float = PATIENCE) -> list[EmailMessage]:
        """All mails to an address, as soon as there are so many."""
        box = self.boxes[address.lower()]
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(box) >= count, seconds), (
                f"{len(box)} of {count} mails for {address}: {[message['Subject'] for message in box]}"
            )
            return list(box)


@contextlib.contextmanager
def mailboxes() -> Iterator[tuple[Mailboxes, int]]:
    """A mail server, and its port."""
    boxes, port = Mailboxes(), free_port()
    controller = Controller(boxes, hostname="127.0.0.1", port=port)
    controller.start()
    yield boxes, port
    controller.stop()


def plain(message: EmailMessage) -> str:
    """What a mail says in plain text."""
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def written(sender: str, to: str, subject: str, body: str = "", **headers: str) -> EmailMessage:
    """A mail as a program would send it; underscores in names of headers are dashes."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, to, subject
    message["Date"], message["Message-ID"] = formatdate(), make_msgid(domain="example.net")
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content(body)
    return message


def handed_over(port: int, message: EmailMessage, sender: str | None = None, to: str | None = None) -> None:
    """Hands a mail over by SMTP; raises where it is not accepted."""
    with smtplib.SMTP("127.0.0.1", port, timeout=30) as line:
        line.send_message(message, sender if sender is not None else message["From"], to or message["To"])


@dataclass
class Correspondent:
    """Somebody with a mailbox, who writes to a server and reads what it answers."""

    name: str
    boxes: Mailboxes
    port: int
    server: str = "play@example.org"
    word: str = ""
    seen: int = 0
    sent: list[EmailMessage] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"{self.name}@example.net"

    def write(self, subject: str, body: str = "", to: str | None = None, **headers: str) -> EmailMessage:
        """Sends a mail; `@` in the subject stands for the name and the mail word."""
        subject = re.sub(r"(?<!\S)@(?!\S)", f"{self.name} {self.word}", subject)
        message = written(self.address, to or self.server, subject, body, **headers)
        handed_over(self.port, message)
        self.sent.append(message)
        return message

    def next(self, containing: str = "") -> EmailMessage:
        """The next mail that was not looked at yet, and holds these words; those before it are passed over."""
        end = time.monotonic() + PATIENCE
        while True:
            message = self.boxes.wait(self.address, self.seen + 1, max(0.1, end - time.monotonic()))[self.seen]
            self.seen += 1
            if containing in plain(message) or containing in message["Subject"]:
                return message

    def ask(self, subject: str, body: str = "", **headers: str) -> EmailMessage:
        """Sends a mail; the answer to it."""
        sent = self.write(subject, body, **headers)
        return self.answer_to(sent)

    def answer_to(self, sent: EmailMessage) -> EmailMessage:
        """The mail that answers one of ours; others stay to be looked at."""
        end = time.monotonic() + PATIENCE
        count = 0
        while True:
            found = self.boxes.wait(self.address, count + 1, max(0.1, end - time.monotonic()))
            for message in found[count:]:
                if str(message["In-Reply-To"] or "").strip() == sent["Message-ID"].strip():
                    return message
            count = len(found)

    def reply(self, message: EmailMessage, body: str, subject: str = "") -> EmailMessage:
        """Answers a mail as mail programs do, quoting it; the answer to that."""
        quoted = "\n".join(f"> {line}" for line in plain(message).splitlines())
        text = f"{body}\n\nOn Monday, Hedgerow <{self.server}> wrote:\n{quoted}\n"
        threads = {"In_Reply_To": message["Message-ID"], "References": message["Message-ID"]}
        to = message["Reply-To"] or message["From"]
        sent = self.write(subject or f"Re: {message['Subject']}", text, to=to, **threads)
        return self.answer_to(sent)


# --- games ------------------------------------------------------------------------------------------------------------


def challenged(first: Correspondent, game: str, names: str, *chosen: str) -> int:
    """A challenge to a game by correspondence; its number."""
    answer = first.ask(f"{game} challenge {' '.join(chosen)} -password={first.word} {first.name} {names}")
    assert first.word not in answer.as_string()
    found = re.search(r"Board (\d+)", plain(answer))
    assert found, plain(answer)
    return int(found[1])


def begun(game: str, players: list[Correspondent], *chosen: str) -> int:
    """A game by challenge, which everybody accepts; its number."""
    first, *others = players
    board = challenged(first, game, " ".join(other.name for other in others), *chosen)
    for other in others:
        assert "you play" in plain(other.ask(f"{game} accept {board} @"))
    return board


def game_of(player: Correspondent, game: str, board: int) -> str:
    """The id of a game, from the link in a letter about it."""
    shown = plain(player.ask(f"{game} showas @ {board}"))
    found = re.search(r"/games/(\w+)", shown)
    assert found, shown
    return found[1]


# --- a server ---------------------------------------------------------------------------------------------------------


@dataclass
class Office:
    """A server that takes mail, where it is, and people who write to it."""

    boxes: Mailboxes
    mail_in: int
    web: int
    people: dict[str, Correspondent] = field(default_factory=dict)

    def stranger(self, name: str) -> Correspondent:
        """Somebody with a mailbox and no account."""
        return Correspondent(name, self.boxes, self.mail_in, word=f"{name}-7q9x-hedge")

    def person(self, name: str) -> Correspondent:
        """Somebody who has signed up by mail."""
        if name not in self.people:
            somebody = self.stranger(name)
            somebody.write("signup @")
            asked = somebody.next("confirm")
            assert "Welcome" in plain(somebody.reply(asked, "Yes, please."))
            self.people[name] = somebody
        return self.people[name]


@contextlib.contextmanager
def office(folder: str, *more: str) -> Iterator[Office]:
    """A server process on SQLite that takes mail by SMTP and sends it to mailboxes."""
    mail_in = free_port()
    with mailboxes() as (boxes, smtp), server_process(folder, *options(smtp, mail_in), *more) as (_, web):
        yield Office(boxes, mail_in, web)
