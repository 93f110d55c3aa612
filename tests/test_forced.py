"""Forced wins are found and forced losses avoided, in every game and with every number of players.

The positions come from random games near their end; what is forced there is found by looking at everything with the
plain rules, so the judge knows nothing of the search.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

import hedgerow as hg
from hedgerow.search.levels import knobs_for
from hedgerow.search.uct import Search

GAMES = (
    "hexbo(side=5)",
    "hexbo(side=5,players=3)",
    "hexbo(side=5,players=6)",
    "tanbo(size=9)",
    "root_bound(side=3)",
    "rootbound(side=3)",
    "root_down",
    "root_and_thorn",
)
MOST = 200
"""Positions that the judge looks at before it gives a position up."""


class TooMuch(Exception):
    """The judge has looked at enough."""


def winners(rules: Any, position: Any, seen: list[int]) -> frozenset[int]:
    """Who can win if everybody plays for their own win: every seat that some best play lets win; -1 for nobody."""
    seen[0] += 1
    if seen[0] > MOST:
        raise TooMuch
    if outcome := rules.outcome(position):
        return frozenset(outcome.winners or (-1,))
    found = [winners(rules, rules.play(position, action), seen) for action in rules.legal(position)]
    mine = frozenset((position.to_move,))
    return mine if mine in found else frozenset().union(*found)


def sharp(rules: Any, seed: int) -> Iterator[tuple[Any, set[int], set[int]]]:
    """Late positions where it matters what one plays: the actions that win by force, and those that lose by force."""
    chance, positions = random.Random(seed), [rules.start()]
    while not rules.outcome(positions[-1]):
        legal = rules.legal(positions[-1])
        positions.append(rules.play(positions[-1], chance.choice(legal[:-1] or legal)))
    for position in positions[-2:-9:-1]:
        mover, after = position.to_move, {a: rules.play(position, a) for a in rules.legal(position)}
        try:
            best = {action: winners(rules, child, [0]) for action, child in after.items()}
        except TooMuch:
            return
        winning = {action for action, seats in best.items() if seats == {mover}}
        losing = {action for action, seats in best.items() if mover not in seats and -1 not in seats}
        if len(winning) < len(after) and len(losing) < len(after) and (winning or losing):
            yield position, winning, losing


@pytest.mark.parametrize("name", GAMES)
def test_forced_wins_are_found_and_forced_losses_avoided(name: str) -> None:
    rules, found, avoided = hg.make(name), 0, 0
    for seed in range(60):
        for position, winning, losing in sharp(rules, seed):
            search = Search(rules, position, knobs_for(rules), seed=1, memory=32)
            search.run(iterations=3000)
            best = search.choices()[0]
            assert best.action not in losing, rules.write(position)
            if winning:
                assert best.action in winning, rules.write(position)
                assert best.proven == position.to_move
            found, avoided = found + bool(winning), avoided + bool(losing)
        if found >= 6 and avoided >= 6:
            return
    assert found and avoided
