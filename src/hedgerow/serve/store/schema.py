"""The tables. Times are milliseconds since 1970; ids of games are random, so that a link is not guessed.

A game is its rows in `turns`, replayed in order: everything that happens to a game is such a row (a turn, a
resignation, a fallen flag, an agreed draw), and `number` counts them from 0. What `games` says about the state of play
follows from them; it is kept there so that lists, the clocks and the engines need not replay anything.

Indexes follow the lists that pages and routines ask for, in the order in which they show them; most are partial, so
that a turn touches few of them. Whoever uses a partial one says its condition word for word (`IS_OPEN`, `IS_PLAYING`,
`IS_DRAWN`): a bound parameter would hide it from SQLite. `migrations/` makes these tables; a test holds the two equal.
"""

from __future__ import annotations

import time

import sqlalchemy as sa
from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    MetaData,
    Table,
    UniqueConstraint,
    false,
    func,
    text,
    true,
)
from sqlalchemy.engine.default import DefaultExecutionContext

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

IS_OPEN, IS_PLAYING = text("games.state = 'open'"), text("games.state = 'playing'")
IS_DRAWN = text("seats.won = 0 AND seats.seat = 0")
"""A draw, by the first of its seats."""


def _partial(name: str, *columns: str, where: str) -> Index:
    """An index of the rows alone for which something holds."""
    return Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))


def _game_name(context: DefaultExecutionContext) -> str:
    """The game of some rules: what stands before their options."""
    rules: str = context.get_current_parameters()["rules"]  # type: ignore[no-untyped-call]
    return rules.partition("(")[0]


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
    Column("mail_key", String(32), nullable=True, index=True),  # in the links that end mails without signing in
    Column("paused", BigInteger, nullable=True),  # since when the address gets nothing, because mails bounced
    Column("by_mail", BigInteger, nullable=True),  # when they last gave a command by mail
    Index("ix_accounts_kind_seen", "kind", "seen"),
)
Index("ix_accounts_lower_mail", func.lower(accounts.c.mail))

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
    Column("game_name", String(40), nullable=False, server_default="", default=_game_name),  # rules, without options
    Index("ix_games_due", "due"),
    Index("ix_games_creator_state", "creator", "state"),
    _partial("ix_games_playing", "moved", where="state = 'playing'"),
    _partial("ix_games_open_lobby", "lobby", "created", where="state = 'open'"),
    _partial("ix_games_open_expires", "expires", where="state = 'open'"),
    _partial("ix_games_ended", "ended", "id", where="ended IS NOT NULL"),
    _partial("ix_games_rules_ended", "rules", "ended", "id", where="ended IS NOT NULL"),
    _partial("ix_games_game_name_ended", "game_name", "ended", "id", where="ended IS NOT NULL"),
    _partial("ix_games_position", "game_name", where="position IS NOT NULL"),
)

seats = Table(
    "seats",
    metadata,
    Column("game", String(16), ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", SmallInteger, primary_key=True),
    Column("account", BigId, ForeignKey("accounts.id"), nullable=True),
    Column("player", String(40), nullable=True),  # a machine's: the name of a player, like level(3)
    Column("invited", BigId, nullable=True),  # whom a free seat is kept for
    Column("ended", BigInteger, nullable=True),  # when the game was over, as it says itself
    Column("won", SmallInteger, nullable=True),  # 1, 0 for a draw, -1; None while it goes on or if it was called off
    Index("ix_seats_account_ended", "account", "ended", "game", "won"),
    Index("ix_seats_invited_ended", "invited", "ended"),
    _partial("ix_seats_drawn", "ended", "game", where="won = 0 AND seat = 0"),
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

one_time_tokens = Table(
    "one_time_tokens",
    metadata,
    Column("token", String(64), primary_key=True),  # the SHA-256 of what the link holds
    Column("kind", String(8), nullable=False),  # invite, reset, confirm, signup
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=True, index=True),
    Column("about", Text, nullable=False),  # whom an invitation is for; the address that is confirmed; who signs up
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
    Index("ix_notices_account_id", "account", "id"),
)

mails = Table(
    "mails",
    metadata,
    Column("id", BigId, primary_key=True, autoincrement=True),
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=True, index=True),
    Column(
        "kind", String(8), nullable=False
    ),  # reset, confirm, signup, moved, answer, message; turns: written when it is sent
    Column("address", String(254), nullable=False),
    Column("subject", String(200), nullable=False),
    Column("body", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("due", BigInteger, nullable=True),  # when it is tried next; None when it is done or given up
    Column("tries", SmallInteger, nullable=False),
    Column("sent", BigInteger, nullable=True),
    Column("game", String(16), nullable=True),  # whose thread it belongs to, and whose board goes with it
    Column("games", Text, nullable=True),  # further ones whose boards go with it, separated by blanks
    Column("in_reply_to", String(998), nullable=True),  # the Message-ID of the mail that it answers
    Column("bounced", BigInteger, nullable=True),  # when it came back, or was refused for good
    Index("ix_mails_due_created", "due", "created"),
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
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True, index=True),
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
    Index("ix_chat_game_room_id", "game", "room", "id"),
)

