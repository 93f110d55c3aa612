"""All games: loading them, starting them, and everything that is done to them, in one order for everybody.

A turn is judged in memory, stored by the writer, and only then told. Whatever goes wrong on the way, the game is
forgotten here and read again from what is stored.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

import msgspec
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.game import HedgerowError
from hedgerow.games import make
from hedgerow.serve.bus.local import Bus, Message
from hedgerow.serve.play.backoff import Backoff
from hedgerow.serve.play.clocks import Control
from hedgerow.serve.play.fairplay import kept_position
from hedgerow.serve.play.live import LiveGame, replay
from hedgerow.serve.play.seating import seat_of
from hedgerow.serve.play.snapshot import Snapshot
from hedgerow.serve.play.state import LEFT_EARLY, NO_FIRST_TURN, Event, Happened
from hedgerow.serve.play.waiting import first_due, waits
from hedgerow.serve.refusals import Refused, refusal_of
from hedgerow.serve.store import Conflict, Store, TurnRow, queries, vacations
from hedgerow.serve.store.letters import Once
from hedgerow.serve.store.queries import NewSeat
from hedgerow.serve.store.rows import GameRow, PlayedRow, SeatRow
from hedgerow.serve.store.schema import now

log = logging.getLogger("hedgerow.games")

KEPT = 2_000
"""How many games stay in memory; the others are a short replay away."""

LETTERS = "23456789abcdefghijkmnpqrstuvwxyz"

TRIES = 3
"""How often a turn is tried again when another process was faster."""

LOOKS = 50
"""How often a game is looked up again that was forgotten meanwhile."""

REPLAYS = 2
"""How many games are replayed at once."""

FOLLOWED = ("turn", "resign", "flag", "draw", "undo")
"""What another process does to a game that can be done here, too, without reading it anew."""

encode = msgspec.json.Encoder().encode
decode_event = msgspec.json.Decoder(Event).decode


def new_id() -> str:
    """A name for a game that nobody guesses: twelve letters, 60 bits."""
    return "".join(secrets.choice(LETTERS) for _ in range(12))


class Played(NamedTuple):
    """A turn that is stored; `repeated` if it was before."""

    turn: Happened
    repeated: bool


class Overtaken(Refused):
    """Something else was stored for this game first."""

    def __init__(self) -> None:
        super().__init__("stale", "somebody was faster; hint: look at the game again")


class Unsettled(Refused):
    """Other processes changed the game as often as it was read."""

    def __init__(self) -> None:
        super().__init__("later", "the game changes too fast to be held; hint: try again in a moment")


class Games:
    """The games of this process. `after` is told of every game that has begun or moved on, once it is stored."""

    def __init__(self, store: Store, bus: Bus) -> None:
        self.store = store
        self.bus = bus
        self.after: list[Callable[[LiveGame], None]] = []
        self.refused = 0
        self._backoff = Backoff(log, "catching up with")
        self._kept: dict[str, LiveGame] = {}
        self._loading: dict[str, asyncio.Task[LiveGame]] = {}
        self._replaying = asyncio.Semaphore(REPLAYS)

    @property
    def in_memory(self) -> int:
        """How many games are replayed and kept."""
        return len(self._kept)

    # --- in memory ----------------------------------------------------------------------------------------------------

    async def get(self, game: str) -> LiveGame:
        """The game of that id; raises Refused where there is none."""
        live = self._kept.get(game)
        if live is None:
            task = self._loading.get(game)
            if task is None:
                task = self._loading[game] = asyncio.create_task(self._load(game))
                task.add_done_callback(lambda _: self._loading.pop(game, None))
            live = await asyncio.shield(task)
        live.touched = time.monotonic()
        return live

    async def _load(self, game: str) -> LiveGame:
        async def ask(connection: AsyncConnection) -> tuple[GameRow, list[SeatRow], dict[int, int], list[PlayedRow]]:
            row = await queries.game_row(connection, game)
            if row is None:
                raise Refused("not_found", f"no game {game!r:.42}; hint: is the link complete?")
            seats = await queries.seat_rows(connection, [game])
            away = await vacations.away(connection, [seat.account for seat in seats if seat.account], now())
            return row, seats, away, await queries.turn_rows(connection, game)

        row, seats, away, turns = await self.store.together(ask)
        live = LiveGame(row, [seat_of(seat, away) for seat in seats])
        async with self._replaying:
            await replay(live, turns)
        live.wait_until(row.due)
        live.settle()
        live.touched = time.monotonic()
        self._kept[game] = live
        if len(self._kept) > KEPT:
            self._drop_the_oldest()
        return live

    def _drop_the_oldest(self) -> None:
        """Makes room, a tenth more than is needed so that it is not needed again at once."""
        idle = sorted((live.touched, game) for game, live in self._kept.items() if not live.lock.locked())
        for _, game in idle[: len(self._kept) - KEPT + KEPT // 10]:
            del self._kept[game]

    def rest(self, seconds: float) -> None:
        """Forgets what nobody has asked for in so many seconds and nobody follows: a game that waits costs nothing."""
        since, followed = time.monotonic() - seconds, self.bus.told
        idle = [game for game, live in self._kept.items() if live.touched < since and not live.lock.locked()]
        for game in idle:
            if game not in followed:
                del self._kept[game]

    def version(self, game: str) -> int | None:
        """How far a game is, if it is in memory."""
        live = self._kept.get(game)
        return live.snapshot.version if live else None

    def known(self, game: str) -> Snapshot | None:
        """A game as it was stored last, if it is in memory."""
        live = self._kept.get(game)
        return live.snapshot if live else None

    def forget(self, game: str) -> None:
        """Read it again from the store when it is next asked for."""
        self._kept.pop(game, None)

    async def look(self, game: str) -> Snapshot:
        """The game as it is stored, for those who only read; a turn that is being stored keeps nobody waiting."""
        return (await self._current(game)).snapshot

    @asynccontextmanager
    async def held(self, game: str) -> AsyncIterator[LiveGame]:
        """The game as it is stored, with nobody else at it, for those who change it."""
        for _ in range(LOOKS):
            live = await self._current(game)
            async with live.lock:
                if self._kept.get(game) is live:
                    yield live
                    return
        raise Unsettled

    async def _current(self, game: str) -> LiveGame:
        """The game, read anew where another process has taken it further."""
        live = await self.get(game)
        if self.bus.shared:
            for _ in range(LOOKS):
                if await self._is_stored(live.snapshot):
                    break
                if self._kept.get(game) is live:
                    self.forget(game)
                live = await self.get(game)
            else:
                raise Unsettled
        return live

    async def _is_stored(self, known: Snapshot) -> bool:
        """No other process has taken the game further than it is known here."""
        async with self.store.read() as connection:
            row = await queries.game_row(connection, known.id)
        return row is not None and (row.version, row.state) == (known.version, known.state)

    # --- starting -----------------------------------------------------------------------------------------------------

    async def create(
        self,
        rules: str,
        creator: int,
        seats: Sequence[NewSeat],
        control: Control,
        private: bool,
        after: str | None = None,
        once: Once | None = None,
        rated: bool = False,
        lobby: bool = False,
        welcome: bool = False,
        expires: int | None = None,
    ) -> LiveGame:
        """A new game; `after` another it is its rematch, of which there is one: whoever asks again gets the same.

        It is kept with `once` as what a letter has done.
        """
        settled = make(rules)
        if len(seats) != settled.players:
            raise Refused("bad_request", f"{len(seats)} seats; hint: {settled.name} has {settled.players}")
        at, full = now(), all(seat.get("account") or seat.get("player") for seat in seats)
        game = {
            "id": new_id(),
            "rules": settled.name,
            "state": "playing" if full else "open",
            "private": private,
            "creator": creator,
            "created": at,
            "begun": at if full else None,
            "clock": control.kind,
            "base_ms": control.base_ms,
            "increment_ms": control.increment_ms,
            "version": 0,
            "to_move": settled.start().to_move,
            "moved": at,
            "rated": rated,
            "lobby": lobby,
            "welcome": welcome,
            "expires": expires,
        }
        async with self.store.write() as connection:
            first = seats[settled.start().to_move].get("account")
            game["due"] = await first_due(connection, control, first, at) if full else None
            if after and (before := await queries.claim_rematch(connection, after, str(game["id"]))):
                return await self.get(before)
            await queries.add_game(connection, game, seats)
            if once:
                await once.mark(connection, str(game["id"]))
        live = await self.get(str(game["id"]))
        self.tell(live)
        return live

    async def join(
        self, game: str, account: int, wanted: int | None = None, guest: bool = False, once: Once | None = None
    ) -> int:
        """Takes a free seat; the game begins with the last one. Who already sits there keeps his seat."""
        async with self.held(game) as live:
            if (seat := live.seat_of(account)) is not None:
                return seat
            if live.rated and guest:
                raise Refused("forbidden", "rated games are for people with an account; hint: sign up, it keeps yours")
            at = now()
            async with self.store.write() as connection:
                if once:
                    await once.mark(connection)
                if await queries.blocks(connection, live.creator, account):
                    raise Refused("forbidden", "whoever made this game does not play with you; hint: make your own")
                taken = await queries.take_seat(connection, game, account, at, wanted)
                if taken is None and live.state == "open":
                    raise Refused("full", "no seat is free for you; hint: it is kept for somebody, taken, or too late")
                if taken is None:
                    raise Refused("full", "every seat of this game is taken; hint: you can watch it")
                if not await queries.free_seats(connection, game):
                    first = account if taken == live.match.to_move else live.seats[live.match.to_move].account
                    due = await first_due(connection, live.clock.control, first, at)
                    await queries.begin_game(connection, game, at, due)
            self.forget(game)
        live = await self.get(game)
        self.bus.publish(game, Message(encode({"type": "seats", "version": live.version}).decode()))
        self.tell(live)
        return taken

    # --- playing ------------------------------------------------------------------------------------------------------

    async def play(
        self,
        game: str,
        account: int | None,
        number: int,
        text: str,
        thought: int | None = None,
        once: Once | None = None,
    ) -> Played:
        """Plays turn `number`, a whole one; `account` is None for the machine whose turn it is.

        Playing a turn again that is already stored gives the same answer and changes nothing.
        """
        tried = 0
        for _ in range(LOOKS):
            live = await self.get(game)
            known = live.snapshot
            if (number > known.version or known.begun is None) and not await self._is_stored(known):
                if self._kept.get(game) is live and live.snapshot is known:
                    self.forget(game)  # it is further than we know
                continue
            if number != known.version and not live.lock.locked():
                return await self._played(known, account, number, text)
            async with live.lock:
                if self._kept.get(game) is not live or live.version != number:
                    continue
                try:
                    return await self._play(live, account, text, thought, once)
                except Overtaken:
                    if tried == TRIES:
                        raise
                    tried += 1
            await self.catch_up(game)
        raise Unsettled

    async def _played(self, known: Snapshot, account: int | None, number: int, text: str) -> Played:
        """A turn that was stored before; raises Refused where another one was."""
        done = await self._again(known, account, number, text)
        if self.bus.told.get(known.id, known.version) < known.version:  # it was stored, and nobody heard of it
            await self.catch_up(known.id)
        return Played(done, True)

    async def _play(
        self, live: LiveGame, account: int | None, text: str, thought: int | None, once: Once | None
    ) -> Played:
        """The next turn, in a game that is held."""
        seat = self._may_play(live, account)
        at = now()
        elapsed = max(0, at - live.since)
        if live.clock.too_late(seat, elapsed, thought) and not await waits(self.store, live, at):
            done = await self._out_of_time(live, at)
            called_off = "; the game is called off" if done.kind == "abort" else ""
            raise Refused("over", f"your time is up{called_off}; hint: the server's clock decides")
        price = live.clock.price(elapsed, thought)
        return Played(await self._do(live, "turn", seat, text, at, price, once), False)

    def _may_play(self, live: LiveGame, account: int | None) -> int:
        """The seat to move, if it is theirs."""
        mover = live.match.to_move
        if account is not None and live.seats[mover].account != account and live.seat_of(account) is None:
            raise Refused("not_yours", "you have no seat in this game; hint: you can watch it")
        if live.begun is None:
            raise Refused("not_begun", "the game has not begun; hint: a seat is still free")
        if live.over:
            raise Refused("over", "the game is over; hint: start another")
        theirs = live.seats[mover].player is not None if account is None else live.seats[mover].account == account
        if not theirs:
            seat = live.match.rules.seats[mover]
            raise Refused("not_your_turn", f"it is {seat}'s turn; hint: wait for theirs")
        return mover

    async def _again(self, live: Snapshot, account: int | None, number: int, text: str) -> Happened:
        """A turn that is not the next one: the same as before, or too old, or from the future."""
        last = live.last if live.last and live.last.number == number else None
        if last is None and 0 <= number < live.version:
            async with self.store.read() as connection:
                if row := await queries.turn_row(connection, live.id, number):
                    last = Happened(row.number, row.kind, row.seat, row.text, row.at, row.spent)
        if last and last.kind == "turn" and last.text.lower().split() == text.lower().split():
            seat = live.seats[last.seat]
            if seat.account == account if account is not None else seat.player is not None:
                return last
        raise Refused("stale", f"turn {number} where turn {live.version} is next; hint: look at the game again")

    async def resign(self, game: str, account: int, once: Once | None = None) -> Happened | None:
        """Gives up; None where they had already left the game. A rated game that costs nothing yet is called off."""
        async with self.held(game) as live:
            mine = [number for number, seat in enumerate(live.seats) if seat.account == account]
            if not mine:
                raise Refused("not_yours", "you have no seat in this game; hint: you can watch it")
            if live.begun is None:
                raise Refused("not_begun", "the game has not begun; hint: a seat is still free")
            if live.over or live.match.rules.placed(live.match.plain)[mine[0]]:
                return None
            kind, text = ("abort", LEFT_EARLY) if live.costs_nothing else ("resign", "")
            return await self._do(live, kind, mine[0], text, now(), 0, once)

    async def flag(self, game: str, version: int) -> int | None:
        """The flag of the seat to move falls, if the game still has this version and its time is really up.

        Returns when it falls where it was too early.
        """
        async with self.held(game) as live:
            if live.version != version or live.due is None:
                return None
            at = now()
            if await waits(self.store, live, at) or at < live.due:
                return live.due
            await self._out_of_time(live, at)
            return None

    async def _out_of_time(self, live: LiveGame, at: int) -> Happened:
        """The seat to move loses on time; before everybody's first turn a rated game is called off instead."""
        seat = live.match.to_move
        if live.costs_nothing:
            return await self._do(live, "abort", seat, NO_FIRST_TURN, at, 0)
        return await self._do(live, "flag", seat, "", at, 0)

    async def do(self, live: LiveGame, kind: str, seat: int, text: str = "", once: Once | None = None) -> Happened:
        """Something that is no turn, in a game that is held: it costs nobody time."""
        return await self._do(live, kind, seat, text, now(), 0, once)

    async def _do(
        self, live: LiveGame, kind: str, seat: int, text: str, at: int, spent: int, once: Once | None = None
    ) -> Happened:
        """Judges, stores, then tells; a game that was judged and cannot be stored would have to be read anew."""
        self.store.check_writing()
        try:
            done = live.apply(kind, seat, text, at, spent)
        except HedgerowError as error:
            refusal = refusal_of(error)
            self.refused += refusal.reason is None or refusal.reason.code != "unfinished"
            raise refusal from error
        event = live.event()
        outcome = encode(event.outcome).decode() if event.outcome else None
        after = (event.to_move, live.due, outcome, kept_position(live))
        row = TurnRow(live.id, done.number, kind, seat, done.text, at, spent, *after, once)
        try:
            await self.store.writer.store(row)
        except BaseException as error:
            self.forget(live.id)
            if isinstance(error, Conflict):
                raise Overtaken from None
            if isinstance(error, Exception) and not isinstance(error, Refused):
                log.error("a turn of %s could not be stored", live.id, exc_info=error)
                raise Refused("later", "the turn could not be stored; hint: try again in a moment") from error
            raise
        live.settle().offered = None if self.bus.shared else []  # an offer ends with the next turn
        self.bus.publish(live.id, Message(encode(event).decode(), event.version))
        self.tell(live)
        return done

    # --- several processes --------------------------------------------------------------------------------------------

    def hear(self, game: str, message: Message) -> None:
        """Another process tells what it has stored: a turn is played here, too; anything else is read anew."""
        live = self._kept.get(game)
        if live is None or (message.version is not None and message.version <= live.version):
            return
        if message.version != live.version + 1 or live.lock.locked():
            self.forget(game)
            return
        try:
            turn = decode_event(message.text).turn
            if turn.kind not in FOLLOWED:
                raise msgspec.ValidationError("it changes more than the match")
            live.apply(turn.kind, turn.seat, turn.text, turn.at, turn.spent)
            live.settle()
        except (HedgerowError, msgspec.MsgspecError):
            self.forget(game)

    async def look_again(self) -> None:
        """Reads anew, when it is asked for, what somebody beside this process has taken further: the operator."""
        known = {game: live.version for game, live in self._kept.items() if not live.lock.locked()}
        async with self.store.read() as connection:
            found = await queries.versions_of(connection, list(known))
        for game, version in found:
            if version > max(known[game], self.version(game) or 0):
                self.forget(game)
        await self.catch_up(*self.bus.told)

    async def catch_up(self, *some: str) -> None:
        """Tells those who listen to some games here everything that is stored and that they have not been told."""
        async with self.store.read() as connection:
            found = await queries.versions_of(connection, some)
        for game, version in found:
            if version > self.bus.told.get(game, version) and game not in self._backoff:
                with self._backoff.trying(game):
                    await self._catch_up(game)

    async def _catch_up(self, game: str) -> None:
        known = self.bus.told.get(game)
        async with self.store.read() as connection:
            row = await queries.game_row(connection, game)
            if row is None or known is None:
                return
            seats = await queries.seat_rows(connection, [game])
            turns = await queries.turn_rows(connection, game)
        live = LiveGame(row, [seat_of(seat) for seat in seats])
        async with self._replaying:
            events = await replay(live, turns, known)
        for event in events:
            self.bus.tell_here(game, Message(encode(event).decode(), event.version))

    def tell(self, live: LiveGame) -> None:
        """Everybody who listens to all games hears of this one."""
        for listener in self.after:
            listener(live)
