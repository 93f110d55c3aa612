"""Conditional turns in games by correspondence: "if they play X, then Y", played by the server when it comes true.

A plan is a tree of turns from the version of the game that it was made at: wherever it is the planner's turn there is
one way on, elsewhere as many as were thought of, or one for whatever they play. Nothing is rewritten as the game goes
along its branches: where a plan stands follows from the turns since. When something else happens, it has ended.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.play.clocks import Control
from hedgerow.serve.play.games import Games
from hedgerow.serve.play.live import LiveGame
from hedgerow.serve.play.plan_trees import Tree, after, grow, lines_of, movers, next_turn, settled
from hedgerow.serve.play.replays import SentGame
from hedgerow.serve.play.state import GameState
from hedgerow.serve.play.workshop import Payer, Workshop
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import play, queries
from hedgerow.serve.store.letters import Once
from hedgerow.serve.store.rows import PlanRow, PlayedRow
from hedgerow.serve.store.schema import now

log = logging.getLogger("hedgerow.plans")


class Planned(NamedTuple):
    """The lines of a plan, and the version of the game that they begin at."""

    number: int
    lines: list[list[str]]
    seats: Sequence[Sequence[int | None]] = ()
    """Whose turns they are, where that is asked for; None for whatever the others play."""


def planner_of(game: GameState, control: Control, account: int) -> int:
    """The seat of somebody who may plan ahead in a game, when it is another's turn; raises Refused for others."""
    if (seat := game.seat_of(account)) is None:
        raise Refused("not_yours", "you have no seat in this game; hint: you can watch it")
    if game.state != "playing":
        code = "over" if game.over else "not_begun"
        raise Refused(code, "nobody is playing in this game; hint: plan ahead in one that goes on")
    if control.kind != "days":
        raise Refused("forbidden", "this is no game by correspondence; hint: plan ahead where a turn takes days")
    return seat


class Plans:
    """Keeps the plans, and plays what has come true."""

    def __init__(self, games: Games, workshop: Workshop | None = None) -> None:
        self.games = games
        self.workshop = workshop
        self.store = games.store
        self._tasks: set[asyncio.Task[None]] = set()
        games.after.append(self.game_changed)

    async def start(self) -> None:
        """Takes up what came true while the server was down."""
        async with self.store.read() as connection:
            games = await play.planned(connection)
        for game in games:
            self._ask(game)

    async def set(
        self,
        game: str,
        account: int,
        lines: Sequence[Sequence[str]],
        address: str = "",
        once: Once | None = None,
        number: int | None = None,
    ) -> Planned:
        """A new plan instead of the one before; no lines are no plan. It is judged while the game may go on.

        With a number, only as long as that is the version of the game: the lines begin there.
        """
        wanted = settled(lines)
        async with self.games.held(game) as live:
            seat, version = self._waits(live, account), live.version
            rules, position = live.match.rules.name, live.match.position()
        if number not in (None, version):
            raise Refused("stale", "the game has moved on; hint: plan from where it stands now")
        assert self.workshop is not None, "only a server is asked for plans"
        tree = await self.workshop.do(Payer(account, address), grow, rules, position, seat, wanted)
        async with self.games.held(game) as live:
            if live.version != version or self._waits(live, account) != seat:
                raise Refused("stale", "the game has moved on; hint: plan from where it stands now")
            async with self.store.write() as connection:
                if once:
                    await once.mark(connection)
                if tree:
                    values = {"account": account, "version": version, "tree": json.dumps(tree), "at": now()}
                    await play.put_plan(connection, game, seat, **values)
                else:
                    await play.drop_plan(connection, game, seat)
        return Planned(version, lines_of(tree))

    def _waits(self, live: LiveGame, account: int) -> int:
        """The seat of somebody who waits for the others; raises Refused where nothing can be planned."""
        seat = planner_of(live, live.clock.control, account)
        if live.to_move == seat:
            raise Refused("your_turn", "it is your turn; hint: play it, then plan ahead")
        return seat

    async def line(self, game: str, account: int, turn: int, words: str) -> SentGame:
        """Turns that somebody thinks of after so many of the game's, for the workshop; raises Refused for others."""
        known = await self.games.look(game)
        planner_of(known, known.control, account)
        return SentGame(known.match.rules.name, known.match.after(turn).position(), words)

    async def get(self, game: str, account: int) -> list[list[str]]:
        """The lines of one's plan that can still come true."""
        known = await self.games.look(game)
        seat = known.seat_of(account)
        return [] if seat is None else await self.ahead(known, seat)

    async def told(self, game: str, payer: Payer) -> Planned:
        """The same with the version of the game that they begin at, and whose turns they are."""
        known = await self.games.look(game)
        seat = known.seat_of(payer.account)
        if seat is None or not (lines := await self.ahead(known, seat)):
            return Planned(known.version, [])
        assert self.workshop is not None, "only a server is asked for plans"
        rules, position = known.match.rules.name, known.match.position()
        return Planned(known.version, lines, await self.workshop.do(payer, movers, rules, position, seat, lines))

    async def ahead(self, live: GameState, seat: int) -> list[list[str]]:
        """The same in a game that is at hand, for a seat."""
        return lines_of(await self._where(live, seat) or {})

    async def _where(self, live: GameState, seat: int) -> Tree | None:
        """What of a seat's plan lies ahead; None where it has none, or it has ended."""

        async def ask(connection: AsyncConnection) -> tuple[PlanRow, list[PlayedRow]] | None:
            row = await play.plan_row(connection, live.id, seat)
            if row is None or row.account != live.seats[seat].account:
                return None
            return row, await queries.turn_rows(connection, live.id, row.version)

        if (found := await self.store.together(ask)) is None:
            return None
        tree: Tree | None = json.loads(found[0].tree)
        for turn in found[1]:
            tree = after(tree, turn.kind, turn.text, turn.seat != seat)
        return tree or None

    # --- playing ------------------------------------------------------------------------------------------------------

    def game_changed(self, live: LiveGame) -> None:
        """A game has moved on: perhaps something has come true that was planned."""
        mover = live.to_move
        if mover is not None and live.clock.control.kind == "days" and live.version and live.seats[mover].account:
            self._ask(live.id)

    def _ask(self, game: str) -> None:
        task = asyncio.create_task(self._follow(game), name=f"plan {game}")
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.error("a conditional turn failed", exc_info=error)

    async def _follow(self, game: str) -> None:
        """Plays the planned turn, if there is one; what it brings about is considered anew."""
        known = await self.games.look(game)
        mover, number = known.to_move, known.version
        account = None if mover is None else known.seats[mover].account
        if mover is None or account is None or not (tree := await self._where(known, mover)):
            return
        if (text := next_turn(tree, known.turn_number)) is None:
            return
        try:
            await self.games.play(game, account, number, text)
        except Refused as refused:
            if refused.code == "illegal":  # it was planned for whatever they play, and that was it
                async with self.store.write() as connection:
                    await play.drop_plan(connection, game, mover)
            elif refused.code not in ("stale", "over", "not_your_turn"):
                raise

    async def stop(self) -> None:
        """Follows nothing more; what is owed is found again at the next start."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
