"""Ratings and their history; what processes on one database agree on."""

from __future__ import annotations

import secrets
from typing import Any

import sqlalchemy as sa
from alembic import op

from hedgerow.serve.store.schema import BigId

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def account(**more: Any) -> sa.Column[int]:
    """The account that a row belongs to."""
    return sa.Column("account", BigId, sa.ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, **more)


def upgrade() -> None:
    """The tables, and a name for this house."""
    facts = op.create_table(
        "facts",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("value", sa.String(200), nullable=False),
    )
    assert facts is not None
    op.bulk_insert(facts, [{"name": "house", "value": secrets.token_hex(8)}])
    ratings_and_history()


def ratings_and_history() -> None:
    op.create_table(
        "ratings",
        account(primary_key=True),
        sa.Column("ladder", sa.String(60), primary_key=True),
        sa.Column("mu", sa.Float, nullable=False),
        sa.Column("sigma", sa.Float, nullable=False),
        sa.Column("rating", sa.Integer, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Index("ix_ratings_ladder_rating", "ladder", "rating"),
    )
    op.create_table(
        "rating_steps",
        sa.Column("game", sa.String(16), sa.ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("seat", sa.SmallInteger, primary_key=True),
        account(),
        sa.Column("ladder", sa.String(60), nullable=False),
        sa.Column("before", sa.Integer, nullable=False),
        sa.Column("after", sa.Integer, nullable=False),
        sa.Column("doubt", sa.Integer, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Index("ix_rating_steps_account_ladder_at", "account", "ladder", "at"),
    )
