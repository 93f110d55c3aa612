"""Query plans: whatever the server asks a database with many games, an index answers, in the order that is wanted."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, event, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve import store as room
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import Store, open_store, postgres, sqlite
from hedgerow.serve.store.archive import Wanted
from hedgerow.serve.store.mailbox import NewNotice
from hedgerow.serve.store.migrations.versions import m0007_lists
from hedgerow.serve.store.ratings import Strength
from hedgerow.serve.store.rows import PlayedRow
from hedgerow.serve.store.schema import games, metadata, now, seats
from hedgerow.tools.many_games import COLUMNS, fill

pytestmark = pytest.mark.anyio

MANY = 2_000
"""How many games there are; with fewer, PostgreSQL would be right to look through all of them."""

OTHERS = {
    "people.people": "an operator looks for a part of a name",
    "people.count_games": "an operator looks at one account",
    "talk.open_reports": "an operator looks at all reports",
    "mailbox.set_mail": "the table has a few rows",
    "ratings.set_rated_until": "the table has a few rows",
    "rows.all_of": "what others ask with",
    "rows.first_of": "what others ask with",
    "play.put": "what others call with a primary key",
    "queries.add_account": "it only adds",
    "queries.add_game": "it only adds",
    "inbox.keep": "it only adds",
    "mailbox.add_mail": "it only adds",
    "mailbox.add_mails": "it only adds",
    "together.each": "what others ask with",
    "talk.add_message": "it only adds",
    "talk.put_report": "it only adds",
    "tokens.add_token": "it only adds",
    "broadcasts.tell_everybody": "it adds a row for everybody",
    "broadcasts.mail_everybody": "it adds a row for everybody",
    "play.put_offer": "it adds a row, or changes the one of that primary key",
    "play.put_plan": "it adds a row, or changes the one of that primary key",
    "mail_words.put_word": "it adds a row, or changes the one of that primary key",
    "vacations.put_vacation": "it adds a row, or changes the one of that primary key",
    "ratings.add_steps": "it adds rows, or changes those of that primary key",
    "push.keep_key": "it only adds",
    "push.put_subscription": "it adds a row, or changes the one of that session",
    "talk.put_mute": "it adds a row, or changes the one of that primary key",
}
"""What is not looked at, and why."""

SORTED = {
    "queries.account_of_session": "one row",
    "queries.games_of": "the games of an account that go on; those that are over come in order",
    "queries.take_seat": "the seats of a game",
    "play.invitations": "the challenges of an account that stand",
    "play.offer_rows": "the offers of a game",
    "archive.waiting": "the games of an account that go on",
    "streams.running": "the games of an account that go on",
    "streams.news": "the games of an account that go on",
    "mailbox.account_for_reset": "one or two rows",
    "mailbox.take_for_mails": "the unread notices of some accounts",
    "mailbox.add_notices": "the notices of some accounts",
    "mailbox.add_notice": "the notices of an account",
    "mailbox.last_bounces": "the mails to an account of the last weeks",
    "people.leave_open_games": "the seats of an account's games that wait",
    "people.make_nameless": "the seats of an account's games that wait",
    "people.sessions_of": "the sessions of an account",
    "ratings.strengths": "the players of a game",
    "talk.mute_rows": "whom an account does not want to hear",
    "tokens.tokens_of": "the tokens of an account",
}
"""What sorts what it has found, and why that is little."""

LISTS = (
    "ix_games_ended",
    "ix_games_playing",
    "ix_games_position",
    "ix_games_open_lobby",
    "ix_games_open_expires",
    "ix_seats_drawn",
)
"""Partial indexes that a list is read from, one row after the other."""

FILLED = set(COLUMNS) - {"sessions"}
"""Tables with many rows."""

AT = now()
USUAL: dict[str, Any] = {
    "account": 1,
    "other": 2,
    "reader": 1,
    "number": 1,
    "mail": 1,
    "address": "x@y.z",
    "message": 1,
    "creator": 1,
    "seat": 0,
    "at": AT,
    "now": AT,
    "before": AT,
    "since": AT - 1000,
    "due": AT,
    "until": AT,
    "limit": 50,
    "turns": 3,
    "token": "x",
    "key": "x",
    "keys": ["x"],
    "spellings": ["x@y.z"],
    "kind": "turn",
    "about": "declined",
    "clock": "live",
    "rated": False,
    "ladders": ["hexbo/2", "tanbo/2"],
    "session": "x",
    "room": "players",
    "ladder": "hexbo/2",
    "some": [1, 2],
    "accounts": [1, 2],
    "kinds": ["person"],
    "state": None,
    "text": "x",
    "welcome": True,
    "wanted": None,
    "version": 3,
    "position": "x",
    "player": "level(3)",
    "games_played": 10,
    "reason": "x",
    "after": 0,
    "by": 1000,
    "is_one": True,
    "letter": 1,
    "tries": 1,
    "claim": 120_000,
    "steps": [(1, Strength(), Strength()), (2, Strength(), Strength())],
}
"""What functions are called with, by the names of their parameters."""

VARIANTS: dict[str, list[dict[str, Any]]] = {
    "continuations.copy_game": [{"game": "over", "made": "copy", "begun": [], "to_move": 0}],
    "archive.archive": [
        {"wanted": wanted, "reader": reader}
        for reader in (None, 1)
        for wanted in (
            Wanted(),
            Wanted(before=(AT, "x")),
            Wanted(since=AT - 1000, until=AT),
            Wanted(rules="hexbo"),
            Wanted(rules="hexbo(side=5)", before=(AT, "x")),
            Wanted(result="draw"),
            Wanted(result="draw", before=(AT, "x")),
            Wanted(player=1),
            Wanted(player=1, result="win"),
            Wanted(player=1, result="draw", rules="hexbo", since=1, before=(AT, "x")),
        )
    ],
    "archive.public_after": [{"game": "x"}],
    "mailbox.read_notices": [{}, {"up_to": 5}, {"game": "over"}],
    "mailbox.add_notices": [{"some": [NewNotice(1, "turn", None, "text", AT)]}],
    "mailbox.read_about": [{"about": [(1, "x")]}],
    "mailbox.take_for_mails": [{"about": [(1, "x")]}],
    "mailbox.write_mails": [{"texts": {1: "x"}}],
    "mailbox.unread": [{}, {"game": "over"}],
    "mailbox.settle_mail": [{"values": {"due": None}}],
    "mailbox.settle_mails": [{"some": [{"mail": 1, "due": None, "tries": 1, "sent": 1}]}],
    "people.change": [{"values": {"password": "x", "mail": "x"}}],
    "people.end_sessions": [{}, {"but": "x"}, {"beginning": "x"}],
    "people.add_one_time_token": [
        {"values": {"token": "y", "kind": "reset", "account": 1, "about": "", "created": 1, "expires": 1}}
    ],
    "people.games_seated": [{"state": state} for state in (None, "open", "playing", "over")],
    "play.add_row": [
        {"within": "open", "row": "first of the open game", "values": {"ended": AT}},
    ],
    "play.put_note": [{"text": ""}],
    "play.rated_positions": [{"game": "hexbo"}],
    "queries.begin_game": [{"due": None}],
    "queries.claim_rematch": [{"after": "x"}],
    "queries.games_of": [{"state": state} for state in (None, "open", "playing", "over")],
    "queries.public_games": [{"state": state} for state in (None, "playing", "over")],
    "queries.take_seat": [{"game": "open", "account": 5}, {"game": "open", "account": 5, "wanted": 1}],
    "talk.messages": [{}, {"reader": None}],
    "tokens.end_tokens": [{}, {"number": 1}],
}
"""How some are called besides, or instead."""


def questions() -> dict[str, Callable[..., Any]]:
    """Every function of the store that asks the database."""
    found = {}
    for module in pkgutil.iter_modules(room.__path__):
        here = importlib.import_module(f"{room.__name__}.{module.name}") if module.name != "migrations" else None
        for name, what in vars(here).items() if here else ():
            asks = (
                inspect.iscoroutinefunction(what) and next(iter(inspect.signature(what).parameters), "") == "connection"
            )
            if asks and what.__module__ == here.__name__:  # type: ignore[union-attr]
                found[f"{module.name}.{name}"] = what
    return found


NAMES = sorted(set(questions()) - set(OTHERS))


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A database with many games."""
    from serving import empty_database

    folder = tmp_path_factory.mktemp("plans")
    if request.param == "sqlite":
        fill(folder, None, MANY)
        yield Settings(data=folder, engines=0)
    else:
        with empty_database() as address:
            fill(folder, address, MANY)
            yield Settings(data=folder, database=address, engines=0)


