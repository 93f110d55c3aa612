"""Growing roots: what must hold in every game of Hexbo and Tanbo, reasons, leaving, positions as text, kernels."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import hedgerow as hg
from hedgerow.games._growth.plain import MOST_ROOTS
from walks import seeds, walk

EVERY_OPTION = pytest.mark.parametrize(
    "name",
    [
        *[f"hexbo(side={side},players={players})" for side in (10, 5) for players in (2, 3, 6)],
        *[f"tanbo(size={size})" for size in (19, 13, 9)],
    ],
)
EMPTY = "5/6/7/8/9/8/7/6/5"


def match_at(name: str, stones: tuple[str, ...], to_move: int = 0, words: str = "") -> hg.Match:
    """A match from the points of every seat's stones."""
    rules = hg.make(name)
    glyphs = ["."] * len(rules.board)
    for seat, names in enumerate(stones):
        for point in names.split():
            glyphs[rules.board.point[point]] = rules.pieces[seat].glyph
    rows = "/".join("".join(glyphs[point] for point in row) for row in rules.board.rows)
    return hg.Match(rules, position=f"{rows} {to_move} {words}")


# --- what must hold in every game -------------------------------------------------------------------------------------


def check_roots(rules: Any, board: bytes) -> None:
    """Every root is a tree that holds a first stone of its own colour, and can grow."""
    first = rules.start().board
    for root in rules.roots(board):
        assert sum(q in root for point in root for q in rules.board.neighbours[point]) == 2 * len(root) - 2
        assert any(first[point] == board[root[0]] for point in root)
    assert not rules.bounded_roots(board)


def check_turn(rules: Any, before: Any, action: int, after: Any) -> None:
    """What one turn may change."""
    mover = before.to_move
    grown = bytearray(before.board)
    grown[action] = 1 + mover
    gone = [point for point, stone in enumerate(grown) if stone != after.board[point]]
    assert not any(after.board[point] for point in gone), "stones only ever leave"
    assert len(rules.roots(after.board)) == len(rules.roots(before.board)) - len(rules.roots(removed(grown, gone)))
    if action in gone:
        assert {grown[point] for point in gone} == {1 + mover}, "the expanded root goes alone"
        assert len(rules.roots(removed(grown, gone))) == 1
    out = [seat for seat in range(rules.players) if after.places[seat] and not before.places[seat]]
    assert mover not in out or out == [mover], "a mover goes out only alone"
    live = rules.live(after)
    assert all(after.places[seat] == len(live) + 1 for seat in out)
    assert [seat for seat, place in enumerate(after.places) if not place] == live
    order = [(mover + step) % rules.players for step in range(1, rules.players + 1)]
    assert after.to_move == next(seat for seat in order if seat in live)


def removed(grown: bytearray, gone: list[int]) -> bytes:
    """The stones that left, alone on the board."""
    return bytes(stone if point in gone else 0 for point, stone in enumerate(grown))


@EVERY_OPTION
def test_what_holds_in_every_game(name: str) -> None:
    rules: Any = hg.make(name)
    for seed in seeds(1.5, 20):
        game = list(walk(rules, seed))
        assert len({position.board for position, _ in game}) == len(game), "no position comes twice"
        assert len(game) <= len(rules.roots(game[0][0].board)) * (len(rules.board) + 1)
        for (before, action), (after, _) in pairwise(game):
            check_turn(rules, before, action, after)
            check_roots(rules, after.board)
            assert all(rules.root_space(after.board, seat) for seat in rules.live(after))
        last = game[-1][0]
        outcome = rules.outcome(last)
        assert outcome.reason == "elimination" and outcome.scores is None
        assert outcome.winners == (last.to_move,) == tuple(rules.live(last))
        assert outcome.places == tuple(place or 1 for place in last.places)


# --- reasons ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "code", "text", "points", "clause"),
    [
        ("b2", "occupied", "There is already a stone on B2.", "B2", "3.1"),
        ("B5", "occupied", "There is already a stone on B5.", "B5", "3.1"),
        ("B4", "no_neighbour", "B4 touches no stone of yours.", "", "3.2"),
        ("C3", "several_neighbours", "C3 touches 2 stones of yours, B2 and D3; it may touch only one.", "B2 D3", "3.3"),
        ("A6", "off_board", "There is no point A6: row A goes from A1 to A5.", "", "1.2"),
        ("I5", "off_board", "There is no point I5: the letter I is left out.", "", "1.2"),
        ("J4", "off_board", "There is no point J4: row J goes from J5 to J9.", "", "1.2"),
        ("K5", "off_board", "There is no point K5: the letters go from A to J.", "", "1.2"),
    ],
)
def test_reasons(move: str, code: str, text: str, points: str, clause: str) -> None:
    reason = match_at("hexbo(side=5)", ("B2 D3", "B5")).why_not(move)
    assert reason and (reason.code, str(reason), reason.clause) == (code, text, clause)
    assert reason.points == tuple(points.split())


