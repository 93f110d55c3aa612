"""A client that sends any bytes and minds nothing; what came back, taken apart; right and wrong frames."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import re
from dataclasses import dataclass, field

BOUND = 20.0
"""After how many seconds without an answer or an end the server hangs; a request may take 12 to come in."""


class Hangs(AssertionError):
    """Neither an answer nor an end."""


class Reset(Exception):
    """The line was cut while we were still sending, and what was on its way to us with it."""


@dataclass
class Answer:
    """One HTTP answer; the names of headers are in small letters."""

    status: int
    headers: dict[str, str]
    body: bytes = b""
    frames: list[tuple[int, bytes]] = field(default_factory=list)
    """After 101: opcode and payload of every frame."""


async def connected(port: int, source: str | None = None) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A new connection, from another address of this machine if one is named."""
    address = (source, 0) if source else None
    return await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port, local_addr=address), BOUND)


async def exchange(port: int, pieces: list[bytes], quiet: float = BOUND, opening: bytes = b"") -> bytes:
    """Sends the pieces, and reads until the server hangs up; after a `quiet` time we hang up on our side first.

    The `opening` of a websocket is sent before, and answered before anything else is sent; a line that is cut then
    raises Reset.
    """
    reader, writer = await connected(port)
    received = bytearray()
    try:
        if opening:
            writer.write(opening)
            if not await _read(reader, received, BOUND, b"\r\n\r\n"):
                raise Hangs(f"no answer to the handshake {opening!r}")
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        if not await _read(reader, received, quiet):
            with contextlib.suppress(OSError):
                writer.write_eof()
            if not await _read(reader, received, BOUND):
                raise Hangs(f"nothing for {BOUND} s after {bytes(received[-200:])!r}")
    except ConnectionError:
        if opening:
            raise Reset from None
    finally:
        writer.transport.abort()
    return bytes(received)


async def _read(reader: asyncio.StreamReader, received: bytearray, quiet: float, until: bytes | None = None) -> bool:
    """Reads until the end, or until nothing has come for so long; whether it was the end, or something awaited."""
    while until is None or until not in received:
        try:
            data = await asyncio.wait_for(reader.read(65536), quiet)
        except TimeoutError:
            return False
        if not data:
            return True
        received += data
    return True


STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})[^\r\n]*\r\n")


def answers(raw: bytes, head: bool = False) -> list[Answer]:
    """All answers that came over a connection; the last one's body may be cut off. `head`: bodies are not sent."""
    found: list[Answer] = []
    while raw:
        status = STATUS.match(raw)
        end = raw.find(b"\r\n\r\n")
        assert status and end >= 0, f"this is not HTTP: {raw[:200]!r}"
        lines = raw[status.end() : end].decode("latin-1").split("\r\n") if end >= status.end() else []
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        answer = Answer(int(status[1]), headers)
        found.append(answer)
        raw = raw[end + 4 :]
        if answer.status == 101:
            answer.frames = frames(raw)
            return found
        answer.body, raw = _body(headers, b"" if head else raw)
    return found


def _body(headers: dict[str, str], raw: bytes) -> tuple[bytes, bytes]:
    if headers.get("transfer-encoding") == "chunked":
        body = b""
        while match := re.match(rb"([0-9a-fA-F]+)\r\n", raw):
            size = int(match[1], 16)
            body += raw[match.end() : match.end() + size]
            raw = raw[match.end() + size + 2 :]
            if not size:
                break
        return body, raw
    size = int(headers.get("content-length", "0"))
    return raw[:size], raw[size:]


# --- websockets -------------------------------------------------------------------------------------------------------


def handshake(path: str, headers: str = "") -> bytes:
    """The beginning of a websocket; further headers each end with CRLF."""
    key = base64.b64encode(bytes(range(16))).decode()
    return (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n{headers}\r\n"
    ).encode("utf-8", "surrogateescape")


def frame(body: bytes, first: int = 0x81, masked: bool = True, announced: int | None = None, wide: int = 0) -> bytes:
    """A frame as a client sends it, or as it should not; `wide` asks for a longer length field than there must be."""
    size = len(body) if announced is None else announced
    mask = 0x80 if masked else 0
    if size < 126 and wide < 1:
        head = bytes((first, mask | size))
    elif size < 65536 and wide < 2:
        head = bytes((first, mask | 126)) + size.to_bytes(2, "big")
    else:
        head = bytes((first, mask | 127)) + size.to_bytes(8, "big")
    key = b"\x01\x02\x03\x04"
    if not masked:
        return head + body
    return head + key + bytes(byte ^ key[at % 4] for at, byte in enumerate(body))


def frames(raw: bytes) -> list[tuple[int, bytes]]:
    """Opcode and payload of every whole frame that a server sent."""
    found = []
    while len(raw) >= 2:
        size, start = raw[1] & 0x7F, 2
        if size == 126:
            size, start = int.from_bytes(raw[2:4], "big"), 4
        elif size == 127:
            size, start = int.from_bytes(raw[2:10], "big"), 10
        if len(raw) < start + size:
            break
        found.append((raw[0] & 0x0F, raw[start : start + size]))
        raw = raw[start + size :]
    return found