@pytest.fixture
async def store(filled: Settings) -> AsyncIterator[Store]:
    made = await open_store(filled.data, filled.database)
    yield made
    await made.close()


class Asked:
    """A connection, and the statements that were executed on it."""

    def __init__(self, connection: AsyncConnection) -> None:
        self.connection = connection
        self.statements: list[tuple[str, Any]] = []
        event.listen(connection.sync_connection, "before_cursor_execute", self._hear)

    def _hear(self, _1: Any, _2: Any, statement: str, parameters: Any, *_: Any) -> None:
        if not re.match(r"\s*(INSERT|EXPLAIN|SET)\b", statement):
            self.statements.append((statement, parameters))

    async def plan(self, statement: str, parameters: Any) -> list[str]:
        """What is wrong with how a statement is answered."""
        sqlite = self.connection.dialect.name == "sqlite"
        explain = "EXPLAIN QUERY PLAN" if sqlite else "EXPLAIN (FORMAT JSON)"
        rows = (await self.connection.exec_driver_sql(f"{explain} {statement}", parameters)).all()
        if sqlite:
            return [row[3] for row in rows]
        plan = rows[0][0]
        return list(_nodes((json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]))


def _nodes(plan: dict[str, Any]) -> Any:
    """The steps of a plan of PostgreSQL, in the words of SQLite; tables that are empty here are SQLite's to judge."""
    kind, table, index = plan["Node Type"], plan.get("Relation Name", ""), plan.get("Index Name", "")
    if table not in FILLED:
        pass
    elif kind == "Seq Scan":
        yield f"SCAN {table}"
    elif kind.startswith("Index") and "Index Cond" not in plan:
        yield f"SCAN {table} USING INDEX {index}"
    if table in FILLED and "hashed SubPlan" in plan.get("Filter", ""):
        yield "TEMP B-TREE FOR everything that a subquery could find"
    for below in plan.get("Plans", ()):
        yield from _nodes(below)


