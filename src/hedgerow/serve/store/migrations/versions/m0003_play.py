"""What is said and asked in a game: challenges, offers, chat, notes, conditional turns."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from hedgerow.serve.store.schema import BigId

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def game() -> sa.Column[str]:
    """The game that a row belongs to."""
    return sa.Column("game", sa.String(16), sa.ForeignKey("games.id", ondelete="CASCADE"), primary_key=True)


def account(name: str, primary_key: bool = False, index: bool = False) -> sa.Column[int]:
    """The account that a row belongs to."""
    whose = sa.ForeignKey("accounts.id", ondelete="CASCADE")
    return sa.Column(name, BigId, whose, nullable=False, primary_key=primary_key, index=index or None)


def upgrade() -> None:
    """New columns for games and seats, then the tables."""
    op.add_column("games", sa.Column("rated", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("games", sa.Column("lobby", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("games", sa.Column("welcome", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("games", sa.Column("expires", sa.BigInteger, nullable=True))
    op.add_column("games", sa.Column("rematch", sa.String(16), nullable=True))
    op.create_index("ix_games_ended", "games", ["ended"])
    op.add_column("seats", sa.Column("invited", BigId, nullable=True))
    op.create_index("ix_seats_invited", "seats", ["invited"])
    what_is_asked()
    what_is_said()


def what_is_asked() -> None:
    op.create_table(
        "offers",
        game(),
        sa.Column("kind", sa.String(8), primary_key=True),
        sa.Column("seat", sa.SmallInteger, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("agreed", sa.Integer, nullable=False),
        sa.Column("declined", sa.Boolean, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "plans",
        game(),
        sa.Column("seat", sa.SmallInteger, primary_key=True),
        sa.Column("account", BigId, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("tree", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "notes",
        game(),
        account("account", primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )


def what_is_said() -> None:
    op.create_table(
        "chat",
        sa.Column("id", BigId, primary_key=True, autoincrement=True),
        sa.Column("game", sa.String(16), sa.ForeignKey("games.id", ondelete="CASCADE"), nullable=False),
        sa.Column("room", sa.String(8), nullable=False),
        account("account", index=True),
        sa.Column("text", sa.String(300), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Index("ix_chat_game_room", "game", "room"),
    )
    op.create_table(
        "reports",
        sa.Column("id", BigId, primary_key=True, autoincrement=True),
        sa.Column("chat", BigId, sa.ForeignKey("chat.id", ondelete="CASCADE"), nullable=False),
        account("account"),
        sa.Column("reason", sa.String(300), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("done", sa.BigInteger, nullable=True),
        sa.UniqueConstraint("chat", "account", name="uq_reports_chat_account"),
    )
    op.create_table(
        "silences",
        account("account", primary_key=True),
        account("other", primary_key=True),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
