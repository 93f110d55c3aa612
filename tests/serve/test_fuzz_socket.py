"""Messages on the sockets of a game that is being played: whatever is said, the line stays, and play goes on."""

from __future__ import annotations

import asyncio
import json
import random

from fuzzing import FIELDS, Target, besiege, chance_of, nasty, nasty_json, quoted
from wire import BOUND, Hangs, connected, frame, frames, handshake

from hedgerow.tools.serve_bench import random_game

GAME = "hexbo(side=5)"
TYPES = ("turn", "resign", "offer", "decline", "chat", "ping", "state", "", "Turn", "\x00", "look")
TOLD = {"state", "event", "refused", "stored", "pong", "offers", "rematch", "seats", "chat", "watchers"}
MESSAGES = 25
"""How many messages a line sends."""


def message(chance: random.Random) -> bytes:
    """Something that is said: right but for one thing, or nothing like it."""
    roll = chance.random()
    if roll < 0.2:
        return nasty_json(chance).encode("utf-8", "replace")[:6000]
    if roll < 0.3:
        return nasty(chance).encode("utf-8", "replace")[:4096]
    kind = chance.choice(TYPES)
    if kind == "resign" and chance.random() < 0.8:
        kind = "chat"
    good = {"number": "0", "text": '"A1"', "kind": '"draw"', "room": '"players"', "thought": "5"}
    names = [name for name in good if chance.random() < 0.7] + chance.choices(FIELDS, k=chance.randrange(2))
    pairs = [
        f"{quoted(name)}:{good.get(name, '1') if chance.random() < 0.6 else nasty_json(chance, 2)}" for name in names
    ]
    return ("{" + ",".join([f'"type":{quoted(kind)}', *pairs]) + "}").encode("utf-8", "replace")[:4096]


class Talker:
    """A line that says something and waits until the server has done with it: until its `ping` after it is answered."""

    def __init__(self, target: Target) -> None:
        self.target, self.received, self.at = target, b"", 0
        self.version = 0

    async def open(self, game: str, cookie: str) -> Talker:
        """Connects; the first thing that is heard is where the game stands."""
        self.reader, self.writer = await connected(self.target.port)
        self.writer.write(handshake(f"/api/games/{game}/socket", f"Cookie: {cookie}\r\n" if cookie else ""))
        head = await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), BOUND)
        assert head.startswith(b"HTTP/1.1 101"), head[:200]
        return self

    async def say(self, body: bytes) -> bool:
        """Whether the line is still open afterwards."""
        self.writer.write(frame(body) + frame(b'{"type":"ping"}'))
        while True:
            heard = frames(self.received)[self.at :]
            self.at += len(heard)
            answered = False
            for opcode, payload in heard:
                if opcode == 8:
                    assert int.from_bytes(payload[:2], "big") != 1011, (
                        f"an error of ours closed the line after {body[:300]!r}"
                    )
                    return False
                if opcode == 9:  # the server asks whether we are there
                    self.writer.write(frame(payload, 0x8A))
                if opcode != 1:
                    continue
                told = json.loads(payload)
                assert told["type"] in TOLD, told
                self.version = told.get("version") or self.version
                answered = answered or told["type"] == "pong"
            if answered:
                return True
            try:
                data = await asyncio.wait_for(self.reader.read(65536), BOUND)
            except TimeoutError:
                raise Hangs(f"no answer to {body[:300]!r}") from None
            except ConnectionError:
                data = b""
            assert data, f"hung up without a close frame after {body[:300]!r}"
            self.received += data


def test_whatever_is_said_the_line_stays_and_play_goes_on(target: Target) -> None:
    script = [text for _, text in random_game(GAME, 7)]

    async def attempt(number: int) -> None:
        if number % MESSAGES:
            return
        chance = chance_of("messages", number)
        await asyncio.to_thread(target.renew)
        game, cookies = target.games[0], [person.cookie for person in target.people]
        lines = [await Talker(target).open(game, cookie) for cookie in [*cookies, ""]]
        try:
            for _ in range(MESSAGES):
                who = chance.randrange(3)
                said = message(chance)
                if who < 2 and chance.random() < 0.3:  # a turn as it should be, so that there is a game to disturb
                    version = lines[who].version
                    said = json.dumps({"type": "turn", "number": version, "text": script[version]}).encode()
                if not await lines[who].say(said):
                    lines[who].writer.transport.abort()
                    lines[who] = await Talker(target).open(game, [*cookies, ""][who])
        finally:
            for line in lines:
                line.writer.transport.abort()

    besiege(target, "messages", attempt)
