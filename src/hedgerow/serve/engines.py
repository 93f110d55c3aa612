"""The machine opponents think in processes of their own, below everything else in priority.

Which turns they owe is in the database, so a restart loses nothing; a turn thought out twice is played once, because
its number is given once. Until a game's kernels are compiled, the plain player answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import os
import queue
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING

from hedgerow.games import games as game_names
from hedgerow.games import make
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import queries
from hedgerow.serve.turnstile import Turnstile

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

    from hedgerow.serve.games import Games
    from hedgerow.serve.live import LiveGame

log = logging.getLogger("hedgerow.engines")

PLAIN_SECONDS = 0.3
"""How long the plain player thinks about a turn."""
NICE = 10


# --- inside a process that thinks -------------------------------------------------------------------------------------


class Kitchen:
    """Prepares the kernels of one game after another in a thread, those that are asked for first."""

    def __init__(self, names: list[str], talks: bool) -> None:
        self.ready: set[str] = set()
        self._talks = talks
        self._asked: set[str] = set(names)
        self._wanted: queue.PriorityQueue[tuple[int, str]] = queue.PriorityQueue()
        for order, name in enumerate(names):
            self._wanted.put((1 + order, name))
        threading.Thread(target=self._run, daemon=True).start()

    def ask(self, name: str) -> bool:
        """Whether the game is ready; if not, it comes next."""
        if name not in self.ready and name not in self._asked:
            self._asked.add(name)
            self._wanted.put((0, name))
        return name in self.ready

    def _run(self) -> None:
        from hedgerow.search.ready import prepare

        while True:
            _, name = self._wanted.get()
            prepare(make(name), "level(1)")
            self.ready.add(name)
            if self._talks:
                print(f"hedgerow: the machine is ready for {name}", file=sys.stderr, flush=True)


_kitchen: Kitchen | None = None


def start_thinking(started: Synchronized[int]) -> None:
    """Begins the life of a process: it gives way to those who serve people, and prepares every game.

    `started` counts the processes; the first one tells how far it is.
    """
    global _kitchen
    with contextlib.suppress(OSError):
        os.nice(NICE)
    end_with_the_server()
    with started.get_lock():
        started.value += 1
        first = started.value == 1
    _kitchen = Kitchen(list(game_names()), talks=first)


def end_with_the_server() -> None:
    """A process whose server was killed ends, too."""
    server = multiprocessing.parent_process()
    if server is None:
        return

    def wait() -> None:
        server.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def think(record: str, player: str) -> str:
    """The turn that a player of that name plays in the game that a record tells."""
    from hedgerow.match import read
    from hedgerow.search.players import player as player_of
    from hedgerow.search.ready import PlainPlayer

    match = read(record)
    ready = _kitchen is None or _kitchen.ask(match.rules.name)
    return (player_of(player) if ready else PlainPlayer(PLAIN_SECONDS)).choose(match)


# --- inside the server ------------------------------------------------------------------------------------------------


class Engines:
    """Sees to it that every machine's turn is thought about, and plays what comes of it."""

    def __init__(self, games: Games, processes: int) -> None:
        self.games = games
        self.played = 0
        self.processes = processes
        self._pool = self._new_pool()
        self._asked: dict[str, asyncio.Task[None]] = {}
        self.turnstile = Turnstile(processes)
        self.addresses: Callable[[int], str] = lambda account: ""
        """Where an account was last seen, for its address's budget."""
        games.after.append(self.consider)

    def _new_pool(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        started = (context.Value("i", 0),)
        return ProcessPoolExecutor(self.processes, mp_context=context, initializer=start_thinking, initargs=started)

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
        for _ in range(self.processes):
            self._pool.submit(os.getpid)

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
        while True:
            pool = self._pool
            try:
                return await asyncio.get_running_loop().run_in_executor(pool, think, record, player)
            except BrokenProcessPool:
                if self._pool is pool:
                    log.warning("a process that thinks died; another takes over")
                    self._pool = self._new_pool()

    async def stop(self) -> None:
        """Stops thinking; what is owed stays in the database."""
        for task in list(self._asked.values()):
            task.cancel()
        await asyncio.gather(*self._asked.values(), return_exceptions=True)
        processes = list((self._pool._processes or {}).values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
