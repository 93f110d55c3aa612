"""How a game's levels do against each other as a server plays them: in engine processes, seated and seeded by game.

Level k+1 plays level k; seats are rotated, and every opening, two random plies, is played from all of them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from hedgerow.games import make
from hedgerow.match import Match
from hedgerow.search.levels import ladder_for
from hedgerow.search.odds import Tally
from hedgerow.search.openings import random_openings
from hedgerow.serve.engine.pool import GENTLE, EnginePool

OPENING_PLIES = 2
LOADING_SECONDS = 600.0
"""How long the kernels may take to be compiled."""


class Pairing(NamedTuple):
    """One game to be played: its id, which gives the players their seeds, who sits where, and how it begins."""

    game: str
    seating: tuple[int, ...]
    """The level on every seat."""
    opening: str


def pairings(rules: str, level: int, games: int, seed: int) -> Iterator[Pairing]:
    """The games of a level against the one below, in rounds in which every seat is rotated once."""
    made = make(rules)
    openings = random_openings(made, OPENING_PLIES, seed)
    line_up = [level - number % 2 for number in range(made.players)]
    for number in range(games):
        whole, step = divmod(number, made.players)
        seating = tuple(line_up[step:] + line_up[:step])
        yield Pairing(f"bench {seed} {rules} {level} {number}", seating, openings(whole))


@asynccontextmanager
async def engine_pool(rules: str, processes: int) -> AsyncIterator[EnginePool]:
    """Engine processes that have loaded a game's kernels."""
    pool = EnginePool(processes)
    try:
        pool.compiled(rules, GENTLE)
        wanted = (make(rules).name, GENTLE)
        await pool.compiler.wait(LOADING_SECONDS, lambda: all(wanted in engine.ready for engine in pool.engines))
        yield pool
    finally:
        pool.stop()


async def play(pool: EnginePool, rules: str, pairing: Pairing) -> Tally:
    """Plays one game; what the higher level scored, by places where there are more than two seats."""
    match = Match(rules)
    if pairing.opening:
        match.play(pairing.opening)
    while not (outcome := match.outcome):
        match.play_turn(await pool.thought(pairing.game, match.record(), f"level({pairing.seating[match.to_move]})"))
    pool.let_go(pairing.game)
    higher, total = max(pairing.seating), Tally()
    for seat, place in enumerate(outcome.places):
        for other, behind in enumerate(outcome.places):
            if pairing.seating[seat] == higher != pairing.seating[other]:
                total += Tally(place < behind, place == behind, place > behind)
    return total


async def measure_level(pool: EnginePool, rules: str, todo: Iterator[Pairing], seconds: float) -> Tally:
    """What a level scores against the one below, as many games at a time as there are engines, within some seconds."""
    end = time.monotonic() + seconds

    async def play_some() -> Tally:
        score = Tally()
        for pairing in todo:
            score += await play(pool, rules, pairing)
            if time.monotonic() > end:
                break
        return score

    return sum(await asyncio.gather(*(play_some() for _ in pool.engines)), Tally())


async def measure_levels(
    rules: str, levels: Sequence[int], games: int, seconds: float, processes: int, seed: int
) -> list[dict[str, Any]]:
    """The same for several levels, one after the other."""
    found = []
    async with engine_pool(rules, processes) as pool:
        for level in levels:
            score = await measure_level(pool, rules, pairings(rules, level, games, seed), seconds)
            found.append({"level": level, "games": score.games} | score.as_dict())
    return found


def measure(
    game: str, first: int, last: int, games: int, seconds: float, processes: int, seed: int = 0
) -> dict[str, Any]:
    """The levels from `first` to `last`, of those that there are: at most so many games and seconds each."""
    rules = make(game)
    levels = range(max(2, first), min(last, len(ladder_for(rules))) + 1)
    found = asyncio.run(measure_levels(rules.name, levels, games, seconds, processes, seed))
    return {"game": rules.name, "levels": found}


def in_words(told: dict[str, Any]) -> str:
    """A line for every level.

    >>> one = {"level": 2, "games": 10} | Tally(8, 0, 2).as_dict()
    >>> print(in_words({"game": "hexbo", "levels": [one]}))
    hexbo, level 2 against level 1: 80 % of 10 games (49 to 94 %)
    """
    return "\n".join(
        f"{told['game']}, level {one['level']} against level {one['level'] - 1}: {one['rate']:.0%} of "
        f"{one['games']} games ({100 * one['rate_interval'][0]:.0f} to {one['rate_interval'][1]:.0%})".replace(
            "%", " %"
        )
        for one in told["levels"]
    )
