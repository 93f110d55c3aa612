"""The position of every rated game that goes on, so that no engine helps with it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """One column; games that go on fill it with their next turn, and are looked at one by one until then."""
    op.add_column("games", sa.Column("position", sa.Text, nullable=True))
