"""Handing letters over to mail servers of every manner: what is refused is said so, and the connection goes on."""

from __future__ import annotations

import asyncio
import contextlib
import smtplib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from hedgerow.serve.people.smtp import Carrier, Smtp, Unwritable

pytestmark = pytest.mark.anyio
LETTER = b"Subject: x\r\n\r\n.\r\n..dots\nbare\r\n"


@dataclass
class Server:
    """A mail server that answers some commands in its own way."""

    extensions: str
    answers: dict[bytes, bytes] = field(default_factory=dict)
    letters: list[bytes] = field(default_factory=list)
    said: list[bytes] = field(default_factory=list)

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        writer.write(b"220-a greeting\r\n220 of two lines\r\n")
        while line := await reader.readline():
            verb = line[:4].upper()
            self.said.append(verb)
            answer = self.answers.get(verb, b"354 go on" if verb == b"DATA" else b"250 OK")
            if verb == b"EHLO":
                answer = b"250-here\r\n250 " + self.extensions.encode()
            writer.write(answer + b"\r\n")
            if answer.startswith(b"354"):
                await self._text(reader, writer)
            if answer.startswith(b"421") or verb == b"QUIT":
                break
        writer.close()

    async def _text(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        text = b""
        while (line := await reader.readline()) != b".\r\n":
            text += line[1:] if line.startswith(b".") else line
        if text:
            self.letters.append(text)
        writer.write(self.answers.get(b"text", b"250 taken") + b"\r\n")

    @contextlib.asynccontextmanager
    async def carrier(self) -> AsyncIterator[Carrier]:
        """Who brings letters to it."""
        door = await asyncio.start_server(self.take, "127.0.0.1", 0)
        made = Carrier(Smtp.of(f"smtp://127.0.0.1:{door.sockets[0].getsockname()[1]}", "play@example.org"))
        yield made
        await made.stop()
        door.close()


async def handed(carrier: Carrier, letter: bytes = LETTER) -> None:
    await carrier.carry("play+b@example.org", "ann@example.net", lambda: letter)


@pytest.mark.parametrize("extensions", ["SIZE 1000000", "PIPELINING"])
async def test_a_letter_arrives_as_it_was_written(extensions: str) -> None:
    server = Server(extensions)
    async with server.carrier() as carrier:
        for _ in range(3):
            await handed(carrier)
        assert server.letters == [LETTER.replace(b"dots\n", b"dots\r\n")] * 3 and carrier.opened == 1


REFUSALS = {
    b"MAIL": (b"550 not from you", smtplib.SMTPSenderRefused),
    b"RCPT": (b"550 nobody", smtplib.SMTPRecipientsRefused),
    b"DATA": (b"554 no", smtplib.SMTPDataError),
    b"text": (b"552 too large", smtplib.SMTPDataError),
}


@pytest.mark.parametrize("extensions", ["SIZE 1000000", "PIPELINING"])
@pytest.mark.parametrize("verb", REFUSALS)
async def test_what_is_refused_is_said_so_and_the_connection_goes_on(verb: bytes, extensions: str) -> None:
    answer, error = REFUSALS[verb]
    server = Server(extensions, {verb: answer})
    async with server.carrier() as carrier:
        with pytest.raises(error):
            await handed(carrier)
        assert b"RSET" in server.said
        server.answers.clear()
        server.letters.clear()
        await handed(carrier)
        assert len(server.letters) == 1 and carrier.opened == 1


@pytest.mark.parametrize("extensions", ["SIZE 1000000", "PIPELINING"])
async def test_a_server_that_hangs_up_is_called_again(extensions: str) -> None:
    server = Server(extensions, {b"MAIL": b"421 going down"})
    async with server.carrier() as carrier:
        with pytest.raises((smtplib.SMTPException, OSError)):
            await handed(carrier)
        server.answers.clear()
        await handed(carrier)
        assert len(server.letters) == 1 and carrier.opened == 2


async def test_what_is_no_letter_is_not_sent() -> None:
    def unwritable() -> bytes:
        raise ValueError("a header that cannot be")

    server = Server("PIPELINING")
    async with server.carrier() as carrier:
        with pytest.raises(Unwritable):
            await carrier.carry("play@example.org", "ann@example.net", unwritable)
        assert not server.said
