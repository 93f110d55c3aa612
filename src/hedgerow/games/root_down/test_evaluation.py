"""Root Down's evaluation: the compiled network says what its numbers say."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

import hedgerow as hg
from hedgerow.games.root_down import evaluation
from hedgerow.kernels.dispatch import evaluate


def test_its_network_counts_as_its_numbers_say() -> None:
    """Four numbers in a word are added as if each stood alone; both players see the board from their own side."""
    with np.load(Path(evaluation.__file__).with_name("evaluation.npz")) as file:
        weights = dict(file)
    chance, compared = random.Random(4), 0
    for name in ("root_down", "root_down(activating_roots=own)"):
        rules = hg.make(name)
        for _ in range(20):
            position = rules.start()
            while not rules.outcome(position):
                values = np.zeros(2, np.int32)
                judge(rules.fast.boards, rules.fast.pack(position), values)
                assert (
                    values[position.to_move] == by_hand(rules, position, weights) and not values[1 - position.to_move]
                )
                position = rules.play(position, chance.choice(rules.legal(position)))
                compared += 1
    assert compared > 300


@njit
def judge(boards: Any, states: Any, values: Any) -> None:
    evaluate(boards[0], states[0], values)


def by_hand(rules: Any, position: Any, weights: dict[str, np.ndarray]) -> int:
    """The network's answer about a plain position."""
    hidden, mover = weights["hidden"].astype(int), position.to_move
    for point, value in enumerate(position.board):
        if value:
            seat, kind = divmod(value - 1, 3)
            activated = kind and rules.activators(position.board, point)
            row = 64 * (5 * (seat != mover) + (0, 1, 3)[kind] + bool(activated)) + (point ^ 56 if mover else point)
            hidden = hidden + weights["inputs"][row]
    answer = int((hidden.clip(0, evaluation.UNIT) * weights["outputs"]).sum()) // (evaluation.UNIT * evaluation.FINE)
    return int(weights["begin"]) + answer + int(weights["choice"]) * len(rules.legal(position))
