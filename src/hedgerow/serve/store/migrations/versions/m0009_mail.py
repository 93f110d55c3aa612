"""Play by mail: short numbers of games, mail words, letters that came in and what they did, vacations."""

from __future__ import annotations

import warnings

import sqlalchemy as sa
from alembic import op
from sqlalchemy.exc import SAWarning

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

BigId = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Five new tables; what mails are about and whether they came back, and what is known of people's addresses."""
    op.create_table(
        "boards",
        sa.Column("number", BigId, primary_key=True, autoincrement=True),
        sa.Column("game", sa.String(16), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_boards_game", ondelete="CASCADE"),
        sa.UniqueConstraint("game", name="uq_boards_game"),
    )
    op.create_table(
        "mail_words",
        sa.Column("account", BigId, primary_key=True),
        sa.Column("hash", sa.String(200), nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_mail_words_account", ondelete="CASCADE"),
    )
    op.create_table(
        "letters",
        sa.Column("id", BigId, primary_key=True, autoincrement=True),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("received", sa.BigInteger, nullable=False),
        sa.Column("sender", sa.String(254), nullable=False),
        sa.Column("recipient", sa.String(254), nullable=False),
        sa.Column("raw", sa.LargeBinary, nullable=True),
        sa.Column("due", sa.BigInteger, nullable=True),
        sa.Column("tries", sa.SmallInteger, nullable=False),
        sa.UniqueConstraint("digest", name="uq_letters_digest"),
    )
    op.create_index("ix_letters_due", "letters", ["due"])
    op.create_index("ix_letters_received", "letters", ["received"])
    op.create_table(
        "letter_steps",
        sa.Column("letter", BigId, primary_key=True),
        sa.Column("step", sa.SmallInteger, primary_key=True),
        sa.Column("result", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["letter"], ["letters.id"], name="fk_letter_steps_letter", ondelete="CASCADE"),
    )
    op.create_table(
        "vacations",
        sa.Column("account", BigId, primary_key=True),
        sa.Column("since", sa.BigInteger, nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
        sa.Column("year", sa.SmallInteger, nullable=False),
        sa.Column("days", sa.SmallInteger, nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_vacations_account", ondelete="CASCADE"),
    )
    op.add_column("accounts", sa.Column("paused", sa.BigInteger, nullable=True))
    op.add_column("accounts", sa.Column("by_mail", sa.BigInteger, nullable=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)  # the index of accounts that it cannot read is not touched
        _change_tables()


def _change_tables() -> None:
    with op.batch_alter_table("mails") as mails:
        mails.alter_column("account", existing_type=BigId, nullable=True)
        mails.add_column(sa.Column("game", sa.String(16), nullable=True))
        mails.add_column(sa.Column("games", sa.Text, nullable=True))
        mails.add_column(sa.Column("in_reply_to", sa.String(998), nullable=True))
        mails.add_column(sa.Column("bounced", sa.BigInteger, nullable=True))
    with op.batch_alter_table("one_time_tokens") as tokens:
        tokens.alter_column("about", existing_type=sa.String(254), existing_nullable=False, type_=sa.Text)
