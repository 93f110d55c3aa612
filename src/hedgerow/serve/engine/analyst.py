"""What the engine thinks of a position: long searches (studies) and short ones (evaluations) in a process of their own.

A study runs a slice at a time. Every slice takes one of the engine's places when no machine's turn waits for it, and is
counted in the budget of whoever asks. Few studies are open at once, because each keeps its tree; others wait, in the
order of the budget, too. A study is closed as soon as nobody reads what it finds. An evaluation is always the same for
the same position, and is kept.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from secrets import token_hex
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from hedgerow.games import make
from hedgerow.search.findings import Evaluation
from hedgerow.serve.engine.pool import NICE
from hedgerow.serve.processes import Process
from hedgerow.serve.refusals import Refused
from hedgerow.serve.turnstile import Turnstile

if TYPE_CHECKING:
    from hedgerow.search.analysis import View
    from hedgerow.search.findings import Analysis

Found = TypeVar("Found")
Params = ParamSpec("Params")

SLICE_SECONDS = 0.25
"""How long a study goes on before others may, in seconds."""
MOST_STUDIES = 4
"""How many studies are open at once."""
MEMORY_MB = 64
"""How many megabytes the tree of each may take."""
GAMES_A_CELL = 0.4
"""How many random games take about as long as a visit of a network's search, for every cell of the board's image."""
MOST_EVALUATIONS = 20_000
"""Of how many positions the evaluation is kept."""
FAIR_SECONDS = 5.0
"""A study that has had so many seconds ends when others wait for a place."""
COMPILING_SECONDS = 120.0
"""For how many seconds somebody waits for a compiler before he is asked to come again."""
PATIENCE_SECONDS = 30.0
"""For how many seconds somebody waits for the engine before he is asked to come again."""


# --- inside the process that studies ----------------------------------------------------------------------------------

_studies: dict[str, View] = {}


class Lost(Exception):
    """The process that knew a study has died; the one in its place does not know it."""


def open_study(key: str, rules: str, position: str, lines: int) -> None:
    """Opens a search of a position; where its game's kernels are not compiled, this takes a while."""
    from hedgerow.search.analysis import View, settled, wide_search

    settled_rules, start = settled(read := make(rules), read.parse(position))
    search = wide_search(settled_rules, start, memory=MEMORY_MB)
    search.run(iterations=8)
    _studies[key] = View(search, start, lines)


def go_on(key: str, seconds: float, spent: float, tell: bool) -> Analysis | None:
    """Searches for so many seconds more; what was found, if that is asked for or there is no more to find."""
    view = _studies.get(key)
    if view is None:
        raise Lost(key)
    if not view.search.tree.proven[0]:
        view.search.run(seconds=seconds)
    ended = bool(view.search.tree.proven[0])
    return view.snapshot(spent) if tell or ended else None


