"""Games: start one, look at it, play in it, take it home."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, Field

from hedgerow.game import Rules
from hedgerow.games import make
from hedgerow.match import Match
from hedgerow.serve import past, starting, wishes
from hedgerow.serve.api.people import ServerHere, Somebody, Visitor
from hedgerow.serve.boardview import BoardView, board_view
from hedgerow.serve.clocks import DAY, Control
from hedgerow.serve.games import seated
from hedgerow.serve.gamestate import GameState, Seat
from hedgerow.serve.limits import address_of
from hedgerow.serve.looks import drawn
from hedgerow.serve.refusals import Refused
from hedgerow.serve.replays import Judged, Line, judge, judged
from hedgerow.serve.server import Server
from hedgerow.serve.snapshot import Snapshot
from hedgerow.serve.store import queries
from hedgerow.serve.store.schema import now
from hedgerow.serve.wire import OneLine
from hedgerow.serve.workshop import Payer

router = APIRouter(prefix="/api/games", tags=["games"])

HIGHEST = 99
"""No game has more levels than this; how many it has is its own matter."""

NOW = ("to_move", "prompt", "turn_goes_on", "outcome")
"""What is told as it stands, even to those who look back."""


class ClockAsked(BaseModel):
    """How time is given: not at all, live with an increment, or in days for every turn."""

    kind: Literal["none", "live", "days"] = "none"
    minutes: float = Field(default=5, ge=0.02, le=180, description="at least 1 in a rated game")
    increment: float = Field(default=3, ge=0, le=180, description="seconds added for every turn")
    days: int = Field(default=3, ge=1, le=30)

    def control(self) -> Control:
        """The same in milliseconds."""
        if self.kind == "live":
            return Control("live", int(self.minutes * 60_000), int(self.increment * 1000))
        return Control("days", self.days * DAY, 0) if self.kind == "days" else Control()


class ChairAsked(BaseModel):
    """Who is to sit there: you, a machine, anyone who comes, or somebody by name."""

    who: Literal["me", "machine", "anyone", "named"]
    level: int = Field(default=3, ge=1, le=HIGHEST, description="of a machine; the highest differs by game")
    name: OneLine = Field(default="", max_length=40)


class NewGame(BaseModel):
    """A game against the machine, with friends by a link, or a challenge: to everybody in the lobby, or by name."""

    rules: OneLine = Field(max_length=200, examples=["hexbo(side=5)"])
    opponent: Literal["machine", "friend", "lobby", "named"] = "machine"
    level: int = Field(default=3, ge=1, le=HIGHEST, description="of the machine; the highest differs by game")
    name: OneLine = Field(default="", max_length=40, description="of the one who is challenged")
    seat: int | None = Field(default=0, ge=0, le=5, description="yours; null for any")
    seats: list[ChairAsked] | None = Field(default=None, max_length=6, description="instead of the four above")
    clock: ClockAsked = ClockAsked()
    rated: bool = Field(default=False, description="only on the standard board")
    private: bool = False
    welcome: bool = Field(default=False, description="people may take over the machines' seats")
    hours: float | None = Field(default=None, ge=0.01, le=720, description="how long it waits for others")


class SeatTold(BaseModel):
    """A seat: what it is called, and who is in it."""

    seat: str
    name: str
    machine: bool = Field(description="one of this server's own")
    bot: bool = Field(description="a program plays: a bot, or a machine")
    free: bool
    place: int | None = Field(description="of a seat that is out, or of everybody at the end; 1 is the best")


class GameTold(BoardView):
    """A game as it stands."""

    id: str
    rules: str
    title: str
    state: Literal["open", "playing", "over"]
    version: int = Field(description="how much has happened; the number of the next turn")
    private: bool
    rated: bool
    welcome: bool = Field(description="people may take over the machines' seats")
    seats: list[SeatTold]
    you: int | None = Field(description="your seat")
    partial: str = Field(description="what of the next turn was tried, as asked for")
    turn: int = Field(description="after how many turns the board is shown; all of them if not asked otherwise")
    clock: ClockTold
    rematch: str | None = Field(description="the game that came after this one")


class ClockTold(BaseModel):
    """Milliseconds left to every seat when the turn began; `since` and `now` are the server's time."""

    kind: Literal["none", "live", "days"]
    left: list[int] | None
    since: int
    now: int


