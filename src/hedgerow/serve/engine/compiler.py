"""The kernel compiler: one process compiles, board after board, and every engine process then loads from the cache."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from hedgerow.games import make
from hedgerow.serve.processes import Process

log = logging.getLogger("hedgerow.engines")

COMPILER_NICE = 5
"""The nice value of the process that compiles: above the engines', because people wait for what it makes."""
QUIET_SECONDS = 2.0
"""Compiling that takes longer than this is announced on stderr."""
PAUSE_SECONDS = 0.02
"""How long an engine process rests between two loads, so that a turn which waits comes first."""
MOST_FAILURES = 3
"""How often a target is tried that cannot be compiled."""
ANALYSIS = "uct"
"""The player whose kernels an analysis needs."""


class Target(NamedTuple):
    """What is compiled: the kernels that a player needs for some rules."""

    rules: str
    player: str


def prepare_kernels(rules: str, player: str) -> None:
    """Compiles a target's kernels, or loads them from the cache; runs in a process of its own."""
    from hedgerow.search.analysis import analyse
    from hedgerow.search.ready import prepare

    made = make(rules)
    prepare(made, player)
    if player == ANALYSIS and not made.outcome(made.start()):
        analyse(made, iterations=8)


class KernelCompiler:
    """Compiles targets one after the other in one process, then has every engine process load them."""

    def __init__(self, engines: list[Process]) -> None:
        self.engines = engines
        self.compiled: dict[Target, bool] = {}
        """Every target that was asked for, and whether its kernels are in the cache."""
        self._process = Process(COMPILER_NICE)
        self._queue: list[Target] = []
        self._failures: Counter[Target] = Counter()
        self._compiling: asyncio.Task[None] | None = None
        self._loading: set[asyncio.Task[None]] = set()
        self._locks = {id(engine): asyncio.Lock() for engine in engines}
        self._changed = asyncio.Event()

    def ask(self, rules: str, player: str, soon: bool = True) -> bool:
        """Whether a target is in the cache; if not, it is compiled next, or last where it need not be `soon`."""
        target = Target(rules, player)
        if self._failures[target] >= MOST_FAILURES:
            return False
        if target not in self.compiled or (soon and target in self._queue):
            self._queue = [other for other in self._queue if other != target]
            self._queue.insert(0 if soon else len(self._queue), target)
            self.compiled[target] = False
            if self._compiling is None or self._compiling.done():
                self._compiling = asyncio.create_task(self._compile_all(), name="kernel compiler")
        return self.compiled[target]

    async def wait(self, seconds: float, until: Callable[[], bool]) -> None:
        """Waits for a condition on the engine processes, which is looked at whenever one changes; not for longer."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not until():
                    await self._changed.wait()

    def changed(self) -> None:
        """An engine process has loaded kernels or is free again: whoever waits looks anew."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def _compile_all(self) -> None:
        while self._queue:
            target, begun = self._queue.pop(0), time.monotonic()
            if not await self._prepared(self._process, target):
                self._failures[target] += 1
                del self.compiled[target]  # whoever asks again has it tried again
                continue
            self.compiled[target] = True
            if time.monotonic() - begun > QUIET_SECONDS:
                print(f"hedgerow: the machine is ready for {target.rules}", file=sys.stderr, flush=True)
            for engine in self.engines:
                task = asyncio.create_task(self._load(engine, target), name="load kernels")
                self._loading.add(task)
                task.add_done_callback(self._loading.discard)
        self._process.stop()

    async def _load(self, engine: Process, target: Target) -> None:
        """Loads a target in an engine process, one at a time, so that turns can be thought about in between."""
        async with self._locks[id(engine)]:
            if await self._prepared(engine, target):
                engine.ready.add(target)
            self.changed()
            await asyncio.sleep(PAUSE_SECONDS)

    async def _prepared(self, process: Process, target: Target) -> bool:
        """Whether a process could compile or load a target."""
        try:
            await process.do(prepare_kernels, *target)
        except Exception:
            log.exception("the kernels of %s for %s could not be prepared", target.rules, target.player)
            return False
        return True

    def stop(self) -> None:
        """Ends the process that compiles."""
        for task in (self._compiling, *self._loading):
            if task:
                task.cancel()
        self._process.stop()
