"""The machine opponents: which turns they owe, who thinks about them (see `thinkers`), and playing what comes of it.

Which turns they owe is in the database, so a restart loses nothing; a turn thought out twice is played once, because
its number is given once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from hedgerow.games import games as game_names
from hedgerow.serve.lessons import lesson_of
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import queries
from hedgerow.serve.thinkers import GENTLE, Thinkers
from hedgerow.serve.turnstile import Turnstile

if TYPE_CHECKING:
    from hedgerow.serve.games import Games
    from hedgerow.serve.live import LiveGame


log = logging.getLogger("hedgerow.engines")


def first_boards() -> list[str]:
    """What is got ready before anybody plays: the boards of first games, then the full ones."""
    names = game_names()
    return list(dict.fromkeys([*(lesson_of(name).play for name in names), *names]))


class Engines:
    """Sees to it that every machine's turn is thought about, and plays what comes of it."""

    def __init__(self, games: Games, processes: int) -> None:
        self.games = games
        self.played = 0
        self.processes = processes
        self.thinkers = Thinkers(processes, first_boards())
        self._asked: dict[str, asyncio.Task[None]] = {}
        self.turnstile = Turnstile(processes)
        self.addresses: Callable[[int], str] = lambda account: ""
        """Where an account was last seen, for its address's budget."""
        games.after.append(self.consider)

    @property
    def waiting(self) -> int:
        """How many games wait for a machine's turn."""
        return len(self._asked)

    async def start(self) -> None:
        """Wakes the processes, and takes up the turns that were owed when the server stopped."""
        self.wake()
        async with self.games.store.read() as connection:
            owed = await queries.machine_turns(connection)
        for game in owed:
            self._ask(game)

    def wake(self) -> None:
        """Starts the processes, which begin to prepare the games."""
        self.thinkers.start()

    @property
    def ready(self) -> list[str]:
        """The rules for which compiled kernels are there."""
        return [rules for (rules, player), done in self.thinkers.kitchen.compiled.items() if done and player == GENTLE]

    def can_study(self, rules: str) -> bool:
        """Whether a study of a position can begin at once; if not, what it needs is compiled next."""
        return self.thinkers.ready(rules)

    async def answer(self, game: str) -> None:
        """Returns when no machine is to move in the game; raises what went wrong."""
        self._ask(game)
        await asyncio.shield(self._asked[game])

    def consider(self, live: LiveGame) -> None:
        """A game has begun or moved on: perhaps a machine is to move now."""
        mover = live.to_move
        if mover is not None and live.begun is not None and live.seats[mover].player:
            self._ask(live.id)

    def _ask(self, game: str) -> None:
        if game not in self._asked:
            task = self._asked[game] = asyncio.create_task(self._answer(game), name=f"engine {game}")
            task.add_done_callback(lambda done: self._done(game, done))

    def _done(self, game: str, task: asyncio.Task[None]) -> None:
        if self._asked.get(game) is task:
            del self._asked[game]
        if not task.cancelled() and (error := task.exception()):
            log.error("the machine's turn in %s failed", game, exc_info=error)

    async def _answer(self, game: str) -> None:
        """Plays as long as machines are to move."""
        while True:
            try:
                async with self.games.held(game) as live:
                    mover = live.to_move
                    if mover is None or live.begun is None or not (player := live.seats[mover].player):
                        del self._asked[game]  # while nobody can play: the next turn asks anew
                        return
                    number, record, owner = live.version, live.match.record(), live.creator
                async with self.turnstile.through(game, str(owner), self.addresses(owner)):
                    text = await self._thought(record, player)
                await self.games.play(game, None, number, text)
                self.played += 1
            except Refused as refused:
                if refused.code == "later":
                    await asyncio.sleep(1)
                elif refused.code not in ("stale", "over"):
                    raise

    async def _thought(self, record: str, player: str) -> str:
        return await self.thinkers.thought(record, player)

    async def stop(self) -> None:
        """Stops thinking; what is owed stays in the database."""
        for task in list(self._asked.values()):
            task.cancel()
        await asyncio.gather(*self._asked.values(), return_exceptions=True)
        self.thinkers.stop()
