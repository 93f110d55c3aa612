"""The event stream of an account: challenges, games that begin and end, and every turn that it owes.

What an account is to be told follows from the database, looked up when a stream opens, when another process or this one
says that something has changed, and now and then in any case; so nothing is lost, whatever was missed. Only `your_turn`
comes on its way without looking. Messages go over the bus, to everybody who listens for the account.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Sequence
from typing import TypedDict

import msgspec

from hedgerow.game import Outcome
from hedgerow.serve.bus.local import Bus, Message
from hedgerow.serve.play.clocks import LAG
from hedgerow.serve.play.games import Games, encode
from hedgerow.serve.play.listeners import Listener, Listeners
from hedgerow.serve.play.live import LiveGame
from hedgerow.serve.play.seating import seat_of, seated
from hedgerow.serve.store import queries
from hedgerow.serve.store import streams as asked
from hedgerow.serve.store.rows import GameRow, SeatRow
from hedgerow.serve.store.schema import now

log = logging.getLogger("hedgerow.streams")

BEAT = 7.0
"""Every so many seconds something is said, so that both sides know that the line holds."""
LOOK = 3
"""Every so many beats the database is looked at, though nobody said that anything has changed."""
AGAIN = 1.0
"""After how many seconds it is tried again when the database was away."""
BEHIND = 1_000
"""How many events may wait for a slow client before it is sent away, to come back and be told what is pending."""
MOST = 5
"""How many streams of an account may be open here; one more ends the oldest."""


class ChallengeEvent(msgspec.Struct, tag_field="type", tag="challenge"):
    """Somebody wants to play with you: join the game to accept, cancel it to say no."""

    game: str
    rules: str
    by: str
    by_bot: bool
    seat: int
    rated: bool
    clock: str
    base_ms: int
    increment_ms: int
    expires: int | None


class ChallengeGoneEvent(msgspec.Struct, tag_field="type", tag="challenge_gone"):
    """A challenge, to you or of yours, is off: `withdrawn`, `declined` or `expired`."""

    game: str
    reason: str


class GameBeganEvent(msgspec.Struct, tag_field="type", tag="game_began"):
    """You play in this game; also told of every running game when a stream opens."""

    game: str
    rules: str
    seat: int
    seats: list[str]
    bots: list[int]
    rated: bool
    clock: str
    base_ms: int
    increment_ms: int


class YourTurnEvent(msgspec.Struct, tag_field="type", tag="your_turn"):
    """It is your turn: play turn `number`, which is the game's version, within `left` milliseconds."""

    game: str
    rules: str
    version: int
    number: int
    left: int | None


class GameOverEvent(msgspec.Struct, tag_field="type", tag="game_over"):
    """A game of yours is over."""

    game: str
    version: int
    outcome: Outcome


class ReadyEvent(msgspec.Struct, tag_field="type", tag="ready"):
    """That was everything that was pending; what follows happens now."""

    at: int


class AliveEvent(msgspec.Struct, tag_field="type", tag="alive"):
    """Nothing happens, but the line holds."""

    at: int


class ByeEvent(msgspec.Struct, tag_field="type", tag="bye"):
    """The last line: `signed_out` (the session or token is over), `stopping`, `replaced`, or `behind`."""

    why: str


class LookEvent(msgspec.Struct, tag_field="type", tag="look"):
    """Between processes: something about this account has changed in the database."""


Heard = YourTurnEvent | LookEvent
decode = msgspec.json.Decoder(Heard).decode
decode_outcome = msgspec.json.Decoder(Outcome).decode
LOOK_AGAIN = Message(encode(LookEvent()).decode())


def channel(account: int) -> str:
    """Where an account is told of things; no game is called like that."""
    return f"account/{account}"


def left_until(due: int | None) -> int | None:
    """The milliseconds until a flag falls, without what is given for the network; None where there is no clock."""
    return None if due is None else max(0, due - LAG - now())


