"""`hedgerow admin`: people, invitations, games, and backups, beside a running server."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from hedgerow.terminal.arguments import Json
from hedgerow.terminal.talk import counting, emit, talk

if TYPE_CHECKING:
    from hedgerow.serve.store import Store

app = typer.Typer(no_args_is_help=True, help="Look after a play server: people, games, backups.")

Found = TypeVar("Found")
Data = Annotated[Path | None, typer.Option(help="The folder that games are kept in.")]
Database = Annotated[str | None, typer.Option(metavar="URL", help="PostgreSQL, like postgresql://user@host/name.")]
Redis = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Tell the servers at once, by their Redis; without it, within seconds."),
]
Name = Annotated[str, typer.Argument(metavar="NAME", help="somebody's name, or # and the account's number")]


def beside(data: Path | None, database: str | None, do: Callable[[Store], Awaitable[Found]]) -> Found:
    """Does something in the store, whether a server is running on it or not."""
    from hedgerow.serve.settings import data_folder
    from hedgerow.serve.store import open_store

    async def done() -> Found:
        store = await open_store(data or data_folder(), database, beside=True)
        try:
            return await do(store)
        finally:
            await store.close()

    with talk().status("Looking into the database…"):
        return asyncio.run(done())


def day(at: int | None) -> str:
    """A time as a date."""
    return datetime.fromtimestamp(at / 1000, UTC).date().isoformat() if at else ""


@app.command()
def users(
    words: Annotated[str, typer.Argument(help="part of the name")] = "",
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 100,
    data: Data = None,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """List people, those seen last first."""
    from hedgerow.serve.process import operator

    found = beside(data, database, lambda store: operator.users(store, words, limit))
    if as_json:
        emit(found)
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("number", "name", "mail", "since", "seen", "banned", box=None)
    for row in found:
        dates = [day(row[key]) for key in ("created", "seen", "banned")]
        table.add_row(str(row["id"]), row["name"], row["mail"] or "", *dates)
    Console().print(table)


@app.command()
def user(name: Name, data: Data = None, database: Database = None) -> None:
    """Show everything about somebody, as JSON."""
    from hedgerow.serve.process import operator

    emit(beside(data, database, lambda store: operator.user(store, name)))


@app.command()
def reset_password(name: Name, data: Data = None, database: Database = None, redis: Redis = None) -> None:
    """Give somebody a new password, and print it; every session and access token ends."""
    from hedgerow.serve.process import operator

    print(beside(data, database, lambda store: operator.reset_password(store, name, redis)))


@app.command()
def ban(name: Name, data: Data = None, database: Database = None, redis: Redis = None) -> None:
    """Keep somebody out; every session and access token ends."""
    from hedgerow.serve.process import operator

    emit(beside(data, database, lambda store: operator.ban(store, name, True, redis)))


@app.command()
def unban(name: Name, data: Data = None, database: Database = None) -> None:
    """Let somebody in again."""
    from hedgerow.serve.process import operator

    emit(beside(data, database, lambda store: operator.ban(store, name, False)))


@app.command()
def operator(
    name: Name,
    end: Annotated[bool, typer.Option("--end", help="They are one no longer.")] = False,
    data: Data = None,
    database: Database = None,
) -> None:
    """Let somebody write to everybody, by the command `broadcast`."""
    from hedgerow.serve.process import operator as operators

    found = beside(data, database, lambda store: operators.operator(store, name, not end))
    emit({"name": found, "operator": not end})


@app.command()
def invite(
    about: Annotated[str, typer.Argument(help="whom it is for, to remember")] = "",
    days: Annotated[int, typer.Option(min=1, max=3650, help="How long it holds.")] = 30,
    public_url: Annotated[str, typer.Option(metavar="URL", help="Print a link to this server.")] = "",
    data: Data = None,
    database: Database = None,
) -> None:
    """Make an invitation for one account, and print it."""
    from hedgerow.serve.process import operator

    code = beside(data, database, lambda store: operator.invite(store, about, days))
    print(f"{public_url.rstrip('/')}/sign-up?invitation={code}" if public_url else code)


@app.command()
def tokens(name: Name, data: Data = None, database: Database = None, as_json: Json = False) -> None:
    """List somebody's access tokens, the latest first."""
    from hedgerow.serve.process import operator

    found = beside(data, database, lambda store: operator.tokens(store, name))
    if as_json:
        emit(found)
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("number", "name", "made", "used", "plays", box=None)
    for row in found:
        table.add_row(str(row["id"]), Text(row["name"]), day(row["created"]), day(row["used"]), "yes" * row["plays"])
    Console().print(table)


