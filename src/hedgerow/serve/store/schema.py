"""The tables. Times are milliseconds since 1970; ids of games are random, so that a link is not guessed.

A game is its rows in `turns`, replayed in order: everything that happens to a game is such a row (a turn, a
resignation, a fallen flag, an agreed draw), and `number` counts them from 0. What `games` says about the state of play
follows from them; it is kept there so that lists, the clocks and the engines need not replay anything.

`migrations/` makes these tables; a test holds the two equal.
"""

from __future__ import annotations

import time

import sqlalchemy as sa
from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, MetaData, Table, UniqueConstraint, false, true

from hedgerow.serve.store.columns import BigInteger, Integer, SmallInteger, String, Text

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

BigId = BigInteger().with_variant(sa.Integer(), "sqlite")
"""SQLite counts ids up by itself only in an INTEGER column."""

accounts = Table(
    "accounts",
    metadata,
    Column("id", BigId, primary_key=True, autoincrement=True),
    Column("kind", String(8), nullable=False),  # guest, person, bot, machine, gone
    Column("name", String(40), nullable=False),
    Column("folded", String(40), nullable=True, unique=True),  # the name without case; guests have none
    Column("password", String(200), nullable=True),  # argon2
    Column("mail", String(254), nullable=True),
    Column("created", BigInteger, nullable=False),
    Column("seen", BigInteger, nullable=False),
    Column("banned", BigInteger, nullable=True),  # since when
    Column("confirmed", BigInteger, nullable=True),  # when the mail address was seen to be theirs
    Column("turn_mails", Boolean, nullable=False, server_default=true()),  # wanted, for games by correspondence
    Column("mail_key", String(32), nullable=True),  # in the links that end mails without signing in
)

sessions = Table(
    "sessions",
    metadata,
    Column("token", String(64), primary_key=True),  # the SHA-256 of what the cookie holds
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("created", BigInteger, nullable=False),
    Column("expires", BigInteger, nullable=False),
    Column("device", String(80), nullable=True),  # what kind of browser, in words
    Column("seen", BigInteger, nullable=True),
)

