"""Games: start one, look at it, play in it, take it home."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from fastapi import Query, Request
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, Field

from hedgerow.serve.api.asking import ServerHere, Somebody, Visitor, payer_of, with_session
from hedgerow.serve.api.routing import Router
from hedgerow.serve.inputs import OneLine
from hedgerow.serve.play.new_games import NewGame
from hedgerow.serve.play.replays import Judged, SentGame, judge, judged
from hedgerow.serve.play.seating import seated
from hedgerow.serve.play.snapshot import Snapshot
from hedgerow.serve.play.state import Seat
from hedgerow.serve.play.views.board import BoardView, board_view
from hedgerow.serve.play.views.looks import drawn
from hedgerow.serve.server import Server
from hedgerow.serve.store import queries
from hedgerow.serve.store.schema import now

router = Router(prefix="/api/games", tags=["games"])

NOW = ("to_move", "prompt", "turn_goes_on", "outcome")
"""What is told as it stands, even to those who look back."""


class SeatView(BaseModel):
    """A seat: what it is called, and who is in it."""

    seat: str
    name: str
    machine: bool = Field(description="one of this server's own")
    bot: bool = Field(description="a program plays: a bot, or a machine")
    free: bool
    place: int | None = Field(description="of a seat that is out, or of everybody at the end; 1 is the best")


class GameBoardView(BoardView):
    """A game as it stands."""

    id: str
    rules: str
    title: str
    state: Literal["open", "playing", "over"]
    version: int = Field(description="how much has happened; the number of the next turn")
    private: bool
    rated: bool
    welcome: bool = Field(description="people may take over the machines' seats")
    seats: list[SeatView]
    you: int | None = Field(description="your seat")
    partial: str = Field(description="what of the next turn was tried, as asked for")
    turn: int = Field(description="after how many turns the board is shown; all of them if not asked otherwise")
    clock: ClockView
    rematch: str | None = Field(description="the game that came after this one")


class ClockView(BaseModel):
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


GameBoardView.model_rebuild()


@router.post("", status_code=201)
async def create(asked: NewGame, server: ServerHere, account: Somebody) -> GameBoardView:
    """Start a game. Against the machine it begins at once; with friends when every seat is taken."""
    live = await server.new_games.start(account, asked)
    return await game_view(server, live.id, account.id, picture=False)


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
) -> GameBoardView:
    """A game as it stands; with `partial`, as it would stand within a turn begun like that.

    With `turn`, the picture and what was taken off are of that moment, and nothing may be done there; the rest is told
    as it stands now.
    """
    return await game_view(server, game, account.id if account else None, partial, picture, turn)


@router.post("/{game}/join")
async def join(
    game: str, server: ServerHere, account: Somebody, seat: Annotated[int | None, Query(ge=0, le=5)] = None
) -> GameBoardView:
    """Take a free seat: that one, or any; it is also how a challenge is accepted."""
    await server.games.join(game, account.id, seat, account.kind == "guest")
    return await game_view(server, game, account.id, picture=False)


@router.post("/{game}/turns", status_code=201)
async def turn(game: str, asked: TurnAsked, server: ServerHere, account: Visitor) -> TurnStored:
    """Play a whole turn; it is stored when this answers. Asking again gives the same answer."""
    played = await server.games.play(game, with_session(account).id, asked.number, asked.text, asked.thought)
    done = played.turn
    return TurnStored(number=done.number, kind=done.kind, seat=done.seat, text=done.text, at=done.at)


@router.post("/{game}/resign")
async def resign(game: str, server: ServerHere, account: Visitor) -> GameBoardView:
    """Give up."""
    me = with_session(account)
    await server.games.resign(game, me.id)
    return await game_view(server, game, me.id, picture=False)


@router.get("/{game}/why-not")
async def why_not(
    game: str, request: Request, server: ServerHere, account: Visitor, text: Annotated[str, Query(max_length=200)]
) -> Judged:
    """Whether a move may be played now, and the rule that forbids it."""
    known = await server.games.look(game)
    if known.over:  # by resignation perhaps, of which a position knows nothing
        return judged(known.match, text)
    line = SentGame(known.match.rules.name, known.match.position())
    return await server.workshop.do(payer_of(request, account), judge, line, text)


@router.get("/{game}/record", response_class=PlainTextResponse)
async def record(game: str, server: ServerHere) -> PlainTextResponse:
    """The game as text, to keep and to read elsewhere."""
    match = (await server.games.look(game)).named_match()
    name = f'attachment; filename="hedgerow-{game}.txt"'
    return PlainTextResponse(match.record(), headers={"Content-Disposition": name})


async def game_view(
    server: Server, game: str, account: int | None, partial: str = "", picture: bool = True, turn: int | None = None
) -> GameBoardView:
    """A game as the API tells it; what has to be worked out for this reader is done outside the event loop."""
    known = await server.games.look(game)
    you, rules = known.seat_of(account), known.match.rules
    board = await asyncio.to_thread(board_of, known, partial, picture, turn, you)
    return GameBoardView(
        **dict(board) | {"turns": list(known.turns)},
        id=game,
        rules=rules.name,
        title=rules.game.title,
        state=known.state,
        version=known.version,
        private=known.private,
        rated=known.rated,
        welcome=known.welcome,
        seats=[seat_view(*each) for each in zip(rules.seats, known.seats, known.places)],
        you=you,
        partial=partial,
        turn=len(known.turns) if turn is None else turn,
        clock=ClockView(kind=known.control.kind, left=known.clocks, since=known.since, now=now()),
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
        match = match.after(turn)
        kept = {name: getattr(board, name) for name in NOW}
        board = board_view(match, False).model_copy(update={**kept, "legal": []})
    return board.model_copy(update={"svg": drawn(match.scene(), far=you in match.rules.far) if picture else None})


def seat_view(seat: str, chair: Seat, place: int) -> SeatView:
    """A seat as the API tells it."""
    machine = chair.player is not None
    return SeatView(seat=seat, name=chair.name, machine=machine, bot=chair.bot, free=chair.free, place=place or None)