@app.command()
def revoke_token(
    name: Name,
    number: Annotated[str, typer.Argument(metavar="NUMBER", help="of the token; `all` for every one")],
    data: Data = None,
    database: Database = None,
    redis: Redis = None,
) -> None:
    """Revoke an access token of somebody, or all; what is open with it closes."""
    from hedgerow.game import HedgerowError
    from hedgerow.serve.process import operator

    if number != "all" and not (number.isdecimal() and len(number) < 16):
        raise HedgerowError(f"no token {number!r:.42}; hint: a number from `hedgerow admin tokens`, or all")
    which = None if number == "all" else int(number)
    ended = beside(data, database, lambda store: operator.revoke_tokens(store, name, which, redis))
    emit({"revoked": ended})


@app.command()
def close_game(
    game: Annotated[str, typer.Argument(metavar="GAME", help="its id, as in its link")],
    data: Data = None,
    database: Database = None,
) -> None:
    """Call a game off: it is over, and nobody wins."""
    from hedgerow.serve.process import operator

    before = beside(data, database, lambda store: operator.close_game(store, game))
    emit({"game": game, "was": before, "state": "over"})


@app.command()
def reports(
    every: Annotated[bool, typer.Option("--all", help="Also those that are dealt with.")] = False,
    data: Data = None,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """List what people have reported: the line, who said it where, who minds and why."""
    from hedgerow.serve.process import operator

    found = beside(data, database, lambda store: operator.reports(store, every))
    if as_json:
        emit(found)
        return
    for row in found:
        done = f", dealt with {day(row['done'])}" if row["done"] else ""
        print(f"{row['id']}: {row['by_name']} (#{row['by']}) in game {row['game']}, {day(row['said'])}: {row['text']}")
        print(f"    reported {day(row['at'])} by {row['name']} (#{row['account']}): {row['reason']}{done}")


@app.command()
def close_report(
    number: Annotated[int, typer.Argument(metavar="NUMBER", min=1, max=2**53, help="of the report")],
    data: Data = None,
    database: Database = None,
) -> None:
    """Mark a report as dealt with."""
    from hedgerow.serve.process import operator

    beside(data, database, lambda store: operator.close_report(store, number))
    emit({"report": number, "done": True})


@app.command()
def purge_guests(
    days: Annotated[int, typer.Option(min=1, help="Guests who were not here for so many days.")] = 90,
    data: Data = None,
    database: Database = None,
) -> None:
    """Forget guests who do not come any more; finished games stay, without their names."""
    from hedgerow.serve.process import operator

    emit(beside(data, database, lambda store: operator.purge_guests(store, days)))


@app.command()
def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a new file; - for standard output")],
    data: Data = None,
    database: Database = None,
) -> None:
    """Write everything as lines of JSON; a server may be running."""
    from hedgerow.serve.files import new_file
    from hedgerow.serve.process import backup

    stdout = sys.stdout  # while there is a line of progress, what is printed goes above that

    async def write(store: Store) -> dict[str, int]:
        if str(file) == "-":
            return await backup.export(store, stdout)
        with new_file(file) as out, counting("Exporting") as told:
            return await backup.export(store, out, told)

    print(json.dumps({"file": str(file), "rows": beside(data, database, write)}), file=sys.stderr)


@app.command("backup")
def copy(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a new file")],
    data: Data = None,
    database: Database = None,
) -> None:
    """Copy everything to a file while the server runs: of SQLite its file, of PostgreSQL an export."""
    from hedgerow.serve.process import backup
    from hedgerow.serve.settings import data_folder

    if database:
        export(file, data, database)
    else:
        with talk().status("Copying and checking the copy…"):
            size = backup.copy_file(data or data_folder(), file)
        print(json.dumps({"file": str(file), "bytes": size}), file=sys.stderr)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a backup or an export")],
    data: Data = None,
    database: Database = None,
) -> None:
    """Bring a backup or an export back into an empty folder or database; no server may be running there."""
    from hedgerow.game import HedgerowError
    from hedgerow.serve.process import backup
    from hedgerow.serve.settings import data_folder
    from hedgerow.serve.store import open_store

    if backup.is_file_of_sqlite(file):
        if database:
            raise HedgerowError("a copy of a SQLite file cannot go into PostgreSQL; hint: restore an export instead")
        with talk().status("Copying and checking the copy…"):
            backup.bring_back_file(file, data or data_folder())
        print(json.dumps({"restored": str(file)}), file=sys.stderr)
        return

    async def read() -> Any:
        store = await open_store(data or data_folder(), database)
        try:
            with file.open(encoding="utf-8") as lines, counting("Restoring") as told:
                return await backup.bring_back(store, iter(lines), told)
        finally:
            await store.close()

    print(json.dumps({"restored": str(file), "rows": asyncio.run(read())}), file=sys.stderr)
