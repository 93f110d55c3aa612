"""Offers: a takeback, a draw, calling the game off, a rematch.

An offer stands as long as the game has the version it was made at: whatever happens next, it has lapsed, and nothing
has to be cleared away. What everybody has agreed to is done through the same path as any turn.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import msgspec
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.bus.local import Message
from hedgerow.serve.play.games import Games, encode
from hedgerow.serve.play.live import LiveGame
from hedgerow.serve.play.snapshot import Snapshot
from hedgerow.serve.play.state import GameState
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import play
from hedgerow.serve.store.letters import Once
from hedgerow.serve.store.queries import NewSeat
from hedgerow.serve.store.rows import OfferRow
from hedgerow.serve.store.schema import now

Kind = Literal["undo", "draw", "abort", "rematch"]

SayYes = Callable[[AsyncConnection, LiveGame, Kind, int], Awaitable[tuple[int, int]]]

WHAT = {"undo": "a takeback", "draw": "a draw", "abort": "calling the game off", "rematch": "a rematch"}


class Offer(msgspec.Struct):
    """What a seat asks of the others, and who has agreed."""

    kind: str
    seat: int
    agreed: list[int]


class OffersEvent(msgspec.Struct, tag_field="type", tag="offers"):
    """Everything that is on offer in a game now, instead of what was told before."""

    offers: list[Offer]


class RematchEvent(msgspec.Struct, tag_field="type", tag="rematch"):
    """The next game between the same players has begun."""

    game: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of an offer: `done` when it needs nobody's word any more, and for a rematch the game."""

    done: bool
    game: str | None = None


def offer_of(row: OfferRow) -> Offer:
    """A row of `offers` as it is told."""
    return Offer(row.kind, row.seat, [seat for seat in range(6) if row.agreed >> seat & 1])


