"""What somebody notes about a game; nobody else sees it."""

from __future__ import annotations

from hedgerow.serve.store import Store, play
from hedgerow.serve.store.schema import now

MAX_NOTE_CHARS = 4_000
"""How many characters a note may have."""


async def note_of(store: Store, game: str, account: int) -> str:
    """The note, empty where there is none."""
    async with store.read() as connection:
        row = await play.note_row(connection, game, account)
    return row.text if row else ""


async def keep_note(store: Store, game: str, account: int, text: str) -> str:
    """Keeps a note instead of the one before, an empty one not at all; the note as it is kept."""
    kept = text.strip()
    async with store.write() as connection:
        await play.put_note(connection, game, account, kept, now())
    return kept
