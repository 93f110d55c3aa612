"""Which checks apply to what: a data folder, a PostgreSQL database, or a running server by its address."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from hedgerow.game import HedgerowError
from hedgerow.serve.process.check import database, places, services, web
from hedgerow.serve.process.check.finding import Finding, Progress
from hedgerow.serve.settings import Settings


@dataclass(frozen=True)
class Asked:
    """What to look at, and the settings that the server is started with, as far as they are told."""

    where: str
    settings: Settings = field(default_factory=Settings)
    guest: bool = False
    """Come in as a guest, who is forgotten again, to see the cookie."""


def look(asked: Asked, progress: Progress = lambda what, done, all_of_it: None) -> list[Finding]:
    """Everything that there is to say about an installation; raises HedgerowError where there is none."""
    if asked.where.startswith(("http://", "https://")):
        return web.look(asked.where, asked.guest)
    found = [*services.look(asked.settings), *services.unsafe_together(asked.settings)]
    if "://" in asked.where:
        return found + asyncio.run(database.look_at_postgres(asked.where, progress))
    folder = Path(asked.where)
    if not folder.is_dir():
        raise HedgerowError(f"no folder {asked.where!r}; hint: a data folder, postgresql://... or https://...")
    found += places.look(folder)
    return found + asyncio.run(database.look_at_folder(folder, progress))