class Offers:
    """Making offers, agreeing and declining."""

    def __init__(self, games: Games) -> None:
        self.games = games
        self.store = games.store
        self.after: list[Callable[[Snapshot, Sequence[Offer]], None]] = []
        """Who is told of what is on offer."""
        self.refused: list[Callable[[Snapshot, str, int, int], None]] = []
        """Who is told of what was declined: the kind, the seat that asked, the one that said no."""

    async def standing(self, game: Snapshot) -> list[Offer]:
        """What is on offer in a game."""
        if game.offered is None:
            async with self.store.read() as connection:
                rows = await play.offer_rows(connection, game.id, game.version)
            found = [offer_of(row) for row in rows if not row.declined and not (row.kind == "rematch" and game.rematch)]
            if self.games.bus.shared:
                return found
            game.offered = found
        return game.offered

    def possible(self, live: GameState, account: int) -> list[Kind]:
        """What an account could offer in a game as it stands."""
        found: list[Kind] = []
        for kind in get_args(Kind):
            with contextlib.suppress(Refused):
                self._check(live, kind, self._seat(live, account, kind))
                found.append(kind)
        return found

    async def ask(self, game: str, account: int, kind: Kind, once: Once | None = None) -> Answer:
        """Makes an offer, or agrees to the same one of somebody else; what needs nobody's agreement is done at once."""
        return await self._say_yes(game, account, kind, self._asked, once)

    async def agree(self, game: str, account: int, kind: Kind, once: Once | None = None) -> Answer:
        """Agrees to what another seat has offered."""
        return await self._say_yes(game, account, kind, self._accepted, once)

    async def _say_yes(self, game: str, account: int, kind: Kind, how: SayYes, once: Once | None) -> Answer:
        """Stores that a seat agrees, and does what everybody has agreed to."""
        async with self.games.held(game) as live:
            seat = self._seat(live, account, kind)
            if kind == "rematch" and live.rematch:
                return Answer(True, live.rematch)
            async with self.store.write() as connection:
                asker, agreed = await how(connection, live, kind, seat)
                done = self._agreed(live, kind, agreed)
                if not done:
                    await self._put(connection, live, kind, asker, agreed, once)
            if done:
                return await self._do(live, kind, asker, once)
        await self._tell(live)
        return Answer(False)

    async def _asked(self, connection: AsyncConnection, live: LiveGame, kind: Kind, seat: int) -> tuple[int, int]:
        """Whose offer it is when a seat makes one, and who has agreed then, as bits."""
        row = await self._row(connection, live, kind)
        if row is not None and row.declined and row.seat == seat:
            raise Refused("declined", f"{WHAT[kind]} was declined; hint: ask again after the next turn")
        standing = None if row is None or row.declined else row
        asker = standing.seat if standing else seat
        self._check(live, kind, asker)
        return asker, (standing.agreed if standing else 0) | 1 << seat

    async def _accepted(self, connection: AsyncConnection, live: LiveGame, kind: Kind, seat: int) -> tuple[int, int]:
        """The same when a seat agrees to an offer; raises Refused where there is none."""
        row = await self._standing(connection, live, kind)
        return row.seat, row.agreed | 1 << seat

    async def decline(self, game: str, account: int, kind: Kind, once: Once | None = None) -> None:
        """Says no, for everybody; whoever made the offer takes it back."""
        async with self.games.held(game) as live:
            seat = self._seat(live, account, kind)
            async with self.store.write() as connection:
                row = await self._standing(connection, live, kind)
                if once:
                    await once.mark(connection)
                if row.seat == seat:
                    await play.drop_offer(connection, game, kind)
                else:
                    values = {"seat": row.seat, "version": row.version, "agreed": row.agreed, "at": row.at}
                    await play.put_offer(connection, game, kind, declined=True, **values)
        await self._tell(live)
        for listener in self.refused if row.seat != seat else ():
            listener(live.snapshot, kind, row.seat, seat)

    # --- who may, and who must ----------------------------------------------------------------------------------------

    def _seat(self, live: GameState, account: int, kind: Kind) -> int:
        """The seat that asks or answers; raises Refused where it has nothing to say in this."""
        if (seat := live.seat_of(account)) is None:
            raise Refused("not_yours", "you have no seat in this game; hint: you can watch it")
        if live.begun is None:
            raise Refused("not_begun", "the game has not begun; hint: a seat is still free")
        if live.over != (kind == "rematch"):
            why = "it goes on; hint: finish it first" if kind == "rematch" else "it is over; hint: start another"
            raise Refused("over" if live.over else "not_over", f"{WHAT[kind]} cannot be offered in this game: {why}")
        if kind != "rematch" and live.match.rules.placed(live.match.plain)[seat]:
            raise Refused("over", "you are out of this game; hint: you can watch it")
        return seat

    def _check(self, live: GameState, kind: Kind, seat: int) -> None:
        """Raises Refused where an offer could not be kept."""
        machines = live.machines_in()
        if kind == "undo" and not live.turns_back(seat):
            raise Refused("nothing", "you have no turn to take back; hint: what was played before somebody left stays")
        if kind == "draw" and machines:
            raise Refused("forbidden", "the machine plays on; hint: resign if you have had enough")
        alone = kind == "abort" and not live.under_way
        if kind in ("undo", "abort") and machines and live.rated and not alone:
            raise Refused("forbidden", "the machine does not agree in a rated game; hint: play on, or resign")

    def _agreed(self, live: LiveGame, kind: Kind, agreed: int) -> bool:
        """Everybody who has a say has agreed. Machines in friendly games do not mind."""
        if kind == "abort" and not live.under_way:
            return True
        people = live.people_in()
        if kind == "rematch":
            people = {number: seat.account for number, seat in enumerate(live.seats) if seat.account is not None}
        willing = {account for seat, account in people.items() if agreed >> seat & 1}
        return willing == set(people.values())

    # --- what comes of it ---------------------------------------------------------------------------------------------

    async def _row(self, connection: AsyncConnection, live: LiveGame, kind: Kind) -> OfferRow | None:
        rows = await play.offer_rows(connection, live.id, live.version)
        return next((row for row in rows if row.kind == kind), None)

    async def _standing(self, connection: AsyncConnection, live: LiveGame, kind: Kind) -> OfferRow:
        row = await self._row(connection, live, kind)
        if row is None or row.declined:
            raise Refused("no_offer", f"nobody offers {WHAT[kind]} now; hint: an offer ends with the next turn")
        return row

    async def _put(
        self, connection: AsyncConnection, live: LiveGame, kind: Kind, seat: int, agreed: int, once: Once | None
    ) -> None:
        if once:
            await once.mark(connection)
        values = {"seat": seat, "version": live.version, "agreed": agreed, "declined": False, "at": now()}
        await play.put_offer(connection, live.id, kind, **values)

    async def _do(self, live: LiveGame, kind: Kind, seat: int, once: Once | None) -> Answer:
        """Everybody has agreed."""
        if kind == "rematch":
            return Answer(True, await self._rematch(live, once))
        text = str(live.turns_back(seat)) if kind == "undo" else ""
        await self.games.do(live, kind, -1 if kind == "draw" else seat, text, once)
        return Answer(True)

    async def _tell(self, live: LiveGame) -> None:
        live.snapshot.offered = None
        told = OffersEvent(await self.standing(live.snapshot))
        for listener in self.after:
            listener(live.snapshot, told.offers)
        self.games.bus.publish(live.id, Message(encode(told).decode()))

    async def _rematch(self, live: LiveGame, once: Once | None) -> str:
        """The same again, everybody one seat further."""
        seats: list[NewSeat] = [{"account": seat.account, "player": seat.player} for seat in live.seats]
        control, rules = live.clock.control, live.match.rules.name
        rotated = [seats[-1], *seats[:-1]]
        made = await self.games.create(
            rules, live.creator, rotated, control, live.private, after=live.id, once=once, rated=live.rated
        )
        live.rematch = made.id
        live.settle()
        self.games.bus.publish(live.id, Message(encode(RematchEvent(made.id)).decode()))
        return made.id
