"""Several processes serve at one port: a parent holds the socket, they share it, and one that dies is replaced.

They meet in PostgreSQL and Redis, so any of them can serve any game.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import signal
import socket
import sys
import time
from multiprocessing.connection import wait
from typing import TYPE_CHECKING

from hedgerow.game import HedgerowError
from hedgerow.serve.files import keep_private
from hedgerow.serve.processes import end_with_the_server
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import open_store

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess
    from multiprocessing.synchronize import Event

log = logging.getLogger("hedgerow.workers")

FAILURES = 3
"""After so many processes in a row that did not get as far as serving there is no point in trying on."""
PAUSE = 0.5
"""Seconds before the next try after such a failure; twice as many after every further one."""


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
        self._serves: list[Event] = []
        """For each of them, whether it has come as far as serving."""
        self._failures = 0

    def _new(self) -> tuple[SpawnProcess, Event]:
        context = multiprocessing.get_context("spawn")
        serves = context.Event()
        process = context.Process(target=work, args=(self.settings, self.listening, serves), name="hedgerow worker")
        process.start()
        return process, serves

    def keep_going(self) -> None:
        """Starts them all, and another one for every one that dies."""
        for _ in range(self.settings.workers):
            process, serves = self._new()
            self.processes.append(process)
            self._serves.append(serves)
        while True:
            wait([process.sentinel for process in self.processes])
            for number, process in enumerate(self.processes):
                if not process.is_alive():
                    self._judge(self._serves[number].is_set())
                    self.processes[number], self._serves[number] = self._new()

    def _judge(self, served: bool) -> None:
        """A worker died; raises HedgerowError where others would, too."""
        self._failures = 0 if served else self._failures + 1
        if self._failures >= FAILURES:
            raise HedgerowError("the workers do not start; hint: what they said before this line")
        if self._failures:
            time.sleep(PAUSE * 2 ** (self._failures - 1))
        log.warning("a worker died; another takes over")

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


def work(settings: Settings, listening: socket.socket, serves: Event) -> None:
    """The life of one of them; it ends with its parent, and says in one line why it cannot start."""
    from hedgerow.serve.process.run import loop_factory, serve, talk

    keep_private()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C reaches all; the parent says when to stop
    end_with_the_server()
    talk(settings.json_logs)
    try:
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            runner.run(serve(settings, listening, serves.set))
    except KeyboardInterrupt:
        pass
    except HedgerowError as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        sys.exit(2)
