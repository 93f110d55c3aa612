"""Personal access tokens, with which programs come in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from hedgerow.serve.store.schema import BigId

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """One table; it goes with its accounts."""
    op.create_table(
        "tokens",
        sa.Column("id", BigId, primary_key=True, autoincrement=True),
        sa.Column("token", sa.String(64), nullable=False),
        sa.Column("account", BigId, sa.ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("used", sa.BigInteger, nullable=True),
        sa.UniqueConstraint("token", name="uq_tokens_token"),
    )
