"""Players against players: seats rotated, openings shared, several processes, and what the results are worth.

>>> result = arena("root_down", ["random", "random(seed=1)"], games=4, seed=1)
>>> result.games, result.tallies[0, 1].games
(4, 4)
"""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, count, islice, takewhile
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

from hedgerow.game import BadOption, Rules
from hedgerow.match import Match
from hedgerow.search.bout import Bout, Played, one_line, play_bout, replayed
from hedgerow.search.odds import Sprt, Tally
from hedgerow.search.openings import Openings, book_openings, random_openings
from hedgerow.search.ready import prepare, settled
from hedgerow.search.timing import WALL, counted, one_thread_counts

# --- who sits where ---------------------------------------------------------------------------------------------------


def line_ups(players: int, seats: int) -> list[tuple[int, ...]]:
    """Every choice of who plays together; with more seats than players, everybody sits down as often as can be.

    >>> line_ups(3, 2), line_ups(2, 3)
    ([(0, 1), (0, 2), (1, 2)], [(0, 1, 0), (0, 1, 1)])
    """
    everybody = tuple(range(players)) * (seats // players)
    return [everybody + more for more in combinations(range(players), seats % players)]


def rotations(line_up: Sequence[int], chance: random.Random) -> list[tuple[int, ...]]:
    """A random order of the players, then the same order moved on seat by seat: everybody sits everywhere once."""
    order = tuple(chance.sample(line_up, len(line_up)))
    return [order[step:] + order[:step] for step in range(len(order))]


def bouts(
    rules: Rules[Any],
    names: Sequence[str],
    rounds: int,
    openings: Openings,
    seed: int,
    resign: bool = False,
    clock: str = WALL,
) -> Iterator[Bout]:
    """The games of an arena: in each round, one opening for every rotation of every line-up."""
    number = 0
    for opening in map(openings, range(rounds)):
        for line_up in line_ups(len(names), rules.players):
            for seating in rotations(line_up, random.Random(f"seating {seed} {number}")):
                number += 1
                chance = random.Random(f"players {seed} {number}")
                seeds = tuple(chance.getrandbits(31) for _ in seating)
                seated = tuple(names[one] for one in seating)
                yield Bout(number, rules.name, seating, seated, seeds, opening, resign, clock)


# --- many games -------------------------------------------------------------------------------------------------------


@dataclass
class Result:
    """What an arena has found out, so far or in the end."""

    game: str
    players: tuple[str, ...]
    planned: int
    sprt: Sprt | None = None
    games: int = 0
    tallies: dict[tuple[int, int], Tally] = field(default_factory=dict)
    """The first player against the second, by their numbers; with more than two seats, by their places."""
    seconds: list[float] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    """How long each player thought, for how many turns."""
    faults: list[tuple[int, int, str]] = field(default_factory=list)
    """(number of the game, player, what went wrong)."""
    stopped: str = ""
    """Why it ended before all games were played: `sprt`, `interrupted`, or `a process died`."""

    def __post_init__(self) -> None:
        self.tallies = {pair: Tally() for pair in combinations(range(len(self.players)), 2)}
        self.seconds, self.turns = [0.0] * len(self.players), [0] * len(self.players)

    def add(self, played: Played) -> None:
        """Counts one more game."""
        self.games += 1
        seating = played.bout.seating
        for (one, place), (other, behind) in combinations(zip(seating, played.places), 2):
            tally = Tally(place < behind, place == behind, place > behind)
            if one != other:
                pair = (one, other) if one < other else (other, one)
                self.tallies[pair] += tally if one < other else tally.reversed
        for one, spent, turns in zip(seating, played.seconds, played.turns):
            self.seconds[one] += spent
            self.turns[one] += turns
        self.faults += [(played.bout.number, seating[seat], text) for seat, text in played.faults.items()]

    def total(self, one: int) -> Tally:
        """All that a player scored, against everybody."""
        seen = (t if pair[0] == one else t.reversed for pair, t in self.tallies.items() if one in pair)
        return sum(seen, Tally())

    @property
    def verdict(self) -> str:
        """What the sequential test says: `elo0`, `elo1`, or nothing yet."""
        return self.sprt.verdict(self.tallies[0, 1]) if self.sprt else ""

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        names = self.players
        return {
            "game": self.game,
            "games": self.games,
            "planned": self.planned,
            "stopped": self.stopped,
            "players": [
                {"name": name, "seconds_per_turn": self.seconds[one] / max(1, self.turns[one])}
                | {"errors": sum(fault[1] == one for fault in self.faults)}
                | self.total(one).as_dict()
                for one, name in enumerate(names)
            ],
            "pairs": [{"players": [names[a], names[b]]} | tally.as_dict() for (a, b), tally in self.tallies.items()],
            "sprt": self.sprt and self.sprt.as_dict(self.tallies[0, 1]),
            "errors": [{"game": number, "player": names[one], "error": text} for number, one, text in self.faults],
        }


def arena(
    game: str,
    players: Sequence[str],
    *,
    games: int = 100,
    openings: int = 2,
    book: Path | None = None,
    processes: int = 1,
    seed: int = 0,
    resign: bool = False,
    clock: str = WALL,
    sprt: Sprt | None = None,
    records: Path | None = None,
    resume: bool = False,
    progress: Callable[[Result], None] | None = None,
) -> Result:
    """Lets players, given by name, play `games` games in every line-up (rounded up, so that all sit everywhere).

    Every rotation of a line-up begins with the same opening: so many random plies, or the next of a book. Players
    without a seed in their names get one of their own for each game. The games are the same for the same seed on any
    number of processes, unless players think by the clock. That is the one on the wall, or with "cpu" the processor
    time of the thread that thinks. With `resign` hopeless games for two are given up early. `progress` is called after
    each game; Ctrl-C ends it with what there is. `records` is a folder for the games as text; with `resume` the match
    goes on after those that are there.
    """
    rules, players = Match(game).rules, [one_line(name) for name in players]
    _check(rules, players, games, openings, processes, sprt)
    with counted(clock):
        for name in players:
            one_thread_counts(getattr(settled(rules, name), "threads", 1))
    source = book_openings(rules, book) if book else random_openings(rules, openings, seed)
    rounds = -(-games // rules.players)
    planned = rounds * rules.players * len(line_ups(len(players), rules.players))
    result = Result(rules.name, told_apart(players), planned, sprt)
    folder = _folder(records, resume)
    todo = bouts(rules, players, rounds, source, seed, resign, clock)
    for path, bout in zip(_kept(folder) if folder and resume else (), todo):
        result.add(replayed(bout, path.read_text(encoding="utf-8")))
    if result.games == planned or result.verdict:
        return result
    stream = _in_processes(todo, rules.name, players, processes) if processes > 1 else _here(todo, rules, players)
    try:
        with closing(stream):
            _collect(stream, result, rules.players, folder, progress)
    except KeyboardInterrupt:
        result.stopped = "interrupted"
    except BrokenProcessPool:
        result.stopped = "a process died"
    return result


def _check(
    rules: Rules[Any], players: Sequence[str], games: int, openings: int, processes: int, sprt: Sprt | None
) -> None:
    """Refuses at once what could not be played."""
    if len(players) < 2:
        raise BadOption(f"{len(players)} players; hint: at least two, like random 'uct(iterations=100)'")
    if games < 1 or openings < 0 or processes < 1:
        raise BadOption(
            f"cannot play {games} games after {openings} plies in {processes} processes; hint: at least 1, 0 and 1"
        )
    if sprt and (len(players) > 2 or rules.players > 2):
        raise BadOption("the sequential test is for two players in a game for two; hint: leave it out")
    for name in players:
        settled(rules, name)


def told_apart(names: Sequence[str]) -> tuple[str, ...]:
    """The names, with a number behind one that was there before.

    >>> told_apart(["random", "uct", "random"])
    ('random', 'uct', 'random #2')
    """
    before = [names[:index].count(name) for index, name in enumerate(names)]
    return tuple(f"{name} #{count + 1}" if count else name for name, count in zip(names, before))


def _folder(folder: Path | None, resume: bool) -> Path | None:
    """Makes the folder for records; old records are not mixed with new ones, unless the match goes on."""
    if folder is None:
        if resume:
            raise BadOption("there is nothing to go on from; hint: --records FOLDER")
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        used = any(folder.iterdir())
    except OSError as error:
        raise BadOption(f"cannot keep records in {str(folder)!r}; hint: give a folder that can be written") from error
    if used and not resume:
        raise BadOption(f"there is something in {str(folder)!r} already; hint: --resume, or a new folder")
    return folder


def _record(folder: Path, number: int) -> Path:
    return folder / f"{number:05}.txt"


def _kept(folder: Path) -> Iterator[Path]:
    """The records of the first games, as far as there are any."""
    return takewhile(Path.exists, map(partial(_record, folder), count(1)))


def _collect(
    stream: Iterable[Played | None],
    result: Result,
    seats: int,
    folder: Path | None,
    progress: Callable[[Result], None] | None,
) -> None:
    """Counts games as they come, until all are played or the test has decided between two whole rotations."""
    for played in stream:
        if played is None:
            return
        result.add(played)
        if folder:
            written = folder / "new"
            written.write_text(played.record, encoding="utf-8")
            written.replace(_record(folder, played.bout.number))  # a kill leaves no half of one
        if progress:
            progress(result)
        if result.games % seats == 0 and result.verdict:
            result.stopped = "sprt" if result.games < result.planned else ""
            return


def _here(todo: Iterator[Bout], rules: Rules[Any], players: Sequence[str]) -> Generator[Played | None, None, None]:
    """Plays in this process."""
    for name in players:
        prepare(rules, name)
    for bout in todo:
        yield play_bout(bout)


# --- several processes ------------------------------------------------------------------------------------------------

AHEAD = 4
"""How many games wait for each process, so that none runs dry while the oldest is awaited."""


def _in_processes(
    todo: Iterator[Bout], game: str, players: Sequence[str], processes: int
) -> Generator[Played | None, None, None]:
    """Plays in several fresh processes; the games come back in their order."""
    context = get_context("spawn")
    stop = context.Event()
    pool = ProcessPoolExecutor(processes, context, _begin_worker, (stop,))
    try:
        with _deaf_children():
            ready = pool.submit(_prepare_worker, game, tuple(players))
        ready.result()  # one compiles, the others find it in the cache
        with _deaf_children():
            waiting = deque(pool.submit(_play_in_worker, bout) for bout in islice(todo, AHEAD * processes))
        while waiting:
            yield waiting.popleft().result()
            with _deaf_children():
                waiting.extend(pool.submit(_play_in_worker, bout) for bout in islice(todo, 1))
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes started here never hear Ctrl-C, not even while they load; this one hears it a moment later."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_stop: Event | None = None


def _begin_worker(stop: Event) -> None:
    """Ctrl-C is for the process that collects; it tells the workers by `stop`."""
    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if parent := parent_process():
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    """A worker whose parent was killed has nobody to play for."""
    parent.join()
    os._exit(1)


def _prepare_worker(game: str, players: tuple[str, ...]) -> None:
    rules = Match(game).rules
    for name in players:
        prepare(rules, name)


def _play_in_worker(bout: Bout) -> Played | None:
    assert _stop is not None
    return play_bout(bout, _stop.is_set)
