"""Clients that send and do not read, or say nothing for long: nothing piles up for them, and nobody waits for them."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import until
from raw import CLOSE, PING, PONG, TEXT, Heard, ask, dial, follow, frame, frames_in, hear, knock, memory
from serving import listening

from hedgerow.serve.bus.local import Message
from hedgerow.serve.process import porter, run
from hedgerow.serve.process.app import create
from hedgerow.serve.settings import Settings
from hedgerow.tools.serve_bench import Visitor, server_process

pytestmark = pytest.mark.anyio
MB = 1 << 20
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[subprocess.Popen[str], int]]:
    with server_process(str(tmp_path_factory.mktemp("data")), "--engines", "0") as found:
        yield found


def new_game(port: int) -> tuple[str, Visitor]:
    ann = Visitor(port)
    game: str = ann.ask("POST", "/api/games", {"rules": "hexbo(side=5)", "opponent": "friend"})["id"]
    return game, ann


def flood(line: socket.socket, data: bytes, seconds: float) -> tuple[int, bool]:
    """Sends the same again and again without reading; how many bytes were taken, and whether the line was cut."""
    sent, end = 0, time.monotonic() + seconds
    line.settimeout(min(1, seconds))
    while time.monotonic() < end:
        try:
            sent += line.send(data)
        except TimeoutError:
            continue
        except OSError:
            return sent, True
    return sent, False


# --- bodies -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("head", [b"Transfer-Encoding: chunked", b"Content-Length: 999999999"])
def test_a_body_that_does_not_end_is_not_read_on(running: tuple[subprocess.Popen[str], int], head: bytes) -> None:
    _, port = running
    with dial(port) as line:
        line.sendall(b"POST /sign-in HTTP/1.1\r\nHost: here\r\n" + head + b"\r\n\r\n")
        sent, cut = flood(line, b"1000\r\n" + b"x" * 4096 + b"\r\n", 8)
        assert cut and sent < 32 * MB, sent
    with dial(port) as line:
        line.sendall(b"POST /sign-in HTTP/1.1\r\nHost: here\r\n" + head + b"\r\n\r\n")
        line.sendall((b"1000\r\n" + b"x" * 4096 + b"\r\n") * 20)
        assert line.recv(100).startswith(b"HTTP/1.1 413")


# --- control frames ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opcode", [PING, PONG])
def test_pings_are_counted_and_pile_up_nowhere(running: tuple[subprocess.Popen[str], int], opcode: int) -> None:
    process, port = running
    game, _ = new_game(port)
    before = memory(process.pid)
    with follow(port, game, buffer=4096) as line:
        _, cut = flood(line, frame(opcode, b"x" * 125) * 400, 4)
    assert cut and memory(process.pid) - before < 20 * MB
    Visitor(port).ask("GET", "/readyz")


def test_a_few_pings_are_answered_and_too_many_closed_with_a_word(running: tuple[subprocess.Popen[str], int]) -> None:
    _, port = running
    game, _ = new_game(port)
    with follow(port, game) as line:
        line.sendall(frame(PING, b"hi") * 3)
        told = hear(line, 5, until=frame_of(PONG, b"hi") * 3)
        assert [found for found in frames_in(told.data) if found[0] == PONG] == [(PONG, b"hi")] * 3
        line.sendall(frame(PING) * 200)
        told = hear(line, 5)
        assert told.closed and code_in(told) == 1008


def frame_of(opcode: int, payload: bytes) -> bytes:
    return bytes((128 | opcode, len(payload))) + payload


def code_in(told: Heard) -> int | None:
    last = frames_in(told.data)[-1]
    return int.from_bytes(last[1][:2], "big") if last[0] == CLOSE else None


def test_a_message_has_not_any_number_of_pieces(running: tuple[subprocess.Popen[str], int]) -> None:
    """Empty pieces never reach the size of a message."""
    process, port = running
    game, _ = new_game(port)
    before = memory(process.pid)
    with follow(port, game) as line:
        line.sendall(frame(TEXT, b"{", last=False))
        _, cut = flood(line, frame(0, last=False) * 10_000, 4)
    assert cut and memory(process.pid) - before < 20 * MB


async def test_who_answers_no_ping_and_reads_nothing_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of what waits for such a client is not waited for."""
    monkeypatch.setattr(run, "PING", 0.3)
    settings = Settings(data=tmp_path, engines=0)
    app = create(settings)
    async with listening(app, settings) as port:
        game = await asyncio.to_thread(lambda: new_game(port)[0])
        with await asyncio.to_thread(follow, port, game, buffer=4096):
            server = app.state.server
            await until(lambda: bool(server.sockets == 1))
            for _ in range(20):  # more than the buffers of both sides
                server.bus.tell_here(game, Message("x" * MB))
            await until(lambda: bool(server.sockets == 0), 8)


# --- messages faster than the limit -----------------------------------------------------------------------------------