class Stream(Listener):
    """One open stream: what was told on it, and what is to be told next."""

    def __init__(self, streams: Streams, account: int) -> None:
        super().__init__(streams.bus, channel(account), account)
        self.why = ""
        """Why it ends, when it does."""
        self._streams = streams
        self._waiting: list[bytes] = []
        self._unread = 0
        """How many turns have come since the client last took what was waiting."""
        self._playing: dict[str, int] = {}
        """The version at which one's turn was last told, by running game; -1 where it was not."""
        self._open: set[str] = set()
        """Games that have not begun, one's own and those one is asked for."""
        self._stale = True

    # --- in -----------------------------------------------------------------------------------------------------------

    def hear(self, message: Message) -> None:
        """Something has happened: a turn of a known game is told at once, anything else is looked up."""
        told = decode(message.text)
        if isinstance(told, YourTurnEvent) and told.game in self._playing:
            self._turn(told)
            self._unread += 1
            if self._unread > BEHIND:
                self.end("behind")
        else:
            self.look_again()

    def look_again(self) -> None:
        """Something may have changed."""
        self._stale = True
        self._wake.set()

    def end(self, why: str = "signed_out") -> None:
        """Nothing more is told."""
        self.why = self.why or why
        self.end_soon()

    def replaced(self) -> None:
        """A newer stream has its place."""
        self.end("replaced")

    def _tell(self, event: msgspec.Struct) -> None:
        self._waiting.append(encode(event) + b"\n")
        self._wake.set()

    def _turn(self, turn: YourTurnEvent) -> None:
        if turn.version > self._playing[turn.game]:
            self._playing[turn.game] = turn.version
            self._tell(turn)

    # --- out ----------------------------------------------------------------------------------------------------------

    async def begin(self) -> None:
        """Looks for everything that is pending; raises Refused where the database is away."""
        await self._look()
        self._tell(ReadyEvent(now()))

    async def lines(self, wait: bool = True) -> AsyncIterator[bytes]:
        """Everything that was pending at the beginning, then what happens as it happens; unless nobody will `wait`."""
        beats, beat = 0, time.monotonic() + BEAT
        while not self.why:
            if gathered := self._gathered():
                yield gathered
            if not wait:
                return
            await self._rest(beat)
            if self._stale and not self.why:
                await self._look_or_wait()
            if time.monotonic() >= beat:
                beats, beat = beats + 1, time.monotonic() + BEAT
                self._tell(AliveEvent(now()))
                self._stale = self._stale or beats % LOOK == 0
        yield encode(ByeEvent(self.why)) + b"\n"

    def _gathered(self) -> bytes:
        gathered, self._waiting, self._unread = b"".join(self._waiting), [], 0
        return gathered

    async def _rest(self, until: float) -> None:
        """Until something is to be done, or the next beat."""
        if self._stale:  # the database was away
            until = min(until, time.monotonic() + AGAIN)
        try:
            async with asyncio.timeout(max(0.0, until - time.monotonic())):
                await self._wake.wait()
        except TimeoutError:
            pass
        self._wake.clear()

    async def _look_or_wait(self) -> None:
        try:
            await self._look()
        except Exception as error:  # the database is away; what happens meanwhile is found when it is back
            self._stale = True
            log.warning("could not look what an account is to be told: %s", type(error).__name__)

    async def _look(self) -> None:
        """Compares what is stored with what was told, and tells the difference."""
        self._stale = False
        before = {*self._playing, *self._open}
        async with self._streams.store.read() as connection:
            rows = await asked.running(connection, self.account, now())
            missing = sorted(before - {row.id for row in rows})
            ended = await asked.rows_of(connection, missing)
            whys = {game: await asked.why_called_off(connection, game) for game in missing if game in self._open}
            seats = await queries.seats_of(connection, [*missing, *(row.id for row in rows)])
        for game in missing:
            self._ended(game, ended.get(game), seats[game], whys.get(game, ""))
        for row in rows:
            self._found(row, seats[row.id])

    def _ended(self, game: str, row: GameRow | None, seats: Sequence[SeatRow], why: str) -> None:
        if row is not None and row.begun is not None and game in self._open:
            self._began(row, seats)  # and was over before we looked
        if game in self._open:
            self._open.discard(game)
            self._tell(ChallengeGoneEvent(game, why if why in ("declined", "expired") else _off(row)))
        elif self._playing.pop(game, None) is not None and row is not None and row.outcome:
            self._tell(GameOverEvent(game, row.version, decode_outcome(row.outcome)))

    def _began(self, row: GameRow, seats: Sequence[SeatRow]) -> None:
        """A game has begun, if it is one's own and was not known."""
        mine = [seat.seat for seat in seats if seat.account == self.account]
        if mine and row.id not in self._playing:
            self._open.discard(row.id)
            self._playing[row.id] = -1
            self._tell(GameBeganEvent(row.id, row.rules, mine[0], **seated(seats), **_terms(row)))

    def _found(self, row: GameRow, seats: Sequence[SeatRow]) -> None:
        mine = [seat.seat for seat in seats if seat.account == self.account]
        kept = [seat.seat for seat in seats if seat.invited == self.account and seat.account is None]
        if row.state == "open":
            if row.id not in self._open and not mine and kept:
                self._tell(self._challenge(row, seats, kept[0]))
            self._open.add(row.id)
            return
        self._began(row, seats)
        if row.to_move in mine:
            self._turn(YourTurnEvent(row.id, row.rules, row.version, row.version, left_until(row.due)))

    def _challenge(self, row: GameRow, seats: Sequence[SeatRow], seat: int) -> ChallengeEvent:
        by = next((seat_of(each) for each in seats if each.account == row.creator), None)
        name, bot = (by.name, by.bot) if by else ("", False)
        return ChallengeEvent(row.id, row.rules, name, bot, seat, expires=row.expires, **_terms(row))


