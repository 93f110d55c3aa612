"""Conditional turns in games by correspondence: "if they play X, then Y", played by the server when it comes true.

A plan is a tree of turns from the version of the game that it was made at: wherever it is the planner's turn there is
one way on, elsewhere as many as were thought of. Nothing is rewritten as the game goes along its branches: where a plan
stands follows from the turns since. When something else happens, it has ended.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import Any

from hedgerow.match import Match
from hedgerow.search.turns import play_turn
from hedgerow.serve.games import Games
from hedgerow.serve.live import LiveGame
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import play, queries
from hedgerow.serve.store.schema import now

log = logging.getLogger("hedgerow.plans")

LARGEST = 200
"""How many turns a plan may have in all."""
DEEPEST = 40
"""How many turns a line of it may have."""

Tree = dict[str, Any]
"""Every turn that is thought of, and the tree that follows it."""


def grow(live: LiveGame, seat: int, lines: Sequence[Sequence[str]]) -> Tree:
    """The tree of these lines, every turn checked by the rules and spelled as they spell it.

    A line begins with the next turn of the game, whoever's it is, and ends with one of the planner's.
    """
    tree: Tree = {}
    turns = 0
    for line in lines:
        if not 2 <= len(line) <= DEEPEST:
            raise Refused("bad_request", f"a line of {len(line)} turns; hint: 2 to {DEEPEST}, theirs and yours")
        turns += _add(live, seat, tree, line)
        if turns > LARGEST:
            raise Refused("bad_request", f"the plan is too big; hint: at most {LARGEST} turns")
    return tree


def _add(live: LiveGame, seat: int, tree: Tree, line: Sequence[str]) -> int:
    """Adds one line to the tree; how many turns of it were new."""
    match, new, mine = live.match.copy(), 0, False
    for text in line:
        if match.outcome:
            raise Refused("illegal", f"{text!r:.42} comes after the end of the game; hint: make the line shorter")
        mine = match.to_move == seat
        spelled = played(match, text)
        if mine and tree and spelled not in tree:
            other = next(iter(tree))
            raise Refused(
                "bad_request", f"both {other!r} and {spelled!r} as your turn; hint: one answer to each of theirs"
            )
        new += spelled not in tree
        tree = tree.setdefault(spelled, {})
    if not mine:
        raise Refused("bad_request", f"the line ends with {line[-1]!r:.42}, not a turn of yours; hint: add your answer")
    return new


def played(match: Match, text: str) -> str:
    """Plays one whole turn on a copy; the turn as the rules spell it."""
    play_turn(match, text)
    return match.turns[-1]


def lines_of(tree: Tree) -> list[list[str]]:
    """The lines of a tree, one for every end.

    >>> lines_of({"a1": {"b2": {}}, "a2": {"b3": {"a4": {"b5": {}}}}})
    [['a1', 'b2'], ['a2', 'b3', 'a4', 'b5']]
    """
    return [[turn, *rest] for turn, after in tree.items() for rest in lines_of(after) or [[]]]


class Plans:
    """Keeps the plans, and plays what has come true."""

    def __init__(self, games: Games) -> None:
        self.games = games
        self.store = games.store
        self._tasks: set[asyncio.Task[None]] = set()
        games.after.append(self.consider)

    async def start(self) -> None:
        """Takes up what came true while the server was down."""
        async with self.store.read() as connection:
            games = await play.planned(connection)
        for game in games:
            self._ask(game)

    async def set(self, game: str, account: int, lines: Sequence[Sequence[str]]) -> list[list[str]]:
        """A new plan instead of the one before; no lines are no plan."""
        async with self.games.held(game) as live:
            seat = self._seat(live, account)
            tree = grow(live, seat, lines)
            async with self.store.write() as connection:
                if tree:
                    values = {"account": account, "version": live.version, "tree": json.dumps(tree), "at": now()}
                    await play.put_plan(connection, game, seat, **values)
                else:
                    await play.drop_plan(connection, game, seat)
        return lines_of(tree)

    def _seat(self, live: LiveGame, account: int) -> int:
        if (seat := live.seat_of(account)) is None:
            raise Refused("not_yours", "you have no seat in this game; hint: you can watch it")
        if live.state != "playing":
            code = "over" if live.over else "not_begun"
            raise Refused(code, "nobody is playing in this game; hint: plan ahead in one that goes on")
        if live.clock.control.kind != "days":
            raise Refused("forbidden", "this is no game by correspondence; hint: plan ahead where a turn takes days")
        if live.to_move == seat:
            raise Refused("your_turn", "it is your turn; hint: play it, then plan ahead")
        return seat

    async def get(self, game: str, account: int) -> list[list[str]]:
        """The lines of one's plan that can still come true."""
        async with self.games.held(game) as live:
            seat = live.seat_of(account)
            return [] if seat is None else await self.ahead(live, seat)

    async def ahead(self, live: LiveGame, seat: int) -> list[list[str]]:
        """The same in a game that is held, for a seat."""
        return lines_of(await self._where(live, seat) or {})

    async def _where(self, live: LiveGame, seat: int) -> Tree | None:
        """What of a seat's plan lies ahead; None where it has none, or it has ended."""
        async with self.store.read() as connection:
            row = await play.plan_row(connection, live.id, seat)
            if row is None or row.account != live.seats[seat].account:
                return None
            since = await queries.turn_rows(connection, live.id, row.version)
        tree: Tree | None = json.loads(row.tree)
        for turn in since:
            tree = tree.get(turn.text) if tree and turn.kind == "turn" else None
        return tree or None

    # --- playing ------------------------------------------------------------------------------------------------------

    def consider(self, live: LiveGame) -> None:
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
        async with self.games.held(game) as live:
            mover = live.to_move
            account = None if mover is None else live.seats[mover].account
            tree = await self._where(live, mover) if mover is not None and account is not None else None
            number = live.version
        if tree and account is not None:
            try:
                await self.games.play(game, account, number, next(iter(tree)))
            except Refused as refused:
                if refused.code not in ("stale", "over", "not_your_turn"):
                    raise

    async def stop(self) -> None:
        """Follows nothing more; what is owed is found again at the next start."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
