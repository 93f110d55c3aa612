"""A client that writes bytes, and need not behave: for everything that no browser would send."""

from __future__ import annotations

import contextlib
import socket
import time
from pathlib import Path
from typing import NamedTuple

import msgspec

HOST = b"Host: here\r\n"
UPGRADE = (
    HOST + b"Upgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
)
TEXT, BYTES, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Heard(NamedTuple):
    """What came back: the whole of it, and whether the line was closed."""

    data: bytes
    closed: bool

    @property
    def status(self) -> int:
        return int(self.data.split(b" ", 2)[1])

    @property
    def headers(self) -> dict[str, str]:
        lines = self.data.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")[1:]
        return {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}

    @property
    def body(self) -> bytes:
        return self.data.partition(b"\r\n\r\n")[2]

    def refused(self, status: int, code: str) -> bool:
        """It is a refusal in the usual shape, with everything that goes with it."""
        told = msgspec.json.decode(self.body)
        return (
            (self.status, told["code"]) == (status, code)
            and "hint:" in told["message"]
            and "content-security-policy" in self.headers
            and self.headers["cache-control"] == "no-store"
        )

    @property
    def close_code(self) -> int | None:
        """The code of the last frame, which is a close."""
        frames = list(frames_in(self.body))
        return int.from_bytes(frames[-1][1][:2], "big") if frames and frames[-1][0] == CLOSE else None


def frames_in(data: bytes) -> list[tuple[int, bytes]]:
    """The frames of a server, as opcode and payload."""
    found, at = [], 0
    while at + 2 <= len(data):
        length, head = data[at + 1], 2
        if length == 126:
            length, head = int.from_bytes(data[at + 2 : at + 4], "big"), 4
        elif length == 127:
            length, head = int.from_bytes(data[at + 2 : at + 10], "big"), 10
        found.append((data[at] & 15, data[at + head : at + head + length]))
        at += head + length
    return found


def frame(opcode: int, payload: bytes = b"", last: bool = True) -> bytes:
    """A frame of a client."""
    size = bytes([128 | len(payload)]) if len(payload) < 126 else b"\xfe" + len(payload).to_bytes(2, "big")
    return bytes([(128 if last else 0) | opcode]) + size + b"\0\0\0\0" + payload


def dial(port: int, *, buffer: int | None = None, seconds: float = 10) -> socket.socket:
    """A line; with a small buffer it is soon full if nobody reads."""
    line = socket.socket()
    if buffer:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    line.settimeout(seconds)
    line.connect(("127.0.0.1", port))
    return line


def hear(line: socket.socket, seconds: float = 10, until: bytes | None = None) -> Heard:
    """Reads until the line is closed, or something has come, or the time is up."""
    data, end = b"", time.monotonic() + seconds
    while until is None or until not in data:
        try:
            line.settimeout(max(0.01, end - time.monotonic()))
            if not (more := line.recv(1 << 16)):
                return Heard(data, True)
            data += more
        except TimeoutError:
            return Heard(data, False)
        except OSError:
            return Heard(data, True)
    return Heard(data, False)


def ask(port: int, request: bytes, *more: bytes, seconds: float = 10) -> Heard:
    """What comes back until the line is closed."""
    with dial(port) as line:
        with contextlib.suppress(OSError):
            for piece in (request, *more):
                line.sendall(piece)
                time.sleep(0.05 if more else 0)
        return hear(line, seconds)


def post(path: str, body: bytes, kind: str = "application/json", *headers: str) -> bytes:
    """A request with a body, and nothing after it."""
    told = "".join(f"{header}\r\n" for header in (f"Content-Type: {kind}", *headers, f"Content-Length: {len(body)}"))
    return f"POST {path} HTTP/1.1\r\nHost: here\r\n{told}Connection: close\r\n\r\n".encode() + body


def chunked(path: str, body: bytes, kind: str) -> bytes:
    """The same without saying how long it will be."""
    head = f"POST {path} HTTP/1.1\r\nHost: here\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n"
    pieces = [body[at : at + 8000] for at in range(0, len(body), 8000)]
    chunks = b"".join(f"{len(piece):x}\r\n".encode() + piece + b"\r\n" for piece in pieces)
    return f"{head}Connection: close\r\n\r\n".encode() + chunks + b"0\r\n\r\n"


def knock(game: str, cookie: str = "", *headers: str) -> bytes:
    """The beginning of a game's websocket."""
    more = "".join(f"{header}\r\n" for header in ([f"Cookie: {cookie}"] if cookie else []) + list(headers))
    return f"GET /api/games/{game}/socket HTTP/1.1\r\n".encode() + UPGRADE + more.encode("latin-1") + b"\r\n"


def follow(port: int, game: str, cookie: str = "", *headers: str, buffer: int | None = None) -> socket.socket:
    """An open websocket."""
    line = dial(port, buffer=buffer)
    line.sendall(knock(game, cookie, *headers))
    opened = hear(line, until=b'"type":"state"')
    assert opened.status == 101, opened
    return line


def memory(process: int) -> int:
    """How many bytes a process has in memory."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096
