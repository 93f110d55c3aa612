"""Letters handed over by SMTP and LMTP to a real socket: stored before they are accepted, once, and only ours."""

from __future__ import annotations

import asyncio
import contextlib
import smtplib
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator, Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from mailing import office, plain, written

from hedgerow.game import HedgerowError
from hedgerow.serve.post import listener
from hedgerow.serve.post.listener import Handler, listen, tls_of
from hedgerow.serve.post.receiving import LARGEST, Receiver
from hedgerow.serve.post.where import Where
from hedgerow.serve.refusals import Refused
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import Store, inbox, open_store
from hedgerow.serve.store.rows import LetterRow
from hedgerow.serve.store.schema import now

pytestmark = pytest.mark.anyio
PLAY = "play@example.org"


def ours(address: str) -> bool:
    local, _, domain = address.lower().partition("@")
    return domain == "example.org" and local.split("+")[0] == "play"


@pytest.fixture
async def store(settings: Settings) -> AsyncIterator[Store]:
    opened = await open_store(settings.data, settings.database)
    yield opened
    await opened.close()


@contextlib.asynccontextmanager
async def door(store: Store, lmtp: bool = False, **options: Any) -> AsyncIterator[int]:
    """A listener in this process; its port."""
    limits = options.pop("limits", True)
    handler = Handler(Receiver(store), ours, limits, lmtp)
    server = await listen(Where("127.0.0.1", 0, "", lmtp), handler, "example.org", **options)
    yield server.sockets[0].getsockname()[1]
    server.close()


async def kept(store: Store) -> list[LetterRow]:
    async with store.read() as connection:
        return await inbox.due(connection, now(), 1000)


def letter(subject: str = "help", body: str = "hello", to: str = PLAY) -> EmailMessage:
    return written("ann@example.net", to, subject, body)


async def sent(port: int, message: EmailMessage, to: str | list[str] = PLAY, sender: str = "ann@example.net") -> None:
    def send() -> None:
        with smtplib.SMTP("127.0.0.1", port, timeout=20) as line:
            line.send_message(message, sender, to)

    await asyncio.to_thread(send)


async def talked(port: int, talk: Callable[[smtplib.SMTP], Any], kind: Any = smtplib.SMTP) -> Any:
    """What somebody says who speaks SMTP by hand, in a thread."""

    def whole() -> Any:
        with kind("127.0.0.1", port, timeout=20) as line:
            return talk(line)

    return await asyncio.to_thread(whole)


async def test_a_letter_is_stored_before_it_is_accepted(store: Store) -> None:
    async with door(store) as port:
        await sent(port, letter("hexbo show 12"), "Play@Example.ORG")
        (row,) = await kept(store)
        assert (row.sender, row.recipient, row.tries) == ("ann@example.net", PLAY, 0)
        assert row.raw is not None and b"hexbo show 12" in row.raw


async def test_a_letter_that_comes_again_is_the_same_letter(store: Store) -> None:
    async with door(store) as port:
        once = letter()
        for _ in range(3):
            await sent(port, once)
        await sent(port, letter())
        assert len(await kept(store)) == 2


async def test_a_letter_to_secret_addresses_is_one_for_each(store: Store) -> None:
    async with door(store) as port:
        await sent(port, letter(), [PLAY, "play+abc@example.org", "play+def@example.org", "PLAY+ABC@example.org"])
        assert sorted(row.recipient for row in await kept(store)) == ["play+abc@example.org", "play+def@example.org"]


@pytest.mark.parametrize("to", ["ann@example.org", "play@elsewhere.org", "play", "plays+abc@example.org"])
async def test_only_our_own_addresses_are_taken(store: Store, to: str) -> None:
    async with door(store) as port:
        with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
            await sent(port, letter(), to)
        assert refused.value.recipients[to][0] in (550, 553)
        assert not await kept(store)


