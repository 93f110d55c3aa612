"""Mailboxes to test with: a real SMTP server that keeps what it gets, a server that mails to it, and people."""

from __future__ import annotations

import email
import re
import socket
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from email import policy
from email.message import EmailMessage
from typing import Any

import httpx
import pytest
from aiosmtpd.controller import Controller
from fastapi import FastAPI
from serving import running
from sqlalchemy import update

from hedgerow.serve.people import mail
from hedgerow.serve.processes import Process
from hedgerow.serve.settings import Settings
from hedgerow.serve.store.schema import mails, now

PASSWORD = "under the hedge"
HERE = "https://play.example.org"


class Box:
    """What arrives; a mail server that refuses for as long as it has `refusals` left."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.senders: list[str] = []
        """Of the envelopes."""
        self.lines: set[Any] = set()
        """The connections that mails came by."""
        self.refusals: list[str] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if self.refusals:
            return self.refusals.pop(0)
        message = email.message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        self.mails.append(message)
        self.senders.append(envelope.mail_from)
        self.lines.add(session.peer)
        return "250 OK"

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        if address.startswith("nobody"):
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"


class Shared(Process):
    """A process that goes on when a server stops, so that it need not be started for every test."""

    def stop(self) -> None:
        pass


DRAWING = Shared(0)


@pytest.fixture
def smtp() -> Iterator[tuple[Box, int]]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    box = Box()
    controller = Controller(box, hostname="127.0.0.1", port=port)
    controller.start()
    yield box, port
    controller.stop()


@pytest.fixture
async def mailing(settings: Settings, smtp: Any, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FastAPI]:
    """A server that sends mail only when a test says so, and to which people may write."""
    monkeypatch.setattr(mail, "EVERY", 3600)
    how = {"smtp": f"smtp://127.0.0.1:{smtp[1]}", "mail_from": "play@example.org", "public_url": HERE}
    async with running(replace(settings, **how, mail_address="play@mail.example.org")) as app:
        monkeypatch.setattr(app.state.server.letters.pictures, "process", DRAWING)
        yield app


@pytest.fixture
def box(smtp: Any) -> Box:
    found: Box = smtp[0]
    return found


def browser(app: FastAPI) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=HERE)


def part_of(message: EmailMessage, kind: str) -> EmailMessage:
    """The one part of a letter of that kind."""
    (found,) = (part for part in message.walk() if part.get_content_type() == kind)
    assert isinstance(found, EmailMessage)
    return found


def text_of(message: EmailMessage) -> str:
    """The plain text of a letter."""
    text: str = part_of(message, "text/plain").get_content()
    return text.replace("\r\n", "\n")


def number_of(message: EmailMessage) -> int:
    """The number of a mail: they are sent side by side, and arrive in any order."""
    return int(message["Message-ID"].strip("<").partition(".")[0])


def link_in(message: EmailMessage, kind: str) -> str:
    """The path of a link of that kind."""
    found = re.search(rf"{HERE}(/{kind}/[\w-]+)", text_of(message))
    assert found, text_of(message)
    return found[1]


async def person(app: FastAPI, client: httpx.AsyncClient, box: Box, name: str) -> None:
    """Somebody with a confirmed address."""
    asked = {"name": name, "password": PASSWORD, "mail": f"{name.lower().replace(' ', '.')}@example.net"}
    assert (await client.post("/api/sign-up", json=asked)).status_code == 200
    await app.state.server.post.deliver()
    where = link_in(box.mails.pop(), "confirm")
    assert (await client.get(where)).status_code == 200
    assert not (await client.get("/api/account/mail")).json()["confirmed"]  # looking confirms nothing
    assert "is confirmed" in (await client.post(where)).text
    assert (await client.post(where)).status_code == 404
    assert (await client.get("/api/account/mail")).json() == {
        "mail": asked["mail"],
        "confirmed": True,
        "waiting": None,
        "paused": False,
        "turn_mails": True,
    }


async def make_due(app: FastAPI) -> None:
    """Time passes for the mails that wait."""
    await app.state.server.notices.stop()
    async with app.state.server.store.write() as connection:
        await connection.execute(update(mails).where(mails.c.due.is_not(None)).values(due=now() - 1))


async def games(ann: httpx.AsyncClient, bo: httpx.AsyncClient, count: int) -> list[str]:
    """Games by correspondence in which Bo is to move."""
    found = []
    for _ in range(count):
        asked = {"rules": "hexbo(side=5)", "opponent": "friend", "clock": {"kind": "days", "days": 2}}
        game = (await ann.post("/api/games", json=asked)).json()["id"]
        await bo.post(f"/api/games/{game}/join")
        await ann.post(f"/api/games/{game}/turns", json={"number": 0, "text": "A1"})
        found.append(game)
    return found
