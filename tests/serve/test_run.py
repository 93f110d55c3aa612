"""`hedgerow serve` as an operator meets it: ports, what it says, what it refuses, and a stop that loses nothing."""

from __future__ import annotations

import io
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hedgerow.game import HedgerowError
from hedgerow.serve.process import run
from hedgerow.tools.serve_bench import Visitor, cpu_of, server_process


def test_all_answers_are_there_within_five_seconds(tmp_path: Path) -> None:
    with server_process(str(tmp_path)) as (process, port):
        for path in ("/healthz", "/readyz", "/openapi.json", "/api/games"):
            Visitor(port).ask("GET", path)
        assert cpu_of(port) < 5  # of work; how long that takes depends on what else the machine does
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) in (0, -signal.SIGTERM)


def test_a_stop_stores_what_is_waiting(tmp_path: Path) -> None:
    with server_process(str(tmp_path), "--engines", "0") as (process, port):
        ann = Visitor(port)
        game = ann.ask("POST", "/api/games", {"rules": "hexbo(side=5)"})["id"]
        ann.ask("POST", f"/api/games/{game}/turns", {"number": 0, "text": "A1"})
        process.send_signal(signal.SIGINT)
        assert process.wait(10) in (0, -signal.SIGINT, 130)
        assert process.stderr is not None and "Traceback" not in process.stderr.read()
    with server_process(str(tmp_path), "--engines", "0") as (_, port):
        assert Visitor(port).ask("GET", f"/api/games/{game}")["turns"] == ["A1"]


def test_the_next_port_is_taken_only_if_none_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with run.listen("127.0.0.1", 0) as busy:
        port = busy.getsockname()[1]
        with pytest.raises(HedgerowError, match=r"cannot listen on 127\.0\.0\.1:\d+: .*; hint: without --port"):
            run.listen("127.0.0.1", port)
        monkeypatch.setattr(run, "PORT", port)
        with run.listen("127.0.0.1", None) as other:
            assert port < other.getsockname()[1] < port + run.TRIED
    with pytest.raises(HedgerowError, match="cannot listen"):
        run.listen("192.0.2.77", None)


def test_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "network_address", lambda: "10.1.2.3")
    found = run.addresses("0.0.0.0", 8000, "https://play.example.org")
    assert [url for _, url in found] == ["http://localhost:8000", "http://10.1.2.3:8000", "https://play.example.org"]
    assert [url for _, url in run.addresses("127.0.0.1", 80, None)] == ["http://127.0.0.1:80"]

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    plain, terminal = io.StringIO(), Terminal()
    run.announce(found, plain)
    run.announce(found, terminal)
    assert plain.getvalue().count("\n") == 3 and terminal.getvalue().startswith(plain.getvalue())
    assert "█" in terminal.getvalue() or "▄" in terminal.getvalue()


@pytest.mark.parametrize("url", ["play.example.org", "ftp://x.org", "https://x.org/path", "https://"])
def test_public_urls_that_are_none(url: str) -> None:
    with pytest.raises(HedgerowError, match="hint: like https"):
        run.checked_url(url)
    assert run.checked_url("https://x.org/") == "https://x.org"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--database", "mysql://x/y"), "cannot use the database 'mysql'"),
        (("--public-url", "nowhere"), "cannot use the public URL"),
        (("--port", "70000"), "--port"),
        (("--workers", "4"), "4 workers without --database and --redis"),
        (("--redis", "redis://127.0.0.1"), "--redis without --database"),
        (("--redis", "http://x", "--database", "postgresql://x/y"), "cannot read the address of Redis"),
    ],
)
def test_mistakes_end_with_a_friendly_line(tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    command = [sys.executable, "-m", "hedgerow", "serve", "--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path)]
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=30)
    assert done.returncode and words in done.stderr and "Traceback" not in done.stderr


def test_a_busy_folder_is_said_plainly(tmp_path: Path) -> None:
    with server_process(str(tmp_path), "--engines", "0"):
        command = [sys.executable, "-m", "hedgerow", "serve", "--port", "0", "--data", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
        assert done.returncode and "another server is using" in done.stderr and "Traceback" not in done.stderr


def test_the_network_address_is_never_a_loopback() -> None:
    found = run.network_address()
    assert found is None or (socket.inet_aton(found) and not found.startswith("127."))
