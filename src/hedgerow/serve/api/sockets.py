"""A websocket for every game: what happens comes down it, turns go up it, and whoever was away is brought up to date.

Down: `state` first (what happened since the version the client knows), then an `event` for everything that is stored;
an event with the number of one's own turn is its acknowledgement. `refused` and `stored` answer single messages. Up:
`{"type": "turn", "number": 12, "text": "c4 d6"}`, `{"type": "resign"}`, `{"type": "offer", "kind": "draw"}`,
`{"type": "decline", "kind": "draw"}`, `{"type": "chat", "room": "players", "text": "hi"}`, `{"type": "ping"}`. Down
come also `offers`, `rematch`, `seats`, `chat` and `watchers` when these change.

With `view=page` it is the line of a page, which shows what comes as it is (see `feeds`): `board` and `page` instead of
`state`, `event` and the rest; `tried` answers a turn that is not whole yet, `why` a question about a move.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Literal

import msgspec
from fastapi import WebSocket
from starlette.websockets import WebSocketDisconnect

from hedgerow.game import HedgerowError
from hedgerow.serve.api.answers import refusal
from hedgerow.serve.api.guard import by_token, hold_up
from hedgerow.serve.api.routing import Router
from hedgerow.serve.api.shortcut import socket_connection
from hedgerow.serve.bus.local import Message
from hedgerow.serve.people.accounts import Account, digest
from hedgerow.serve.people.limits import TooMany, address_of
from hedgerow.serve.people.sessions import from_here, token_of
from hedgerow.serve.people.tokens import check_plays
from hedgerow.serve.play.live import MAX_TURN_CHARS
from hedgerow.serve.play.snapshot import Snapshot
from hedgerow.serve.play.state import Happened
from hedgerow.serve.play.views.board import offered
from hedgerow.serve.play.views.feeds import SAID, rooms_of
from hedgerow.serve.play.views.looks import COOKIE, Looks
from hedgerow.serve.play.views.messages import (
    AgreeMessage,
    ChatMessage,
    DeclineMessage,
    No,
    OfferMessage,
    PingMessage,
    Pong,
    ResignMessage,
    State,
    Stored,
    Tried,
    TurnMessage,
    Why,
    WhyMessage,
    decode,
    message_of,
)
from hedgerow.serve.refusals import Refused, refusal_of
from hedgerow.serve.store import queries
from hedgerow.serve.store.schema import now

if TYPE_CHECKING:
    from hedgerow.serve.server import Server

router = Router(prefix="/api")
log = logging.getLogger("hedgerow.sockets")

LARGEST = 4096
"""How many bytes a message from a client may have."""
SIGNED_OUT = 4001
"""The code of a close when the session is over."""
NOT_ALLOWED, LATER = 1008, 1013
"""The codes when a game may not be seen, and when nobody can say whether it may."""
BEHIND = 512
"""How many messages may wait for a slow client before it is sent away, to come back and catch up."""
PAUSE = 0.25
"""How many seconds somebody waits at least who sends messages too fast; then there is room for many of them."""

LOST = (OSError, RuntimeError, WebSocketDisconnect)
"""What is raised by sending when the client is gone."""


class GameSocket:
    """One open socket: what is to be sent waits in order, so that a slow client keeps nobody waiting."""

    def __init__(self, websocket: WebSocket) -> None:
        self.websocket = websocket
        self.doubt: Callable[[], Awaitable[bool]] | None = None
        """Asked before anything is sent while it is set: whether to ask again. Raises Refused where nothing may be."""
        self.gone = False
        """Nothing more is sent."""
        self.leaves: list[Callable[[], None]] = []
        """What is to be done when it ends."""
        self._protocol = socket_connection(websocket.scope)
        self._waiting: deque[Message] = deque()
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = asyncio.create_task(self._send())

    def tell(self, message: Message) -> None:
        """Sends a message, at once if nothing is in the way; a client too far behind is sent away."""
        if self.gone:
            return
        at_once = self._protocol and not self._waiting and not self.doubt
        if at_once and self._protocol and self._protocol.write(message.frame):
            return
        self._waiting.append(message)
        if len(self._waiting) > BEHIND:
            self._send_away()
        self._wake.set()

    def _send_away(self) -> None:
        self.gone = True
        self._waiting.clear()
        if self._protocol:
            self._protocol.hang_up()
        if self._task:
            self._task.cancel()

    async def _send(self) -> None:
        send = self.websocket.send
        try:
            while True:
                while self._waiting:  # the first stays there until it is sent, so that nothing overtakes it
                    if self.doubt and not await self._may_send(self.doubt):
                        return
                    await send({"type": "websocket.send", "text": self._waiting[0].text})
                    self._waiting.popleft()
                self._wake.clear()
                await self._wake.wait()
        except LOST:  # whoever reads from it notices, too
            self.gone = True

    async def _may_send(self, doubt: Callable[[], Awaitable[bool]]) -> bool:
        """Asks first; who may not be told what happens is sent away without it."""
        try:
            if not await doubt():
                self.doubt = None
            return not self.gone
        except Refused as refused:
            self.end(LATER if refused.code == "later" else NOT_ALLOWED)
        except Exception as error:  # the database is away
            log.warning("could not look who may see a game: %s", type(error).__name__)
            self.end(LATER)
        return False

    def end(self, code: int = SIGNED_OUT) -> None:
        """The session that opened this line is over, or it may not see more: the code of the close says which."""
        self.gone = True
        self._waiting.clear()
        self._closing = asyncio.create_task(self._say_goodbye(code))

    async def _say_goodbye(self, code: int) -> None:
        with contextlib.suppress(*LOST):
            await self.websocket.close(code)

    async def close(self) -> None:
        """Sends no more."""
        task, self._task = self._task, None  # the task refers to this line by how it ended
        if task:
            task.cancel()
            await asyncio.wait([task])


async def state_of(server: Server, live: Snapshot, account: int | None, since: int) -> State:
    """The `state` message of a game."""
    turns: list[Happened] = []
    if since < live.version:
        async with server.store.read() as connection:
            rows = await queries.turn_rows(connection, live.id, max(0, since))
        turns = [
            Happened(row.number, row.kind, row.seat, row.text, row.at, row.spent)
            for row in rows
            if row.number < live.version
        ]
    return State(
        version=live.version,
        rules=live.match.rules.name,
        state=live.state,
        seats=[seat.name for seat in live.seats],
        bots=[number for number, seat in enumerate(live.seats) if seat.bot],
        you=live.seat_of(account),
        to_move=live.to_move,
        clocks=live.clocks,
        since=live.since,
        at=now(),
        outcome=live.outcome,
        turns=turns,
        offers=await server.offers.standing(live),
        watchers=server.spectators.count(live.id),
    )


Follow = Callable[["Server", Snapshot, Account | None, GameSocket], Awaitable[None]]
"""Tells a line where a game stands, and from then on what happens."""


@router.websocket("/games/{game}/socket")
async def game_socket(
    websocket: WebSocket, game: str, since: int = 0, view: Literal["events", "page"] = "events", said: int = 0
) -> None:
    """Follows a game, and plays in it."""
    server: Server = websocket.app.state.server
    if not from_here(websocket.headers, server.settings.public_url):
        await websocket.close(NOT_ALLOWED)
        return
    try:
        account = await server.accounts.of(token_of(websocket))
        hold_up(server, websocket, account)
        account = await by_token(server, websocket, account)
        gone = server.connections.come(address_of(websocket))
    except Refused as refused:
        await _deny(websocket, refused)
        return
    try:
        with contextlib.suppress(WebSocketDisconnect):
            await websocket.accept()
            follow = partial(_page, said=said) if view == "page" else partial(_events, since=since)
            await _live(server, websocket, game, account, follow, view == "page")
    finally:
        gone()


async def _deny(websocket: WebSocket, refused: Refused) -> None:
    """Refuses a websocket before it is open, in the usual shape."""
    headers = {"Retry-After": str(refused.after)} if isinstance(refused, TooMany) else None
    await websocket.send_denial_response(refusal(refused.status, refused.code, str(refused), headers))


async def _live(
    server: Server, websocket: WebSocket, game: str, account: Account | None, follow: Follow, page: bool
) -> None:
    """The whole life of an open line."""
    async with _line(server, websocket, account) as line:
        try:
            known = await server.games.look(game)
            known.check_visible(account.id if account else None)
            if known.private and known.state == "open":  # whoever has the link may see it, but only until it begins
                line.doubt = lambda: _still_open(server, game, account)
            await follow(server, known, account, line)
            await _listen(server, websocket, line, game, account, page)
        except Refused as refused:
            with contextlib.suppress(*LOST):
                await websocket.send_text(message_of(No(refused.code, str(refused), None, None)).text)
                await websocket.close(NOT_ALLOWED)
        finally:
            while line.leaves:
                line.leaves.pop()()


@contextlib.asynccontextmanager
async def _line(server: Server, websocket: WebSocket, account: Account | None) -> AsyncIterator[GameSocket]:
    """A line that ends with its session."""
    line = GameSocket(websocket)
    server.sockets += 1
    left = server.connections.join(digest(token_of(websocket) or ""), line.end) if account else None
    try:
        yield line
    finally:
        server.sockets -= 1
        if left:
            left()
        await line.close()


async def _events(server: Server, known: Snapshot, account: Account | None, line: GameSocket, since: int) -> None:
    """Tells a line where the game stands, and from then on everything that happens."""
    early: list[Message] = []  # what happens while the state is read comes after it
    number, state = account.id if account else None, None
    seat = known.seat_of(number)

    def hear(message: Message) -> None:
        if state is None:
            early.append(message)
        else:
            line.tell(message)

    line.leaves.append(server.bus.subscribe(known.id, hear, first=seat is not None, version=known.version))
    line.leaves.append(await server.talk.listen(known, number, hear))
    line.leaves.append(server.spectators.come(known.id, seat))
    state = message_of(await state_of(server, known, number, since))
    for message in (state, *early):
        line.tell(message)


async def _page(server: Server, known: Snapshot, account: Account | None, line: GameSocket, said: int) -> None:
    """Tells a page how the game stands and what was said after what it knows, then everything that changes."""
    number = account.id if account else None
    seat, looks = known.seat_of(number), Looks.read(line.websocket.cookies.get(COOKIE))
    line.leaves.append(server.spectators.come(known.id, seat))
    line.leaves.append(await server.talk.listen(known, number, line.tell))
    line.leaves.append(await server.feeds.join(known.id, number, looks, line.tell))
    for room in rooms_of(known, seat):
        for message in await server.talk.heard(known, number, room, SAID, said):
            line.tell(message_of(message))


async def _still_open(server: Server, game: str, account: Account | None) -> bool:
    """Whether a seat is still free; raises Refused where the game has begun without this account."""
    known = await server.games.look(game)
    known.check_visible(account.id if account else None)
    return known.state == "open"


async def _listen(
    server: Server, websocket: WebSocket, line: GameSocket, game: str, account: Account | None, page: bool
) -> None:
    limit, key = ("message", account.id) if account else ("anonymous_message", address_of(websocket))
    while True:
        message = await websocket.receive()
        if message["type"] == "websocket.disconnect":
            return
        while pause := server.limits.wait(limit, key):
            await asyncio.sleep(max(pause, PAUSE))
        if line.gone:
            return
        if (answer := await _answered(server, game, account, message.get("text") or "", page)) is not None:
            line.tell(message_of(answer))


async def _answered(server: Server, game: str, account: Account | None, text: str, page: bool) -> msgspec.Struct | None:
    """Does what a message says; None where the event of it is the answer."""
    try:
        asked = decode(text)
    except msgspec.MsgspecError as error:
        return No("unreadable", f"cannot read {text[:40]!r}: {error}; hint: send JSON with a type", None, None)
    except RecursionError:
        return No("unreadable", f"cannot read {text[:40]!r}: nested too deep; hint: send JSON with a type", None, None)
    if isinstance(asked, PingMessage):
        return Pong(now())
    number = asked.number if isinstance(asked, TurnMessage) else None
    try:
        if isinstance(asked, WhyMessage):
            return await _why(server, game, asked.text)
        if account is None:
            raise Refused("signed_out", "you have no session; hint: join the game first")
        check_plays(account)
        if isinstance(asked, ResignMessage):
            await server.games.resign(game, account.id)
            return None
        if isinstance(asked, OfferMessage):
            await server.offers.ask(game, account.id, asked.kind)
            return None
        if isinstance(asked, AgreeMessage):
            await server.offers.agree(game, account.id, asked.kind)
            return None
        if isinstance(asked, DeclineMessage):
            await server.offers.decline(game, account.id, asked.kind)
            return None
        if isinstance(asked, ChatMessage):
            await server.talk.say(game, account, asked.room, asked.text)
            return None
        played = await server.games.play(game, account.id, asked.number, asked.text, asked.thought)
        return Stored(asked.number) if played.repeated else None
    except HedgerowError as error:
        refused = refusal_of(error)
        if page and isinstance(asked, TurnMessage) and refused.reason and refused.reason.code == "unfinished":
            return await _tried(server, game, asked)
        points, clause = (refused.reason.points, refused.reason.clause) if refused.reason else ((), "")
        about = str(asked.__struct_config__.tag)
        return No(refused.code, str(refused), number, server.games.version(game), points, clause, about)


async def _why(server: Server, game: str, text: str) -> Why:
    if len(text) > MAX_TURN_CHARS:
        raise Refused("unreadable", f"a turn of {len(text)} characters; hint: at most {MAX_TURN_CHARS}")
    reason = (await server.games.look(game)).match.why_not(text)
    return Why(text, False, reason.text, reason.points, reason.clause) if reason else Why(text, True)


async def _tried(server: Server, game: str, asked: TurnMessage) -> msgspec.Struct:
    """How a turn may go on that was found unfinished; nothing is drawn for it."""
    known = await server.games.look(game)
    if known.version != asked.number:
        return No("stale", "somebody was faster; hint: look at the game again", asked.number, known.version)
    match = known.match.copy()
    match.play(asked.text)
    return Tried(asked.number, asked.text, match.prompt, offered(match))
