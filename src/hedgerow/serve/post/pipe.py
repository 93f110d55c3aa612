"""A letter from standard input, as mail servers hand it to a program: stored, or brought again later (sysexits.h)."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parseaddr
from typing import BinaryIO

from hedgerow.game import HedgerowError
from hedgerow.serve.post.mime import Part
from hedgerow.serve.post.receiving import LARGEST, Receiver, clean
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import open_store

OK, TOO_LARGE, NOBODY, LATER = 0, 65, 67, 75
"""EX_OK, EX_DATAERR, EX_NOUSER, EX_TEMPFAIL: with the last, the mail server keeps the letter and tries again."""
RECIPIENT = ("ORIGINAL_RECIPIENT", "RECIPIENT")
"""Where Postfix's local(8) says whom a letter is for."""


@dataclass(frozen=True)
class Envelope:
    """Who sent a letter to whom, as the mail server knows it."""

    sender: str
    recipient: str

    @classmethod
    def of(cls, raw: bytes, given: tuple[str | None, str | None], environment: Mapping[str, str]) -> Envelope:
        """From what was given, else the environment of an alias, else what mail servers write into letters."""
        letter = Part.of(raw)
        recipient = given[1] or next((environment[name] for name in RECIPIENT if environment.get(name)), "")
        told = [given[0], environment.get("SENDER") if environment.get("RECIPIENT") else None]
        told += [*letter.all("Return-Path")[:1], parseaddr(letter.raw("From").replace("\n", " "))[1]]
        sender = next((said for said in told if said is not None), "")
        recipient = recipient or letter.raw("X-Original-To") or letter.raw("Delivered-To")
        return cls(clean(sender), clean(recipient))


async def take_in(settings: Settings, envelope: Envelope, raw: bytes) -> None:
    """Stores a letter beside a server that may be running; raises HedgerowError where it cannot be."""
    store = await open_store(settings.data, settings.database, beside=True)
    try:
        await Receiver(store).keep(envelope.sender, [envelope.recipient], raw)
    finally:
        await store.close()


def take(
    settings: Settings, given: tuple[str | None, str | None], environment: Mapping[str, str], source: BinaryIO
) -> int:
    """Takes one letter from a file; the exit status that tells the mail server what became of it."""
    raw = source.read(LARGEST + 1)
    if len(raw) > LARGEST:
        return _say(TOO_LARGE, f"the letter is larger than {LARGEST:,} bytes; hint: send the words alone")
    envelope = Envelope.of(raw, given, environment)
    if "@" not in envelope.recipient:
        return _say(NOBODY, "nobody says whom the letter is for; hint: --to ADDRESS, like ${original_recipient}")
    try:
        asyncio.run(take_in(settings, envelope, raw))
    except (HedgerowError, OSError) as error:
        return _say(LATER, f"the letter cannot be stored now: {error}")
    return OK


def _say(status: int, text: str) -> int:
    print(f"error: {text}", file=sys.stderr)
    return status
