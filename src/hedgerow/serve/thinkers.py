"""Processes that think for the machines, and one that compiles for them: nobody who plays waits for a compiler.

One compiles, board after board, and those that somebody plays come first. Those that think load what it left in the
cache, and give way to those who serve people. Until they have, one that knows the plain rules alone answers; it loads
in a moment, and compiles nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import os
import random
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from hedgerow.games import make
from hedgerow.record import read_record

log = logging.getLogger("hedgerow.engines")

Found = TypeVar("Found")

PLAIN_SECONDS = 0.25
"""How long the plain player thinks about a turn."""
NICE = 10
"""How far those that think stand back."""
LAST = 5
"""How far the one that compiles does: it is soon done, and people wait for what it does."""
SILENT = 2.0
"""What takes no longer than so many seconds is not told of."""
PATIENCE = 4.0
"""For how many seconds a player stronger than the plain one may still be getting ready."""
GENTLE = "level(1)"
"""The player that the plain one can stand in for at any time."""
ANALYSIS = "uct"
"""The player whose kernels a study of a position needs."""


# --- inside the processes ---------------------------------------------------------------------------------------------


def begin(nice: int) -> None:
    """Begins the life of a process: how much it gives way, and that it ends with its server."""
    with contextlib.suppress(OSError):
        os.nice(nice)
    end_with_the_server()


def end_with_the_server() -> None:
    """A process whose server was killed ends, too."""
    server = multiprocessing.parent_process()
    if server is None:
        return

    def wait() -> None:
        server.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def get_ready(rules: str, player: str) -> None:
    """Compiles what a player needs for a game, or loads it from the cache."""
    from hedgerow.search.analysis import analyse
    from hedgerow.search.ready import prepare

    made = make(rules)
    prepare(made, player)
    if player == ANALYSIS and not made.outcome(made.start()):
        analyse(made, iterations=8)


def think(record: str, player: str) -> str:
    """The turn that a player of that name plays in the game that a record tells."""
    from hedgerow.match import read
    from hedgerow.search.players import player as player_of

    return player_of(player).choose(read(record))


def think_plainly(record: str) -> str:
    """The turn that the player for the meantime plays."""
    from hedgerow.match import read
    from hedgerow.search import meantime

    return meantime.play(read(record), PLAIN_SECONDS, random.Random())


# --- inside the server ------------------------------------------------------------------------------------------------


class Process:
    """A process of our own that does one thing after another; when it dies, another takes over."""

    def __init__(self, nice: int) -> None:
        self.nice = nice
        self.doing = 0
        """How many things it was asked to do and has not done."""
        self.ready: set[tuple[str, str]] = set()
        """The rules and players whose kernels it has loaded."""
        self._pool: ProcessPoolExecutor | None = None

    async def do(self, work: Callable[..., Found], *arguments: Any) -> Found:
        """What comes of it, of another process where this one dies."""
        while True:
            with contextlib.suppress(BrokenProcessPool):  # what it had loaded is loaded again as it is needed
                return await self.do_once(work, *arguments)

    async def do_once(self, work: Callable[..., Found], *arguments: Any) -> Found:
        """The same, for what only the process as it is can do; raises BrokenProcessPool where it dies."""
        pool = self.started()
        self.doing += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, work, *arguments)
        except BrokenProcessPool:
            if self._pool is pool:
                log.warning("a process that thinks died; another takes over")
                self._pool = None
            raise
        finally:
            self.doing -= 1

    def leave_word(self, work: Callable[..., object], *arguments: Any) -> None:
        """Something to do that nobody waits for; nothing where there is no process to do it."""
        if self._pool is not None:
            with contextlib.suppress(RuntimeError):  # it has died, or is being stopped
                self._pool.submit(work, *arguments)

    def started(self) -> ProcessPoolExecutor:
        """The process, which is started where it is not there."""
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=begin, initargs=(self.nice,))
            self._pool.submit(os.getpid)
        return self._pool

    def stop(self) -> None:
        """Ends it, whatever it does."""
        if self._pool is not None:
            processes = list((self._pool._processes or {}).values())
            self._pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.terminate()
            self._pool = None


class Kitchen:
    """Gets the kernels of one board after another ready: compiled by one process, then loaded by all that think."""

    def __init__(self, thinkers: list[Process]) -> None:
        self.thinkers = thinkers
        self.compiled: dict[tuple[str, str], bool] = {}
        """By rules and player, whether their kernels are in the cache; those that were asked for are all here."""
        self._cook = Process(LAST)
        self._wanted: list[tuple[str, str]] = []
        self._cooking: asyncio.Task[None] | None = None
        self._loading: set[asyncio.Task[None]] = set()
        self._news = asyncio.Event()

    def ask(self, rules: str, player: str, soon: bool = True) -> bool:
        """Whether all is in the cache; if not, it comes next, or where it need not be soon, last."""
        dish = (rules, player)
        if dish not in self.compiled or (soon and dish in self._wanted):
            self._wanted = [one for one in self._wanted if one != dish]
            self._wanted.insert(0 if soon else len(self._wanted), dish)
            self.compiled[dish] = False
            if self._cooking is None or self._cooking.done():
                self._cooking = asyncio.create_task(self._run(), name="kitchen")
        return self.compiled[dish]

    async def wait(self, seconds: float, until: Callable[[], bool]) -> None:
        """Waits for something to be ready, but not for long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not until():
                    await self._news.wait()

    async def _run(self) -> None:
        while self._wanted:
            dish, begun = self._wanted.pop(0), time.monotonic()
            if not await self._done(self._cook, dish):
                del self.compiled[dish]  # whoever asks again has it tried again
                continue
            self.compiled[dish] = True
            if time.monotonic() - begun > SILENT:
                print(f"hedgerow: the machine is ready for {dish[0]}", file=sys.stderr, flush=True)
            for thinker in self.thinkers:
                task = asyncio.create_task(self._load(thinker, dish), name="load")
                self._loading.add(task)
                task.add_done_callback(self._loading.discard)
        self._cook.stop()

    async def _load(self, thinker: Process, dish: tuple[str, str]) -> None:
        if await self._done(thinker, dish):
            thinker.ready.add(dish)
        self._news.set()
        self._news = asyncio.Event()

    async def _done(self, process: Process, dish: tuple[str, str]) -> bool:
        """Whether a process could get that ready."""
        try:
            await process.do(get_ready, *dish)
        except Exception:
            log.exception("the kernels of %s could not be prepared", dish[0])
            return False
        return True

    def stop(self) -> None:
        """Closes it."""
        for task in (self._cooking, *self._loading):
            if task:
                task.cancel()
        self._cook.stop()


