"""The solver: as plain minimax says on tiny late positions; what it proves, the search finds."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import hedgerow as hg
from hedgerow.search.levels import knobs_for
from hedgerow.search.solve import Solver, solve
from hedgerow.search.uct import Search

TWO_PLAYERS = (
    "hexbo(side=5)",
    "tanbo(size=9)",
    "root_bound(side=3)",
    "root_bound(side=3,tie_pass=final)",
    "rootbound(side=3)",
    "root_down",
    "root_and_thorn",
)


class TooManyPositions(Exception):
    pass


def brute(rules: Any, position: Any, by_score: bool, known: dict[Any, int]) -> int:
    """Plain minimax: 1, 0 or -1 as seat 0 wins, draws or loses, by score with twice the margin more."""
    if position not in known:
        if len(known) > 1500:
            raise TooManyPositions
        if outcome := rules.outcome(position):
            scores = outcome.scores if by_score and outcome.scores else (0, 0)
            value = 2 * (scores[0] - scores[1]) + (1 - 2 * outcome.winners[0] if outcome.winners else 0)
        else:
            known[position] = 0  # counts it; no position comes back below itself
            children = [rules.play(position, action) for action in rules.legal(position)]
            values = [brute(rules, child, by_score, known) for child in children]
            value = max(values) if position.to_move == 0 else min(values)
        known[position] = value
    return known[position]


def value_of(rules: Any, position: Any, by_score: bool) -> int | None:
    """What plain minimax says, None where that would take too long."""
    try:
        return brute(rules, position, by_score, {})
    except TooManyPositions:
        return None


def late(rules: Any, seed: int) -> list[Any]:
    """The positions of a random game, the last before its end first."""
    chance, position, passed = random.Random(seed), rules.start(), []
    while legal := rules.legal(position):
        passed.append(position)
        position = rules.play(position, chance.choice(legal[:-1] or legal))
    return passed[::-1]


def tiny(rules: Any, games: int) -> Iterator[Any]:
    """Late positions that are tiny enough for plain minimax."""
    for seed in range(games):
        for position in late(rules, seed)[:12]:
            if value_of(rules, position, False) is None:
                break
            yield position


@pytest.mark.parametrize("by_score", [False, True])
@pytest.mark.parametrize("name", TWO_PLAYERS)
def test_it_agrees_with_plain_minimax(name: str, by_score: bool) -> None:
    rules = hg.make(name)
    solver, found = Solver(rules, by_score=by_score, deepening=True, memory=8), set()
    for position in tiny(rules, 4):
        value = value_of(rules, position, by_score)
        assert solver.value(position) == value, rules.write(position)
        match = hg.Match(rules, position=rules.write(position))
        match.play(solver.turn(position, value))
        assert value_of(rules, match.plain, by_score) == value
        found.add(value)
    assert len(found) > 1


@pytest.mark.parametrize("name", ["root_bound(side=3)", "rootbound(side=3)"])
def test_symmetric_positions_agree_too(name: str) -> None:
    rules, chance, solved = hg.make(name), random.Random(4), 0
    size = len(rules.board)
    solver = Solver(rules, memory=8)
    for _ in range(150):
        half = [chance.choice((0, 1, 2)) for _ in range(size)]
        board = bytes(half[min(point, size - 1 - point)] for point in range(size))  # the same turned half round
        try:
            position = rules.revive(board, 0, {})
        except hg.BadRecord:
            continue
        value = value_of(rules, position, False)
        if value is not None and not rules.outcome(position):
            assert any(rules.turned(position, s) == position for s in rules.symmetries[1:])
            assert solver.value(position) == value, rules.write(position)
            solved += 1
    assert solved > 3


@pytest.mark.parametrize("name", TWO_PLAYERS)
def test_the_search_finds_what_is_proved(name: str) -> None:
    """Where some actions win and some do not, a few thousand iterations choose one that wins."""
    rules = hg.make(name)
    solver, tried = Solver(rules, deepening=True, memory=8), 0
    for position in tiny(rules, 8):
        mover = position.to_move
        wins = {a: solver.solve(rules.play(position, a)).winner == mover for a in rules.legal(position)}
        if len(set(wins.values())) == 2:
            search = Search(rules, position, knobs_for(rules), memory=16)
            search.run(iterations=4000)
            assert wins[search.choices()[0].action], rules.write(position)
            tried += 1
    assert tried


def test_it_stops() -> None:
    stop = threading.Event()
    stop.set()
    assert solve(hg.make("rootbound(side=4)"), seconds=0.0, memory=1) is None
    assert solve(hg.make("rootbound(side=4)"), stop=stop, memory=1) is None


def test_a_finished_game_has_no_turn() -> None:
    match = hg.Match("root_and_thorn")
    match.play("Me3 Me8 pass pass")
    found = solve(match, by_score=True, memory=1)
    assert found and (found.winner, found.margin, found.turn) == (-1, 0, "")


def test_only_two_players_have_a_value() -> None:
    with pytest.raises(hg.HedgerowError, match="two players"):
        solve(hg.make("hexbo(side=5,players=3)"))
