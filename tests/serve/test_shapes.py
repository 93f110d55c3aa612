"""Requests and frames that no browser sends: refused in the usual shape, and no websocket ends without a word."""

from __future__ import annotations

import json
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from raw import BYTES, HOST, TEXT, UPGRADE, ask, chunked, follow, frame, frames_in, hear, knock, post
from serving import Visit, listening

from hedgerow.serve.process.app import create
from hedgerow.serve.settings import Settings
from hedgerow.tools.serve_bench import Visitor, server_process

pytestmark = pytest.mark.anyio
FORM = "application/x-www-form-urlencoded"


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with server_process(str(tmp_path_factory.mktemp("data")), "--engines", "0") as (process, port):
        yield port
        process.terminate()
        assert "Traceback" not in said(process)


def said(process: subprocess.Popen[str]) -> str:
    assert process.stderr
    return process.stderr.read()


def deep(times: int) -> bytes:
    return b"[" * times + b"]" * times


def get(*headers: bytes, path: bytes = b"/healthz") -> bytes:
    return b"GET " + path + b" HTTP/1.1\r\n" + b"".join(header + b"\r\n" for header in headers) + b"\r\n"


MANY = b"".join(b"x-%d: y\r\n" % number for number in range(140))
REFUSED: dict[str, tuple[bytes, int, str]] = {
    "an origin": (post("/api/guest", b"{}", "application/json", "Origin: http://["), 403, "forbidden"),
    "an origin of a socket": (knock("nowhere", "", "Origin: http://["), 403, "forbidden"),
    "another origin of a socket": (knock("nowhere", "", "Origin: http://elsewhere.test"), 403, "forbidden"),
    "a big form": (chunked("/games", b"a=" + b"x" * 70_000, FORM), 413, "too_big"),
    "a big form that says so": (post("/games", b"a=" + b"x" * 70_000, FORM), 413, "too_big"),
    "big JSON": (chunked("/api/games", b'{"rules":"' + b"x" * 70_000 + b'"}', "application/json"), 413, "too_big"),
    "deep JSON": (post("/api/games", b'{"rules":' + deep(1900) + b"}"), 400, "bad_request"),
    "very deep JSON": (post("/api/positions", deep(30_000)), 400, "bad_request"),
    "no HTTP": (b"\x00\x01\x02\r\n\r\n", 400, "bad_request"),
    "another HTTP": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "bad_request"),
    "two lengths": (get(HOST[:-2], b"Content-Length: 2", b"Content-Length: 3"), 400, "bad_request"),
    "a length and chunks": (get(HOST[:-2], b"Content-Length: 2", b"Transfer-Encoding: chunked"), 400, "bad_request"),
    "an unknown coding": (
        b"POST /api/guest HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: x, chunked\r\n\r\n0\r\n\r\n",
        400,
        "bad_request",
    ),
    "no host": (get(), 400, "bad_request"),
    "two hosts": (get(b"Host: a", b"Host: b"), 400, "bad_request"),
    "half a host": (get(b"Host: ["), 400, "bad_request"),
    "a strange host": (get(b'Host: a b/\\<>"'), 400, "bad_request"),
    "big headers": (get(HOST[:-2], b"X: " + b"x" * 33_000), 400, "bad_request"),
    "many big headers": (get(HOST[:-2], *[b"X: " + b"x" * 1000] * 33), 400, "bad_request"),
    "a long way": (get(HOST[:-2], path=b"/" + b"a" * 33_000), 400, "bad_request"),
    "a socket nowhere": (b"GET /nowhere HTTP/1.1\r\n" + UPGRADE + b"\r\n", 404, "not_found"),
    "a socket since x": (knock("nowhere").replace(b"/socket", b"/socket?since=x"), 422, "bad_request"),
    "a socket by POST": (knock("nowhere").replace(b"GET", b"POST"), 405, "bad_request"),
    "a socket without a key": (knock("nowhere").replace(b"Sec-WebSocket-Key", b"X"), 400, "bad_request"),
    "a socket with a body": (knock("nowhere", "", "Content-Length: 5") + b"hello", 400, "bad_request"),
    "a socket with many headers": (knock("nowhere")[:-2] + MANY + b"\r\n", 400, "bad_request"),
    "a socket before an answer": (get(HOST[:-2]) + knock("nowhere"), 400, "bad_request"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_strange_request_is_refused_in_the_usual_shape(port: int, name: str) -> None:
    request, status, code = REFUSED[name]
    told = ask(port, request)
    assert told.closed and told.refused(status, code), told


@pytest.mark.parametrize("times", range(200, 2000, 150))
def test_any_depth_is_refused(port: int, times: int) -> None:
    told = ask(port, post("/api/games", b'{"rules":' + deep(times) + b"}"))
    assert told.status in (400, 422) and told.refused(told.status, "bad_request")


@pytest.mark.parametrize("path", ["/", "/api/games", "/static/board.css", "/api/stream", "/nowhere"])
@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "PATCH"])
def test_other_methods_are_answered(port: int, method: str, path: str) -> None:
    told = ask(port, f"{method} {path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n".encode())
    assert told.closed and told.status in (200, 404, 405) and "content-security-policy" in told.headers


