"""Websockets against a real server process: following, playing, catching up, and what is kept out."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from hedgerow.match import Match
from hedgerow.serve.api.sockets import BEHIND, GameSocket
from hedgerow.serve.bus.local import Message
from hedgerow.serve.process.protocol_ws import EXTENSION
from hedgerow.tools.serve_bench import Visitor, server_process

RULES = "root_bound(side=4)"


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with server_process(str(tmp_path_factory.mktemp("data")), "--engines", "0") as (_, port):
        yield port


def seated(port: int) -> tuple[str, list[Visitor]]:
    people = [Visitor(port), Visitor(port)]
    game = people[0].ask("POST", "/api/games", {"rules": RULES, "opponent": "friend"})["id"]
    people[1].ask("POST", f"/api/games/{game}/join")
    return game, people


def line(port: int, game: str, cookie: str = "", since: int = 0, **more: str) -> Any:
    headers = ({"Cookie": cookie} if cookie else {}) | more
    return connect(f"ws://127.0.0.1:{port}/api/games/{game}/socket?since={since}", additional_headers=headers)


def hear(socket: ClientConnection) -> dict[str, Any]:
    while True:
        told: dict[str, Any] = json.loads(socket.recv(5))
        if told["type"] != "watchers":  # the count comes when it comes
            return told


def say(socket: ClientConnection, **message: Any) -> None:
    socket.send(json.dumps(message))


def test_a_whole_game_with_watchers_who_come_and_go(port: int) -> None:
    game, people = seated(port)
    match, chance = Match(RULES), random.Random(1)
    with ExitStack() as stack:
        sockets = [stack.enter_context(line(port, game, person.cookie)) for person in people]
        assert [hear(socket)["you"] for socket in sockets] == [0, 1]
        watcher, seen = stack.enter_context(line(port, game)), 0
        assert hear(watcher)["you"] is None
        while match.outcome is None:
            number, mover = len(match.turns), match.to_move
            while True:
                match.play(chance.choice(match.legal()))
                if not match.mid_turn:
                    break
            say(sockets[mover], type="turn", number=number, text=match.turns[-1])
            events = [hear(socket) for socket in sockets]
            assert events[0] == events[1] and events[0]["type"] == "event"
            assert events[0]["turn"]["text"] == match.turns[-1] and events[0]["version"] == number + 1
            assert events[0]["to_move"] == (None if match.outcome else match.to_move)
            if number % 5 == 0:
                watcher.close()
                watcher = stack.enter_context(line(port, game, since=seen))
                caught = hear(watcher)
                assert [turn["text"] for turn in caught["turns"]] == list(match.turns[seen:])
                seen = caught["version"]
            else:
                assert hear(watcher) == events[0]
                seen += 1
        assert events[0]["outcome"]["winners"] == list(match.outcome.winners)


def test_refusals_and_repeats(port: int) -> None:
    game, people = seated(port)
    with (
        line(port, game, people[0].cookie) as ann,
        line(port, game) as stranger,
        line(port, game, people[1].cookie) as bo,
    ):
        for socket in (ann, stranger, bo):
            hear(socket)
        say(stranger, type="turn", number=0, text="a1")
        assert hear(stranger)["code"] == "signed_out"
        say(bo, type="turn", number=0, text="a1")
        assert hear(bo)["code"] == "not_your_turn"
        say(ann, type="turn", number=0, text="nonsense")
        assert hear(ann)["code"] == "unreadable"
        say(ann, type="turn", number=4, text="a1")
        assert hear(ann)["code"] == "stale"
        for text in ("", "[]", '{"type":"turn"}', '{"type":"fly"}', '{"type":"turn","number":"x","text":1}', "\x00"):
            ann.send(text)
            refused = hear(ann)
            assert refused["code"] == "unreadable" and "hint:" in refused["message"]
        say(ann, type="turn", number=0, text="a1")
        assert hear(ann)["version"] == hear(bo)["version"] == hear(stranger)["version"] == 1
        say(ann, type="turn", number=0, text="A1")
        assert hear(ann) == {"type": "stored", "number": 0}
        say(bo, type="turn", number=1, text="a1 c3")
        illegal = hear(bo)
        assert illegal["code"] == "illegal" and illegal["points"] == ["a1"] and illegal["number"] == 1
        say(ann, type="ping")
        assert hear(ann)["type"] == "pong"
        say(bo, type="resign")
        assert hear(ann)["outcome"]["winners"] == [0] and hear(stranger)["turn"]["kind"] == "resign"


class Deaf:
    """A client whose line is full: nothing can be written to it, and sending never ends."""

    def __init__(self) -> None:
        self.scope = {"extensions": {EXTENSION: {"protocol": self}}}
        self.tried = self.hung_up = 0

    def write(self, frame: bytes) -> bool:
        self.tried += 1
        return False

    def hang_up(self) -> None:
        self.hung_up += 1

    async def send(self, message: dict[str, str]) -> None:
        await asyncio.Event().wait()


def test_a_client_that_does_not_listen_is_sent_away() -> None:
    async def tell() -> Deaf:
        deaf = Deaf()
        slow = GameSocket(deaf)  # type: ignore[arg-type]
        for number in range(2 * BEHIND):
            slow.tell(Message(str(number)))
            await asyncio.sleep(0)
        assert not slow._waiting
        await slow.close()
        return deaf

    deaf = asyncio.run(tell())
    assert (deaf.tried, deaf.hung_up) == (1, 1)


class Lost(Deaf):
    """A client that is gone: whatever is sent to it fails, as Starlette tells it."""

    async def send(self, message: dict[str, str]) -> None:
        raise WebSocketDisconnect(1006)

    async def close(self, code: int) -> None:
        raise WebSocketDisconnect(1006)


def test_a_client_that_is_gone_is_told_no_more() -> None:
    async def tell() -> None:
        line = GameSocket(Lost())  # type: ignore[arg-type]
        line.tell(Message("hello"))
        await asyncio.sleep(0)
        assert line.gone and line._task.done() and line._task.exception() is None
        line.end()
        await line._closing
        await line.close()

    asyncio.run(tell())


def test_the_door(port: int) -> None:
    game, people = seated(port)
    with pytest.raises(InvalidStatus), line(port, game, people[0].cookie, Origin="http://elsewhere.test"):
        pass
    with line(port, game, people[0].cookie, Origin=f"http://127.0.0.1:{port}") as socket:
        assert hear(socket)["you"] == 0
    with line(port, "nowhere") as socket:
        assert hear(socket)["code"] == "not_found"
        with pytest.raises(ConnectionClosed):
            socket.recv(5)
    with line(port, game, people[0].cookie) as socket:
        hear(socket)
        with pytest.raises(ConnectionClosed) as closed:
            socket.send("x" * 5000)
            socket.recv(5)
        assert closed.value.rcvd and closed.value.rcvd.code == 1009
    assert people[0].ask("GET", f"/api/games/{game}")["version"] == 0


def until(socket: ClientConnection, kind: str) -> dict[str, Any]:
    while True:
        told: dict[str, Any] = json.loads(socket.recv(5))
        if told["type"] == kind:
            return told


def test_offers_words_and_watchers(port: int) -> None:
    game, people = seated(port)
    with ExitStack() as stack:
        ann, bo = (stack.enter_context(line(port, game, person.cookie)) for person in people)
        assert hear(ann)["watchers"] == 0 and hear(bo)["offers"] == []
        with line(port, game) as watcher:
            assert hear(watcher)["watchers"] == 1 == until(ann, "watchers")["count"]
            say(ann, type="chat", room="players", text=" good  luck ")
            heard = [hear(ann), hear(bo)]
            assert heard[0] == heard[1] and heard[0]["text"] == "good luck" and heard[0]["room"] == "players"
            say(bo, type="chat", room="watchers", text="help")
            assert hear(bo)["code"] == "forbidden"
            say(watcher, type="chat", room="watchers", text="hi")
            assert hear(watcher)["code"] == "signed_out"
            say(bo, type="offer", kind="draw")
            offers = [{"kind": "draw", "seat": 1, "agreed": [1]}]
            assert [hear(socket)["offers"] for socket in (ann, bo, watcher)] == [offers] * 3, "and no chat for watchers"
            say(ann, type="decline", kind="draw")
            assert [hear(socket)["offers"] for socket in (ann, bo, watcher)] == [[]] * 3
            say(ann, type="offer", kind="fly")
            assert hear(ann)["code"] == "unreadable"
            say(ann, type="offer", kind="abort")
            assert [hear(socket)["outcome"]["reason"] for socket in (ann, bo, watcher)] == ["called off"] * 3
            say(ann, type="offer", kind="rematch")
            assert hear(bo)["offers"][0]["kind"] == "rematch"
            say(bo, type="offer", kind="rematch")
            assert people[0].ask("GET", f"/api/games/{hear(bo)['game']}")["you"] == 1
        assert until(ann, "watchers")["count"] == 0
