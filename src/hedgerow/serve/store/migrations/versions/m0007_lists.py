"""Indexes for every list that pages and routines ask for, and the columns that they need."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

GONE = {
    "ix_games_state_to_move": "games",
    "ix_games_ended": "games",
    "ix_seats_account": "seats",
    "ix_seats_invited": "seats",
    "ix_mails_due": "mails",
    "ix_chat_game_room": "chat",
    "ix_ratings_ladder_rating": "ratings",
}
"""Indexes that others take the place of, and their tables."""
NEW = {
    "ix_accounts_mail_key": ("accounts", "mail_key"),
    "ix_accounts_kind_seen": ("accounts", "kind", "seen"),
    "ix_games_creator_state": ("games", "creator", "state"),
    "ix_seats_account_ended": ("seats", "account", "ended", "game", "won"),
    "ix_seats_invited_ended": ("seats", "invited", "ended"),
    "ix_notices_account_id": ("notices", "account", "id"),
    "ix_mails_due_created": ("mails", "due", "created"),
    "ix_notes_account": ("notes", "account"),
    "ix_chat_game_room_id": ("chat", "game", "room", "id"),
    "ix_reports_account": ("reports", "account"),
    "ix_silences_other": ("silences", "other"),
    "ix_ratings_ladder_rating_account": ("ratings", "ladder", "rating", "account"),
}
PARTIAL = {
    "ix_games_playing": ("state = 'playing'", "games", "moved"),
    "ix_games_open_lobby": ("state = 'open'", "games", "lobby", "created"),
    "ix_games_open_expires": ("state = 'open'", "games", "expires"),
    "ix_games_ended": ("ended IS NOT NULL", "games", "ended", "id"),
    "ix_games_rules_ended": ("ended IS NOT NULL", "games", "rules", "ended", "id"),
    "ix_games_game_name_ended": ("ended IS NOT NULL", "games", "game_name", "ended", "id"),
    "ix_games_position": ("position IS NOT NULL", "games", "game_name"),
    "ix_seats_drawn": ("won = 0 AND seat = 0", "seats", "ended", "game"),
}

NAMES = {
    "sqlite": "UPDATE games SET game_name = substr(rules, 1, instr(rules || '(', '(') - 1)",
    "postgresql": "UPDATE games SET game_name = split_part(rules, '(', 1)",
}
ENDS = {
    "sqlite": """
        UPDATE seats SET ended = games.ended, won = CASE
            WHEN json_array_length(games.outcome, '$.places') = 0 THEN NULL
            WHEN json_array_length(games.outcome, '$.winners') = 0 THEN 0
            WHEN seats.seat IN (SELECT value FROM json_each(games.outcome, '$.winners')) THEN 1
            ELSE -1 END
        FROM games WHERE games.id = seats.game AND games.state = 'over'
    """,
    "postgresql": """
        UPDATE seats SET ended = games.ended, won = CASE
            WHEN CAST(games.outcome AS jsonb) -> 'places' = '[]' THEN NULL
            WHEN CAST(games.outcome AS jsonb) -> 'winners' = '[]' THEN 0
            WHEN CAST(games.outcome AS jsonb) -> 'winners' @> to_jsonb(seats.seat) THEN 1
            ELSE -1 END
        FROM games WHERE games.id = seats.game AND games.state = 'over'
    """,
}


def upgrade() -> None:
    """Columns that say again what games say, so that an index can be in order; then the indexes."""
    op.add_column("games", sa.Column("game_name", sa.String(40), nullable=False, server_default=""))
    op.add_column("seats", sa.Column("ended", sa.BigInteger, nullable=True))
    op.add_column("seats", sa.Column("won", sa.SmallInteger, nullable=True))
    dialect = op.get_context().dialect.name
    op.execute(NAMES[dialect])
    op.execute(ENDS[dialect])
    for name, table in GONE.items():
        op.drop_index(name, table)
    for name, (table, *columns) in NEW.items():
        op.create_index(name, table, columns)
    for name, (where, table, *columns) in PARTIAL.items():
        op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))
    op.create_index("ix_accounts_lower_mail", "accounts", [sa.text("lower(mail)")])