async def test_a_letter_that_is_too_large_is_refused(store: Store) -> None:
    async with door(store) as port:
        with pytest.raises(smtplib.SMTPResponseException) as refused:
            await sent(port, letter(body=f"{'x' * 70}\n" * (LARGEST // 70)))
        assert refused.value.smtp_code == 552

        def undeclared(line: smtplib.SMTP) -> int:
            line.helo("here")
            line.mail("ann@example.net")
            line.rcpt(PLAY)
            return line.data(b"Subject: x\r\n\r\n" + b"x\r\n" * (LARGEST // 3))[0]

        assert await talked(port, undeclared) == 552
        assert not await kept(store)


async def test_nobody_listens_to_a_letter_without_an_end(store: Store) -> None:
    async with door(store) as port:

        def endless(line: smtplib.SMTP) -> None:
            line.helo("here")
            line.mail("ann@example.net")
            line.rcpt(PLAY)
            line.docmd("DATA")
            for _ in range(200):
                line.send(b"\r\n" * LARGEST)

        with pytest.raises(smtplib.SMTPServerDisconnected):
            await talked(port, endless)
        assert not await kept(store)


ODD_LETTERS = {
    "empty": (b".\r\n", b""),
    "a blank line": (b"\r\n.\r\n", b"\r\n"),
    "dots": (b"..a\r\n...\r\na.b\r\n.\r\n", b".a\r\n..\r\na.b\r\n"),
    "ends that are none": (b"a\n.\nb\r\n.\rc\r\n.\nd\r\n.\r\n", b"a\n.\nb\r\n\rc\r\n\nd\r\n"),
    "long": (b"x" * 200_000 + b"\r\n.\r\n", b"x" * 200_000 + b"\r\n"),
}


async def test_a_letter_is_what_stands_before_the_dot(store: Store) -> None:
    async with door(store) as port:

        def talk(line: smtplib.SMTP) -> list[int]:
            line.ehlo("here")
            codes = []
            for number, (said, _) in enumerate(ODD_LETTERS.values()):
                begun = f"MAIL FROM:<ann@example.net>\r\nRCPT TO:<play+{number}@example.org>\r\nDATA\r\n"
                line.send(begun)  # speaking ahead
                codes += [line.getreply()[0] for _ in range(3)]
                for at in range(0, len(said), 3 if len(said) < 100 else 50_000):
                    line.send(said[at : at + (3 if len(said) < 100 else 50_000)])
                codes.append(line.getreply()[0])
            return codes

        assert await talked(port, talk) == [250, 250, 354, 250] * len(ODD_LETTERS)
        raws = [row.raw.partition(b"\r\n")[2] for row in await kept(store) if row.raw]
        assert raws == [found for _, found in ODD_LETTERS.values()]


async def test_reports_come_from_nobody(store: Store) -> None:
    async with door(store) as port:
        await sent(port, letter(), sender="")
        (row,) = await kept(store)
        assert row.sender == ""


async def test_lines_longer_than_they_should_be_are_taken(store: Store) -> None:
    async with door(store) as port:

        def long(line: smtplib.SMTP) -> int:
            line.ehlo("here")
            line.mail("ann@example.net")
            line.rcpt(PLAY)
            return line.data(b"From: ann@example.net\r\n\r\n" + b"x" * 20_000)[0]

        assert await talked(port, long) == 250


async def test_lmtp_answers_for_every_recipient(store: Store) -> None:
    async with door(store, lmtp=True) as port:

        def talk(line: smtplib.SMTP) -> list[int]:
            line.ehlo("here")
            line.mail("ann@example.net")
            codes = [line.rcpt(to)[0] for to in ("play+a@example.org", "nobody@example.org", "play+b@example.org")]
            codes.append(line.data(letter().as_bytes())[0])
            return [*codes, line.getreply()[0]]

        assert await talked(port, talk, smtplib.LMTP) == [250, 550, 250, 250, 250]
        assert len(await kept(store)) == 2


async def test_a_socket_file_is_listened_at(store: Store, tmp_path: Path) -> None:
    where = Where.of(f"lmtp://{tmp_path}/mail.sock")
    server = await listen(where, Handler(Receiver(store), ours, True, True), "example.org")

    def talk() -> int:
        with smtplib.LMTP(f"{tmp_path}/mail.sock") as line:
            line.ehlo("here")
            line.mail("ann@example.net")
            line.rcpt(PLAY)
            return line.data(letter().as_bytes())[0]

    assert await asyncio.to_thread(talk) == 250 and len(await kept(store)) == 1
    server.close()


async def test_a_database_that_is_away_means_try_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: object) -> None:
        raise Refused("later", "the database is away; hint: try again in a moment")

    async with door(store) as port:
        monkeypatch.setattr(inbox, "keep", away)
        with pytest.raises(smtplib.SMTPDataError) as refused:
            await sent(port, letter())
        assert refused.value.smtp_code == 451
        monkeypatch.undo()
        await sent(port, letter())
        assert len(await kept(store)) == 1


async def test_one_sender_cannot_flood(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    async with door(store) as port:

        def flood(line: smtplib.SMTP) -> list[int]:
            line.ehlo("here")
            codes = []
            for _ in range(130):
                codes.append(line.mail("ann@example.net")[0])
                line.rset()
            return [*codes, line.mail("bo@example.net")[0]]

        codes = await talked(port, flood)
        assert codes[:100] == [250] * 100 and codes[-2:] == [450, 250]


async def test_one_address_has_so_many_connections(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "HERE", ())
    monkeypatch.setattr(listener, "LINES_EACH", 3)
    async with door(store) as port:
        lines = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(4)]
        greetings = [await asyncio.to_thread(line.recv, 100) for line in lines]
        assert [said[:3] for said in greetings] == [b"220", b"220", b"220", b"421"]
        for line in lines:
            line.close()
        await asyncio.sleep(0.2)
        with socket.create_connection(("127.0.0.1", port), timeout=10) as again:
            assert (await asyncio.to_thread(again.recv, 100)).startswith(b"220")


async def test_nonsense_is_answered_and_no_line_leaks(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    async with door(store) as port:
        for said in (b"\x00\xff\r\n" * 50, b"EHLO x\r\nMAIL FROM:<>\r\nDATA\r\n", b"x" * 100_000, b"VRFY \xff\xfe\r\n"):
            with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
                line.sendall(said)
                line.shutdown(socket.SHUT_WR)
                while await asyncio.to_thread(line.recv, 1000):
                    pass
        await sent(port, letter("hexbo move 12 ann secretword c4"), "play+secrettag@example.org")
        assert len(await kept(store)) == 1
        assert "secret" not in caplog.text and "Traceback" not in caplog.text


def certified(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """A certificate with its key in one file, and who trusts it."""
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    subprocess.run([*made, "-keyout", folder / "k", "-out", folder / "c"], check=True, capture_output=True)
    pem = folder / "both.pem"
    pem.write_text((folder / "c").read_text() + (folder / "k").read_text())
    trusting = ssl.create_default_context(cafile=str(folder / "c"))
    trusting.check_hostname = False
    return pem, trusting


async def test_a_listener_offers_tls(store: Store, tmp_path: Path) -> None:
    pem, trusting = certified(tmp_path)
    async with door(store, tls=tls_of(str(pem))) as port:

        def talk(line: smtplib.SMTP) -> None:
            line.starttls(context=trusting)
            line.send_message(letter())

        await talked(port, talk)
        assert len(await kept(store)) == 1
    with pytest.raises(HedgerowError, match="no certificate"):
        tls_of(str(tmp_path / "none"))


def test_a_server_takes_letters_over_tls(tmp_path: Path) -> None:
    """A server's loop is uvloop's, whose transports are its own."""
    pem, trusting = certified(tmp_path)
    with office(str(tmp_path / "data"), "--mail-tls", str(pem)) as post:
        ann = post.stranger("ann")
        with smtplib.SMTP("127.0.0.1", post.mail_in, timeout=30) as line:
            line.starttls(context=trusting)
            asked = [
                written(ann.address, PLAY, subject, "x" * length) for subject, length in (("help", 9), ("a", 900_000))
            ]
            for message in asked:
                line.send_message(message)
            assert line.noop()[0] == 250
        with smtplib.SMTP("127.0.0.1", post.mail_in, timeout=30) as line:
            line.starttls(context=trusting)
            assert line.sock is not None
            line.sock.close()  # in the middle of it
        assert "Help" in plain(ann.answer_to(asked[0]))
        bo = post.stranger("bo")
        assert "Help" in plain(bo.ask("help"))


@pytest.mark.parametrize(
    "text", ["", "x", "http://a:1", "lmtp://", "smtp://a", "99999", "lmtp://a:1/b", "smtp://[", "-1"]
)
def test_what_cannot_be_listened_at_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(HedgerowError, match=r"cannot listen for mail at .*hint: a port"):
        Where.of(text)


async def test_a_port_that_is_taken_is_refused_with_a_hint(store: Store) -> None:
    async with door(store) as port:
        with pytest.raises(HedgerowError, match=r"cannot listen for mail at smtp://127.0.0.1:\d+: .*hint"):
            await listen(Where("127.0.0.1", port), Handler(Receiver(store), ours), "example.org")
