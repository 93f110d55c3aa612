"""The machine opponents: finds the turns they owe, has the engine processes (`pool`) think, and plays the result.

Which turns are owed is in the database: a sweep finds whatever was lost, by a restart or by a failure. A turn thought
out twice is played once, because its number is given once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from hedgerow.games import games as game_names
from hedgerow.lessons import lesson_of
from hedgerow.serve.engine.pool import GENTLE, EnginePool
from hedgerow.serve.play.backoff import Backoff
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import queries
from hedgerow.serve.store.schema import now
from hedgerow.serve.turnstile import Turnstile

if TYPE_CHECKING:
    from hedgerow.serve.play.games import Games
    from hedgerow.serve.play.live import LiveGame


log = logging.getLogger("hedgerow.engines")

SWEEP_SECONDS = 5.0
"""How often the database is asked for turns that are owed."""
GRACE_MS = 3_000
"""How long a turn has been owed before the sweep takes it up: most are asked for at once."""
RETRY_SECONDS = 30.0
"""After how long the sweep takes up a turn that failed."""


def first_boards() -> list[str]:
    """The boards whose kernels are compiled before anybody plays: those of first games, then the full ones."""
    names = game_names()
    return list(dict.fromkeys([*(lesson_of(name).play for name in names), *names]))


class Engines:
    """Has every machine's turn thought about, and plays it."""

    def __init__(self, games: Games, processes: int, secret: str = "") -> None:
        self.games = games
        self.played = 0
        self.processes = processes
        self.pool = EnginePool(processes, first_boards(), secret)
        self._asked: dict[str, asyncio.Task[None]] = {}
        self._failed = Backoff(log, "the machine's turn in", RETRY_SECONDS)
        self._sweeping: asyncio.Task[None] | None = None
        self.turnstile = Turnstile(processes)
        self.addresses: Callable[[int], str] = lambda account: ""
        """Where an account was last seen, for its address's budget."""
        games.after.append(self.game_changed)

    @property
    def waiting(self) -> int:
        """How many games wait for a machine's turn."""
        return len(self._asked)

    async def start(self) -> None:
        """Starts the processes, takes up the turns that were owed when the server stopped, and sweeps from now on."""
        self.wake()
        async with self.games.store.read() as connection:
            owed = await queries.machine_turns(connection)
        for game in owed:
            self._ask(game)
        self._sweeping = asyncio.create_task(self._sweep(), name="engine sweep")

    def wake(self) -> None:
        """Starts the processes, which begin to compile the boards."""
        self.pool.start()

    @property
    def ready(self) -> list[str]:
        """The rules whose kernels are compiled."""
        return [rules for (rules, player), done in self.pool.compiler.compiled.items() if done and player == GENTLE]

    def can_study(self, rules: str) -> bool:
        """Whether the kernels that an analysis needs are compiled; if not, they are compiled next."""
        return self.pool.compiled(rules)

    async def answer(self, game: str) -> None:
        """Returns when no machine is to move in the game; raises what went wrong."""
        self._ask(game)
        await asyncio.shield(self._asked[game])

    def game_changed(self, live: LiveGame) -> None:
        """A game has begun, moved on or ended: perhaps a machine is to move, perhaps its players can go."""
        mover = live.to_move
        if mover is not None and live.begun is not None and live.seats[mover].player:
            self._ask(live.id)
        elif live.over:
            self.pool.let_go(live.id)

    def _ask(self, game: str) -> None:
        if game not in self._asked:
            task = self._asked[game] = asyncio.create_task(self._answer(game), name=f"engine {game}")
            task.add_done_callback(lambda done: self._done(game, done))

    def _done(self, game: str, task: asyncio.Task[None]) -> None:
        if self._asked.get(game) is task:
            del self._asked[game]
        if task.cancelled():
            return
        try:
            with self._failed.trying(game):  # where it failed, the sweep leaves it alone for a while
                task.result()
        except Exception as error:
            log.warning("the machine's turn in %s has to wait: %s", game, type(error).__name__)

    async def _answer(self, game: str) -> None:
        """Plays as long as machines are to move."""
        thought: tuple[int, str] | None = None
        while True:
            try:
                async with self.games.held(game) as live:
                    mover = live.to_move
                    if mover is None or live.begun is None or not (player := live.seats[mover].player):
                        del self._asked[game]  # while nobody can play: the next turn asks anew
                        return
                    number, record, owner = live.version, live.match.record(), live.creator
                if thought is None or thought[0] != number:  # a turn that could not be stored is not thought out twice
                    async with self.turnstile.through(game, str(owner), self.addresses(owner)):
                        thought = number, await self._thought(game, record, player)
                await self.games.play(game, None, number, thought[1])
                self.played += 1
            except Refused as refused:
                if refused.code == "later":
                    await asyncio.sleep(1)
                elif refused.code not in ("stale", "over"):
                    raise

    async def _thought(self, game: str, record: str, player: str) -> str:
        return await self.pool.thought(game, record, player)

    async def _sweep(self) -> None:
        """Asks for every turn that is owed for a while and that nobody thinks about: it was lost on the way."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            try:
                async with self.games.store.read() as connection:
                    owed = await queries.machines_owe(connection, now() - GRACE_MS)
            except Exception as error:  # the database is away; the next sweep is soon
                log.warning("could not look for machines' turns that are owed: %s", type(error).__name__)
                continue
            for row in owed:
                if row.id not in self._asked and row.id not in self._failed:
                    log.info("took up a machine's turn in %s", row.id)
                    self._ask(row.id)

    async def stop(self) -> None:
        """Stops thinking; what is owed stays in the database."""
        if self._sweeping:
            self._sweeping.cancel()
        for task in list(self._asked.values()):
            task.cancel()
        await asyncio.gather(*self._asked.values(), return_exceptions=True)
        self.pool.stop()
