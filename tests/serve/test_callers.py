"""Who comes in: so many from one address, never so many that nothing else could be opened, and whom a proxy names."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from raw import Heard, dial, follow, hear, knock
from serving import listening

from hedgerow.serve.people import connections
from hedgerow.serve.process import run
from hedgerow.serve.process.app import create
from hedgerow.serve.settings import Settings
from hedgerow.tools.serve_bench import Visitor, server_process

pytestmark = pytest.mark.anyio
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"
PUBLIC = "https://play.example.org"


def new_game(port: int) -> str:
    game: str = Visitor(port).ask("POST", "/api/games", {"rules": "hexbo(side=5)", "opponent": "friend"})["id"]
    return game


def health(line: socket.socket) -> Heard:
    with contextlib.suppress(OSError):
        line.sendall(HEALTH)
    return hear(line, 5, until=b"}")


# --- connections of one address ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "capped"),
    [({}, True), ({"limits": False}, False), ({"public_url": PUBLIC, "proxies": "127.0.0.0/8"}, False)],
    ids=["usual", "no limits", "a proxy"],
)
async def test_connections_of_one_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], capped: bool
) -> None:
    monkeypatch.setattr(run, "CONNECTIONS", 10)
    settings = Settings(data=tmp_path, engines=0, **given)
    async with listening(create(settings), settings) as port:

        def come() -> list[Heard]:
            opened = [dial(port) for _ in range(14)]
            told = [health(line) for line in opened]
            for line in opened:
                line.close()
            return told

        told = await asyncio.to_thread(come)
        assert [one.status for one in told] == [200] * 10 + [503 if capped else 200] * 4
        assert not capped or told[-1].refused(503, "too_many")
        await asyncio.sleep(0.2)  # they are gone, and are not counted any more
        assert [one.status for one in await asyncio.to_thread(come)][:10] == [200] * 10


def test_fifteen_hundred_connections_are_too_many(tmp_path: Path) -> None:
    """The numbers that hold: more than a school, fewer than would hurt."""
    with server_process(str(tmp_path), "--engines", "0") as (_, port):
        opened = [dial(port) for _ in range(1_500)]
        taken = sum(health(line).data.startswith(b"HTTP/1.1 200") for line in opened[::-1][:5])
        assert taken == 0
        assert health(opened[0]).status == 200
        for line in opened:
            line.close()


# --- websockets of one address ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("limited", [True, False])
async def test_websockets_of_one_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limited: bool) -> None:
    """Behind a proxy it is the address for which it asks that counts; the event stream is a line as well."""
    settings = Settings(
        data=tmp_path, engines=0, public_url=PUBLIC, proxies="127.0.0.1", registration="open", limits=limited
    )
    app = create(settings)
    async with listening(app, settings) as port:
        assert app.state.server.connections.most == (connections.MOST if limited else None)
        if limited:
            app.state.server.connections.most = 3
        game = await asyncio.to_thread(new_game, port)

        def come(address: str) -> socket.socket | Heard:
            line = dial(port)
            line.sendall(knock(game, "", f"X-Forwarded-For: {address}"))
            told = hear(line, 5, until=b'"type":"state"')
            return line if told.status == 101 else told

        opened = [await asyncio.to_thread(come, "192.0.2.1") for _ in range(3)]
        assert all(isinstance(line, socket.socket) for line in opened)
        refused = await asyncio.to_thread(come, "192.0.2.1")
        if limited:
            assert isinstance(refused, Heard) and refused.refused(429, "too_many") and "retry-after" in refused.headers
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as ann:
                ann.headers["X-Forwarded-For"] = "192.0.2.1"
                cookie = (await ann.post("/api/guest")).headers["set-cookie"].split(";")[0]
                stream = await ann.get("/api/stream?wait=false", headers={"Cookie": cookie})
                assert stream.status_code == 429
        else:
            assert isinstance(refused, socket.socket)
        other = await asyncio.to_thread(come, "192.0.2.2")
        assert isinstance(other, socket.socket)
        for line in (*opened, other, refused):
            if isinstance(line, socket.socket):
                line.close()
        await asyncio.sleep(0.2)
        again = await asyncio.to_thread(come, "192.0.2.1")
        assert isinstance(again, socket.socket)
        again.close()


# --- file descriptors -------------------------------------------------------------------------------------------------


def test_some_file_descriptors_are_always_left(tmp_path: Path) -> None:
    """With all connections taken, whoever is in goes on: database, files and new processes have what they need."""
    program = "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (100, 256)); "
    program += "from hedgerow.terminal.cli import main; main()"
    options = ["serve", "--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path), "--engines", "0", "--no-limits"]
    with subprocess.Popen([sys.executable, "-c", program, *options], stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr
            port = int(process.stderr.readline().strip().rpartition(":")[2])
            inside = Visitor(port)
            game = inside.ask("POST", "/api/games", {"rules": "hexbo(side=5)", "opponent": "friend"})["id"]
            line = follow(port, game, inside.cookie)
            assert resource.prlimit(process.pid, resource.RLIMIT_NOFILE)[0] == 256
            crowd = [dial(port) for _ in range(240)]
            told = hear(crowd[-1], 5)
            assert told.closed and (not told.data or told.refused(503, "later"))
            outside = [hear(one, 0.05) for one in crowd[150:]]
            assert any(one.refused(503, "later") for one in outside if one.data)
            for _ in range(20):
                inside.ask("GET", f"/api/games/{game}")
            other = crowd[0]
            other.sendall(b"GET /static/board.css HTTP/1.1\r\nHost: here\r\n\r\n")
            assert hear(other, 5, until=b"root-board").status == 200
            for one in (*crowd, line):
                one.close()
            assert Visitor(port).ask("GET", "/readyz")
        finally:
            process.kill()
            process.communicate()


# --- proxies ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("proxies", "forwarded", "seen"),
    [
        ("*", "203.0.113.7, 192.0.2.1", "192.0.2.1"),  # the first is what the client says about itself
        ("*", "192.0.2.1", "192.0.2.1"),
        ("*", "nonsense", "127.0.0.1"),
        ("127.0.0.1", "203.0.113.7, 192.0.2.1", "192.0.2.1"),
        ("127.0.0.0/8,10.0.0.0/8", "203.0.113.7, 192.0.2.1, 10.1.2.3", "192.0.2.1"),
        ("127.0.0.0/8,10.0.0.0/8", "10.9.9.9, 10.1.2.3", "10.9.9.9"),  # somebody in our own network
        ("127.0.0.1", "192.0.2.1, nonsense", "127.0.0.1"),
        ("127.0.0.1", "[2001:db8::1]:443", "2001:db8::/64"),
        ("127.0.0.1", "192.0.2.1:5000", "192.0.2.1"),
        ("10.0.0.0/8", "192.0.2.1", "127.0.0.1"),
        ("", "192.0.2.1", "127.0.0.1"),
    ],
)
async def test_the_last_address_that_is_no_proxy_is_believed(
    tmp_path: Path, proxies: str, forwarded: str, seen: str
) -> None:
    settings = Settings(data=tmp_path, engines=0, public_url=PUBLIC, proxies=proxies)
    app: FastAPI = create(settings)
    async with listening(app, settings) as port, httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as proxy:
        cookie = (await proxy.post("/api/guest")).headers["set-cookie"].split(";")[0]
        for headers in ([("X-Forwarded-For", forwarded)], [("X-Forwarded-For", one) for one in forwarded.split(", ")]):
            app.state.server.addresses.clear()
            await proxy.get("/api/me", headers=[("Cookie", cookie), *headers])
            assert list(app.state.server.addresses.values()) == [seen]


@pytest.mark.parametrize("proxies", ["localhost", "10.0.0.0/33", "10.0.0.1/8", "127.0.0.1,*", "127.0.0.1 ::1"])
def test_proxies_that_cannot_be_read_are_refused_at_once(tmp_path: Path, proxies: str) -> None:
    command = [sys.executable, "-m", "hedgerow", "serve", "--port", "0", "--host", "127.0.0.1", "--data", str(tmp_path)]
    told = subprocess.run(
        [*command, "--public-url", PUBLIC, "--proxies", proxies], capture_output=True, text=True, timeout=60
    )
    assert told.returncode and "hint:" in told.stderr and "Traceback" not in told.stderr
    assert repr(proxies) in told.stderr.replace("\n", " ")
