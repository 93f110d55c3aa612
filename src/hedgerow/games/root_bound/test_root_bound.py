"""Root Bound: the sheet's examples by point name, the rulings B1 to B13, reasons, positions as text."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import hedgerow as hg
from hedgerow.games._bound.test_bound import check_figure, figures, match_at
from walks import walk

OPENING = "d4 g3 j8 d9 k4"  # a Spring in which no two pieces touch


@pytest.mark.parametrize("lines", figures("root_bound"))
def test_the_sheets_examples(lines: list[tuple[str, str]]) -> None:
    check_figure("root_bound", lines)


def match(moves: str = "", name: str = "root_bound") -> hg.Match:
    played = hg.Match(name)
    if moves:
        played.play(moves)
    return played


def test_boards() -> None:
    assert [len(row) for row in hg.make("root_bound").board.rows] == [7, 8, 9, 10, 11, 12, 13, 12, 11, 10, 9, 8, 7]
    rows = hg.make("root_bound(side=6,centerless=yes)").board.rows
    assert [len(row) for row in rows] == [6, 7, 8, 9, 10, 11, 12, 11, 10, 9, 8, 7]
    assert len(hg.make("root_bound(side=4,centerless=yes)").board) == 48
    board = hg.make("root_bound").board
    assert {board.names[p] for p in board.neighbours[board.point["a1"]]} == {"a2", "b1", "b2"}
    with pytest.raises(hg.BadOption, match="3 to 9"):
        hg.make("root_bound(side=10,centerless=yes)")


# --- Spring -----------------------------------------------------------------------------------------------------------


def test_b1_nothing_is_claimed_in_spring() -> None:
    played = match()
    for move in ("d4", "g3", "j8", "d9"):
        played.play(move)
        assert played.scene().claimed == () and "pass" not in played.legal() and "done" not in played.legal()
    assert len(match("b2").legal()) == 126


def test_white_begins_with_two_pieces_apart() -> None:
    played = match("d4 g3")
    reason = played.why_not("g4")
    assert reason and (reason.code, reason.points, reason.clause) == ("spring_apart", ("g3",), "3.2")
    assert str(reason) == "Your first two pieces may not touch each other; g3 is beside it."
    assert len(played.legal()) == 127 - 2 - 6


def test_b2_black_continues_with_exactly_two() -> None:
    played = match("d4 g3 j8 d9")
    reason = played.why_not("done")
    assert reason and (reason.code, reason.clause) == ("must_place", "3.4")
    assert str(reason) == "In Spring you must place; this turn has exactly two pieces."


@pytest.mark.parametrize(
    ("moves", "refused", "points"),
    [
        ("d4 g3 j8 d5", "d6", ("d4", "d5")),
        ("d4 g3 j8 d5", "c4", ("d4", "d5")),
        ("d4 g3 j8 d6", "d5", ("d4", "d6")),
    ],
)
def test_b3_one_of_blacks_three_stands_apart(moves: str, refused: str, points: tuple[str, ...]) -> None:
    played = match(moves)
    reason = played.why_not(refused)
    assert reason and (reason.code, reason.clause) == ("spring_isolated", "3.3")
    assert set(reason.points) == set(points)
    assert played.why_not("d3" if "d6" in moves else "d8") is None


@pytest.mark.parametrize("name", ["root_bound(side=3)", "root_bound(side=3,centerless=yes)", "root_bound(side=4)"])
def test_spring_ends_with_two_runners_each_and_no_claims(name: str) -> None:
    rules = hg.make(name)
    for seed in range(40):
        position = next(p for p, _ in walk(rules, seed) if p.turn == 4)
        survey = rules.survey(position.board)
        assert all(sum(survey.piece[group] == piece for group in survey.groups()) >= 2 for piece in (1, 2))
        assert not any(survey.claims) and rules.cleaned(position.board, 1) == rules.cleaned(position.board, 2)


# --- Summer -----------------------------------------------------------------------------------------------------------


def test_b4_the_second_piece_may_enter_what_the_first_has_enclosed() -> None:
    text = ".OO/.#.#/..#O./##O./O.O 0"
    one, other = (hg.Match("root_bound(side=3)", position=text) for _ in range(2))
    one.play("d1")
    now = one.rules.survey(one.plain.board).claims
    assert now[one.rules.board.point["c1"]] == 1 and "c1" in one.legal()
    one.play("c1")
    other.play("c1 d1")
    assert one.plain == other.plain


def test_b5_a_line_is_three_neighbours() -> None:
    played = match_at("root_bound", "d4 j2", "k2 k6")
    played.play("d6")
    assert "d7" in played.legal()
    behind = match_at("root_bound", "d4 d7 j2", "k2 k6")
    behind.play("d5")
    reason = behind.why_not("d6")
    assert reason and (reason.code, reason.points, reason.clause) == ("line", ("d4", "d7", "d5"), "4.3")
    assert str(reason) == "With d5, which you have just placed, it would make a straight line with d4 and d7."


def test_b6_a_triangle_counts_the_other_new_piece() -> None:
    played = match_at("root_bound", "d4 j2", "k2 k6")
    played.play("d5")
    reason = played.why_not("e5")
    assert reason and (reason.code, reason.clause) == ("triangle", "4.2")
    assert reason.points == ("d4", "d5") and str(reason) == "It would close a triangle with d4 and d5."


def test_a_triangle_names_every_piece_that_forms_one() -> None:
    played = match_at("root_bound", "e4 e5 d5 c4 j2", "k2 k6")
    reason = played.why_not("d4")
    assert reason and reason.code == "triangle" and set(reason.points) == {"e4", "e5", "d5", "c4"}


def test_a_claimed_region_is_named_with_its_owner_and_the_pieces_round_it() -> None:
    played = match_at("root_bound", "b1 c2 c3 b3 a3 h5", "k2 k6", to_move=1)
    reason = played.why_not("a1")
    assert reason and (reason.code, reason.clause) == ("claimed", "4.1")
    assert set(reason.points) == {"b1", "c2", "c3", "b3", "a3"} and str(reason) == "a1 is in a region claimed by Black."


def test_b7_the_check_is_made_after_a_pass_too() -> None:
    played = match_at("root_bound", "b2 h5 h9", "a3 b3 c3 c2 c1 k2", to_move=1)
    played.play("pass")
    assert "b2" not in played.cells()


def test_b10_a_dead_runner_stays_until_the_opponents_turn_ends() -> None:
    played = match_at("root_bound", "b2 h5 h9", "a3 b3 c3 c2 c1 k2", to_move=0)
    played.play("pass")
    assert played.cells()["b2"] == "0"
    played.play("l4 done")
    assert "b2" not in played.cells()


def test_b13_anybody_may_pass_from_the_fourth_turn_on_and_play_again() -> None:
    played = match(OPENING)
    played.play("pass")
    assert played.to_move == 0 and played.outcome is None
    played.play("g7 done pass g9 done h2")
    assert played.turns[3:] == ("pass", "g7 done", "pass", "g9 done", "h2")


def test_a_player_with_nothing_to_place_must_say_so() -> None:
    """White has no pieces, so the whole board is claimed."""
    played = match_at("root_bound(side=3)", "a2 b1 d3", "", to_move=1)
    assert played.legal() == ["pass"] and played.prompt == "You have nothing to place: pass."
    played.play("pass")
    assert played.prompt == "You have nothing to place: pass (a pass now ends the game)."
    played.play("pass")
    assert played.outcome == hg.Outcome("passes", (19, 0), (0,), (1, 2))


def test_a_turn_ends_by_itself_when_no_second_piece_fits() -> None:
    rules, found = hg.make("root_bound(side=3)"), 0
    for seed in range(30):
        for (before, action), (after, _) in pairwise(walk(rules, seed)):
            if before.turn == 4 and before.first is None and action != rules.finish and after.first is None:
                assert after.to_move != before.to_move
                found += 1
    assert found


# --- Fall and Winter --------------------------------------------------------------------------------------------------


def test_b8_the_tie_is_the_first_passers() -> None:
    """Nobody has a Root, so everything withers: 0 to 0."""
    moves = f"{OPENING} pass g7 done g9 done pass pass"
    assert match(moves).outcome == hg.Outcome("passes", (0, 0), (1,), (2, 1))
    assert match(moves, "root_bound(tie_pass=final)").outcome == hg.Outcome("passes", (0, 0), (0,), (1, 2))
    assert match(moves).prompt == "Both passed. White wins the tie, 0 to 0, by passing first in the game."


def test_b9_equal_runners_wither_at_once() -> None:
    """After a3, Black's c4/d4 and White's b4/c5; were c4/d4 to go first, b4/c5 would be a Root."""
    played = hg.Match("root_bound(side=3)", position="#.O/.#O#/##O#O/.O.O/O.# 1 passes=1")
    before = played.cells()
    played.play("pass")
    assert set(before) - set(played.cells()) == {"a3", "c4", "d4", "b4", "c5"}


def test_b11_an_empty_board_is_the_first_passers() -> None:
    played = match(f"{OPENING} pass pass")
    assert played.cells() == {} and played.outcome == hg.Outcome("passes", (0, 0), (1,), (2, 1))


@pytest.mark.parametrize("name", ["root_bound(side=4)", "root_bound", "root_bound(side=4,centerless=yes)"])
def test_the_sizes_that_wither_strictly_increase(name: str) -> None:
    rules, rounds = hg.make(name), 0
    for seed in range(25):
        *_, (board, sizes) = falls(rules, seed)
        assert sizes == sorted(set(sizes))
        assert not rules.withering(board)
        rounds += len(sizes)
    assert rounds > 25


def falls(rules: Any, seed: int) -> Any:
    """The boards of Fall in a random game, with the sizes that have withered so far."""
    end = next(p for p, action in walk(rules, seed) if action == rules.finish and p.passes and p.first is None)
    board, sizes = rules.cleaned(end.board, 2 - end.to_move), []
    yield board, sizes
    while gone := rules.withering(board):
        survey = rules.survey(board)
        sizes.append(len(survey.points[survey.area[gone[0]]]))
        board = bytes(0 if point in gone else piece for point, piece in enumerate(board))
        yield board, sizes


# --- words ------------------------------------------------------------------------------------------------------------


def test_prompts() -> None:
    played, said = match(), []
    for move in ("d4", "g3", "j8", "d9", "k4", "g7", "done", "pass", "pass"):
        said.append(played.prompt)
        played.play(move)
    assert said == [
        "Place your first piece anywhere.",
        "Place the first of your two pieces anywhere.",
        "Place the second of your two pieces, not next to the first.",
        "Place the first of your two pieces anywhere.",
        "Place the second of your two pieces; one of your three must touch neither of the others.",
        "Place one or two pieces, or pass.",
        "Place a second piece, or say done.",
        "Place one or two pieces, or pass.",
        "Place one or two pieces, or pass (a pass now ends the game).",
    ]


def test_pass_and_done_each_have_their_time() -> None:
    played = match(OPENING)
    reason = played.why_not("done")
    assert reason and (reason.code, str(reason)) == (
        "nothing_placed",
        "You have placed nothing this turn: say pass to end it.",
    )
    played.play("g7")
    reason = played.why_not("PASS")
    assert reason and (reason.code, str(reason)) == (
        "piece_placed",
        "You have placed a piece this turn: say done to end it.",
    )
    with pytest.raises(
        hg.IllegalMove, match=r"illegal move 'd4': there is already a piece on d4 \(Root Bound rule 4.1"
    ):
        played.play("d4")
    with pytest.raises(hg.UnreadableMove):
        played.play("resign")


def test_the_scene() -> None:
    played = match_at("root_bound", "b1 c2 c3 b3 a3 h5", "k2 k6", to_move=1)
    scene = played.scene()
    assert scene.title == "Root Bound, side 7"
    assert scene.claimed == tuple((played.rules.board.point[name], 0) for name in ("b2", "a1", "a2"))
    counts = "Black has 6 pieces and 3 claimed points; White has 2 pieces and no claimed points"
    assert scene.description == f"Summer. {counts}. White is to move."
    assert match(name="root_bound(side=6,centerless=yes)").scene().title == "Root Bound, side 6, centerless"
    assert match("d4").scene().description.startswith("Spring. Black has 1 piece ")


# --- positions as text ------------------------------------------------------------------------------------------------


def test_positions_are_easy_to_write() -> None:
    rules = hg.make("root_bound(side=3)")
    assert rules.write(rules.start()) == ".../..../...../..../... 0 turn=1"
    position = rules.parse("3/#2O/5/O3/2#")
    assert (position.to_move, position.turn, position.first, position.passes, position.passer) == (0, 4, None, 0, None)
    assert rules.parse("3/#2O/5/O3/2# 1 passes=1").passer == 0
    assert rules.write(rules.parse("3/#2O/5/O3/2# 1 passes=1 passer=1")).endswith(" 1 passes=1 passer=1")
    ended = rules.parse("3/4/5/4/3 0 passes=2")
    assert rules.outcome(ended) == hg.Outcome("passes", (0, 0), (0,), (1, 2))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("3/4/5/4/3", "no pieces"),
        ("3/4/5/4/3 0 turn=2", "turn=2 is White's, with 1 Black and 0 White"),
        ("3/4/5/4/2# 0 turn=2", "turn=2 is White's"),
        ("3/4/5/4/2# 1 turn=1", "turn=1 is Black's"),
        ("3/4/5/4/OO# 0 turn=3", "touch each other"),
        ("3/4/5/4/2# 1 turn=5", "cannot have turn=5"),
        ("3/4/5/4/2# 1 turn=0", "cannot have turn=0"),
        ("3/4/5/4/2# 1 turn=x", "cannot have turn=x"),
        ("3/#2O/5/O3/2# 0 first=a1", "no Black piece on a1"),
        ("3/#2O/5/O3/2# 0 first=b1", "no Black piece on b1"),
        ("3/#2O/5/O3/2# 0 first=z9", "cannot have first=z9"),
        ("3/4/5/4/2# 0 first=a3", "no pieces"),
        ("3/4/5/#3/2# 0 first=a3", "region that was claimed"),
        ("3/#2O/5/O3/2# 0 first=a3 passes=1", "together"),
        ("3/#2O/5/O3/2# 0 passes=3", "cannot have passes=3"),
        ("3/#2O/5/O3/2# 0 passes=2", "weak Runners"),
        ("3/#2O/5/O3/2# 0 passer=2", "cannot have passer=2"),
        ("3/4/5/4/2# 1 turn=2 passes=1", "nobody passes in Spring"),
        ("3/4/5/2#1/1## 0", "triangle"),
        ("3/4/5/2#1/1## 0 passes=2", "triangle"),
        ("3/#2O/5/O3/2# 0 supply=2", "no word 'supply'"),
        ("..O/OOO#/##.O#/O#.#/O#O 0 first=b2", "no second piece"),
    ],
)
def test_bad_positions(text: str, words: str) -> None:
    with pytest.raises(hg.BadRecord, match=words) as refused:
        hg.Match("root_bound(side=3)", position=text)
    assert "hint: " in str(refused.value)


def test_with_tie_pass_final_the_passer_follows_from_the_passes() -> None:
    with pytest.raises(hg.BadRecord, match="it follows from passes="):
        hg.Match("root_bound(side=3,tie_pass=final)", position="3/#2O/5/O3/2# 0 passer=1")


def test_spring_cites_its_own_clauses() -> None:
    for moves, taken, clause in (("d4", "d4", "3.2"), ("d4 g3 j8", "g3", "3.3"), (OPENING, "d4", "4.1")):
        reason = match(moves).why_not(taken)
        assert reason and (reason.code, reason.clause) == ("occupied", clause)


def test_a_tie_by_the_last_passes_says_so() -> None:
    moves = f"{OPENING} pass g7 done g9 done pass pass"
    assert match(moves, "root_bound(tie_pass=final)").prompt.endswith("0 to 0, by the first of the two last passes.")
