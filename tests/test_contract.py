"""What every game and every option must hold: the protocol, and the plain rules equal to the compiled ones."""

from __future__ import annotations

import random
import re
from itertools import pairwise

import numpy as np
import pytest

import hedgerow as hg
from hedgerow import draw
from walks import DEFAULTS, VARIANTS, seeds, walk

LACKING = {
    *("must_place", "nothing_placed", "piece_placed", "no_neighbour", "empty"),
    *("maple_first", "none_left", "other_half", "no_undergrowth"),
}
"""Reasons that lie in what is missing or in the moment, so that no piece forbids the action."""

every_variant = pytest.mark.parametrize("name", VARIANTS)
every_game = pytest.mark.parametrize("name", DEFAULTS)


@every_variant
def test_plain_rules_equal_compiled_rules(name: str) -> None:
    rules = hg.make(name)
    fast = rules.fast
    for seed in seeds(0.7, 300):
        states = fast.new()
        for position, action in walk(rules, seed):
            assert fast.unpack(states) == position
            assert np.flatnonzero(fast.legal(states)[0]).tolist() == rules.legal(position)
            outcome = rules.outcome(position)
            winners, scores = fast.results(states)
            assert (winners[0] == -2) == (outcome is None) == (action is not None)
            if outcome:
                assert (int(winners[0]),) == (outcome.winners or (-1,))
                assert outcome.scores in (None, tuple(scores[0].tolist()))
            else:
                fast.play(states, [action])


@every_variant
def test_any_position_can_be_packed(name: str) -> None:
    rules = hg.make(name)
    for position, _ in walk(rules, 77):
        packed = rules.fast.pack(position)
        assert rules.fast.unpack(packed) == position
        assert np.flatnonzero(rules.fast.legal(packed)[0]).tolist() == rules.legal(position)


@every_variant
def test_an_action_is_forbidden_exactly_when_it_is_not_legal(name: str) -> None:
    rules = hg.make(name)
    for seed in seeds(0.5, 10):
        for position, action in walk(rules, seed):
            if action is not None:
                allowed = [a for a in range(rules.actions.size) if rules.forbids(position, a) is None]
                assert allowed == rules.legal(position)


@every_variant
def test_a_reason_is_true(name: str) -> None:
    """Take the pieces it names off the board, and it no longer applies."""
    rules, chance = hg.make(name), random.Random(name)
    for seed in seeds(0.5, 10):
        for position, action in walk(rules, seed):
            if action is None:
                continue
            for refused in chance.sample(range(rules.actions.size), min(25, rules.actions.size)):
                reason = rules.forbids(position, refused)
                if reason is None:
                    continue
                assert str(reason).endswith(".") and reason.code and reason.clause
                named = [rules.board.point[name] for name in reason.points]
                assert all(position.board[point] for point in named) and (named or reason.code in LACKING), reason
                after = rules.forbids(rules.without(position, named), refused)
                assert not named or after is None or after.code != reason.code, reason


@every_variant
def test_clauses_are_in_the_rules(name: str) -> None:
    rules = hg.make(name)
    text = rules.game.rules_text()
    for position, action in walk(rules, 3):
        if action is not None:
            for refused in range(0, rules.actions.size, 3):
                reason = rules.forbids(position, refused)
                assert reason is None or f"\n{reason.clause} " in text, reason


@every_game
def test_every_clause_is_a_paragraph_and_the_example_of_a_position_can_be_read(name: str) -> None:
    text = hg.make(name).game.rules_text()
    assert all(before == "" for before, line in pairwise(text.split("\n")) if re.match(r"\d+\.\d+ ", line))
    section = text.split("## Positions as text")[1].split("## Rulings")[0]
    game, example = re.search(r"for\s+`(.*)`:", section), re.search(r"\n    (.*)\n", section)
    assert game and example
    match = hg.Match(game[1], position=example[1])
    assert match.legal() and match.rules.parse(match.position()) == match.plain