reports = Table(
    "reports",
    metadata,
    Column("id", BigId, primary_key=True, autoincrement=True),
    Column("chat", BigId, ForeignKey("chat.id", ondelete="CASCADE"), nullable=False),
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("reason", String(300), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("done", BigInteger, nullable=True),  # when an operator saw to it
    UniqueConstraint("chat", "account"),
)

mutes = Table(
    "mutes",
    metadata,
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("other", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("kind", String(8), nullable=False),  # mute: their words are not shown; block: and they cannot ask for games
    Column("at", BigInteger, nullable=False),
)

# --- ratings, and what processes agree on; step 0004 makes these tables -----------------------------------------------

meta = Table(
    "meta",
    metadata,
    Column("name", String(32), primary_key=True),  # installation: a random name for everything on this database
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
    Index("ix_ratings_ladder_rating_account", "ladder", "rating", "account"),
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

# --- programs; step 0005 makes this table, step 0010 its last column --------------------------------------------------

tokens = Table(
    "tokens",
    metadata,
    Column("id", BigId, primary_key=True, autoincrement=True),
    Column("token", String(64), nullable=False, unique=True),  # the SHA-256 of what its owner was shown once
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("name", String(60), nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("used", BigInteger, nullable=True),
    Column("plays", Boolean, nullable=False, server_default=false()),  # a person plays with it in a terminal
)

# --- play by mail; step 0009 makes these tables -----------------------------------------------------------------------

boards = Table(
    "boards",
    metadata,
    Column("number", BigId, primary_key=True, autoincrement=True),  # the short number that commands call a game by
    Column("game", String(16), ForeignKey("games.id", ondelete="CASCADE"), nullable=False, unique=True),
)

mail_words = Table(
    "mail_words",
    metadata,
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("hash", String(200), nullable=False),  # argon2
    Column("created", BigInteger, nullable=False),
)

letters = Table(
    "letters",
    metadata,
    Column("id", BigId, primary_key=True, autoincrement=True),
    Column("digest", String(64), nullable=False, unique=True),  # of what stays the same however often it is delivered
    Column("received", BigInteger, nullable=False),
    Column("sender", String(254), nullable=False),  # of the envelope; empty for a bounce
    Column("recipient", String(254), nullable=False),  # of the envelope: it may hold the secret of a reply address
    Column("raw", sa.LargeBinary, nullable=True),  # as it came; None when it is done
    Column("due", BigInteger, nullable=True),  # when it is tried next; None when it is done or given up
    Column("tries", SmallInteger, nullable=False),
    Index("ix_letters_due", "due"),
    Index("ix_letters_received", "received"),
)

letter_steps = Table(
    "letter_steps",
    metadata,
    Column("letter", BigId, ForeignKey("letters.id", ondelete="CASCADE"), primary_key=True),
    Column("step", SmallInteger, primary_key=True),  # which of its commands
    Column("result", Text, nullable=False),  # what it has done, as far as the answer needs it
)

vacations = Table(
    "vacations",
    metadata,
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("since", BigInteger, nullable=False),
    Column("until", BigInteger, nullable=False),
    Column("year", SmallInteger, nullable=False),
    Column("days", SmallInteger, nullable=False),  # taken in that year
)

# --- push messages; step 0011 makes this table ------------------------------------------------------------------------

push_subscriptions = Table(
    "push_subscriptions",
    metadata,
    Column("id", BigId, primary_key=True, autoincrement=True),
    Column("account", BigId, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("session", String(64), ForeignKey("sessions.token", ondelete="CASCADE"), nullable=False, unique=True),
    Column("endpoint", String(1000), nullable=False),  # where the browser's push service takes messages for it
    Column("p256dh", String(100), nullable=False),  # the browser's key
    Column("auth", String(40), nullable=False),  # what else only the browser knows
    Column("created", BigInteger, nullable=False),
)


def now() -> int:
    """The time as the tables keep it."""
    return time.time_ns() // 1_000_000
