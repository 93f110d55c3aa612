"""Several processes serve at one port: a parent holds the socket, they share it, and one that dies is replaced.

They meet in PostgreSQL and Redis, so any of them can serve any game.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import signal
import socket
import time
from multiprocessing.connection import wait
from typing import TYPE_CHECKING

from hedgerow.game import HedgerowError
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import open_store
from hedgerow.serve.thinkers import end_with_the_server

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

log = logging.getLogger("hedgerow.workers")

SHORT = 5.0
"""A process that lives shorter than this, in seconds, did not really start."""
FAILURES = 5
"""After so many of those in a row there is no point in trying on."""


def run_workers(settings: Settings, listening: socket.socket) -> None:
    """Serves with several processes until it is told to stop."""
    asyncio.run(_brought_up_to_date(settings))
    for told in (signal.SIGTERM, signal.SIGINT):
        signal.signal(told, _stop)
    crew = Crew(settings, listening)
    try:
        crew.keep_going()
    except KeyboardInterrupt:
        pass
    finally:
        crew.stop()


async def _brought_up_to_date(settings: Settings) -> None:
    """What is wrong with the database is said once, before anybody starts."""
    await (await open_store(settings.data, settings.database)).close()


def _stop(*_: object) -> None:
    raise KeyboardInterrupt


class Crew:
    """The processes, each at its number."""

    def __init__(self, settings: Settings, listening: socket.socket) -> None:
        self.settings = settings
        self.listening = listening
        self.processes: list[SpawnProcess] = []
        self._failures = 0

    def _new(self) -> SpawnProcess:
        context = multiprocessing.get_context("spawn")
        process = context.Process(target=work, args=(self.settings, self.listening), name="hedgerow worker")
        process.start()
        return process

    def keep_going(self) -> None:
        """Starts them all, and another one for every one that dies."""
        self.processes = [self._new() for _ in range(self.settings.workers)]
        begun = [time.monotonic()] * len(self.processes)
        while True:
            wait([process.sentinel for process in self.processes])
            for number, process in enumerate(self.processes):
                if process.is_alive():
                    continue
                lived = time.monotonic() - begun[number]
                self._failures = self._failures + 1 if lived < SHORT else 0
                if self._failures >= FAILURES:
                    raise HedgerowError("the workers do not start; hint: what they said before this line")
                log.warning("a worker died after %.0f s; another takes over", lived)
                self.processes[number], begun[number] = self._new(), time.monotonic()

    def stop(self) -> None:
        """Lets everybody store what is waiting, and go."""
        for told in (signal.SIGTERM, signal.SIGINT):
            signal.signal(told, signal.SIG_IGN)
        for process in self.processes:
            process.terminate()
        end = time.monotonic() + 8
        for process in self.processes:
            process.join(max(0.1, end - time.monotonic()))
            if process.is_alive():
                process.kill()


def work(settings: Settings, listening: socket.socket) -> None:
    """The life of one of them; it ends with its parent."""
    from hedgerow.serve.run import loop_factory, serve, talk

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C reaches all; the parent says when to stop
    end_with_the_server()
    talk(settings.json_logs)
    with contextlib.suppress(KeyboardInterrupt), asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(serve(settings, listening))
