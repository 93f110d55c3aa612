"""`hedgerow mail`, as programs run it: a pipe that stores a letter or says when to bring it again, and a listener."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from mailing import handed_over, written
from serving import rows

from hedgerow.serve.post.pipe import Envelope
from hedgerow.serve.store import open_store

LETTERS = "SELECT sender, recipient FROM letters WHERE due IS NOT NULL ORDER BY id"
COMMAND = [sys.executable, "-m", "hedgerow", "mail"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a server that is not running."""
    made = tmp_path_factory.mktemp("data")

    async def make() -> None:
        await (await open_store(made)).close()

    asyncio.run(make())
    return made


def piped(folder: Path, raw: bytes, *options: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    clean = {name: value for name, value in os.environ.items() if name not in ("SENDER", "RECIPIENT")}
    command = [*COMMAND, "--stdin", "--data", str(folder), *options]
    return subprocess.run(command, input=raw, capture_output=True, env=clean | environment, timeout=60)


RAW = written("ann@example.net", "play@example.org", "help").as_bytes()


def test_a_letter_is_taken_from_a_pipe_once(folder: Path) -> None:
    for _ in range(2):
        done = piped(folder, RAW, "--from", "ann@example.net", "--to", "play+abc@example.org")
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert rows(folder / "hedgerow.db", LETTERS) == [("ann@example.net", "play+abc@example.org")]


def test_an_alias_says_whom_it_is_for(folder: Path) -> None:
    more = written("bo@example.net", "play@example.org", "help").as_bytes()
    told = {"ORIGINAL_RECIPIENT": "play+def@example.org", "RECIPIENT": "play@example.org", "SENDER": "bo@example.net"}
    assert piped(folder, more, **told).returncode == 0
    assert ("bo@example.net", "play+def@example.org") in rows(folder / "hedgerow.db", LETTERS)


def test_what_cannot_be_taken_is_said_with_a_status(folder: Path, tmp_path: Path) -> None:
    nobody = piped(folder, RAW)
    assert nobody.returncode == 67 and b"hint: --to" in nobody.stderr
    large = piped(folder, RAW + b"x" * 2_000_000, "--to", "play@example.org")
    assert large.returncode == 65 and b"larger than" in large.stderr
    away = piped(tmp_path / "nothing", RAW, "--to", "play@example.org")
    assert away.returncode == 75 and b"cannot be stored now" in away.stderr


def test_a_database_that_is_away_means_try_again() -> None:
    options = ["--stdin", "--database", "postgresql://nobody@127.0.0.1:1/none", "--to", "play@example.org"]
    done = subprocess.run([*COMMAND, *options], input=RAW, capture_output=True, timeout=60)
    assert done.returncode == 75 and b"Traceback" not in done.stderr


ENVELOPES = {
    "given": ((("a@x.org", "b@y.org"), {"SENDER": "c@x.org", "RECIPIENT": "d@y.org"}, b""), ("a@x.org", "b@y.org")),
    "alias": (((None, None), {"SENDER": "c@x.org", "RECIPIENT": "d@y.org"}, b""), ("c@x.org", "d@y.org")),
    "null sender": (((None, None), {"SENDER": "", "RECIPIENT": "d@y.org"}, b"From: e@x.org\n\n"), ("", "d@y.org")),
    "headers": (((None, None), {}, b"Return-Path: <e@x.org>\nDelivered-To: f@y.org\n\n"), ("e@x.org", "f@y.org")),
    "null path": (((None, None), {}, b"Return-Path: <>\nFrom: e@x.org\nX-Original-To: f@y.org\n\n"), ("", "f@y.org")),
    "from alone": (((None, "b@y.org"), {}, b"From: Ann <e@x.org>\n\n"), ("e@x.org", "b@y.org")),
}


@pytest.mark.parametrize(("told", "found"), ENVELOPES.values(), ids=ENVELOPES)
def test_who_sent_it_to_whom(
    told: tuple[tuple[str | None, str | None], dict[str, str], bytes], found: tuple[str, str]
) -> None:
    given, environment, raw = told
    assert Envelope.of(raw, given, environment) == Envelope(*found)


def test_a_listener_runs_beside_a_server(folder: Path) -> None:
    options = ["--listen", "0", "--mail-address", "play@example.org", "--data", str(folder)]
    process = subprocess.Popen([*COMMAND, *options], stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        said = process.stderr.readline()
        assert "mail comes in at smtp://127.0.0.1:" in said, said + process.stderr.read()
        port = int(said.split(";")[0].rpartition(":")[2])
        handed_over(port, written("cy@example.net", "play@example.org", "help"))
        assert ("cy@example.net", "play@example.org") in rows(folder / "hedgerow.db", LETTERS)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
    assert process.returncode == 0


def test_a_listener_needs_an_address(folder: Path) -> None:
    done = subprocess.run([*COMMAND, "--data", str(folder)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "hint: --mail-address" in done.stderr
