"""Tables named by what they hold: mutes, one-time tokens, what processes agree on."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

TABLES = {"silences": "mutes", "tickets": "one_time_tokens", "facts": "meta"}


def upgrade() -> None:
    """New names for tables and their indexes."""
    inspector = sa.inspect(op.get_bind())
    indexes = {old: inspector.get_indexes(old) for old in TABLES}
    for old, new in TABLES.items():
        for index in indexes[old]:
            op.drop_index(str(index["name"]), old)
        op.rename_table(old, new)
        for index in indexes[old]:
            name = str(index["name"]).replace(old, new)
            op.create_index(name, new, [str(column) for column in index["column_names"]], unique=index["unique"])
    op.execute("UPDATE meta SET name = 'installation' WHERE name = 'house'")
