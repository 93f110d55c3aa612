"""What people are told before they choose, held against what the rules then do; and pieces that only look alike."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest

import hedgerow as hg
from hedgerow.game import Rules
from hedgerow.serve.play.views.board import did, shown

GAMES = ("hexbo(side=5)", "tanbo(size=9)", "root_bound(side=5)", "rootbound(side=5)", "root_down", "root_and_thorn")
WITH_HINTS = {"root_down": 40, "root_and_thorn": 1}
"""Games whose actions have hints, and how many random games show all that can happen."""


def walk(name: str, seed: int) -> Iterator[tuple[hg.Match, Rules[Any], Any]]:
    """The positions of a random game, each before an action."""
    match, chance = hg.Match(name), random.Random(seed)
    while not match.outcome:
        yield match, match.rules, match.plain
        match.play(chance.choice([text for text in match.legal() if text != "pass"] or match.legal()))


@pytest.mark.parametrize("name", WITH_HINTS)
def test_a_hint_tells_what_the_action_does(name: str) -> None:
    removed = changed = 0
    for _, rules, position in chain.from_iterable(walk(name, seed) for seed in range(WITH_HINTS[name])):
        for action in rules.legal(position):
            hint, after = rules.hint(position, action), rules.play(position, action)
            pressed = [rules.board.point[word] for word in rules.clicks(position, action) if word in rules.board.point]
            pairs = {p: (b, a) for p, (b, a) in enumerate(zip(position.board, after.board)) if p not in pressed}
            gone = {p for p, (b, a) in pairs.items() if b and not a}
            other = {p for p, (b, a) in pairs.items() if a and b != a}
            if hint is None:
                assert not gone | other
                continue
            assert (set(hint.removed), set(hint.changed)) == (gone, other)
            assert gone | other <= set(hint.reach)
            assert all(rules.board.names[p] in hint.words for p in gone)
            removed, changed = removed + len(gone), changed + len(other)
    assert removed and (changed or name != "root_down")


def test_a_kicker_says_how_far_it_goes_before_it_goes() -> None:
    rules = hg.make("root_down")
    position = rules.start()
    for action in rules.legal(position):
        hint, (start, landing) = rules.hint(position, action), rules.clicks(position, action)
        assert hint and hint.mark == "2" and hint.lead.startswith(f"The kicker on {start} moves exactly 2 squares")
        names = [rules.board.names[p] for p in hint.path]
        assert (names[0], names[-1], len(names)) == (start, landing, 3)


def test_a_tree_says_what_it_will_clear() -> None:
    match = hg.Match("root_and_thorn")
    match.play("Mg2 Mf6 Ug1 Uf5 Uf2 Ue5 Ug3 Ud5 Ue2 Uc5 Ud2 Ub5 Uf3 Bd5 Ue3 Ub6")
    hints = {action.text: action.hint for action in shown(match, picture=False).legal if action.hint}
    birch, oak = hints["Bf3"], hints["Of3"]
    assert birch and oak and (birch.mark, oak.mark) == ("B", "O")
    assert birch.removed == ["e5", "f5"] and oak.removed == ["c5", "e5", "f5"]
    assert "c3" in birch.reach and "b3" not in birch.reach and "a3" in oak.reach and set(birch.reach) < set(oak.reach)
    assert birch.words == "Birch (range 3): clears Light Undergrowth on e5 and f5."


def test_what_a_turn_did_is_told_after_it_as_before() -> None:
    match = hg.Match("root_down")
    match.play("c2-a4 f7-h5 d2-c2 e7-f7 b2-b1 g7-g6 c1-b2")
    (before,) = [action.hint for action in shown(match, picture=False).legal if action.text == "f7-g7"]
    match.play("f7-g7")
    assert did(match) == before and before and before.changed == ["g6"]
    match.resign(0)
    assert did(match) is None


@pytest.mark.parametrize("name", GAMES)
def test_presses_lead_to_one_action_and_say_what_is_put_there(name: str) -> None:
    for match, rules, position in walk(name, 7):
        legal = rules.legal(position)
        clicks = {action: rules.clicks(position, action) for action in legal}
        for one in clicks.values():
            assert not any(other != one and other[: len(one)] == one for other in clicks.values())
        for action in legal[:: max(1, len(legal) // 4)]:
            kind, after = rules.puts(position, action), rules.play(position, action)
            point = rules.board.point.get(clicks[action][0])
            if kind and point is not None and after.board[point]:
                assert rules.pieces[after.board[point] - 1].kind == kind
            assert bool(kind) == (point is not None and name != "root_down")
        if len(match.turns) > 30:
            break


@pytest.mark.parametrize("name", ["root_bound(side=4)", "rootbound(side=4)"])
def test_roots_and_runners_are_told_apart(name: str) -> None:
    roots: set[int] = set()
    danger = 0
    for _, rules, position in walk(name, 3):
        kinds = rules.kinds(position)
        if not kinds:
            assert not any(rules.claims(position))  # type: ignore[attr-defined]
            continue
        told = [point for points in kinds.values() for point in points]
        assert sorted(told) == [p for p, piece in enumerate(position.board) if piece], "every piece is one of them"
        if not rules.mid_turn(position):
            assert roots <= set(kinds["Root"]), "a Root is never removed"
            roots = set(kinds["Root"])
        danger += len(kinds["weak Runner" if "root_bound" in name else "dead group"])
    assert roots and (danger or "root_bound" not in name)


@pytest.mark.parametrize("name", ["hexbo(side=5)", "tanbo(size=9)"])
def test_a_root_says_on_how_many_points_it_can_grow(name: str) -> None:
    few = 0
    for _, rules, position in walk(name, 5):
        legal = set(rules.legal(position))
        for word, points in rules.kinds(position).items():
            mine = [p for p in points if position.board[p] == 1 + position.to_move]
            roots = [root for root in rules.roots(position.board) if root[0] in mine]  # type: ignore[attr-defined]
            for root in roots:
                near = {q for p in root for q in rules.board.neighbours[p]} & legal
                assert int(word.split()[0]) == len(near)
                few += len(near) == 1
    assert few


def test_kickers_that_can_move_are_told_by_how_far() -> None:
    for _, rules, position in walk("root_down", 2):
        kinds = {point: int(word.split()[0]) for word, points in rules.kinds(position).items() for point in points}
        for action in rules.legal(position):
            hint = rules.hint(position, action)
            assert hint and kinds[hint.path[0]] == len(hint.path) - 1
