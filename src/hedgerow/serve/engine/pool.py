"""The engine processes, which search the machines' turns; until kernels are compiled, a fallback answers.

A game's turns go to the process in which its players sit (see `seats`), where it is free or soon will be; else another
one makes them anew. Until the kernels of a board are compiled, a process that knows the plain rules alone answers: it
loads in a moment, and compiles nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import Iterable
from concurrent.futures.process import BrokenProcessPool

from hedgerow.games import make
from hedgerow.record import read_record
from hedgerow.search.levels import ladder_for
from hedgerow.serve.engine import seats
from hedgerow.serve.engine.compiler import ANALYSIS, KernelCompiler, Target
from hedgerow.serve.processes import DEATHS, Process

log = logging.getLogger("hedgerow.engines")

NICE = 10
"""The nice value of engine processes: those that serve people go first."""
KERNELS_SECONDS = 4.0
"""How long a turn waits for an engine process that has its kernels before the plain player stands in."""
AFFINITY_SECONDS = 0.5
"""How long a turn waits for the process that keeps its game's players before another process makes them anew."""
TEND_SECONDS = 60.0
"""How often players of cold games are let go."""
MOST_GAMES = 10_000
"""Of how many games it is remembered which process keeps their players."""
GENTLE = "level(1)"
"""The player that the plain one can stand in for at any time; kernels for it are kernels for every level of search."""


def target_for(rules: str, player: str) -> Target:
    """What a player needs: a level that a network plays needs what an analysis by that network does.

    >>> target_for("tanbo(size=9)", "level(9)").player, target_for("tanbo(size=9)", "level(10)").player
    ('level(1)', 'uct')
    """
    level, ladder = player.removeprefix("level(").removesuffix(")"), ladder_for(make(rules))
    stands = ladder[int(level) - 1] if level.isdecimal() and 0 < int(level) <= len(ladder) else player
    return Target(rules, ANALYSIS if stands.startswith("net(") else GENTLE)


class EnginePool:
    """All engine processes; the kernels of `boards` are compiled before anybody plays on them, in that order."""

    def __init__(self, processes: int, boards: Iterable[str] = (), secret: str = "") -> None:
        self.secret = secret
        """Goes into the seeds, so that nobody who knows a game's id can work out what its machine will play."""
        self.boards = [make(board).name for board in boards]
        self.engines = [Process(NICE) for _ in range(processes)]
        self.fallback = Process(0)
        self.compiler = KernelCompiler(self.engines)
        self._holders: OrderedDict[str, Process] = OrderedDict()
        """The process that keeps the players of a game, by the game's id."""
        self._tending: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Starts the processes, first the one that can answer at once; then the boards are compiled."""
        for process in (self.fallback, *self.engines):
            process.started()
        for player in (GENTLE, ANALYSIS):
            for rules in self.boards:
                self.compiler.ask(rules, player, soon=False)
        self._tending = asyncio.create_task(self._tend(), name="engine pool")

    async def thought(self, game: str, record: str, player: str) -> str:
        """The turn of a game's machine, or of the plain player where the machine has no kernels or cannot think."""
        rules = make(read_record(record).tags["Game"]).name
        self.compiler.ask(*target_for(rules, player))
        for _ in range(DEATHS):
            engine = await self._engine_for(game, rules, player)
            if engine is None:
                break
            try:
                return await self._think(engine, game, record, player)
            except BrokenProcessPool:
                continue
            except Exception:
                log.exception("the machine could not think about a turn of %s; the plain player stands in", game)
                break
        else:
            log.error("%d engine processes died over one turn of %s; the plain player stands in", DEATHS, game)
        return await self.fallback.do(seats.think_by_plain_rules, record)

    async def _think(self, engine: Process, game: str, record: str, player: str) -> str:
        holder = self._holders.get(game)
        if holder is not None and holder is not engine:
            holder.leave_word(seats.let_go, game)
        self._holders[game] = engine
        self._holders.move_to_end(game)
        if len(self._holders) > MOST_GAMES:
            self._holders.popitem(last=False)
        try:
            return await engine.do_once(seats.think, game, record, player, self.secret)
        finally:
            self.compiler.changed()

    async def _engine_for(self, game: str, rules: str, player: str) -> Process | None:
        """A free process with the kernels of these rules: the one that keeps the game's players, if it can be."""
        holder = self._holders.get(game)
        if holder is not None and holder.doing:
            await self.compiler.wait(AFFINITY_SECONDS, lambda: not holder.doing)
        target = target_for(rules, player)
        if player != GENTLE or any(target in engine.ready for engine in self.engines):
            await self.compiler.wait(KERNELS_SECONDS, lambda: bool(self._free(target)))
        free, kept = self._free(target), Counter(map(id, self._holders.values()))
        return holder if holder in free else min(free, key=lambda engine: kept[id(engine)], default=None)

    def _free(self, target: Target) -> list[Process]:
        """The processes that have loaded these kernels and have nothing to do."""
        return [engine for engine in self.engines if target in engine.ready and not engine.doing]

    def compiled(self, rules: str, player: str = ANALYSIS) -> bool:
        """Whether a player's kernels are in the cache, where a process finds them in a moment; else they come next."""
        return self.compiler.ask(make(rules).name, player)

    def let_go(self, game: str) -> None:
        """A game is over: its players are forgotten."""
        if holder := self._holders.pop(game, None):
            holder.leave_word(seats.let_go, game)

    async def _tend(self) -> None:
        while True:
            await asyncio.sleep(TEND_SECONDS)
            for engine in self.engines:
                engine.leave_word(seats.let_cold_go)

    def stop(self) -> None:
        """Ends all processes."""
        if self._tending:
            self._tending.cancel()
        self.compiler.stop()
        for process in (self.fallback, *self.engines):
            process.stop()