def faults(name: str, plan: list[str]) -> list[str]:
    """The steps that look at every row of a table, or sort where an index has the order."""
    found = []
    for step in plan:
        scanned = re.match(r"SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?", step)
        if scanned and scanned[1] in metadata.tables and scanned[2] not in LISTS:
            found.append(step)
        if "TEMP B-TREE FOR" in step and name not in SORTED:
            found.append(step)
    return found


def arguments(name: str, variant: dict[str, Any], ids: dict[str, str]) -> dict[str, Any]:
    """What a function is called with; a new parameter needs a usual value."""
    called: dict[str, Any] = {}
    for parameter in list(inspect.signature(questions()[name]).parameters.values())[1:]:
        if parameter.kind is parameter.VAR_KEYWORD:
            called |= variant["values"]
        elif parameter.name in variant:
            called[parameter.name] = variant[parameter.name]
        elif parameter.name in ("game", "ids"):
            called[parameter.name] = ids["playing"] if parameter.name == "game" else [*ids.values()]
        elif parameter.name in USUAL and (parameter.default is parameter.empty):
            called[parameter.name] = USUAL[parameter.name]
        else:
            assert parameter.default is not parameter.empty, f"which {parameter.name!r} is {name} to be tried with?"
    if called.get("game") in ids:
        called["game"] = ids[called["game"]]
    if called.get("row") == "first of the open game":
        called["row"] = PlayedRow(ids["open"], 0, "abort", -1, "", AT, 0)
    return called


async def opened(connection: AsyncConnection) -> tuple[Asked, dict[str, str]]:
    """A connection on which PostgreSQL looks through no table if it can help it, and a game of each state."""
    if connection.dialect.name == "postgresql":
        for way in ("seqscan", "hashjoin", "mergejoin"):
            await connection.execute(text(f"SET LOCAL enable_{way} = off"))
    ids = {}
    for state in ("open", "playing", "over"):
        ids[state] = (
            await connection.execute(select(games.c.id).where(games.c.state == state))
        ).scalars().first() or ""
    return Asked(connection), ids


