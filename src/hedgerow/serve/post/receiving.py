"""Letters that arrive: whoever hands one over is told that it is here when it is stored, and not before."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.post.reading import read
from hedgerow.serve.store import Store, inbox
from hedgerow.serve.store.inbox import Arrived
from hedgerow.serve.store.schema import now

LARGEST = 1_048_576
"""How many bytes a letter may have."""
QUICK = 32_768
"""A letter up to this size is read at once; a larger one in a thread, so that nobody waits for it."""
ADDRESS = 254


class Receiver:
    """Keeps what arrives; `arrived` is called when there is something to do."""

    def __init__(self, store: Store, arrived: Callable[[], None] = lambda: None) -> None:
        self.store = store
        self.arrived = arrived
        self.received = 0

    async def keep(self, sender: str, recipients: Sequence[str], raw: bytes) -> None:
        """A letter to one or several of our addresses is stored when this returns; raises Refused where it cannot be.

        A letter to everybody's address and to secret ones is meant for the secret ones.
        """
        raw = raw[:LARGEST]
        found = read(raw) if len(raw) <= QUICK else await asyncio.to_thread(read, raw)
        meant = [address for address in recipients if "+" in address] or list(recipients)[:1]
        letters = [_arrived(found.digest, sender, address, raw) for address in dict.fromkeys(map(str.lower, meant))]
        await self.store.write_alike(_keep_all, letters)
        self.received += len(letters)
        self.arrived()


async def _keep_all(connection: AsyncConnection, some: Sequence[Sequence[Arrived]]) -> list[None]:
    """Keeps what several have handed over."""
    await inbox.keep(connection, [letter for letters in some for letter in letters], now())
    return [None] * len(some)


def _arrived(digest: str, sender: str, recipient: str, raw: bytes) -> Arrived:
    """One letter; the same mail to two secret addresses is two letters."""
    key = hashlib.sha256(f"{digest} {recipient}".encode("utf-8", "replace")).hexdigest()
    return Arrived(key, clean(sender), clean(recipient), raw)


def clean(address: str) -> str:
    """An address of an envelope as it is kept: without brackets, and nothing in it that is no text.

    >>> clean("<Ann@example.org>"), clean("<>")
    ('Ann@example.org', '')
    """
    return re.sub(r"[^\x20-\x7e\x80-\ud7ff\ue000-\U0010ffff]", "", address).strip().strip("<>").strip()[:ADDRESS]