@every_game
@pytest.mark.parametrize("word", ["pass", "done"])
def test_words_at_the_wrong_time_get_a_reason(name: str, word: str) -> None:
    match = hg.Match(name)
    reason = match.why_not(word)
    assert reason and reason.code != "unreadable" and f"\n{reason.clause} " in match.rules.game.rules_text()
    match.resign(0)
    over = match.why_not(match.rules.spell(match.plain, match.rules.legal(match.plain)[0]))
    assert over and over.code == "game_over" and f"\n{over.clause} " in match.rules.game.rules_text()


@every_variant
def test_moves_are_spelled_and_read(name: str) -> None:
    rules = hg.make(name)
    for position, action in walk(rules, 5):
        if action is not None:
            legal = rules.legal(position)
            spelled = [rules.spell(position, a) for a in legal]
            assert len(set(spelled)) == len(legal)
            assert [rules.read(position, text) for text in spelled] == legal
            assert [rules.read(position, text.upper()) for text in spelled] == legal
            assert len({rules.clicks(position, a) for a in legal}) == len(legal)


@every_variant
def test_positions_as_text(name: str) -> None:
    rules = hg.make(name)
    for seed in (1, 2):
        for position, _ in walk(rules, seed):
            assert rules.parse(rules.write(position)) == position


@every_variant
def test_a_turned_or_mirrored_game_is_the_same_game(name: str) -> None:
    rules = hg.make(name)
    for number, symmetry in enumerate(rules.symmetries):
        other = rules.turned(rules.start(), symmetry)
        for step, (position, action) in enumerate(walk(rules, number)):
            assert other == rules.turned(position, symmetry)
            if step % 4 == 0:
                turned = sorted(rules.actions.turned(a, symmetry) for a in rules.legal(position))
                assert rules.legal(other) == turned
            if action is None:
                assert rules.outcome(other) == rules.outcome(position)
            else:
                other = rules.play(other, rules.actions.turned(action, symmetry))


@every_variant
def test_every_position_can_be_shown(name: str) -> None:
    rules = hg.make(name)
    for step, (position, _) in enumerate(walk(rules, 8)):
        prompt = rules.prompt(position)
        assert prompt.endswith(".") and "\n" not in prompt
        if step % 10 == 0:
            scene = rules.scene(position)
            assert {rules.board.names[mark.point] for mark in scene.marks} == set(rules.cells(position))
            assert draw.text(scene) and draw.svg(scene)


@every_variant
def test_a_match_is_told_by_its_record(name: str) -> None:
    match, chance = hg.Match(name), random.Random(1)
    for _ in range(60):
        if match.outcome:
            break
        match.play(chance.choice([move for move in match.legal() if move != "pass"] or ["pass"]))
        text = match.record()
        again = hg.read(text)
        assert again.record() == text
        assert again.turns == match.turns and again.plain == match.plain
        assert hg.Match(match.rules, position=match.position()).legal() == match.legal()


@every_game
def test_playouts_are_the_same_on_any_number_of_threads(name: str) -> None:
    one, two = hg.playouts(name, 101, seed=5), hg.playouts(name, 101, seed=5, threads=3)
    assert all((a == b).all() for a, b in zip(one, two))
    assert not (one.lengths == hg.playouts(name, 101, seed=6).lengths).all()


def test_no_two_variants_share_a_record_without_sharing_kernels() -> None:
    from hedgerow.kernels import dispatch

    kinds: dict[object, set[tuple[object, object]]] = {}
    for name in VARIANTS:
        rules = hg.make(name)
        assert rules.fast.dtype.itemsize <= (4096 if rules.players == 2 else 8192)
        key = (dispatch.entries(rules.fast.dtype), rules.fast.boards.dtype)
        kinds.setdefault(rules.fast.dtype, set()).add(key)
    assert all(len(found) == 1 for found in kinds.values())
