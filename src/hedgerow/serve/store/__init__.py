"""Everything that is kept: one schema for SQLite and PostgreSQL, and the writer that commits many turns at once."""

from __future__ import annotations

from hedgerow.serve.store.database import Store, open_store
from hedgerow.serve.store.writer import Conflict, TurnRow

__all__ = ["Conflict", "Store", "TurnRow", "open_store"]
