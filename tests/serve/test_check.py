"""`hedgerow check`: a sound installation is found sound, and every kind of damage is found."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from aiosmtpd.controller import Controller
from places import redis_url, until
from serving import listening, running
from sqlalchemy import text, update
from test_admin import some_games
from typer.testing import CliRunner

from hedgerow.game import HedgerowError
from hedgerow.serve.process.app import create
from hedgerow.serve.process.check import Asked, Finding, look, worst
from hedgerow.serve.process.check.services import unsafe_together
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import open_store
from hedgerow.serve.store.database import FILE
from hedgerow.serve.store.schema import games
from hedgerow.terminal.cli import app as command_line
from hedgerow.tools.serve_bench import free_port

__all__ = ["redis_url"]

pytestmark = pytest.mark.anyio

QUIET = Settings(host="127.0.0.1")


async def looked(where: object, settings: Settings = QUIET, guest: bool = False) -> list[Finding]:
    """A look from another thread, as from another process."""
    found: list[Finding] = []
    thread = threading.Thread(target=lambda: found.extend(look(Asked(str(where), settings, guest))))
    thread.start()
    while thread.is_alive():
        await asyncio.sleep(0.01)
    return found


def bad(found: list[Finding]) -> list[str]:
    """What is a fault, by its area."""
    return [f"{one.area}: {one.text}" for one in found if one.level == "fault"]


@asynccontextmanager
async def two(settings: Settings) -> AsyncIterator[tuple[httpx.AsyncClient, httpx.AsyncClient]]:
    async with running(replace(settings, limits=False)) as app:
        door = httpx.ASGITransport(app)
        base = "http://here.test"
        ann, bo = (httpx.AsyncClient(transport=door, base_url=base) for _ in range(2))
        async with ann, bo:
            for client, name in ((ann, "Ann"), (bo, "Bo")):
                await client.post("/api/sign-up", json={"name": name, "password": "under the hedge"})
            yield ann, bo


async def made(settings: Settings) -> list[str]:
    """An installation with games of all kinds: over, going on, called off, open, taken back; their ids."""
    async with two(settings) as (ann, bo):
        ids = list(await some_games(ann, bo))
        waits = (await ann.post("/api/games", json={"rules": "hexbo(side=5)", "opponent": "friend"})).json()["id"]
        gone = (await ann.post("/api/games", json={"rules": "hexbo(side=5)", "opponent": "friend"})).json()["id"]
        assert (await ann.post(f"/api/games/{gone}/cancel")).is_success
        last = (await ann.get(f"/api/games/{ids[0]}")).json()
        asks, agrees = (bo, ann) if last["to_move"] == 0 else (ann, bo)
        assert (await asks.post(f"/api/games/{ids[0]}/offers/undo")).is_success
        assert (await agrees.post(f"/api/games/{ids[0]}/offers/undo/agree")).is_success
    return [*ids, waits]


def place(settings: Settings) -> str:
    return settings.database or str(settings.data)


def files(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {path.name: (path.stat().st_mode, path.read_bytes()) for path in sorted(folder.iterdir())}


async def test_a_sound_installation(settings: Settings) -> None:
    await made(settings)
    before = files(settings.data) if not settings.database else {}
    found = await looked(place(settings))
    assert not bad(found), bad(found)
    assert any("games are what their turns make of them" in one.text for one in found)
    assert before == (files(settings.data) if not settings.database else {})  # nothing was changed, or made


async def test_beside_a_running_server(settings: Settings) -> None:
    async with two(settings) as (ann, bo):
        await some_games(ann, bo)
        assert not bad(await looked(place(settings)))
        assert (await ann.post("/api/games", json={"rules": "hexbo(side=5)", "opponent": "friend"})).status_code == 201


async def changed(settings: Settings, statement: str) -> list[str]:
    store = await open_store(settings.data, settings.database)
    async with store.write() as connection:
        assert (await connection.execute(text(statement))).rowcount
    await store.close()
    return bad(await looked(place(settings)))


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE turns SET text = 'A9' WHERE number = 1 AND game = '{}'", "cannot be played"),
        ("UPDATE turns SET text = 'nonsense' WHERE number = 0 AND game = '{}'", "cannot be played"),
        ("UPDATE turns SET seat = 1 WHERE number = 0 AND game = '{}'", "is not what seat 0 played"),
        ("DELETE FROM turns WHERE number = 0 AND game = '{}'", "some of its turns are missing"),
        ("DELETE FROM turns WHERE number = (SELECT version - 1 FROM games WHERE id = '{0}') AND game = '{0}'", "has"),
        ("UPDATE games SET state = 'over' WHERE id = '{}'", "its state is said to be 'over'"),
        ("UPDATE games SET to_move = 5 WHERE id = '{}'", "its to_move"),
        ("UPDATE games SET version = 99 WHERE id = '{}'", "said to have 99 turns"),
        ("UPDATE games SET rules = 'chess' WHERE id = '{}'", "its rules 'chess' cannot be read"),
        ("DELETE FROM seats WHERE seat = 1 AND game = '{}'", "1 seats"),
        ("UPDATE seats SET won = 1 WHERE seat = 1 AND game = '{}'", "seat 1 is listed with 1"),
        ("UPDATE seats SET ended = 5 WHERE seat = 0 AND game = '{}'", "seat 0 is listed with None at 5"),
        ("UPDATE games SET game_name = 'chess' WHERE id = '{}'", "listed as a game of 'chess'"),
    ],
)
async def test_a_game_that_is_not_what_is_said_about_it(tmp_path: Path, statement: str, words: str) -> None:
    settings = Settings(data=tmp_path / "data", engines=0)
    game = (await made(settings))[1]
    (fault,) = await changed(settings, statement.format(game))
    assert fault.startswith(f"games: game {game}") and words in fault and "; hint:" in fault


async def test_a_wrong_outcome(settings: Settings) -> None:
    ids = await made(settings)
    store = await open_store(settings.data, settings.database)
    async with store.write() as connection:
        over = games.c.state == "over", games.c.begun.is_not(None)
        wrong = '{"reason":"resigned","scores":null,"winners":[0,1],"places":[1,1]}'
        assert (await connection.execute(update(games).where(*over).values(outcome=wrong))).rowcount
    await store.close()
    faults = bad(await looked(place(settings)))
    assert faults and all("its outcome is said to be" in one for one in faults) and len(faults) < len(ids)


async def test_tables_and_times(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data", engines=0)
    await made(settings)
    (fault,) = await changed(settings, "UPDATE accounts SET seen = seen + 86400000 WHERE id = 1")
    assert fault.startswith("clock: something kept here lies") and "in the future" in fault
    with sqlite3.connect(settings.data / FILE) as file:
        file.execute("UPDATE seats SET account = 999 WHERE seat = 0")
    assert any("that is not there" in one for one in bad(await looked(settings.data)))
    with sqlite3.connect(settings.data / FILE) as file:
        file.execute("UPDATE seats SET account = 1 WHERE seat = 0")
        file.execute("UPDATE alembic_version SET version_num = '0001'")
    assert any("revision 0001" in one for one in bad(await looked(settings.data)))


@pytest.mark.parametrize("how", ["truncated", "overwritten", "no database"])
async def test_a_damaged_file(tmp_path: Path, how: str) -> None:
    settings = Settings(data=tmp_path / "data", engines=0)
    await made(settings)
    path = settings.data / FILE
    if how == "truncated":
        os.truncate(path, path.stat().st_size // 2)
    else:
        with path.open("r+b") as file:
            file.seek(0 if how == "no database" else 8192)
            file.write(os.urandom(16384))
    faults = bad(await looked(settings.data))
    assert faults and all(one.startswith("database: ") and "hint:" in one for one in faults)


async def test_rights(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data", engines=0)
    await made(settings)
    (settings.data / FILE).chmod(0o644)
    (settings.data / "old.json").touch(0o644)
    found = await looked(settings.data)
    assert bad(found) == [f"rights: others than its owner can use '{FILE}' (0644); hint: chmod go= {FILE}"]
    assert any(one.level == "warning" and "old.json" in one.text for one in found)
    settings.data.chmod(0o755)
    assert len(bad(await looked(settings.data))) == 2
    empty = tmp_path / "empty"
    empty.mkdir(0o700)
    assert "no games are kept" in bad(await looked(empty))[0]
    with pytest.raises(HedgerowError, match=r"no folder.*hint:"):
        look(Asked(str(tmp_path / "nowhere")))


async def test_a_database_that_is_not_there() -> None:
    (fault,) = bad(await looked(f"postgresql://ann@127.0.0.1:{free_port()}/x"))
    assert fault.startswith("database: cannot reach") and "hint:" in fault


# --- what else a server needs -----------------------------------------------------------------------------------------


@contextmanager
def mail_server() -> Iterator[int]:
    class Nobody:
        async def handle_DATA(self, server: object, session: object, envelope: object) -> str:
            raise AssertionError("nothing is sent")

    controller = Controller(Nobody(), hostname="127.0.0.1", port=free_port())
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


async def test_mail_and_redis(tmp_path: Path, redis_url: str) -> None:
    await made(Settings(data=tmp_path / "data", engines=0))

    async def areas(**settings: str) -> dict[str, str]:
        return {one.area: one.level for one in await looked(tmp_path / "data", replace(QUIET, **settings))}

    with mail_server() as port:
        told = await areas(smtp=f"smtp://127.0.0.1:{port}", mail_from="a@b.test", redis=redis_url)
    assert (told["mail"], told["redis"]) == ("fine", "fine")
    nowhere = free_port()
    told = await areas(smtp=f"smtp://127.0.0.1:{nowhere}", mail_from="a@b.test", redis=f"redis://127.0.0.1:{nowhere}")
    assert (told["mail"], told["redis"]) == ("fault", "fault")
    assert (await areas(smtp="smtp://["))["mail"] == "fault"


@pytest.mark.parametrize(
    ("settings", "level", "words"),
    [
        (Settings(host="127.0.0.1"), "fine", "no settings"),
        (Settings(host="0.0.0.0"), "fine", "no settings"),
        (Settings(host="0.0.0.0", limits=False), "fault", "--no-limits"),
        (Settings(host="127.0.0.1", limits=False), "fine", "no settings"),
        (Settings(proxies="*", public_url="https://x.org"), "fault", "--proxies"),
        (Settings(proxies="0.0.0.0/0"), "fault", "--proxies"),
        (Settings(proxies="", public_url="https://x.org"), "warning", "--proxies"),
        (Settings(host="0.0.0.0", public_url="https://x.org", proxies="10.0.0.2"), "warning", "go round the proxy"),
        (Settings(public_url="http://x.org"), "warning", "without HTTPS"),
        (Settings(smtp="smtp://a:b@mail.test"), "warning", "smtp:// with a password"),
        (Settings(smtp="smtps://a:b@mail.test"), "fine", "no settings"),
        (Settings(smtp="smtp://a:b@127.0.0.1"), "fine", "no settings"),
    ],
)
def test_settings_that_are_unsafe_together(settings: Settings, level: str, words: str) -> None:
    found = unsafe_together(settings)
    assert found[0].level == level and words in found[0].text


# --- a running server -------------------------------------------------------------------------------------------------


async def test_a_running_server(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data", engines=0)
    app = create(settings)
    async with listening(app, settings) as port:
        found = await looked(f"http://127.0.0.1:{port}", guest=True)
        assert not bad(found), bad(found)
        assert {"websockets work", "the session's cookie is safe", "it answers and is ready"} <= {o.text for o in found}
        async with app.state.server.store.read() as connection:
            kinds = (await connection.execute(text("SELECT kind FROM accounts WHERE kind = 'guest'"))).all()
        assert not kinds  # the guest has gone
        other = sqlite3.connect(settings.data / FILE, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")

        async def not_ready() -> bool:
            return any("it is not ready" in one for one in bad(await looked(f"http://127.0.0.1:{port}")))

        await until(not_ready)  # a server that could write a moment ago is believed for that long
        other.execute("ROLLBACK")
        other.close()
        assert "TLS does not hold" in bad(await looked(f"https://127.0.0.1:{port}"))[0]


async def test_what_is_no_server_of_ours() -> None:
    assert "does not answer" in bad(await looked(f"http://127.0.0.1:{free_port()}"))[0]
    with socket.create_server(("127.0.0.1", 0)) as other:

        def answer() -> None:
            for _ in range(9):
                line, _ = other.accept()
                line.recv(4096)
                line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
                line.close()

        threading.Thread(target=answer, daemon=True).start()
        faults = bad(await looked(f"http://127.0.0.1:{other.getsockname()[1]}"))
    assert "is it a Hedgerow" in faults[0] and any("Content-Security-Policy" in one for one in faults)
    assert any("websockets do not work" in one for one in faults)


# --- the command ------------------------------------------------------------------------------------------------------


async def test_the_command(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data", engines=0)
    await made(settings)

    def said(*options: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "hedgerow", "check", str(settings.data), "--host", "127.0.0.1", *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode, done.stdout

    code, out = said("--json")
    told = json.loads(out)
    assert told["worst"] == ("fine", "warning", "fault")[code] != "fault"
    assert {one["area"] for one in told["found"]} == {"rights", "database", "games", "clock", "settings"}
    (settings.data / FILE).chmod(0o644)
    code, out = said()
    assert code == 2 and out.endswith("there are faults\n") and "fault    rights" in out
    nowhere = CliRunner().invoke(command_line, ["check", str(tmp_path / "nowhere")])
    assert isinstance(nowhere.exception, HedgerowError)


def test_the_worst_counts() -> None:
    fine, warning, fault = (Finding("x", level, "") for level in ("fine", "warning", "fault"))  # type: ignore[arg-type]
    assert [worst(found) for found in ([], [fine], [fine, warning], [fault, fine])] == [0, 0, 1, 2]