# --- frames -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def game(port: int) -> tuple[str, str]:
    ann = Visitor(port)
    return ann.ask("POST", "/api/games", {"rules": "hexbo(side=5)", "opponent": "friend"})["id"], ann.cookie


CLOSED = {
    "not UTF-8": (frame(TEXT, b"\xff\xfe"), 1007),
    "too big": (frame(TEXT, b"x" * 5000), 1009),
    "too big in pieces": (frame(TEXT, b"x" * 3000, last=False) + frame(0, b"x" * 3000), 1009),
    "an unknown opcode": (frame(3), 1002),
    "a piece of nothing": (frame(0, b"x"), 1002),
    "a big ping": (frame(9, b"x" * 126), 1002),
    "half a close": (frame(8, b"\x03"), 1002),
    "no mask": (b"\x81\x02hi", 1002),
}


@pytest.mark.parametrize("name", CLOSED)
def test_a_frame_that_cannot_be_read_closes_with_a_word(port: int, game: tuple[str, str], name: str) -> None:
    sent, code = CLOSED[name]
    with follow(port, *game) as line:
        line.sendall(sent)
        told = hear(line, 5)
        last = frames_in(told.data)[-1]
        assert told.closed and last[0] == 8 and int.from_bytes(last[1][:2], "big") == code


ODD = {
    "bytes": frame(BYTES, b"\xff"),
    "deep": frame(TEXT, deep(1900)),
    "deep in a message": frame(TEXT, b'{"type":"ping","x":' + deep(1900) + b"}"),
    "half a letter": frame(TEXT, b'{"type":"chat","room":"players","text":"\\ud800"}'),
    "a big number": frame(TEXT, b'{"type":"turn","number":99999999999999999999999,"text":"a"}'),
    "no number": frame(TEXT, b'{"type":"turn","number":1e400,"text":"a"}'),
    "a big negative number": frame(TEXT, b'{"type":"turn","number":-9223372036854775808,"text":"a"}'),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_message_is_refused_and_the_line_goes_on(port: int, game: tuple[str, str], name: str) -> None:
    with follow(port, *game) as line:
        line.sendall(ODD[name] + frame(TEXT, b'{"type":"ping"}'))
        told = hear(line, 5, until=b'"pong"')
        kinds = [json.loads(payload)["type"] for _, payload in frames_in(told.data)]
        assert [kind for kind in kinds if kind != "watchers"] == ["refused", "pong"]


# --- mistakes of ours -------------------------------------------------------------------------------------------------


@asynccontextmanager
async def broken(tmp_path: Path, part: str, method: str) -> AsyncIterator[tuple[FastAPI, int]]:
    """A server one of whose parts fails."""

    async def fails(*_: Any, **__: Any) -> None:
        raise RuntimeError("the secret")

    settings = Settings(data=tmp_path, engines=0)
    app = create(settings)
    async with listening(app, settings) as port:
        setattr(getattr(app.state.server, part), method, fails)
        yield app, port


async def test_not_even_a_mistake_is_answered_without_the_headers(tmp_path: Path) -> None:
    async with broken(tmp_path, "accounts", "of") as (_, port):
        told = await to_thread(ask, port, get(HOST[:-2], b"Connection: close", path=b"/api/me"))
        assert told.refused(500, "failed") and b"secret" not in told.data
        told = await to_thread(ask, port, knock("nowhere"))
        assert told.refused(500, "failed") and told.closed


async def test_a_mistake_on_an_open_websocket_closes_it_with_a_word(tmp_path: Path) -> None:
    async with broken(tmp_path, "talk", "listen") as (app, port):
        game = await to_thread(
            lambda: Visitor(port).ask("POST", "/api/games", {"rules": "hexbo(side=5)", "opponent": "friend"})["id"]
        )
        told = await to_thread(ask, port, knock(game))
        assert told.status == 101 and told.close_code == 1011 and app.state.server.sockets == 0


async def to_thread(function: Any, *arguments: Any) -> Any:
    import asyncio

    return await asyncio.to_thread(function, *arguments)


# --- what may be kept -------------------------------------------------------------------------------------------------


async def test_nothing_that_depends_on_who_asks_is_kept(visit: Visit) -> None:
    async with visit() as ann:
        await ann.post("/api/guest")
        made = (await ann.post("/api/games", json={"rules": "hexbo(side=5)", "opponent": "friend"})).json()["id"]
        for path in ("/", "/account", "/your-games", "/lobby", f"/games/{made}", "/api/me", "/api/games", "/nowhere"):
            answer: httpx.Response = await ann.get(path, headers={"Accept": "text/html"})
            assert answer.headers["cache-control"] == "no-store", path
        assert (await ann.post("/sign-in", data={"name": "x", "password": "y"})).headers["cache-control"] == "no-store"
        style = await ann.get("/static/board.css")
        assert "cache-control" not in style.headers and style.headers["etag"]
        assert (await ann.get("/static/nowhere.css")).headers["cache-control"] == "no-store"
