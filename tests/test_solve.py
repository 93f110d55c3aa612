"""The solver: it knows equal positions again, says what plain minimax says, and the search finds what it proves."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import chain, islice
from typing import Any

import pytest

import hedgerow as hg
from hedgerow.search.levels import knobs_for
from hedgerow.search.solve import Solver, Unfinished, solve
from hedgerow.search.uct import Search
from walks import walk

TWO_PLAYERS = (
    "tanbo(size=9)",
    "root_bound(side=3)",
    "root_bound(side=3,tie_pass=final)",
    "rootbound(side=3)",
    "root_down",
    "root_and_thorn",
)
EVERY_IDENTITY = (
    *TWO_PLAYERS,
    "hexbo(side=5,players=3)",
    "root_down(repetition=0)",
    "root_and_thorn(removed=discard)",
)


def ways(rules: Any, seed: int) -> Iterator[tuple[Any, Any]]:
    """Plain positions and records of them: from random games, packed, and by another order of the same actions."""
    fast, position, states, recent = rules.fast, rules.start(), rules.fast.new(), []
    for _, action in walk(rules, seed):
        yield position, states.copy()
        yield position, fast.pack(position)
        if action is None:
            return
        recent = [*recent[-2:], (position, states.copy(), action)]
        if len(recent) == 3:
            (before, rows, first), (_, _, second), (_, _, third) = recent
            yield from after(rules, before, rows, (third, second, first))
        position = rules.play(position, action)
        fast.play(states, [action])


def after(rules: Any, position: Any, states: Any, actions: tuple[int, ...]) -> Iterator[tuple[Any, Any]]:
    """The position after these actions, if they may be played in this order."""
    for action in actions:
        if action not in rules.legal(position):
            return
        position = rules.play(position, action)
        rules.fast.play(states, [action])
    yield position, states


def altered(rules: Any, seed: int) -> Iterator[tuple[Any, Any]]:
    """Positions of a random game with one thing but the board taken from another, and their records."""
    positions, chance = [position for position, _ in walk(rules, seed)], random.Random(seed)
    for position in positions:
        other = chance.choice(positions)
        for field in fields(position)[1:]:
            if field.name != "earlier":  # Root Down's past leads to its board
                changed = replace(position, **{field.name: getattr(other, field.name)})
                yield changed, rules.fast.pack(changed)


@pytest.mark.parametrize("name", EVERY_IDENTITY)
def test_identity_tells_positions_apart_and_nothing_else_does(name: str) -> None:
    rules = hg.make(name)
    assert set(rules.fast.identity) <= set(rules.fast.dtype.names)
    keys: dict[Any, bytes] = {}
    whole: dict[Any, set[bytes]] = {}
    for seed in range(4):
        for position, states in chain(ways(rules, seed), altered(rules, seed)):
            key = b"".join(states[0][field].tobytes() for field in rules.fast.identity)
            assert keys.setdefault(position, key) == key, rules.write(position)
            whole.setdefault(position, set()).add(states.tobytes())
    assert len(set(keys.values())) == len(keys) > 30
    if rules.game.name != "root_and_thorn":  # there every field follows from the position
        assert max(map(len, whole.values())) > 1


class TooManyPositions(Exception):
    """Plain minimax would take too long."""


def brute(rules: Any, position: Any, known: dict[Any, int], most: int) -> int:
    """Plain minimax: 1, 0 or -1 as seat 0 wins, draws or loses, and twice the margin more; `known` grows to `most`."""
    if position not in known:
        if len(known) > most:
            raise TooManyPositions
        if outcome := rules.outcome(position):
            scores = outcome.scores or (0, 0)
            value = 2 * (scores[0] - scores[1]) + (1 - 2 * outcome.winners[0] if outcome.winners else 0)
        else:
            known[position] = 0  # counts it; no position comes back below itself
            children = [rules.play(position, action) for action in rules.legal(position)]
            values = [brute(rules, child, known, most) for child in children]
            value = max(values) if position.to_move == 0 else min(values)
        known[position] = value
    return known[position]


def sign(value: int) -> int:
    """Who wins, of a value by score: the higher score always does."""
    return (value > 0) - (value < 0)


def late(rules: Any, seed: int) -> list[Any]:
    """The positions of a random game, the last before its end first."""
    chance, position, passed = random.Random(seed), rules.start(), []
    while legal := rules.legal(position):
        passed.append(position)
        position = rules.play(position, chance.choice(legal[:-1] or legal))
    return passed[::-1]


def tiny(rules: Any, games: int) -> Iterator[tuple[Any, dict[Any, int]]]:
    """Late positions that are tiny enough for plain minimax, with the values of all that can come after them."""
    for seed in range(games):
        known: dict[Any, int] = {}
        for position in late(rules, seed)[:12]:
            try:
                brute(rules, position, known, len(known) + 1000)
            except TooManyPositions:
                break
            yield position, known


@pytest.mark.parametrize("name", TWO_PLAYERS)
def test_it_agrees_with_plain_minimax(name: str) -> None:
    rules, found = hg.make(name), set()
    by_winner, by_score = (Solver(rules, by_score=by_score, deepening=True, memory=8) for by_score in (False, True))
    for position, known in tiny(rules, 4):
        match = hg.Match(rules, position=rules.write(position))
        for solver, told in ((by_winner, sign), (by_score, int)):
            value, after = told(known[position]), match.copy()
            assert solver.value(position) == value, rules.write(position)
            after.play(solver.turn(position, value))
            assert told(known[after.plain]) == value, rules.write(position)
        found.add(known[position])
    assert len(set(map(sign, found))) > 1


@pytest.mark.parametrize("name", ["root_bound(side=3)", "rootbound(side=3)"])
def test_symmetric_positions_agree_too(name: str) -> None:
    rules, chance, solved = hg.make(name), random.Random(4), 0
    size = len(rules.board)
    solver = Solver(rules, by_score=True, memory=8)
    while solved < 5:
        half = [chance.choice((0, 1, 2)) for _ in range(size)]
        board = bytes(half[min(point, size - 1 - point)] for point in range(size))  # the same turned half round
        try:
            position = rules.revive(board, 0, {})
            value = brute(rules, position, {}, 500)
        except (hg.BadRecord, TooManyPositions):
            continue
        if not rules.outcome(position):
            assert any(rules.turned(position, s) == position for s in rules.symmetries[1:])
            assert solver.value(position) == value, rules.write(position)
            solved += 1


@pytest.mark.parametrize(
    ("name", "games"), [("tanbo(size=9)", 3), ("root_bound(side=3)", 3), ("root_down", 8), ("root_and_thorn", 3)]
)
def test_the_search_finds_what_is_proved(name: str, games: int) -> None:
    """Where some actions win and some do not, a few thousand iterations nearly always choose one that wins."""
    rules, tried, found = hg.make(name), 0, 0
    solver = Solver(rules, deepening=name == "root_down", memory=8)
    for position, wins in islice(sharp(rules, solver, games), 8):
        search = Search(rules, position, knobs_for(rules), memory=16)
        search.run(iterations=4000)
        tried += 1
        found += search.choices()[0].action in wins
    assert tried > 1 and found >= 0.85 * tried, f"{found} of {tried}"


def sharp(rules: Any, solver: Solver, games: int) -> Iterator[tuple[Any, set[int]]]:
    """Positions with the actions that win by force, where others do not, from the ends of games as far as is quick."""
    for seed in range(games):
        for position in late(rules, seed):
            legal, mover = rules.legal(position), position.to_move
            try:
                wins = {a for a in legal if solver.solve(rules.play(position, a), plays=200_000).winner == mover}
            except Unfinished:
                break
            if 0 < len(wins) < len(legal):
                yield position, wins


def test_it_stops() -> None:
    stop = threading.Event()
    stop.set()
    rules = hg.make("rootbound(side=3)")
    assert solve(rules, seconds=0.0, memory=1) is None
    assert solve(rules, plays=100_000, memory=1) is None
    assert solve(rules, stop=stop, memory=1) is None


@pytest.mark.parametrize("name", ["rootbound(side=3)", "tanbo(size=9)"])
def test_the_same_plays_every_time(name: str) -> None:
    rules = hg.make(name)
    position = late(rules, 5)[6]
    first, second = (solve(rules, position, memory=4) for _ in range(2))
    assert first and first == second and solve(rules, position, plays=0, memory=4) is None


def test_a_finished_game_has_no_turn() -> None:
    match = hg.Match("root_and_thorn")
    match.play("Me3 Me8 pass pass")
    found = solve(match, by_score=True, memory=1)
    assert found and (found.winner, found.margin, found.turn) == (-1, 0, "")


def test_only_two_players_have_a_value() -> None:
    with pytest.raises(hg.HedgerowError, match="two players"):
        solve(hg.make("hexbo(side=5,players=3)"))
