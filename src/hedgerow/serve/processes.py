"""Processes of our own for work that would hold up those who play."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import ParamSpec, TypeVar

log = logging.getLogger("hedgerow.processes")

Found = TypeVar("Found")
Params = ParamSpec("Params")

DEATHS = 3
"""How many processes may die over the same piece of work before it is given up."""


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


class Process:
    """A process of our own that does one thing after another; when it dies, another takes over."""

    def __init__(self, nice: int) -> None:
        self.nice = nice
        self.doing = 0
        """How many things it was asked to do and has not done."""
        self.ready: set[tuple[str, str]] = set()
        """The rules and players whose kernels it has loaded."""
        self._pool: ProcessPoolExecutor | None = None

    async def do(self, work: Callable[Params, Found], *arguments: Params.args, **named: Params.kwargs) -> Found:
        """What comes of it, by another process where this one dies; raises BrokenProcessPool after DEATHS of them."""
        for _ in range(DEATHS - 1):
            with contextlib.suppress(BrokenProcessPool):  # what it had loaded is loaded again as it is needed
                return await self.do_once(work, *arguments, **named)
        return await self.do_once(work, *arguments, **named)

    async def do_once(self, work: Callable[Params, Found], *arguments: Params.args, **named: Params.kwargs) -> Found:
        """The same, for what only the process as it is can do; raises BrokenProcessPool where it dies."""
        pool = self.started()
        self.doing += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, partial(work, *arguments, **named))
        except BrokenProcessPool:
            if self._pool is pool:
                log.warning("a process that thinks died; another takes over")
                self._pool = None
            raise
        finally:
            self.doing -= 1

    def leave_word(self, work: Callable[Params, object], *arguments: Params.args, **named: Params.kwargs) -> None:
        """Something to do that nobody waits for; nothing where there is no process to do it."""
        if self._pool is not None:
            with contextlib.suppress(RuntimeError):  # it has died, or is being stopped
                self._pool.submit(work, *arguments, **named)

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
