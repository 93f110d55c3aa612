"""Alpha-beta: exact where it shortens nothing, as good as the solver near the end, one table for all its threads."""

from __future__ import annotations

import random
import threading
from typing import Any

import numpy as np
import pytest
from numba import njit

import hedgerow as hg
from hedgerow.game import Rules
from hedgerow.kernels.dispatch import evaluate
from hedgerow.search.alphabeta import WON, Limit, Look, look_ahead, table_for
from hedgerow.search.naming import player
from hedgerow.search.players import AlphaBetaPlayer

COMPILES_FOR = "root_down"


def test_alpha_beta_looks_deeper_with_more_plays() -> None:
    rules = hg.make("root_down")
    shallow, deep = (look_ahead(rules, rules.start(), plays=plays) for plays in (3000, 100_000))
    assert shallow.depth < deep.depth and deep == look_ahead(rules, rules.start(), plays=100_000)


def test_alpha_beta_finds_what_is_forced() -> None:
    """Late positions whose turns are one action or several: who wins by force."""
    chance, proven = random.Random(5), 0
    for name in ("rootbound(side=3)", "root_down"):
        rules = hg.make(name)
        for _ in range(4):
            position = late(rules, chance, 3)
            value = minimax(rules, position, 3, position.to_move)
            if abs(value) > WON // 2:
                found = look_ahead(rules, position, plays=100_000)
                assert abs(found.value) > WON // 2 and (found.value > 0) == (value > 0), name
                proven += 1
    assert proven > 2


def late(rules: Rules[Any], chance: random.Random, left: int) -> Any:
    """A position so many actions before the end of a random game, which is a little longer."""
    positions: list[Any] = []
    while len(positions) < left + 3:
        positions = [rules.start()]
        while not rules.outcome(positions[-1]):
            positions.append(rules.play(positions[-1], chance.choice(rules.legal(positions[-1]))))
    return positions[-left]


@pytest.mark.parametrize("name", ["root_down", "hexbo(side=5,players=3)", "hexbo(side=5,players=6)"])
def test_alpha_beta_is_exact_about_lines_that_it_does_not_shorten(name: str) -> None:
    """Two plies deep nothing is searched less deep: the value is that of looking at everything."""
    rules, chance = hg.make(name), random.Random(3)
    for _ in range(10):
        position = rules.start()
        for _ in range(chance.randrange(4, 12)):
            position = rules.play(position, chance.choice(rules.legal(position)))
            if rules.outcome(position):
                break
        else:
            look = Look(rules, position, rules.legal(position), table_for(1000), 0, Limit(None, 10**9))
            assert look._deepen(1) and look._deepen(2)
            assert look.found.value == minimax(rules, position, 2, position.to_move)


def minimax(rules: Rules[Any], position: Any, depth: int, seat: int, ply: int = 0) -> int:
    """The value for a seat of looking at everything, until nothing can be better; the others are against it."""
    if outcome := rules.outcome(position):
        return (WON - ply) * (1 if outcome.winners == (seat,) else -1) if outcome.winners else 0
    if depth == 0:
        values = np.zeros(rules.players, np.int32)
        judge(rules.fast.boards, rules.fast.pack(position), values)
        mine, *others = np.roll(values, -seat).tolist()
        return int(mine - sum(others) // len(others))
    better, soonest = (max, WON - ply - 1) if position.to_move == seat else (min, ply + 1 - WON)
    best = -soonest
    for action in rules.legal(position):
        best = better(best, minimax(rules, rules.play(position, action), depth - 1, seat, ply + 1))
        if best == soonest:
            break
    return best


@njit
def judge(boards: Any, states: Any, values: Any) -> None:
    evaluate(boards[0], states[0], values)


def test_threads_of_alpha_beta_share_a_table_and_find_the_same_wins() -> None:
    rules, chance = hg.make("root_down"), random.Random(1)
    positions = [rules.start()]
    while not rules.outcome(positions[-1]):
        positions.append(rules.play(positions[-1], chance.choice(rules.legal(positions[-1]))))
    one, two = (look_ahead(rules, positions[-3], plays=20_000, threads=threads) for threads in (1, 2))
    assert (abs(one.value) > WON // 2) == (abs(two.value) > WON // 2)
    begun = threading.active_count()
    look_ahead(rules, rules.start(), seconds=0.05, threads=3)
    assert threading.active_count() == begun


def test_alpha_beta_remembers_from_turn_to_turn_and_gives_memory_back() -> None:
    chooser, match = player("alphabeta(seconds=0.02,memory=1)"), hg.Match("root_down")
    match.play(chooser.choose(match))
    assert isinstance(chooser, AlphaBetaPlayer)
    first = chooser.table
    assert first is not None and first.any()
    match.play(chooser.choose(match))
    assert chooser.table is first
    assert chooser.shrink() == 0 and chooser.table is None
    assert chooser.choose(match) in match.legal()


@pytest.mark.parametrize("name", ["hexbo(side=5,players=3)", "hexbo(side=5,players=6)"])
def test_alpha_beta_plays_against_several(name: str) -> None:
    """One seat after the other; everybody else plays at random and is outlived."""
    for seat in range(0, hg.make(name).players, 2):
        match, chance = hg.Match(name), random.Random(seat)
        chooser = player(f"alphabeta(plays=2000,seed={seat})")
        while not match.outcome:
            match.play(chooser.choose(match) if match.to_move == seat else chance.choice(match.legal()))
        assert match.outcome.winners == (seat,)