class Thinkers:
    """All processes that think; `boards` are got ready before anybody plays on them, in their order."""

    def __init__(self, processes: int, boards: Iterable[str] = ()) -> None:
        self.boards = [make(board).name for board in boards]
        self.able = [Process(NICE) for _ in range(processes)]
        self.plain = Process(0)
        self.kitchen = Kitchen(self.able)

    def start(self) -> None:
        """Starts the processes: first the one that can answer at once."""
        for process in (self.plain, *self.able):
            process.started()
        for rules, player in self._menu():
            self.kitchen.ask(rules, player, soon=False)

    def _menu(self) -> Iterator[tuple[str, str]]:
        for player in (GENTLE, ANALYSIS):
            for rules in self.boards:
                yield rules, player

    async def thought(self, record: str, player: str) -> str:
        """The turn of a player, or of the plain one where the other is not ready in time."""
        rules = make(read_record(record).tags["Game"]).name
        self.kitchen.ask(rules, GENTLE)
        if player != GENTLE:
            await self.kitchen.wait(PATIENCE, lambda: self._free(rules) is not None)
        if free := self._free(rules):
            try:
                return await free.do(think, record, player)
            except Exception:
                log.exception("the machine could not think about %s; the plain player stands in", rules)
        return await self.plain.do(think_plainly, record)

    def _free(self, rules: str) -> Process | None:
        """Somebody who can think about these rules and has nothing else to do."""
        able = (one for one in self.able if (rules, GENTLE) in one.ready and not one.doing)
        return next(able, None)

    def ready(self, rules: str, player: str = ANALYSIS) -> bool:
        """Whether a player's kernels are in the cache, where a process finds them in a moment; else they come next."""
        return self.kitchen.ask(make(rules).name, player)

    def stop(self) -> None:
        """Ends all of them."""
        self.kitchen.stop()
        for process in (self.plain, *self.able):
            process.stop()
