"""Bytes at the port that are no request, or two, or half of one: each is answered or hung up on."""

from __future__ import annotations

import asyncio
import random

import pytest
from fuzzing import Target, ask, besiege, chance_of, check, nasty, on_sqlite
from wire import Answer, Reset, answers, connected, exchange, frame, handshake

HOST = b"Host: 127.0.0.1\r\n"
SMUGGLED = b"GET /api/playable HTTP/1.1\r\n" + HOST + b"\r\n"


# --- any bytes --------------------------------------------------------------------------------------------------------

METHODS = (b"GET", b"POST", b"get", b"G\x00T", b"PRI", b"CONNECT", b"A" * 300, b"", b"GET\t", b"PUT", b"\xff")
PATHS = (
    b"/", b"/api/games", b"*", b"http://example.org/", b"//", b"/%", b"/\xff", b"/" + b"a" * 40_000, b"", b"/ /",
    b"/..;/", b"/\x00", b"/api/guest", b"http://[/", b"/?" + b"a=b&" * 3_000,
)  # fmt: skip
VERSIONS = (
    b"HTTP/1.1", b"HTTP/1.0", b"HTTP/0.9", b"HTTP/2.0", b"HTTP/11.1", b"http/1.1", b"", b"HTTP/1.1 x", b"RTSP/1.0",
)  # fmt: skip
HEADERS = (
    b"Content-Length: 5", b"Content-Length: -1", b"Content-Length: 5, 6", b"Content-Length: 0x5",
    b"Content-Length: " + b"9" * 30, b"Content-Length:", b"Content-Length : 5", b"Transfer-Encoding: chunked",
    b"Transfer-Encoding: gzip", b"Transfer-Encoding:\tchunked", b"Transfer-Encoding: chunked, identity",
    b"Transfer-Encoding : chunked", b"Transfer-Encoding\x0b: chunked", b"X: a\r\n b", b": x", b"X" * 40_000 + b": y",
    b"X: " + b"y" * 70_000, b"X\x00: y", b"X: y\x00z", b"X", b"\xff: \xff", b"Host: a", b"Host:", b"Upgrade: h2c",
    b"Connection: Upgrade, HTTP2-Settings", b"Connection: close", b"Connection: keep-alive", b"Expect: 100-continue",
    b"Upgrade: websocket", b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Version: 99", b"Sec-WebSocket-Key: x",
    b"Cookie: " + b"a=b;" * 900,
)  # fmt: skip
ENDS = (b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r", b"\r\r\n", b"\n\r\n")
BODIES = (
    b"", b"hello", b"5\r\nhello\r\n0\r\n\r\n", b"ffffffffffffffffff\r\n", b"-1\r\n",
    b"5;" + b"x" * 20_000 + b"\r\nhello\r\n0\r\n\r\n", b"5\nhello\n0\n\n", b"0\r\nX: " + b"y" * 30_000 + b"\r\n\r\n",
    b"5\r\nhelloX", SMUGGLED, b"\x00" * 100, b"zz\r\n",
)  # fmt: skip


def line_noise(chance: random.Random) -> bytes:
    """Something that is nearly a request, several of them, or nothing of the kind."""
    roll = chance.random()
    if roll < 0.1:
        return chance.randbytes(chance.choice((1, 10, 1_000, 100_000)))
    if roll < 0.15:
        return chance.choice(
            (
                b"\r\n",
                b"\r\n" * 1000,
                b"\x16\x03\x01\x02\x00\x01",
                b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                b"\n",
                b"GET /\n",
            )
        )
    end = chance.choice(ENDS)
    good = chance.random() < 0.4
    first = b"POST /api/guest HTTP/1.1" if good else b" ".join(map(chance.choice, (METHODS, PATHS, VERSIONS)))
    lines = [first, HOST.strip(), *chance.choices(HEADERS, k=chance.randrange(5))]
    made = end.join(lines) + end + end + chance.choice(BODIES)
    if chance.random() < 0.2:
        made += line_noise(chance)
    if chance.random() < 0.2:
        made = made[: chance.randrange(len(made) + 1)]
    if chance.random() < 0.1:
        at = chance.randrange(len(made) + 1)
        made = made[:at] + chance.randbytes(2) + made[at + 1 :]
    return made


def in_pieces(chance: random.Random, made: bytes) -> list[bytes]:
    """The same in one piece or in several."""
    cuts = sorted(chance.randrange(len(made) + 1) for _ in range(chance.choice((0, 0, 1, 3, 20))))
    return [made[a:b] for a, b in zip([0, *cuts], [*cuts, len(made)])]


def test_any_bytes_are_answered_or_hung_up_on(target: Target) -> None:
    async def attempt(number: int) -> None:
        chance = chance_of("bytes", number)
        made = line_noise(chance)
        for answer in answers(await exchange(target.port, in_pieces(chance, made), 0.2), made[:4] == b"HEAD"):
            check(answer, f"{made[:600]!r}")

    besiege(target, "bytes", attempt)


# --- two requests in one ----------------------------------------------------------------------------------------------

TWO_MINDS = [
    b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" % (5 + len(SMUGGLED)) + SMUGGLED,
    b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n%x\r\n" % len(SMUGGLED) + SMUGGLED + b"\r\n0\r\n\r\n",
    b"Content-Length: 0\r\nContent-Length: %d\r\n\r\n" % len(SMUGGLED) + SMUGGLED,
    b"Content-Length: 0, %d\r\n\r\n" % len(SMUGGLED) + SMUGGLED,
    b"Content-Length: +0\r\n\r\n" + SMUGGLED,
    b"Content-Length : 0\r\n\r\n" + SMUGGLED,
    b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + SMUGGLED,
    b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    b"Transfer-Encoding: chunked\r\n\r\n0_0\r\n\r\n" + SMUGGLED,
    b"X: y\r\n Transfer-Encoding: chunked\r\nContent-Length: \x0b0\r\n\r\n" + SMUGGLED,
]
"""The end of the first request is somewhere else for somebody else; what follows must not be taken for a second one."""


@on_sqlite
@pytest.mark.parametrize("number", range(len(TWO_MINDS)))
def test_no_request_is_slipped_in_behind_another(target: Target, number: int) -> None:
    came = asyncio.run(ask(target, b"POST /api/guest HTTP/1.1\r\n" + HOST + TWO_MINDS[number]))
    assert len(came) <= 1
    for answer in came:
        check(answer, f"{TWO_MINDS[number]!r}")
        assert answer.status == 400 or b"hexbo" not in answer.body


# --- half a request ---------------------------------------------------------------------------------------------------

HALVES = [
    b"", b"\r\n", b"\r\n\r\n", b"G", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ",
    b"POST /api/guest HTTP/1.1\r\n" + HOST + b"Content-Length: 10\r\n\r\nhalf",
    b"POST /sign-in HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhel",
    b"POST /sign-in HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    b"POST /api/guest HTTP/1.1\r\n" + HOST + b"Expect: 100-continue\r\nContent-Length: 10\r\n\r\n",
    handshake("/api/games/none/socket", "Transfer-Encoding: chunked\r\n"),
    handshake("/api/games/none/socket", "Content-Length: 5\r\n"), handshake("/api/games/none/socket")[:-2],
    handshake("/api/games/none/socket")[:40],
    b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n\r\n", b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\nGET /",
]  # fmt: skip
LONGEST = 40.0
"""Seconds until whoever says half of something must be gone; 12 and a little where nothing else uses the machine."""


@on_sqlite
def test_who_does_not_finish_is_hung_up_on(target: Target) -> None:
    async def wait_for_the_end(half: bytes, trickle: bytes) -> bytes:
        reader, writer = await connected(target.port)
        received = bytearray()

        async def drip() -> None:
            while trickle:
                await asyncio.sleep(1)
                writer.write(trickle)

        dripping = asyncio.create_task(drip())
        try:
            writer.write(half)
            while data := await asyncio.wait_for(reader.read(65536), LONGEST):
                received += data
        except ConnectionError:
            pass
        except TimeoutError:
            return b"still there: " + half + trickle
        finally:
            dripping.cancel()
            writer.transport.abort()
        return b""

    async def all_of_them() -> list[bytes]:
        trickles = [(half, b"") for half in HALVES] + [(half, b"\r\n") for half in HALVES[:3]]
        trickles += [(b"GET / HTTP/1.1\r\n", b"a"), (b"GET / HTTP/1.1\r\n", b"X: y\r\n"), (HALVES[8], b"1\r\nx\r\n")]
        every = asyncio.gather(*(wait_for_the_end(half, trickle) for half, trickle in trickles))
        return [left for left in await every if left]

    assert asyncio.run(all_of_them()) == []
    target.check_answers()


# --- websockets -------------------------------------------------------------------------------------------------------

HANDSHAKES = (
    "", "Sec-WebSocket-Extensions: permessage-deflate; x=\r\n", "Sec-WebSocket-Protocol: ,,,\r\n",
    "Origin: http://[\r\n", "Origin: null\r\n", "Sec-WebSocket-Version: 8\r\n", "Sec-WebSocket-Key: x\r\n",
    "Upgrade: websocket\r\n", "Content-Length: 5\r\n", "Cookie: hedgerow=\udcff\r\n", "Authorization: Bearer x\r\n",
    "Transfer-Encoding: chunked\r\n", "Connection: close\r\n",
)  # fmt: skip


def wrong_frame(chance: random.Random) -> bytes:
    """A frame that breaks the protocol in one way, or that tells nonsense by the protocol."""
    text = nasty(chance).encode("utf-8", "surrogatepass")[:2000]
    shapes = (
        lambda: frame(text),
        lambda: frame(text, 0x82),
        lambda: frame(b'{"type":"ping"}', wide=chance.randrange(3)),
        lambda: frame(b'{"type":', 0x01) + frame(b'"ping"}', 0x80),
        lambda: frame(b"a", 0x01) + frame(b"b", 0x89) + frame(b"c", 0x80),
        lambda: b"".join(frame(b"a" * 1000, 0x01 if not at else 0x00) for at in range(chance.choice((3, 8)))),
        lambda: frame(b"", 0x89) * chance.choice((1, 5)) + frame(b"", 0x8A),
        lambda: frame(text, masked=False),
        lambda: frame(text[:100], chance.choice((0x83, 0x87, 0x8B, 0x8F, 0xC1, 0xA1, 0x91, 0xF1))),
        lambda: frame(b"x" * 126, 0x89),
        lambda: frame(b"x", 0x09),
        lambda: frame(b"b", 0x80),
        lambda: frame(b"a", 0x01) + frame(b"b", 0x81),
        lambda: frame(chance.choice((b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"))),
        lambda: frame(b"x" * chance.choice((4096, 4097, 70_000))),
        lambda: frame(b"x", announced=chance.choice((2**63, 2**64 - 1, 2**62, 2**31)), wide=2),
        lambda: frame(
            chance.choice((b"", b"\x03", b"\x03\xe8", b"\x03\xe8\xff", b"\x00\x01", b"\x03\xed", b"\xff\xff")), 0x88
        ),
        lambda: frame(b"x" * 100)[: chance.randrange(1, 100)],
        lambda: chance.randbytes(chance.randrange(1, 200)),
    )
    return chance.choice(shapes)()


def check_socket(answer: Answer, about: str) -> None:
    """It was closed with a frame that says so, after which at most pings were answered that came before ours."""
    opcodes = [opcode for opcode, _ in answer.frames if opcode != 10]
    assert opcodes and opcodes[-1] == 8, f"hung up without a close frame, after {opcodes[-5:]}, on {about}"
    code = int.from_bytes(next(payload for opcode, payload in answer.frames if opcode == 8)[:2], "big")
    assert code != 1011, f"an error of ours closed the socket, on {about}"


def test_any_frames_are_answered_or_closed_in_order(target: Target) -> None:
    async def attempt(number: int) -> None:
        chance = chance_of("frames", number)
        game = target.games[0] if chance.random() < 0.85 else nasty(chance).encode("utf-8", "replace").hex()[:40]
        odd = headers = chance.choice(HANDSHAKES) if chance.random() < 0.2 else ""
        if chance.random() < 0.5:
            headers += f"Cookie: {chance.choice(target.people).cookie}\r\n"
        sent = b"".join(wrong_frame(chance) for _ in range(chance.randrange(6)))
        close = frame(b"\x03\xe8", 0x88)
        since = chance.choice(("", "", "?since=3", "?since=-1", "?since=x"))
        opening = handshake(f"/api/games/{game}/socket{since}", headers)
        about = f"{(opening[-120:] + sent)[:600]!r}"
        try:
            came = answers(await exchange(target.port, [sent + close], 2.0, opening))
        except Reset:
            refused = odd or since == "?since=x" or game not in target.games
            assert sent or refused, f"cut off without a reason: {about}"
            return
        for answer in came:
            assert answer.status < 500, f"{answer.status} to {about}"  # no page sees the answer to a handshake
            if answer.status == 101 and not cut_off(sent):
                check_socket(answer, about)

    besiege(target, "frames", attempt)


def cut_off(sent: bytes) -> bool:
    """Whether the last frame is not complete, so that our close is taken for a part of it."""
    while sent:
        if len(sent) < 2:
            return True
        size, start = sent[1] & 0x7F, 2
        if size > 125:
            start = 4 if size == 126 else 10
            size = int.from_bytes(sent[2:start], "big")
        start += 4 if sent[1] & 0x80 else 0
        if len(sent) < start + size:
            return True
        sent = sent[start + size :]
    return False
