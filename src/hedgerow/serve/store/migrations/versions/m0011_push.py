"""Push messages: which browsers want them, each with the session that it is signed in with."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

BigId = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """One new table."""
    name = "push_subscriptions"
    op.create_table(
        name,
        sa.Column("id", BigId, primary_key=True, autoincrement=True),
        sa.Column("account", BigId, nullable=False),
        sa.Column("session", sa.String(64), nullable=False),
        sa.Column("endpoint", sa.String(1000), nullable=False),
        sa.Column("p256dh", sa.String(100), nullable=False),
        sa.Column("auth", sa.String(40), nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name=f"fk_{name}_account", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["session"], ["sessions.token"], name=f"fk_{name}_session", ondelete="CASCADE"),
        sa.UniqueConstraint("session", name=f"uq_{name}_session"),
    )
    op.create_index(f"ix_{name}_account", name, ["account"])
