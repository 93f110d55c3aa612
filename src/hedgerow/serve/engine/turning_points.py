"""How a game went: every seat's chance after every turn, and the turns at which somebody gave most of theirs away.

The game's page and the analysis page both tell what this finds, by the same search of the same positions:

async with contextlib.aclosing(chances(analyst, rules, moments, account, address)) as each:
    went = balanced([chance async for chance in each])
turning_points(went), worst(went, seat=0)
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from hedgerow.game import Outcome, Rules
from hedgerow.game.rules import P
from hedgerow.serve.engine.analyst import Analyst, Asked
from hedgerow.serve.play.moments import Moment

ITERATIONS = 8000
"""How many iterations every position is searched for: about a tenth of a second."""
LEAST_FALL = 0.12
"""A smaller fall of a chance is no turning point; it may be the search's error."""
MOST_POINTS = 3
"""How many turning points are told; every seat's worst is among them."""
FEWEST_TURNS = 6
"""In fewer turns that were open it cannot be seen what a turn usually costs."""
DECIDED = 0.02
"""Nearer than this to 0 or 1, a chance is as good as decided."""


@dataclass(frozen=True)
class Chance:
    """Each seat's chance after so many turns."""

    turn: int
    values: tuple[float, ...]
    """Each seat's chance to win; a draw is an equal share."""
    best: str | None
    """The turn that the engine likes best; None when the game is over."""
    played: str | None
    """The turn that was played."""
    to_move: int


@dataclass(frozen=True)
class TurningPoint:
    """A turn that gave much away."""

    turn: int
    """How many turns were played before it: the position to try again from."""
    seat: int
    played: str
    better: str
    before: float
    """The seat's chance before it, 0 to 1."""
    after: float
    fall: float
    """By how much it fell."""


async def chances(
    analyst: Analyst,
    rules: Rules[P],
    moments: Sequence[Moment],
    account: int | None,
    address: str,
) -> AsyncGenerator[Chance]:
    """Every position of a game from its first to its last, a moment each; account and address are who asks."""
    for moment in moments:
        if moment.outcome:
            values, best = shares(moment.outcome, rules.players), None
        else:
            asked = Asked(rules.name, moment.position, 1, account, address)
            found = await analyst.evaluate(asked, ITERATIONS)
            values, best = found.values, found.best
        yield Chance(moment.turn, values, best, moment.played, moment.to_move)


def shares(outcome: Outcome, players: int) -> tuple[float, ...]:
    """What everybody got in the end.

    >>> shares(Outcome("a draw", None, (), (1, 1)), 2)
    (0.5, 0.5)
    """
    winners = outcome.winners or range(players)
    return tuple(1 / len(winners) if seat in winners else 0.0 for seat in range(players))


def balanced(found: Sequence[Chance]) -> list[Chance]:
    """The same without what being to move seems to be worth: in random games it is more than it is in good ones.

    Everybody's odds fall by a usual factor when they have moved; its root is taken from whoever is to move.

    >>> went = [Chance(n, (0.6, 0.4) if n % 2 == 0 else (0.4, 0.6), "A1", "A1", n % 2) for n in range(8)]
    >>> [round(chance.values[0], 2) for chance in balanced(went)]
    [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    """
    costs = [
        _odds(before.values[before.to_move]) / _odds(after.values[before.to_move])
        for before, after in pairwise(found)
        if after.best and all(DECIDED < chance.values[before.to_move] < 1 - DECIDED for chance in (before, after))
    ]
    usual = median(costs) ** 0.5 if len(costs) >= FEWEST_TURNS else 1.0
    return [_handicapped(chance, usual) for chance in found]


def _odds(chance: float) -> float:
    return chance / (1 - chance)


def _handicapped(chance: Chance, factor: float) -> Chance:
    """With the odds of whoever is to move divided; the others share what that leaves as they shared before."""
    had = chance.values[chance.to_move]
    if chance.best is None or not 0 < had < 1:  # what has happened is no chance
        return chance
    odds = _odds(had) / factor
    has = odds / (1 + odds)
    shared = (has if seat == chance.to_move else v * (1 - has) / (1 - had) for seat, v in enumerate(chance.values))
    return replace(chance, values=tuple(shared))


def turning_points(found: Sequence[Chance]) -> list[TurningPoint]:
    """The turns that gave most away, the worst first, and every seat's worst; none where nobody gave much.

    >>> went = [Chance(0, (0.6, 0.4), "B3", "A1", 0), Chance(1, (0.3, 0.7), "C4", None, 1)]
    >>> turning_points(went)
    [TurningPoint(turn=0, seat=0, played='A1', better='B3', before=0.6, after=0.3, fall=0.3)]
    """
    falls = sorted(_falls(found), key=lambda point: -point.fall)
    firsts = {point.seat: point for point in reversed(falls)}
    others = [point for point in falls if point is not firsts[point.seat]]
    told = [*firsts.values(), *others[: max(0, MOST_POINTS - len(firsts))]]
    return sorted(told, key=lambda point: -point.fall)


def worst(found: Sequence[Chance], seat: int) -> TurningPoint | None:
    """The turn that cost a seat most, if one cost much.

    >>> worst([Chance(0, (0.6, 0.4), "B3", "A1", 0), Chance(1, (0.3, 0.7), "C4", None, 1)], seat=1)
    """
    return next((point for point in turning_points(found) if point.seat == seat), None)


def _falls(found: Sequence[Chance]) -> Iterator[TurningPoint]:
    """Every turn that gave much away, where the engine would have played another."""
    for before, after in pairwise(found):
        seat = before.to_move
        had, has = before.values[seat], after.values[seat]
        fall = round(had - has, 4)
        if fall >= LEAST_FALL and before.played and before.best and before.best != before.played:
            yield TurningPoint(before.turn, seat, before.played, before.best, had, has, fall)