def evaluate(rules: str, position: str, iterations: int) -> Evaluation:
    """Searches a position for so many iterations: every seat's chance after the best turn, and that turn."""
    from hedgerow.search.analysis import View, settled, wide_search
    from hedgerow.search.net import NetSearch

    settled_rules, start = settled(read := make(rules), read.parse(position))
    search = wide_search(settled_rules, start, memory=MEMORY_MB // 4)
    games = GAMES_A_CELL * search.grid.size if isinstance(search, NetSearch) else 1
    search.run(iterations=max(1, int(iterations / games)))
    view = View(search, start, 1)
    turns = view.turns()
    node = view.best(turns)[0]
    line = view.line(node, turns[node])
    return Evaluation(line.values, line.turn, line.proven)


def close_study(key: str) -> None:
    """Closes a search and frees its tree."""
    _studies.pop(key, None)


def studies_open() -> int:
    """How many searches are open."""
    return len(_studies)


# --- inside the server ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """A position to think about, and who asks: an account, or an address alone."""

    rules: str
    position: str
    lines: int
    account: int | None
    address: str
    key: str = field(default_factory=lambda: token_hex(8))

    @property
    def payer(self) -> str:
        """Whose budget it is."""
        return f"at {self.address}" if self.account is None else str(self.account)


class Analyst:
    """Searches positions for people, when no machine's turn waits for the engine."""

    def __init__(self, gate: Turnstile) -> None:
        self.gate = gate
        """The engine's places, which the machines' turns take first."""
        self.table = Turnstile(MOST_STUDIES)
        """The places for open studies."""
        self.asked: dict[str, Asked] = {}
        """What people wait for, by its key."""
        self._latest: dict[int, str] = {}
        """What every account has asked last: whoever asks anew has lost interest in what he asked before."""
        self.ready: Callable[[str], bool] = lambda rules: True
        """Whether the kernels for some rules are compiled; asking makes them come next."""
        self._evaluations: OrderedDict[tuple[str, str, int], Evaluation] = OrderedDict()
        """What was found, by rules, position and iterations."""
        self._turnstile = Turnstile(1)
        """Whose work the process does next."""
        self._process = Process(NICE)

    async def study(self, asked: Asked, seconds: float, every: float | None = None) -> AsyncGenerator[Analysis]:
        """What is found out every so many seconds, each better than the last; without `every`, the last alone.

        It ends after so many seconds of thinking, with a proof, or when its asker asks something else.
        """
        async with contextlib.AsyncExitStack() as stack:
            self._begin(asked)
            stack.callback(self._end, asked)
            await self._compiled(asked.rules)
            await _in_time(stack, self.table.through(asked.key, asked.payer, asked.address))
            stack.callback(self._close, asked.key)
            await self._done(open_study, asked.key, asked.rules, asked.position, asked.lines)
            spent = told = 0.0
            while True:
                more = min(SLICE_SECONDS, seconds - spent)
                spent += more
                last = spent >= seconds or self._enough(asked, spent)
                tell = last or (every is not None and spent - told >= every)
                found = await self._think(asked, go_on, asked.key, more, spent, tell)
                if found is not None:
                    told = spent
                    yield found
                if last or (found is not None and found.proven is not None):
                    return

    async def evaluate(self, asked: Asked, iterations: int) -> Evaluation:
        """What a search of so many iterations comes to; kept for whoever asks next."""
        key = (asked.rules, asked.position, iterations)
        if (found := self._evaluations.get(key)) is None:
            found = await self._evaluated(asked, iterations)
            self._evaluations[key] = found
            if len(self._evaluations) > MOST_EVALUATIONS:
                self._evaluations.popitem(last=False)
        self._evaluations.move_to_end(key)
        return found

    async def _evaluated(self, asked: Asked, iterations: int) -> Evaluation:
        self.asked[asked.key] = asked
        try:
            await self._compiled(asked.rules)
            return await self._think(asked, evaluate, asked.rules, asked.position, iterations)
        finally:
            del self.asked[asked.key]

    async def _compiled(self, rules: str) -> None:
        """Waits until there are kernels: a study that compiled them would compile what others do at the same time."""
        try:
            async with asyncio.timeout(COMPILING_SECONDS):
                while not self.ready(rules):
                    await asyncio.sleep(SLICE_SECONDS)
        except TimeoutError:
            raise Refused(
                "later", "the machine is still getting ready for this game; hint: ask again in a minute"
            ) from None

    def _begin(self, asked: Asked) -> None:
        self.asked[asked.key] = asked
        if asked.account is not None:
            self._latest[asked.account] = asked.key

    def _end(self, asked: Asked) -> None:
        del self.asked[asked.key]
        if asked.account is not None and self._latest.get(asked.account) == asked.key:
            del self._latest[asked.account]

    def _enough(self, asked: Asked, spent: float) -> bool:
        """There is a reason to end before the time is up."""
        replaced = asked.account is not None and self._latest.get(asked.account) != asked.key
        return replaced or (spent >= FAIR_SECONDS and self.table.waiting > 0)

    async def _think(
        self, asked: Asked, work: Callable[Params, Found], *arguments: Params.args, **named: Params.kwargs
    ) -> Found:
        """Does some thinking when the engine has a place for it, in the budget of whoever asks."""
        async with contextlib.AsyncExitStack() as stack:
            await _in_time(stack, self._turnstile.through(asked.key, asked.payer, asked.address))
            await _in_time(stack, self.gate.through(asked.key, asked.payer, asked.address, later=True))
            return await self._done(work, *arguments, **named)

    async def _done(self, work: Callable[Params, Found], *arguments: Params.args, **named: Params.kwargs) -> Found:
        try:
            return await self._process.do_once(work, *arguments, **named)
        except (BrokenProcessPool, Lost):
            raise Refused("later", "the engine was restarted; hint: ask again") from None

    def _close(self, key: str) -> None:
        self._process.leave_word(close_study, key)

    async def stop(self) -> None:
        """Ends the process."""
        self._process.stop()


async def _in_time(stack: contextlib.AsyncExitStack, place: AbstractAsyncContextManager[None]) -> None:
    """Waits for a place, but not for ever."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await stack.enter_async_context(place)
    except TimeoutError:
        raise Refused("later", "the engine is busy; hint: /api/engine tells how long the queue is") from None