class Terms(TypedDict):
    """How a game is played."""

    rated: bool
    clock: str
    base_ms: int
    increment_ms: int


def _terms(row: GameRow) -> Terms:
    return Terms(rated=row.rated, clock=row.clock, base_ms=row.base_ms, increment_ms=row.increment_ms)


def _off(row: GameRow | None) -> str:
    """Why a challenge is off without a word: it is too late for it, or whoever made it took it back."""
    return "expired" if row is not None and row.state == "open" else "withdrawn"


class Streams:
    """All streams of this process, and what is said to those of others."""

    def __init__(self, games: Games, bus: Bus) -> None:
        self.store = games.store
        self.bus = bus
        self._open = Listeners[Stream](MOST)
        games.after.append(self.game_changed)

    @property
    def count(self) -> int:
        """How many streams are open here."""
        return len(self._open)

    def open(self, account: int) -> Stream:
        """A new stream; whoever opens it closes it."""
        return self._open.add(Stream(self, account))

    def look_again(self) -> None:
        """Messages may have been missed: every stream looks for itself."""
        for stream in self._open:
            stream.look_again()

    def game_changed(self, live: LiveGame) -> None:
        """A game has begun or moved on: whoever is to do something, or has waited for it, is told."""
        if live.state == "playing" and live.last is not None and live.last.kind != "sit":
            self._your_turn(live)
            return
        concerned = {seat.account for seat in live.seats} | {seat.invited for seat in live.seats if seat.free}
        for account in concerned:
            if account is not None and self._listens(account):
                self.bus.publish(channel(account), LOOK_AGAIN)

    def _your_turn(self, live: LiveGame) -> None:
        mover = live.match.to_move
        account = live.seats[mover].account
        if account is None or not self._listens(account):
            return
        told = YourTurnEvent(live.id, live.match.rules.name, live.version, live.version, left_until(live.due))
        self.bus.publish(channel(account), Message(encode(told).decode()))

    def _listens(self, account: int) -> bool:
        """Somebody may hear it: here, or where others are."""
        return self.bus.shared or account in self._open