games = Table(
    "games",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("rules", String(200), nullable=False),  # the canonical name
    Column("state", String(8), nullable=False),  # open: a seat is free; playing; over
    Column("private", Boolean, nullable=False),  # seen by its players alone; while a seat is free, by its link
    Column("creator", BigId, ForeignKey("accounts.id"), nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("begun", BigInteger, nullable=True),  # when the last seat was taken and the clock began
    Column("ended", BigInteger, nullable=True),
    Column("clock", String(8), nullable=False),  # none, live, days
    Column("base_ms", BigInteger, nullable=False),  # live: at the start; days: for every turn
    Column("increment_ms", BigInteger, nullable=False),
    Column("version", Integer, nullable=False),  # how many rows it has in turns
    Column("to_move", SmallInteger, nullable=True),  # None when it is over
    Column("moved", BigInteger, nullable=True),  # when the last turn was played
    Column("due", BigInteger, nullable=True),  # when the flag of the seat to move falls
    Column("outcome", Text, nullable=True),  # JSON of the Outcome
    Column("rated", Boolean, nullable=False, server_default=false()),
    Column("lobby", Boolean, nullable=False, server_default=false()),  # while open, everybody is asked to join
    Column("welcome", Boolean, nullable=False, server_default=false()),  # people may take over a machine's seat
    Column("expires", BigInteger, nullable=True),  # until when it may be joined
    Column("rematch", String(16), nullable=True),  # the game that came after it
    Column("position", Text, nullable=True),  # of a rated game that goes on: nobody may ask an engine about it
    Index("ix_games_state_to_move", "state", "to_move"),
    Index("ix_games_due", "due"),
    Index("ix_games_ended", "ended"),
)

seats = Table(
    "seats",
    metadata,
    Column("game", String(16), ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", SmallInteger, primary_key=True),
    Column("account", BigId, ForeignKey("accounts.id"), nullable=True, index=True),
    Column("player", String(40), nullable=True),  # a machine's: the name of a player, like level(3)
    Column("invited", BigId, nullable=True, index=True),  # whom a free seat is kept for
)

turns = Table(
    "turns",
    metadata,
    Column("game", String(16), ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("kind", String(8), nullable=False),  # turn, resign, flag, draw, undo, abort, sit
    Column("seat", SmallInteger, nullable=False),  # -1 where it is nobody's in particular
    Column("text", String(200), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("spent", BigInteger, nullable=False),  # what the clock charged for it, in ms
)

# --- people -----------------------------------------------------------------------------------------------------------

tickets = Table(
    "tickets",
    metadata,
    Column("token", String(64), primary_key=True),  # the SHA-256 of what the link holds
    Column("kind", String(8), nullable=False),  # invite, reset, confirm
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=True, index=True),
    Column("about", String(254), nullable=False),  # whom an invitation is for; the address that is confirmed
    Column("created", BigInteger, nullable=False),
    Column("expires", BigInteger, nullable=False),
    Column("used", BigInteger, nullable=True),
)

notices = Table(
    "notices",
    metadata,
    Column("id", BigId, primary_key=True, autoincrement=True),
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    Column("kind", String(16), nullable=False),  # turn, ...
    Column("game", String(16), ForeignKey("games.id", ondelete="CASCADE"), nullable=True, index=True),
    Column("text", String(200), nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("read", BigInteger, nullable=True),
    Column("mailed", BigInteger, nullable=True),
    Index("ix_notices_account_read", "account", "read"),
)

mails = Table(
    "mails",
    metadata,
    Column("id", BigId, primary_key=True, autoincrement=True),
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("kind", String(8), nullable=False),  # reset, confirm; turns: its text is written when it is sent
    Column("address", String(254), nullable=False),
    Column("subject", String(200), nullable=False),
    Column("body", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("due", BigInteger, nullable=True),  # when it is tried next; None when it is done or given up
    Column("tries", SmallInteger, nullable=False),
    Column("sent", BigInteger, nullable=True),
    Index("ix_mails_due", "due"),
)

# --- play: what is asked and said in a game; step 0003 makes these tables ---------------------------------------------

offers = Table(
    "offers",
    metadata,
    Column("game", String(16), ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("kind", String(8), primary_key=True),  # undo, draw, abort, rematch
    Column("seat", SmallInteger, nullable=False),  # who asks
    Column("version", Integer, nullable=False),  # of the game; with the next row the offer has lapsed
    Column("agreed", Integer, nullable=False),  # a bit for every seat that has agreed
    Column("declined", Boolean, nullable=False),
    Column("at", BigInteger, nullable=False),
)

plans = Table(
    "plans",
    metadata,
    Column("game", String(16), ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", SmallInteger, primary_key=True),
    Column("account", BigId, nullable=False),  # who made it; void when somebody else sits there
    Column("version", Integer, nullable=False),  # of the game that the tree begins with
    Column("tree", Text, nullable=False),  # JSON: every turn that is thought of, and what comes after it
    Column("at", BigInteger, nullable=False),
)

notes = Table(
    "notes",
    metadata,
    Column("game", String(16), ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("text", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

chat = Table(
    "chat",
    metadata,
    Column("id", BigId, primary_key=True, autoincrement=True),
    Column("game", String(16), ForeignKey("games.id", ondelete="CASCADE"), nullable=False),
    Column("room", String(8), nullable=False),  # players, watchers
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("text", String(300), nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("ix_chat_game_room", "game", "room"),
)

reports = Table(
    "reports",
    metadata,
    Column("id", BigId, primary_key=True, autoincrement=True),
    Column("chat", BigId, ForeignKey("chat.id", ondelete="CASCADE"), nullable=False),
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    Column("reason", String(300), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("done", BigInteger, nullable=True),  # when an operator saw to it
    UniqueConstraint("chat", "account"),
)

silences = Table(
    "silences",
    metadata,
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("other", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("kind", String(8), nullable=False),  # mute: their words are not shown; block: and they cannot ask for games
    Column("at", BigInteger, nullable=False),
)

# --- ratings, and what processes agree on; step 0004 makes these tables -----------------------------------------------

facts = Table(
    "facts",
    metadata,
    Column("name", String(32), primary_key=True),  # house: a random name for everything on this database
    Column("value", String(200), nullable=False),
)

ratings = Table(
    "ratings",
    metadata,
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("ladder", String(60), primary_key=True),  # the game and how many play it
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("rating", Integer, nullable=False),  # the one number that is shown
    Column("games", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("ix_ratings_ladder_rating", "ladder", "rating"),
)

rating_steps = Table(
    "rating_steps",
    metadata,
    Column("game", String(16), ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", SmallInteger, primary_key=True),
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    Column("ladder", String(60), nullable=False),
    Column("before", Integer, nullable=False),
    Column("after", Integer, nullable=False),
    Column("doubt", Integer, nullable=False),  # how uncertain `after` is
    Column("at", BigInteger, nullable=False),
    Index("ix_rating_steps_account_ladder_at", "account", "ladder", "at"),
)

# --- programs; step 0005 makes this table -----------------------------------------------------------------------------

tokens = Table(
    "tokens",
    metadata,
    Column("id", BigId, primary_key=True, autoincrement=True),
    Column("token", String(64), nullable=False, unique=True),  # the SHA-256 of what its owner was shown once
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("name", String(60), nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("used", BigInteger, nullable=True),
)


def now() -> int:
    """The time as the tables keep it."""
    return time.time_ns() // 1_000_000
