"""The shared kernels: bit tricks, random numbers, batches, the dispatch by record."""

from __future__ import annotations

import random
import threading

import numpy as np
import pytest

import hedgerow as hg
from hedgerow.kernels import bits, chance, dispatch
from walks import DEFAULTS


def test_the_kth_bit_of_a_word() -> None:
    chosen = random.Random(7)
    words = [1, 2**63, 2**64 - 1, *[chosen.getrandbits(64) & chosen.getrandbits(64) | 1 for _ in range(200)]]
    for word in words:
        places = [i for i in range(64) if word >> i & 1]
        for select in (bits.select, bits.select_by_table):
            assert [select(np.uint64(word), k) for k in range(len(places))] == places


def test_a_plain_processor_is_not_given_special_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bits.config, "CPU_NAME", "generic")
    assert not bits.has_deposit()
    monkeypatch.setattr(bits.config, "CPU_FEATURES", "+sse2,+bmi2")
    assert bits.has_deposit()
    monkeypatch.setattr(bits.config, "CPU_FEATURES", "+sse2")
    assert not bits.has_deposit()


def test_random_numbers_are_even_and_streams_differ() -> None:
    word, counts = np.uint64(chance.seeded(3, 0)), [0] * 7
    for _ in range(7000):
        word = np.uint64(chance.step(word))
        counts[chance.below(word, 7)] += 1
    assert all(850 < count < 1150 for count in counts)
    assert len({int(chance.seeded(seed, stream)) for seed in range(30) for stream in range(30)}) == 900


@pytest.mark.parametrize("name", DEFAULTS)
def test_batches_play_every_row_by_itself(name: str) -> None:
    fast = hg.make(name).fast
    states = fast.new(64)
    for step in range(40):
        masks, actions = fast.legal(states), fast.pick(states, step)
        running = actions >= 0
        assert masks[running, actions[running]].all() and not masks[~running].any()
        before = states.copy()
        actions[::2] = -1
        fast.play(states, actions)
        assert (states[::2] == before[::2]).all(), "a negative action leaves its row alone"
    winners, scores = fast.results(states)
    assert winners.shape == (64,) and scores.shape == (64, hg.make(name).players)


@pytest.mark.parametrize("name", DEFAULTS)
def test_playouts_are_games_by_the_plain_rules(name: str) -> None:
    """Every random game, its choices drawn again by hand, ends the same way."""
    rules = hg.make(name)
    fast, entries = rules.fast, dispatch.entries(rules.fast.dtype)
    games = fast.playouts(5, seed=9)
    for number in range(5):
        states, position, plies = fast.new(), rules.start(), 0
        word = np.uint64(chance.seeded(np.uint64(9), number))
        while not rules.outcome(position):
            choices = entries.count(fast.boards[0], states[0])
            k = chance.below(word, choices) if choices else 0
            action = entries.nth(fast.boards[0], states[0], k) if choices else entries.extra(fast.boards[0], states[0])
            assert action in rules.legal(position)
            position, plies = rules.play(position, action), plies + 1
            fast.play(states, action)
            word = np.uint64(chance.step(word))
        outcome = rules.outcome(position)
        assert plies == games.lengths[number]
        assert (int(games.winners[number]),) == (outcome.winners or (-1,))
        assert outcome.scores in (None, tuple(games.scores[number].tolist()))


@pytest.mark.parametrize("name", DEFAULTS)
def test_arrays_keep_their_dtype_object(name: str) -> None:
    """Numba knows record types by the address of their dtype, so rows from anywhere are seen under our own."""
    rules = hg.make(name)
    fast = rules.fast
    assert fast.new(3).dtype is fast.pack(rules.start()).dtype is fast.dtype
    strangers = fast.new(3).view(np.dtype((np.void, fast.dtype)))
    assert strangers.dtype is not fast.dtype
    assert (fast.legal(strangers) == fast.legal(fast.new(3))).all()


def test_the_gil_is_released() -> None:
    """Python goes on while a long call runs."""
    hg.playouts("root_down", 1)
    worker = threading.Thread(target=hg.playouts, args=("root_down", 1_500_000))
    worker.start()
    rounds = 0
    while worker.is_alive():
        worker.join(0.001)
        rounds += 1
    assert rounds > 20


def test_two_games_may_not_share_a_record() -> None:
    dtype = hg.make("root_down").fast.dtype
    other = dispatch.entries(hg.make("root_and_thorn").fast.dtype)
    with pytest.raises(ValueError, match="same record"):
        dispatch.register(dtype, other)


def test_bad_numbers_of_playouts() -> None:
    for count, threads in ((-1, 1), (1, 0), (1.5, 1), ("a", 1), (10**12, 1), (1, 10**9)):
        with pytest.raises(hg.HedgerowError, match="hint"):
            hg.playouts("root_down", count, threads=threads)
    for seed in (-1, 2**64, 2**200):
        assert len(hg.playouts("root_down", 3, seed=seed).winners) == 3


def test_the_door_of_the_batches_is_guarded() -> None:
    fast, other = hg.make("root_down").fast, hg.make("root_and_thorn").fast
    states = fast.new(6)
    fast.play(states, fast.pick(states, 1)[0])
    assert (states["to_move"] == 1).all(), "one action for all rows"
    fast.play(states[::2], fast.pick(states[::2], 1))
    assert states["to_move"].tolist() == [0, 1, 0, 1, 0, 1], "rows that lie apart are played in place too"
    for rows in (other.new(3), states.reshape(2, 3), states[0], [1, 2]):
        with pytest.raises(ValueError, match="not positions of this game"):
            fast.legal(rows)
    for actions in ([1, 2], 512, 10**9):
        with pytest.raises(ValueError):
            fast.play(states, actions)
    states.flags.writeable = False
    assert fast.legal(states).shape == (6, 512)
    with pytest.raises(ValueError, match="read-only"):
        fast.play(states, fast.pick(states, 1))
