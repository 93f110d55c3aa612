"""What a network sees of a position equals what the plain position says, for every game, and turns with the board."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hedgerow as hg
from walks import walk

Points = list[float]
SHOWN = (
    *(
        "hexbo",
        "hexbo(side=5)",
        "hexbo(side=5,players=3)",
        "tanbo(size=9)",
        "root_down",
        "root_down(activating_roots=own)",
    ),
    *("root_bound(side=3)", "root_bound(side=3,centerless=yes)", "rootbound(side=3)", "root_and_thorn"),
)


def points(rules: Any, test: Callable[[int], object]) -> Points:
    return [float(bool(test(point))) for point in range(len(rules.board))]


def growth(rules: Any, position: Any) -> list[Points]:
    seats = [(position.to_move + step) % rules.players for step in range(rules.players)]
    stones = [points(rules, lambda p, seat=seat: position.board[p] == 1 + seat) for seat in seats]
    over = rules.outcome(position) is not None
    spaces = [[] if over else rules.root_space(position.board, seat) for seat in seats[1:]]
    return stones + [points(rules, lambda p, space=space: p in space) for space in spaces]


def bound(rules: Any, position: Any) -> list[Points]:
    me = position.to_move
    survey = rules.survey(position.board)
    claimed = position.turn >= rules.claims_from
    unclaimed = rules.unclaimed(replace(position, first=None))
    found: list[Points] = [points(rules, lambda p, s=s: position.board[p] == 1 + s) for s in (me, 1 - me)]
    found += [
        points(rules, lambda p, s=s: position.board[p] == 1 + s and claimed and survey.is_root(survey.area[p]))
        for s in (me, 1 - me)
    ]
    found.append(points(rules, lambda p: p in unclaimed))
    movers = [replace(position, to_move=seat) for seat in (me, 1 - me)]
    found += [points(rules, lambda p, m=m: p in unclaimed and not rules.triangle(m, p)) for m in movers]
    found.append(points(rules, lambda p: p == position.first))
    found.append([(rules.claims_from - position.turn) / rules.claims_from] * len(rules.board))
    if hasattr(position, "passes"):
        words = (position.passes > 0, position.passer == me, position.passer == 1 - me)
        found += [[float(word)] * len(rules.board) for word in words]
    return found


def down(rules: Any, position: Any) -> list[Points]:
    board, me, every = position.board, position.to_move, len(rules.board)
    kinds = [[1 + 3 * seat + kind for kind in range(3)] for seat in (me, 1 - me)]
    found = [points(rules, lambda p, v=value: board[p] == v) for values in kinds for value in values]
    distance = {p: len(rules.companions(board, p)) for p in rules.kickers(board, me)}
    found += [points(rules, lambda p, d=digit: distance.get(p, 0) >> d & 1) for digit in range(3)]
    found += [[min(1.0, sum(board.count(value) for value in values) / 16)] * every for values in kinds]
    return [*found, [position.quiet / 200] * every, [float(not rules.own_roots)] * every]


def thorn(rules: Any, position: Any) -> list[Points]:
    board, seats = position.board, (position.to_move, 1 - position.to_move)
    found = [points(rules, lambda p, v=1 + 4 * s + t: board[p] == v) for s in seats for t in range(4)]
    found += [[rules.left(position, s, t) / (1, 25, 5, 3)[t]] * 100 for s in seats for t in range(4)]
    return [*found, [float(position.passes > 0)] * 100, [float(rules.returns)] * 100]


OWN = {
    "hexbo": growth,
    "tanbo": growth,
    "root_bound": bound,
    "rootbound": bound,
    "root_down": down,
    "root_and_thorn": thorn,
}


def shared(rules: Any, position: Any) -> list[Points]:
    """What every game shows alike."""
    legal, actions, every = rules.legal(position), rules.actions, len(rules.board)
    found = [points(rules, lambda p, k=k: actions.id(k, p) in legal) for k in range(len(actions.planes))]
    words = [any(action >= actions.extra(0) for action in legal), rules.mid_turn(position)]
    words += [seat == position.to_move for seat in range(rules.players)]
    return [*found, *([float(word)] * every for word in words), [1.0] * every]


def seen(rules: Any, states: Any) -> np.ndarray:
    """(rows, features, points), from 0 to 1."""
    width = rules.board.width
    cells = np.array([row * width + column for row, column in rules.board.cells], np.uint16)
    out = rules.fast.show(states, cells, rules.board.height * width, len(rules.actions.planes))
    assert not np.delete(out, cells, axis=2).any()
    return out[:, :, cells] / 255


@pytest.mark.parametrize("name", SHOWN)
def test_a_network_sees_what_the_plain_position_says(name: str) -> None:
    rules: Any = hg.make(name)
    states, walked = rules.fast.new(), list(walk(rules, 1))
    for number, (position, action) in enumerate(walked):
        if number % 7 < 2 and action is not None:  # nobody asks a network about a finished game
            wanted = OWN[rules.game.name](rules, position) + shared(rules, position)
            for rows in (states, rules.fast.pack(position)):
                shown = seen(rules, rows)[0]
                assert len(shown) == len(wanted)
                for feature, (found, plain) in enumerate(zip(shown, wanted)):
                    assert np.abs(found - plain).max() < 0.003, (number, feature, rules.fast.features)
        if action is not None:
            rules.fast.play(states, [action])
    assert len(rules.fast.features) == len(OWN[rules.game.name](rules, walked[0][0]))


@pytest.mark.parametrize(
    "name", ["root_bound(side=3)", "root_bound(side=3,centerless=yes)", "rootbound(side=3)", "root_and_thorn"]
)
def test_owners_at_the_end_are_those_of_the_plain_position(name: str) -> None:
    rules: Any = hg.make(name)
    assert rules.fast.owned
    for seed in range(6):
        *_, (last, _) = walk(rules, seed)
        found = rules.fast.owners(rules.fast.pack(last), len(rules.board))
        assert found[0].tolist() == rules.owners(last)


def test_points_without_owners_have_none() -> None:
    fast = hg.make("hexbo(side=5)").fast
    assert not fast.owned and (fast.owners(fast.new(2), 61) == -1).all()