def test_what_is_no_move() -> None:
    match = hg.Match("tanbo(size=9)")
    for text in ("", "B", "22", "B2-B3"):
        with pytest.raises(hg.UnreadableMove, match="hint"):
            match.play(text)
    match.play("b3")
    with pytest.raises(hg.IllegalMove, match=r"illegal move 'B2': there is already a stone on B2 \(Tanbo rule 3.1\)"):
        match.play("B2")


# --- going out and leaving --------------------------------------------------------------------------------------------


def test_the_seat_to_move_leaves() -> None:
    match = hg.Match("hexbo(side=5,players=3)")
    match.play("B3")
    match.resign(1)
    assert match.to_move == 2 and match.outcome is None
    assert set(match.cells().values()) == {"0", "1", "2"}, "White's stones stay"
    assert match.rules.placed(match.plain) == (0, 3, 0)
    match.play("E3")
    assert match.to_move == 0, "White is skipped"


def test_another_seat_leaves() -> None:
    match = hg.Match("hexbo(side=5,players=3)")
    match.flag(2)
    assert match.to_move == 0 and set(match.cells().values()) == {"0", "1", "2"}
    match.play("B3 B4")
    match.flag(0)
    assert match.outcome == hg.Outcome("time", None, (1,), (2, 1, 3))


def test_places_of_six_who_leave_one_by_one() -> None:
    match = hg.Match("hexbo(side=5,players=6)")
    for seat in (3, 0, 5, 2):
        match.resign(seat)
    assert match.rules.placed(match.plain) == (5, 0, 3, 6, 0, 4) and match.to_move == 1
    assert hg.Match(match.rules, position=match.position()).plain == match.plain
    match.resign(1)
    assert match.outcome == hg.Outcome("resignation", None, (4,), (5, 2, 3, 6, 1, 4))


@pytest.mark.parametrize("players", [3, 6])
def test_the_stones_of_those_who_left_stay_until_the_rules_remove_them(players: int) -> None:
    rules: Any = hg.make(f"hexbo(side=5,players={players})")
    removed = 0
    for seed in range(12):
        chance, position, left = random.Random(seed), rules.start(), None
        while not rules.outcome(position):
            if left is None and chance.random() < 0.05:
                live = rules.live(position)
                left = chance.choice(live)
                position = rules.retire(position, left)
                assert position.places[left] == len(live) and 1 + left in position.board and position.to_move != left
                assert rules.parse(rules.write(position)) == position
                stayed = position.board.count(1 + left)
                continue
            states, action = rules.fast.pack(position), chance.choice(rules.legal(position))
            rules.fast.play(states, [action])
            position = rules.play(position, action)
            assert rules.fast.unpack(states) == position and states[0].over == bool(rules.outcome(position))
            assert left is None or position.to_move != left
        removed += left is not None and position.board.count(1 + left) < stayed
    assert removed


def test_only_those_still_in_can_leave() -> None:
    rules: Any = hg.make("hexbo(side=5,players=3)")
    left = rules.retire(rules.start(), 1)
    assert rules.retire(left, 1) == left
    with pytest.raises(hg.IllegalMove, match="no seat 1 still in"):
        hg.Match(rules, position=rules.write(left)).resign(1)


def test_two_players_end_when_one_leaves() -> None:
    rules = hg.make("tanbo")
    with pytest.raises(NotImplementedError):
        rules.retire(rules.start(), 0)


# --- looks and text ---------------------------------------------------------------------------------------------------


def test_scenes_tell_the_position() -> None:
    match = match_at("hexbo(side=5,players=3)", ("B2 B3 H8", "", "E8"), to_move=2)
    scene = match.scene(highlights=("B2",))
    assert scene.title == "Hexbo, side 5, 3 players"
    assert (
        scene.description
        == "Black has 3 stones in 2 roots, White is out and Red has 1 stone in 1 root. Red is to move."
    )
    assert scene.seats == ("Black", "White", "Red") and scene.to_move == 2
    assert scene.highlights == (match.rules.board.point["B2"],)
    assert match.prompt == "Grow a root: place a stone that touches exactly one of yours."
    won = match_at("tanbo(size=9)", ("", "B2"))
    assert won.scene().to_move is None and won.scene().title == "Tanbo, size 9"
    assert (
        won.scene().description
        == "Black is out and White has 1 stone in 1 root. White wins: nobody else has a root left."
    )
    assert won.prompt == "White wins: nobody else has a root left."


