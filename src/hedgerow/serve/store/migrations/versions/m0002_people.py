"""What people are and may: bans, invitations, mail, notices."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

BigId = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def account() -> sa.ForeignKey:
    """A key to an account; what has it goes with the account."""
    return sa.ForeignKey("accounts.id", ondelete="CASCADE")


def upgrade() -> None:
    """New columns for accounts and sessions; tickets, notices and mails."""
    op.add_column("accounts", sa.Column("banned", sa.BigInteger, nullable=True))
    op.add_column("accounts", sa.Column("confirmed", sa.BigInteger, nullable=True))
    op.add_column("accounts", sa.Column("turn_mails", sa.Boolean, nullable=False, server_default=sa.true()))
    op.add_column("accounts", sa.Column("mail_key", sa.String(32), nullable=True))
    op.add_column("sessions", sa.Column("device", sa.String(80), nullable=True))
    op.add_column("sessions", sa.Column("seen", sa.BigInteger, nullable=True))
    op.create_table(
        "tickets",
        sa.Column("token", sa.String(64), primary_key=True),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("account", BigId, account(), nullable=True, index=True),
        sa.Column("about", sa.String(254), nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("expires", sa.BigInteger, nullable=False),
        sa.Column("used", sa.BigInteger, nullable=True),
    )
    op.create_table(
        "notices",
        sa.Column("id", BigId, primary_key=True, autoincrement=True),
        sa.Column("account", BigId, account(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("game", sa.String(16), sa.ForeignKey("games.id", ondelete="CASCADE"), nullable=True, index=True),
        sa.Column("text", sa.String(200), nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("read", sa.BigInteger, nullable=True),
        sa.Column("mailed", sa.BigInteger, nullable=True),
    )
    op.create_index("ix_notices_account_read", "notices", ["account", "read"])
    op.create_table(
        "mails",
        sa.Column("id", BigId, primary_key=True, autoincrement=True),
        sa.Column("account", BigId, account(), nullable=False, index=True),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("address", sa.String(254), nullable=False),
        sa.Column("subject", sa.String(200), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("due", sa.BigInteger, nullable=True),
        sa.Column("tries", sa.SmallInteger, nullable=False),
        sa.Column("sent", sa.BigInteger, nullable=True),
    )
    op.create_index("ix_mails_due", "mails", ["due"])