def test_garbage_costs_no_more_than_the_limit_allows(running: tuple[subprocess.Popen[str], int]) -> None:
    """Beyond the limit nothing is even parsed, and those who wait are not woken all the time."""
    process, port = running
    game, _ = new_game(port)
    lines = [follow(port, game) for _ in range(60)]
    for line in lines:
        flood(line, frame(TEXT) * 20_000, 0.02)
    before, begun = cpu(process.pid), time.monotonic()
    time.sleep(4)
    share = (cpu(process.pid) - before) / (time.monotonic() - begun)
    for line in lines:
        line.close()
    assert share < 0.25


def test_whoever_has_no_session_is_answered_little_at_once(running: tuple[subprocess.Popen[str], int]) -> None:
    """What a crowd of strangers says at once must not take seconds to answer."""
    _, port = running
    game, _ = new_game(port)
    with follow(port, game) as line:
        flood(line, frame(TEXT, b'{"type":"ping"}') * 1_000, 0.02)
        first = hear(line, 30, until=b"pong")
        after = hear(line, 1)
    assert 0 < (first.data + after.data).count(b"pong") < 300


def cpu(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


# --- answers that nobody reads ----------------------------------------------------------------------------------------


def test_some_requests_at_once_are_answered_in_order(running: tuple[subprocess.Popen[str], int]) -> None:
    _, port = running
    with dial(port) as line:
        line.sendall(HEALTH * 10 + HEALTH.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        assert hear(line).data.count(b"HTTP/1.1 200 OK") == 11
    assert ask(port, HEALTH * 40).data.count(b"HTTP/1.1 400") == 1


@pytest.mark.parametrize("path", ["/", "/static/board.css", "/openapi.json"])
async def test_an_answer_that_is_not_read_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(porter, "LOOK", 0.3)
    settings = Settings(data=tmp_path, engines=0)
    async with listening(create(settings), settings) as port:
        with dial(port, buffer=4096) as line:
            line.setblocking(False)
            request = f"GET {path} HTTP/1.1\r\nHost: here\r\n\r\n".encode() * 10
            for _ in range(200):  # until the buffers of both sides are full
                with contextlib.suppress(OSError):
                    line.send(request)
                await asyncio.sleep(0.005)
            await until(lambda: is_cut(line), 10)


def is_cut(line: socket.socket) -> bool:
    """The other side has hung up."""
    try:
        line.send(b"\r\n")
    except BlockingIOError:
        return False
    except OSError:
        return True
    return False


async def test_a_client_that_reads_slowly_is_not_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(porter, "LOOK", 0.3)
    settings = Settings(data=tmp_path, engines=0)
    async with listening(create(settings), settings) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=4096)
        writer.write(b"GET /openapi.json HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
        data = b""
        while more := await reader.read(8192):
            data += more
            await asyncio.sleep(0.05)
        assert data.endswith(b"}") and len(data) > 50_000
        writer.close()


# --- deadlines --------------------------------------------------------------------------------------------------------

QUIET = {
    "a blank line": [b"\r\n"],
    "blank lines": [b"\r\n"] * 40,
    "a blank line after a request": [HEALTH, b"\r\n"],
    "blank lines after a request": [HEALTH, *[b"\r\n"] * 40],
    "byte by byte": [bytes([byte]) for byte in HEALTH[:-2]],
    "a slow body": [b"POST /api/guest HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\n", *[b"x"] * 40],
    "slow chunks": [
        b"POST /api/guest HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n",
        *[b"1\r\nx\r\n"] * 40,
    ],
    "a websocket with a body": [knock("nowhere", "", "Content-Length: 5")],
    "a websocket with many headers": [knock("nowhere", "", *[f"X-{number}: y" for number in range(140)])],
}


@pytest.mark.parametrize("pieces", QUIET.values(), ids=QUIET.keys())
async def test_nothing_but_a_whole_request_lifts_the_deadline(tmp_path: Path, pieces: list[bytes]) -> None:
    settings = Settings(data=tmp_path, engines=0, deadline=0.5)
    async with listening(create(settings), settings) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        begun = time.monotonic()
        for piece in pieces:
            writer.write(piece)
            await asyncio.sleep(0.05 if len(pieces) > 2 else 0.2)
            if reader.at_eof() or writer.is_closing():
                break
        async with asyncio.timeout(10):
            with contextlib.suppress(ConnectionError):
                while await reader.read(65536):
                    pass
        writer.close()
        assert time.monotonic() - begun < 12


async def test_a_connection_that_waits_for_its_next_request_is_not_hurried(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, engines=0, deadline=0.3)
    async with listening(create(settings), settings) as port:
        with await asyncio.to_thread(dial, port) as line:
            for _ in range(3):
                line.sendall(HEALTH)
                assert (await asyncio.to_thread(hear, line, 5, b'"ok"}')).status == 200
                await asyncio.sleep(0.6)
        game = await asyncio.to_thread(lambda: new_game(port)[0])
        with await asyncio.to_thread(follow, port, game) as line:
            await asyncio.sleep(0.8)
            line.sendall(frame(TEXT, b'{"type":"ping"}'))
            assert b'"pong"' in (await asyncio.to_thread(hear, line, 5, b'"pong"')).data
