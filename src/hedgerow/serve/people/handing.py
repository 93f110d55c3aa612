"""How a letter is handed over to a mail server: what is said, and what is made of its answers (RFC 5321, 2920)."""

from __future__ import annotations

import re
import smtplib
from collections.abc import Container, Generator

Reply = tuple[int, bytes]
"""A code and a text."""
Dialogue = Generator[tuple[bytes, int], list[Reply], None]
"""What is to be sent next, and how many answers are waited for; it is sent them."""

TAKEN = ((250,), (250, 251), (354,))
"""The answers with which the commands that begin a letter are taken."""
GO_ON, GONE = 354, 421
PLAIN = re.compile(r"[\w!#$%&'*+/=?^`{|}~.-]+@[\w.-]+")
DOTS = re.compile(rb"^\.", re.MULTILINE)


def dialogue(sender: str, to: str, content: bytes, extensions: Container[str]) -> Dialogue:
    """Hands a letter to one address over, in two steps to a server that lets us speak ahead.

    Raises what smtplib does: SMTPSenderRefused, SMTPRecipientsRefused, SMTPDataError.
    """
    replies = yield from _begun(_commands(sender, to, len(content), extensions), "pipelining" in extensions)
    refused = next((number for number, taken in enumerate(TAKEN) if replies[number][0] not in taken), None)
    if refused is not None:
        yield from _take_back(replies)
        raise _refusal(refused, replies[refused], sender, to)
    (done,) = yield transparent(content), 1
    if done[0] != 250:
        yield from _take_back([done])
        raise smtplib.SMTPDataError(*done)


def _commands(sender: str, to: str, size: int, extensions: Container[str]) -> list[bytes]:
    if any(not address.isprintable() for address in (sender, to)):
        raise smtplib.SMTPException("an address that no command can carry")
    options = f" SIZE={size}" if "size" in extensions else ""
    options += "" if (sender + to).isascii() else " SMTPUTF8"
    commands = f"MAIL FROM:{_path(sender)}{options}", f"RCPT TO:{_path(to)}", "DATA"
    return [f"{command}\r\n".encode() for command in commands]


def _path(address: str) -> str:
    """An address in angle brackets; smtplib reads what is no plain one (RFC 5321, 4.1.2), which takes its time.

    >>> _path("play+b.1@example.org"), _path('"a b"@example.org')
    ('<play+b.1@example.org>', '<"a b"@example.org>')
    """
    return f"<{address}>" if PLAIN.fullmatch(address) else smtplib.quoteaddr(address)


def _begun(commands: list[bytes], ahead: bool) -> Generator[tuple[bytes, int], list[Reply], list[Reply]]:
    """The answers to the commands that begin a letter, up to a refusal where nobody may speak ahead."""
    if ahead:
        return (yield b"".join(commands), len(commands))
    replies = list[Reply]()
    for command, taken in zip(commands, TAKEN):
        replies += yield command, 1
        if replies[-1][0] not in taken:
            break
    return replies


def _take_back(replies: list[Reply]) -> Dialogue:
    """The letter that was begun is none; a server that waits for its text all the same gets an empty one."""
    if replies[-1][0] == GO_ON:
        replies = yield b".\r\n", 1
    if replies[-1][0] != GONE:
        yield b"RSET\r\n", 1


def _refusal(number: int, reply: Reply, sender: str, to: str) -> smtplib.SMTPException:
    """What is wrong with a letter whose command of that number was refused."""
    if number == 0:
        return smtplib.SMTPSenderRefused(*reply, sender)
    return smtplib.SMTPRecipientsRefused({to: reply}) if number == 1 else smtplib.SMTPDataError(*reply)


def transparent(content: bytes) -> bytes:
    """A letter as it goes over the line: lines ended by CR LF, no line of a dot alone, and a dot at the end.

    >>> transparent(b"a\\n.b")
    b'a\\r\\n..b\\r\\n.\\r\\n'
    """
    ends = content.count(b"\r\n")
    if content.count(b"\n") != ends or content.count(b"\r") != ends:
        content = re.sub(rb"\r\n|\n|\r", b"\r\n", content)
    if b"\n." in content or content.startswith(b"."):
        content = DOTS.sub(b"..", content)
    return content + (b".\r\n" if content.endswith(b"\r\n") else b"\r\n.\r\n")