def test_places_as_text() -> None:
    stones = ("B2", "", "E8", "", "", "")
    shared = match_at("hexbo(side=5,players=6)", stones)
    assert shared.rules.placed(shared.plain) == (0, 3, 0, 3, 3, 3) and "places" not in shared.position()
    apart = match_at("hexbo(side=5,players=6)", stones, 2, "places=0,4,0,3,6,4")
    assert apart.rules.placed(apart.plain) == (0, 4, 0, 3, 6, 4) and apart.to_move == 2
    assert apart.position().endswith("2 places=0,4,0,3,6,4")


def test_a_finished_position_is_the_winners_turn() -> None:
    match = match_at("hexbo(side=5,players=3)", ("", "", "E8"), 0, "places=2,3,0")
    assert match.to_move == 2 and match.legal() == []
    assert match.outcome == hg.Outcome("elimination", None, (2,), (2, 3, 1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (EMPTY, "there is no stone on the board"),
        ("#O3/OO4/7/8/9/8/7/6/#4", "Black's root on A1 cannot grow; hint: it would already have been removed"),
        ("#4/6/7/8/9/8/7/6/5 2 places=0,2,2,0", "cannot have places=0,2,2,0; hint: 3 numbers like 0,2,2"),
        ("#4/6/7/8/9/8/7/6/O4 2", "Red is to move and is out"),
        ("#4/6/7/8/9/8/7/6/O4 0 places=0,0,2", "Red is not 2"),
        ("#4/6/7/8/9/8/7/6/O4 0 places=0,3,3", "White is not 3"),
        ("#4/6/7/8/9/8/7/6/O4 0 places=0,0,0", "Red is not 0"),
        ("#4/6/7/8/9/8/7/6/5 0 places=0,1,2", "White is not 1"),
        ("#4/6/7/8/9/8/7/6/5 0 places=0,4,2", "cannot have places=0,4,2"),
        ("#4/6/7/8/9/8/7/6/5 0 places=", "cannot have places="),
        ("#4/6/7/8/9/8/7/6/O4 0 passes=1", "no word 'passes' here; hint: places"),
    ],
)
def test_texts_that_are_no_position(text: str, message: str) -> None:
    with pytest.raises(hg.BadRecord) as refused:
        hg.make("hexbo(side=5,players=3)").parse(text)
    assert message in str(refused.value)


def lonely(count: int) -> str:
    """A position of six players with `count` roots of one stone each."""
    rules = hg.make("hexbo(players=6)")
    board = bytearray(len(rules.board))
    spots = [point for point, (row, column) in enumerate(rules.board.cells) if row % 2 == column % 2 == 0]
    for point in spots[:count]:
        row, column = rules.board.cells[point]
        board[point] = 1 + (row // 2 + 2 * column) % 6
    return rules.write(rules.start().__class__(bytes(board), 0, (0,) * 6))


def test_a_position_has_no_more_roots_than_a_record_can_hold() -> None:
    rules: Any = hg.make("hexbo(players=6)")
    assert len(rules.roots(rules.parse(lonely(MOST_ROOTS)).board)) == MOST_ROOTS
    with pytest.raises(hg.BadRecord, match="65 roots on the board; hint: there may be 64"):
        rules.parse(lonely(MOST_ROOTS + 1))


# --- kernels ----------------------------------------------------------------------------------------------------------


def check_twins(rules: Any, position: Any, seed: int) -> None:
    """Plain and compiled rules say the same from a position to the end."""
    states = rules.fast.pack(position)
    for here, action in walk(rules, seed, position):
        assert rules.fast.unpack(states) == here
        assert np.flatnonzero(rules.fast.legal(states)[0]).tolist() == rules.legal(here)
        if action is not None:
            rules.fast.play(states, [action])
    assert rules.fast.results(states)[0].tolist() == list(rules.outcome(here).winners)


def test_kernels_hold_as_many_roots_as_they_say() -> None:
    rules = hg.make("hexbo(players=6)")
    for seed in range(3):
        check_twins(rules, rules.parse(lonely(MOST_ROOTS)), seed)


@EVERY_OPTION
def test_kernels_go_on_from_any_position(name: str) -> None:
    rules, chance = hg.make(name), random.Random(name)
    for seed in seeds(1, 10):
        positions = [position for position, _ in walk(rules, seed)]
        check_twins(rules, chance.choice(positions), seed)