@pytest.mark.parametrize("name", NAMES)
async def test_an_index_answers(store: Store, name: str) -> None:
    for variant in VARIANTS.get(name, [{}]):
        async with store.engine.connect() as connection:
            asked, ids = await opened(connection)
            await questions()[name](connection, **arguments(name, variant, ids))
            assert asked.statements, "it asks nothing"
            for statement, parameters in list(asked.statements):
                plan = await asked.plan(statement, parameters)
                assert not faults(name, plan), (variant, statement, plan)
            await connection.rollback()


async def test_the_writer_finds_its_games_by_their_ids(store: Store) -> None:
    async with store.engine.connect() as connection:
        asked, ids = await opened(connection)
        if connection.dialect.name == "sqlite":
            game = ids["playing"]
            statements = [
                (sqlite.insert_of(1), (game, 3, "turn", 0, "x", 1, 1)),
                (sqlite.update_of(1), (game, 3, 1, 0, 1, None, None)),
                (sqlite.seats_of(1), (game, 1, '{"places":[1,2],"winners":[0]}')),
            ]
            for statement, parameters in statements:
                assert not faults("writer", await asked.plan(statement, parameters))
        else:
            for made in (postgres.INSERT, postgres.UPDATE, postgres.SEATS):
                words = made.text.replace(":rows", "'[]'").replace("CAST('[]' AS jsonb)", "'[]'::jsonb")
                assert not faults("writer", await asked.plan(words, ()))


def test_a_question_without_an_index_is_found() -> None:
    """What SQLite and PostgreSQL say of such a plan is seen."""
    assert faults("x", ["SCAN games"]) and faults("x", ["SCAN seats USING COVERING INDEX ix_seats_account_ended"])
    assert faults("x", ["SEARCH games USING INDEX x (a=?)", "USE TEMP B-TREE FOR ORDER BY"])
    assert not faults("x", ["SCAN games USING INDEX ix_games_ended", "SCAN v", "SCAN CONSTANT ROW"])
    plan = {"Node Type": "Limit", "Plans": [{"Node Type": "Seq Scan", "Relation Name": "games"}]}
    assert faults("x", list(_nodes(plan)))


def test_every_foreign_key_has_an_index() -> None:
    """Without one, deleting a row looks through the whole table that points at it."""
    for table in metadata.sorted_tables:
        first = {next(iter(table.primary_key.columns)).name}
        first |= {index.columns.keys()[0] for index in table.indexes if index.columns}
        first |= {next(iter(c.columns)).name for c in table.constraints if type(c).__name__ == "UniqueConstraint"}
        for key in table.foreign_keys:
            assert key.parent.name in first, f"{table.name}.{key.parent.name}"


async def test_the_migrations_make_exactly_the_indexes_of_the_schema(tmp_path: Path) -> None:
    """Their conditions and expressions, too, which other comparisons leave out."""
    await (await open_store(tmp_path)).close()

    def indexes(where: str) -> set[str]:
        engine = create_engine(where)
        if where == "sqlite://":
            metadata.create_all(engine)
        with engine.connect() as connection:
            found = connection.execute(text("SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"))
            made = {" ".join(row[0].split()) for row in found}
        engine.dispose()
        return made

    assert indexes(f"sqlite:///{tmp_path}/hedgerow.db") == indexes("sqlite://")


async def test_the_migration_says_of_old_games_what_the_writer_says_of_new_ones(filled: Settings) -> None:
    store = await open_store(filled.data, filled.database)
    try:
        async with store.engine.connect() as connection:
            kept = [
                select(seats.c.game, seats.c.seat, seats.c.ended, seats.c.won).order_by(seats.c.game, seats.c.seat),
                select(games.c.id, games.c.game_name).order_by(games.c.id),
            ]
            before = [(await connection.execute(wanted)).all() for wanted in kept]
            assert {row.won for row in before[0]} == {None, -1, 0, 1}
            await connection.execute(seats.update().values(ended=None, won=None))
            await connection.execute(games.update().values(game_name=""))
            for step in (m0007_lists.NAMES, m0007_lists.ENDS):
                await connection.execute(text(step[connection.dialect.name]))
            assert [(await connection.execute(wanted)).all() for wanted in kept] == before
            await connection.rollback()
    finally:
        await store.close()
