"""Challenges and seats: games that wait for somebody, how they are called off, people who take a machine's place."""

from __future__ import annotations

import logging

from hedgerow.serve.bus.local import Message
from hedgerow.serve.play.backoff import Backoff
from hedgerow.serve.play.games import Games, Overtaken, encode
from hedgerow.serve.play.live import LiveGame
from hedgerow.serve.play.state import CALLED_OFF, DECLINED
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import play
from hedgerow.serve.store.letters import Once
from hedgerow.serve.store.rows import PlayedRow
from hedgerow.serve.store.schema import now

log = logging.getLogger("hedgerow.lobby")


class Lobby:
    """What is done to a game besides playing it."""

    def __init__(self, games: Games) -> None:
        self.games = games
        self.store = games.store
        self._backoff = Backoff(log, "the end of the challenge")

    async def cancel(self, game: str, account: int, once: Once | None = None) -> None:
        """Whoever made an open game takes it back, or one who is invited says no. Nothing happens the second time."""
        async with self.games.held(game) as live:
            asked = [number for number, seat in enumerate(live.seats) if seat.invited == account and seat.free]
            if account != live.creator and not asked:
                raise Refused("not_yours", "this game is not yours; hint: only who made it can take it back")
            if live.begun is not None:
                raise Refused("over", "the game has begun; hint: resign, or offer to call it off")
            if not live.over:
                why, seat = ("withdrawn", -1) if account == live.creator else (DECLINED, asked[0])
                await self._close(live, why, seat, once)

    async def expire(self) -> int:
        """Calls off every open game whose time is over; how many there were."""
        async with self.store.read() as connection:
            late = await play.expired(connection, now(), len(self._backoff))
        for game in late:
            if game not in self._backoff:
                with self._backoff.trying(game):
                    async with self.games.held(game) as live:
                        if live.state == "open":
                            await self._close(live, "expired")
        return len(late)

    async def _close(self, live: LiveGame, why: str, seat: int = -1, once: Once | None = None) -> None:
        """An open game is over before it began."""
        at = now()
        row = PlayedRow(live.id, live.version, "abort", seat, why, at, 0)
        outcome = encode(CALLED_OFF).decode()
        async with self.store.write() as connection:
            if once:
                await once.mark(connection)
            if not await play.add_row(
                connection, "open", row, state="over", ended=at, moved=at, to_move=None, outcome=outcome
            ):
                raise Overtaken
        live.apply("abort", seat, why, at, 0)
        live.settle()
        self._told(live)

    def _told(self, live: LiveGame) -> None:
        event = live.event()
        self.games.bus.publish(live.id, Message(encode(event).decode(), event.version))
        self.games.tell(live)

    async def take_over(self, game: str, account: int, seat: int | None) -> int:
        """A person sits down where a machine was; who already sits in the game keeps his seat."""
        async with self.games.held(game) as live:
            if (mine := live.seat_of(account)) is not None:
                return mine
            chosen = self._machine_of(live, seat)
            at = now()
            row = PlayedRow(game, live.version, "sit", chosen, str(account), at, 0)
            async with self.store.write() as connection:
                if not await play.add_row(connection, "playing", row):
                    raise Overtaken
                if not await play.sit_down(connection, game, chosen, account):
                    raise Overtaken
            self.games.forget(game)
        live = await self.games.get(game)
        self._told(live)
        self.games.bus.publish(game, Message(encode({"type": "seats", "version": live.version}).decode()))
        return chosen

    def _machine_of(self, live: LiveGame, seat: int | None) -> int:
        """The seat that may be taken over; raises Refused where there is none."""
        if live.state != "playing":
            raise Refused("over" if live.over else "not_begun", "nobody is playing here; hint: take a free seat")
        if live.rated or not live.welcome:
            why = "it is rated" if live.rated else "its players have not said that people are welcome"
            raise Refused("forbidden", f"nobody may take a machine's seat here: {why}; hint: you can watch")
        machines = live.machines_in()
        if not machines or (seat is not None and seat not in machines):
            raise Refused("full", "no machine sits there; hint: you can watch the game")
        return machines[0] if seat is None else seat

    async def welcome(self, game: str, account: int, welcome: bool) -> None:
        """A player says whether people may take over the machines' seats."""
        async with self.games.held(game) as live:
            if account not in live.people_in().values():
                raise Refused("not_yours", "you do not play in this game; hint: only players may invite others")
            if live.rated and welcome:
                raise Refused("forbidden", "a rated game keeps its players; hint: play a friendly one")
            async with self.store.write() as connection:
                await play.set_welcome(connection, game, welcome)
            live.welcome = welcome
            live.settle()
        self.games.bus.publish(game, Message(encode({"type": "seats", "version": live.version}).decode()))
