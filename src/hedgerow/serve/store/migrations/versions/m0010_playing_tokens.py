"""Tokens with which a person plays in a terminal."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """One column; tokens made before do not play for a person, as they were promised."""
    op.add_column("tokens", sa.Column("plays", sa.Boolean, nullable=False, server_default=sa.false()))