class TurnAsked(BaseModel):
    """A whole turn, and its number: the version of the game you saw."""

    number: int = Field(ge=0, le=1_000_000)
    text: OneLine = Field(max_length=200)
    thought: int | None = Field(default=None, ge=0, le=2**53, description="milliseconds, as your machine counted them")


class TurnStored(BaseModel):
    """A turn that is stored for good."""

    number: int
    kind: str
    seat: int
    text: str
    at: int


class Listed(BaseModel):
    """A game in a list."""

    id: str
    rules: str
    state: str
    version: int
    to_move: int | None
    seats: list[str]
    bots: list[int] = Field(description="the seats that programs have")
    your_turn: bool
    moved: int | None
    due: int | None


GameTold.model_rebuild()


@router.post("", status_code=201)
async def create(asked: NewGame, server: ServerHere, account: Somebody) -> GameTold:
    """Start a game. Against the machine it begins at once; with friends when every seat is taken."""
    await server.limits.check_everywhere("game", account.id)
    rules, control, at = make(asked.rules), asked.clock.control(), now()
    if asked.rated:
        starting.check_rated(rules, account, control)
    async with server.store.read() as connection:
        chairs = await starting.chairs(connection, rules, account, wanted_chairs(asked, rules))
        lobby = asked.opponent == "lobby" and not all(chairs)
        invited = [chair["invited"] for chair in chairs if "invited" in chair]
        if server.settings.limits and not all(chair.get("account") or chair.get("player") for chair in chairs):
            await wishes.check(connection, account.id, invited, lobby, at, server.address)
    more: dict[str, Any] = {"rated": asked.rated, "lobby": lobby, "welcome": asked.welcome and not asked.rated}
    expires = starting.expiry(at, control, asked.hours, lobby or bool(invited))
    live = await server.games.create(rules.name, account.id, chairs, control, asked.private, expires=expires, **more)
    return await told(server, live.id, account.id, picture=False)


def wanted_chairs(asked: NewGame, rules: Rules[Any]) -> list[starting.Chair]:
    """The chairs as they were asked for, one by one or all others alike."""
    if asked.seats is not None:
        return [starting.Chair(chair.who, chair.level, chair.name) for chair in asked.seats]
    who = {"machine": "machine", "named": "named"}.get(asked.opponent, "anyone")
    if who == "named" and rules.players > 2:
        raise Refused("bad_request", "more than one other seat; hint: name who sits where with `seats`")
    return starting.around(rules, asked.seat, starting.Chair(who, asked.level, asked.name))


