"""What keeps a server from starting is said in one sentence with a hint, and what it makes is its owner's alone."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from places import redis_url
from serving import rows
from sqlalchemy.engine import make_url

from forks import Call, ends
from hedgerow.game import HedgerowError
from hedgerow.serve import files
from hedgerow.serve.process import backup, run
from hedgerow.serve.process.workers import FAILURES
from hedgerow.serve.store import open_store
from hedgerow.tools.serve_bench import Visitor, free_port, server_process

__all__ = ["redis_url"]

pytestmark = pytest.mark.anyio


def refused(folder: Path, *options: str) -> str:
    """What `hedgerow serve` says when it does not start."""
    arguments = ("serve", "--host", "127.0.0.1", "--port", "0", "--data", str(folder), "--engines", "0", *options)
    (done,) = ends([Call(arguments)], folder.parent, heavy=True)
    last = done.err.strip().splitlines()[-1]
    assert done.code == 2, done.err
    assert "Traceback" not in done.err and last.startswith("error: ") and "; hint: " in last, done.err
    return last


async def kept(folder: Path) -> Path:
    """A data folder with tables in it."""
    await (await open_store(folder)).close()
    with sqlite3.connect(folder / "hedgerow.db") as file:
        rows = [(number, "guest", "x" * 30, 1, 1) for number in range(2000)]
        file.executemany("INSERT INTO accounts (id, kind, name, created, seen) VALUES (?, ?, ?, ?, ?)", rows)
    file.close()
    return folder / "hedgerow.db"


def overwrite(path: Path, start: int, end: int) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(os.urandom(end - start))


DAMAGE: dict[str, Callable[[Path], None]] = {
    "no database": lambda path: path.write_text("Once upon a time\n" * 100) and None,
    "garbage": lambda path: overwrite(path, 0, 4096),
    "tables gone": lambda path: overwrite(path, 100, 4096),
    "truncated": lambda path: os.truncate(path, 4096 * 3),
    "pages": lambda path: overwrite(path, 4096, 4096 * 20),
}


@pytest.mark.parametrize("how", DAMAGE)
async def test_a_damaged_file(tmp_path: Path, how: str) -> None:
    DAMAGE[how](await kept(tmp_path / "data"))
    said = refused(tmp_path / "data")
    assert "hedgerow.db" in said or "cannot use what is kept" in said


AS_NOBODY = (
    "import asyncio, os, sys; from pathlib import Path\n"
    "import aiosqlite, hedgerow.serve.process.run\n"
    "from hedgerow.serve.store import open_store, migrate\n"
    "migrate.head(); os.setuid(65534)\n"  # from now on this is somebody without rights
    "asyncio.run(open_store(Path(sys.argv[1]), beside=len(sys.argv) > 2))"
)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
@pytest.mark.parametrize(
    ("name", "mode", "words"),
    [
        ("data", 0o700, "cannot write in the data folder"),
        ("data/new", 0o755, "cannot make the data folder"),
        ("data", 0o777, "cannot use the database"),
    ],
)
def test_no_rights(tmp_path: Path, name: str, mode: int, words: str) -> None:
    asyncio.run(kept(tmp_path / "data"))
    for folder in (tmp_path, *tmp_path.parents):
        if Path(tempfile.gettempdir()) in folder.parents:
            folder.chmod(0o755)
    (tmp_path / "data").chmod(mode)
    done = subprocess.run([sys.executable, "-c", AS_NOBODY, str(tmp_path / name)], capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode and words in last and "; hint: " in last and "HedgerowError" in last, done.stderr


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    assert "cannot make the data folder" in refused(tmp_path / "data")


def test_a_database_that_does_not_let_us_in(tmp_path: Path, postgres: str) -> None:
    url = make_url(postgres)
    unknown = url.set(username=f"nobody_{secrets.token_hex(4)}").render_as_string(hide_password=False)
    assert "does not exist" in refused(tmp_path, "--database", unknown)
    nowhere = url.set(database="nowhere").render_as_string(hide_password=False)
    assert "hint: make it with createdb" in refused(tmp_path, "--database", nowhere)
    assert "hint:" in refused(tmp_path, "--database", postgres + "?nonsense=1")
    assert "cannot reach" in refused(tmp_path, "--database", f"postgresql://ann@127.0.0.1:{free_port()}/x")
    assert "cannot reach" in refused(tmp_path, "--database", "postgresql://ann@nowhere.invalid/x")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        assert "does not answer in time" in refused(tmp_path, "--database", f"postgresql://ann@127.0.0.1:{port}/x")


def test_redis_and_mail(tmp_path: Path, postgres: str) -> None:
    places = ("--database", postgres, "--redis", f"redis://127.0.0.1:{free_port()}/0")
    assert "cannot use Redis at 127.0.0.1" in refused(tmp_path, *places)
    assert "cannot use Redis at 127.0.0.1" in refused(tmp_path, *places, "--workers", "2")
    assert "hint:" in refused(tmp_path, "--database", postgres, "--redis", "redis://127.0.0.1:99999/0")
    assert "mail server" in refused(tmp_path, "--smtp", "smtp://[", "--public-url", "https://play.example.org")
    for smtp in ("nonsense", "http://mail.test", "smtp://a@b:99999", "smtp://", "smtp://[", "smtp://a@b:x"):
        with pytest.raises(HedgerowError, match="hint:"):
            run.check_mail(smtp, None, "https://play.example.org")
    with pytest.raises(HedgerowError, match=r"cannot use the public URL.*hint:"):
        run.checked_url("https://[")
    with pytest.raises(HedgerowError, match=r"cannot read the address of Redis.*hint:"):
        run.check_places("postgresql://x/y", "redis://[", 1)


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        assert "cannot listen" in refused(tmp_path, "--port", str(busy.getsockname()[1]))
    assert "cannot listen" in refused(tmp_path, "--host", "nowhere.invalid")


async def test_workers_that_cannot_start_are_not_started_for_ever(
    tmp_path: Path, postgres: str, redis_url: str
) -> None:
    store = await open_store(tmp_path, postgres)
    async with store.write() as connection:  # the tables are those of this version, and something is missing in them
        await connection.exec_driver_sql("DELETE FROM meta")
    await store.close()
    command = [sys.executable, "-m", "hedgerow", "serve", "--host", "127.0.0.1", "--port", "0", "--engines", "0"]
    places = ["--database", postgres, "--redis", redis_url, "--workers", "2", "--data", str(tmp_path)]
    done = subprocess.run([*command, *places], capture_output=True, text=True, timeout=180)
    assert done.returncode == 2 and "the workers do not start; hint:" in done.stderr, done.stderr
    assert done.stderr.count("another takes over") == FAILURES - 1


# --- rights -----------------------------------------------------------------------------------------------------------


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())}


def test_what_a_server_makes_is_its_owners(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with server_process(str(tmp_path / "data"), "--engines", "0") as (process, port):
            Visitor(port).ask("POST", "/api/guest")
            found = modes(tmp_path / "data")
            process.send_signal(signal.SIGTERM)
            process.wait(20)
    finally:
        os.umask(before)
    assert found.pop("data") == 0o700
    assert set(found) >= {"hedgerow.db", "hedgerow.db-wal", "hedgerow.db-shm", "lock"}
    assert set(found.values()) == {0o600}


async def test_what_others_could_read_is_closed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "data"
    await kept(folder)
    for path in (folder, *folder.iterdir()):
        path.chmod(0o755 if path.is_dir() else 0o644)
    store = await open_store(folder)
    assert set(modes(folder).values()) == {0o700, 0o600} and "others could use" in caplog.text
    await store.close()


async def test_a_folder_with_other_things_in_it_is_not_ours_to_close(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "diary.txt").write_text("")
    (tmp_path / "diary.txt").chmod(0o644)
    store = await open_store(tmp_path)
    found = modes(tmp_path)
    assert found[tmp_path.name] == 0o755 and found["diary.txt"] == 0o644 and found["hedgerow.db"] == 0o600
    assert [path.name for path in files.open_to_others(tmp_path)] == [tmp_path.name]
    await store.close()


async def test_backups_and_what_is_restored(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        await kept(tmp_path / "data")
        backup.copy_file(tmp_path / "data", tmp_path / "copy.db")
        backup.bring_back_file(tmp_path / "copy.db", tmp_path / "again")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600
    assert set(modes(tmp_path / "again").values()) == {0o700, 0o600}
    assert rows(tmp_path / "again" / "hedgerow.db", "SELECT count(*) FROM accounts") == [(2000,)]
