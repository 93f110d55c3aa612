"""What is kept: the tables, how they come to be, and the writer that acknowledges only what is on the disk."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, func, insert, select, text
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.types import TypeDecorator

from hedgerow.game import HedgerowError
from hedgerow.serve.refusals import Refused
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import Conflict, Store, TurnRow, open_store, queries, rows
from hedgerow.serve.store.migrate import NewerSchema
from hedgerow.serve.store.schema import accounts, games, metadata

pytestmark = pytest.mark.anyio


async def opened(settings: Settings) -> Store:
    return await open_store(settings.data, settings.database)


async def with_games(store: Store, *ids: str) -> None:
    async with store.write() as connection:
        await connection.execute(insert(accounts).values(id=1, kind="guest", name="Ann", created=1, seen=1))
        for game in ids:
            row = {"id": game, "rules": "hexbo", "state": "playing", "private": False, "creator": 1, "created": 1}
            row |= {"clock": "none", "base_ms": 0, "increment_ms": 0, "version": 0, "to_move": 0}
            await connection.execute(insert(games).values(**row))


def turn(game: str, number: int, outcome: str | None = None) -> TurnRow:
    return TurnRow(game, number, "turn", number % 2, "a1", 1000 + number, 5, (number + 1) % 2, None, outcome)


async def test_sqlite_syncs_every_commit(tmp_path: Path) -> None:
    store = await open_store(tmp_path)
    await with_games(store, "a")
    await store.writer.store(turn("a", 0))
    wanted = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}
    writing = store._turns._connection  # type: ignore[union-attr]
    assert {name: writing.execute(f"PRAGMA {name}").fetchone()[0] for name in wanted} == wanted
    async with store.read() as connection:
        found = {name: (await connection.execute(text(f"PRAGMA {name}"))).scalar_one() for name in wanted}
    assert found == wanted
    await store.close()


async def test_the_migrations_make_exactly_the_tables_of_the_schema(settings: Settings) -> None:
    store = await opened(settings)

    def difference(connection: Connection) -> list[object]:
        return compare_metadata(MigrationContext.configure(connection), metadata)

    async with store.engine.connect() as connection:
        assert await connection.run_sync(difference) == []
    await store.close()


async def test_a_newer_schema_is_refused_and_untouched(settings: Settings) -> None:
    store = await opened(settings)
    async with store.write() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    await store.close()
    with pytest.raises(NewerSchema, match=r"'9999'.*hint:"):
        await opened(settings)


async def test_opening_again_keeps_everything(settings: Settings) -> None:
    store = await opened(settings)
    await with_games(store, "a")
    await store.writer.store(turn("a", 0))
    await store.close()
    store = await opened(settings)
    async with store.read() as connection:
        assert [row.text for row in await queries.turn_rows(connection, "a")] == ["a1"]
        game = await queries.game_row(connection, "a")
    assert game is not None and (game.version, game.to_move, game.moved) == (1, 1, 1000)
    await store.close()


async def test_two_servers_do_not_share_a_folder(tmp_path: Path) -> None:
    store = await open_store(tmp_path)
    with pytest.raises(HedgerowError, match=r"another server is using.*hint:"):
        await open_store(tmp_path)
    await store.close()
    await (await open_store(tmp_path)).close()


@pytest.mark.parametrize("url", ["nonsense", "mysql://here/x"])
async def test_other_databases_are_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(HedgerowError, match="hint:"):
        await open_store(tmp_path, url)


async def test_a_database_that_is_not_there_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(HedgerowError, match=r"cannot reach the database none at 127\.0\.0\.1.*hint:"):
        await open_store(tmp_path, "postgresql://nobody@127.0.0.1:1/none")


async def test_many_turns_share_a_transaction(settings: Settings) -> None:
    store = await opened(settings)
    names = [f"g{number}" for number in range(60)]
    await with_games(store, *names)
    for number in range(3):
        await asyncio.gather(*(store.writer.store(turn(name, number)) for name in names))
    assert store.writer.turns == 180 and store.writer.batches < 20
    await store.close()


async def test_a_turn_that_does_not_fit_fails_alone(settings: Settings) -> None:
    store = await opened(settings)
    await with_games(store, "a", "b", "c")
    await store.writer.store(turn("c", 0, "{}"))
    tries = [turn("a", 0), turn("b", 1), turn("c", 1), turn("nowhere", 0)]
    results = await asyncio.gather(*(store.writer.store(row) for row in tries), return_exceptions=True)
    assert [type(result) for result in results] == [type(None), Conflict, Conflict, Conflict]
    with pytest.raises(Conflict):
        await store.writer.store(turn("a", 0))
    async with store.read() as connection:
        assert [len(await queries.turn_rows(connection, game)) for game in "abc"] == [1, 0, 1]
        over = await queries.game_row(connection, "c")
    assert over is not None and (over.state, over.ended, over.outcome) == ("over", 1000, "{}")
    await store.close()


async def test_a_batch_that_fails_acknowledges_nobody(tmp_path: Path) -> None:
    store = await open_store(tmp_path)
    await with_games(store, "a", "b")
    await store.writer.store(turn("a", 0))
    store._turns._connection.execute("PRAGMA query_only=ON")  # type: ignore[union-attr]  # as a full disk would
    failed = await asyncio.gather(
        *(store.writer.store(turn(g, n)) for g, n in (("a", 1), ("b", 0))), return_exceptions=True
    )
    assert [error.code for error in failed if isinstance(error, Refused)] == ["later", "later"]
    store._turns._connection.execute("PRAGMA query_only=OFF")  # type: ignore[union-attr]
    await store.writer.store(turn("a", 1))
    async with store.read() as connection:
        assert [len(await queries.turn_rows(connection, game)) for game in "ab"] == [2, 0]
    await store.close()


async def test_what_is_asked_together_sees_one_moment_and_waits_for_nothing_else(settings: Settings) -> None:
    store = await opened(settings)
    async with store.write() as connection:
        await queries.add_account(connection, kind="guest", name="Ann", created=1, seen=1)

    async def ask(connection: AsyncConnection) -> tuple[int, int]:
        counted = select(func.count()).select_from(accounts)
        first = (await connection.execute(counted)).scalar_one()
        return first, (await connection.execute(counted)).scalar_one()

    assert await store.together(ask) == (1, 1)

    async def wait(connection: AsyncConnection) -> None:
        await asyncio.sleep(0)

    if not settings.database:
        with pytest.raises(RuntimeError, match="nothing but the database"):
            await store.together(wait)
    assert await store.together(ask) == (1, 1), "and nothing is stuck"
    await store.close()


async def test_a_reader_who_goes_away_leaves_nothing_behind(tmp_path: Path) -> None:
    store = await open_store(tmp_path)

    async def read() -> None:
        async with store.read() as connection:
            while True:
                await connection.execute(select(accounts))

    for _ in range(20):
        task = asyncio.create_task(read())
        await asyncio.sleep(0.002)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    async with asyncio.timeout(20), store.read() as connection:
        assert (await connection.execute(select(accounts))).all() == []
    await store.close()


TABLES = {
    "accounts": rows.AccountRow,
    "sessions": rows.SessionRow,
    "games": rows.GameRow,
    "seats": rows.SeatRow,
    "turns": rows.PlayedRow,
    "one_time_tokens": rows.OneTimeTokenRow,
    "notices": rows.NoticeRow,
    "mails": rows.MailRow,
    "offers": rows.OfferRow,
    "plans": rows.PlanRow,
    "notes": rows.NoteRow,
    "chat": rows.ChatRow,
    "reports": rows.ReportRow,
    "mutes": rows.MuteRow,
    "ratings": rows.RatingRow,
    "rating_steps": rows.StepRow,
    "tokens": rows.TokenRow,
    "boards": rows.BoardRow,
    "mail_words": rows.MailWordRow,
    "letters": rows.LetterRow,
    "letter_steps": rows.LetterStepRow,
    "vacations": rows.VacationRow,
    "push_subscriptions": rows.PushRow,
}
LONGER = {rows.TokenOwnerRow: "accounts", rows.MessageRow: "chat", rows.LeaderRow: "ratings"}


def test_rows_have_the_columns_of_their_tables() -> None:
    """In the same order, of the same types; what is joined to them comes after."""
    assert set(metadata.tables) - set(TABLES) == {"meta"}
    for name, row in [*TABLES.items(), *((name, row) for row, name in LONGER.items())]:
        kept = {column.name: column for column in metadata.tables[name].columns}
        assert row._fields[: len(kept)] == tuple(kept), name
        types = get_type_hints(row)
        for field, column in kept.items():
            kinds = set(get_args(types[field])) or {types[field]}
            plain = {type(kind) if isinstance(kind, str) else kind for kind in kinds}
            assert (type(None) in plain) == bool(column.nullable), f"{name}.{field}"
            kind = column.type.impl_instance if isinstance(column.type, TypeDecorator) else column.type
            assert kind.python_type in plain, f"{name}.{field}"