@router.get("")
async def listed(
    server: ServerHere,
    account: Visitor,
    mine: bool = True,
    state: Literal["open", "playing", "over"] | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> list[Listed]:
    """Your games, or everybody's public ones; the latest turn first."""
    if mine and account is None:
        return []
    async with server.store.read() as connection:
        if mine and account:
            rows = await queries.games_of(connection, account.id, state, limit)
        else:
            rows = await queries.public_games(connection, state, limit)
        chairs = await queries.seat_rows(connection, [row.id for row in rows])
    found = []
    for row in rows:
        here = [chair for chair in chairs if chair.game == row.id]
        mover = next((chair for chair in here if chair.seat == row.to_move), None)
        yours = bool(account and mover and mover.account == account.id and row.state == "playing")
        columns = {key: getattr(row, key) for key in ("id", "rules", "state", "version", "to_move", "moved", "due")}
        found.append(Listed(**columns, **seated(here), your_turn=yours))
    return found


@router.get("/{game}")
async def look(
    game: str,
    server: ServerHere,
    account: Visitor,
    partial: Annotated[str, Query(max_length=200)] = "",
    picture: bool = True,
    turn: Annotated[int | None, Query(ge=0, le=100_000, description="after how many turns the board is shown")] = None,
) -> GameTold:
    """A game as it stands; with `partial`, as it would stand within a turn begun like that.

    With `turn`, the picture and what was taken off are of that moment, and nothing may be done there; the rest is told
    as it stands now.
    """
    return await told(server, game, account.id if account else None, partial, picture, turn)


@router.post("/{game}/join")
async def join(
    game: str, server: ServerHere, account: Somebody, seat: Annotated[int | None, Query(ge=0, le=5)] = None
) -> GameTold:
    """Take a free seat: that one, or any; it is also how a challenge is accepted."""
    await server.games.join(game, account.id, seat, account.kind == "guest")
    return await told(server, game, account.id, picture=False)


@router.post("/{game}/turns", status_code=201)
async def turn(game: str, asked: TurnAsked, server: ServerHere, account: Visitor) -> TurnStored:
    """Play a whole turn; it is stored when this answers. Asking again gives the same answer."""
    if account is None:
        raise Refused("signed_out", "you have no session; hint: join the game first")
    played = await server.games.play(game, account.id, asked.number, asked.text, asked.thought)
    done = played.turn
    return TurnStored(number=done.number, kind=done.kind, seat=done.seat, text=done.text, at=done.at)


@router.post("/{game}/resign")
async def resign(game: str, server: ServerHere, account: Visitor) -> GameTold:
    """Give up."""
    if account is None:
        raise Refused("signed_out", "you have no session; hint: join the game first")
    await server.games.resign(game, account.id)
    return await told(server, game, account.id, picture=False)


@router.get("/{game}/why-not")
async def why_not(
    game: str, request: Request, server: ServerHere, account: Visitor, text: Annotated[str, Query(max_length=200)]
) -> Judged:
    """Whether a move may be played now, and the rule that forbids it."""
    known = await server.games.look(game)
    if known.over:  # by resignation perhaps, of which a position knows nothing
        return judged(known.match, text)
    payer, line = Payer(account.id if account else None, address_of(request)), Line(known.match.rules.name)
    return await server.workshop.do(payer, judge, line._replace(position=known.match.position()), text)


@router.get("/{game}/record", response_class=PlainTextResponse)
async def record(game: str, server: ServerHere) -> PlainTextResponse:
    """The game as text, to keep and to read elsewhere."""
    match = named(await server.games.look(game))
    name = f'attachment; filename="hedgerow-{game}.txt"'
    return PlainTextResponse(match.record(), headers={"Content-Disposition": name})


def named(live: GameState) -> Match:
    """A copy of the match that knows the names of its players."""
    match = live.match.copy()
    match.tags.update((seat, chair.name or "?") for seat, chair in zip(match.rules.seats, live.seats))
    return match


async def told(
    server: Server, game: str, account: int | None, partial: str = "", picture: bool = True, turn: int | None = None
) -> GameTold:
    """A game as the API tells it; what has to be worked out for this reader is done outside the event loop."""
    known = await server.games.look(game)
    you, rules = known.seat_of(account), known.match.rules
    board = await asyncio.to_thread(board_of, known, partial, picture, turn, you)
    return GameTold(
        **dict(board) | {"turns": list(known.turns)},
        id=game,
        rules=rules.name,
        title=rules.game.title,
        state=known.state,
        version=known.version,
        private=known.private,
        rated=known.rated,
        welcome=known.welcome,
        seats=[seat_told(*each) for each in zip(rules.seats, known.seats, known.places)],
        you=you,
        partial=partial,
        turn=len(known.turns) if turn is None else turn,
        clock=ClockTold(kind=known.control.kind, left=known.clocks, since=known.since, now=now()),
        rematch=known.rematch,
    )


def board_of(known: Snapshot, partial: str, picture: bool, turn: int | None, you: int | None) -> BoardView:
    """The board of a game as it stands, or within a turn that has begun, or with the picture of then; for a thread."""
    match, board = known.match, known.board
    if partial.strip():
        match = match.copy()
        match.play(partial)
        board = board_view(match, known.state == "playing", known.outcome)
    if turn is not None:
        match = past.after(match, turn)
        kept = {name: getattr(board, name) for name in NOW}
        board = board_view(match, False).model_copy(update={**kept, "legal": []})
    return board.model_copy(update={"svg": drawn(match.scene(), far=you in match.rules.far) if picture else None})


def seat_told(seat: str, chair: Seat, place: int) -> SeatTold:
    """A seat as the API tells it."""
    machine = chair.player is not None
    return SeatTold(seat=seat, name=chair.name, machine=machine, bot=chair.bot, free=chair.free, place=place or None)
