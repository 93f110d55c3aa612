"""Rootbound: the sheet's notes, the rulings M1 to M9 by point name, reasons, positions as text."""

from __future__ import annotations

from dataclasses import replace

import pytest

import hedgerow as hg
from hedgerow.games._bound.test_bound import check_figure, figures, match_at
from walks import walk


@pytest.mark.parametrize("lines", figures("rootbound"))
def test_the_sheets_notes(lines: list[tuple[str, str]]) -> None:
    check_figure("rootbound", lines)


def match(moves: str = "", name: str = "rootbound") -> hg.Match:
    played = hg.Match(name)
    if moves:
        played.play(moves)
    return played


def test_the_first_turns() -> None:
    played = match("d4")
    assert played.to_move == 1 and len(played.legal()) == 126
    played.play("d5")
    assert played.to_move == 1 and "d6" in played.legal() and "done" in played.legal() and played.scene().claimed == ()
    played.play("d6")
    assert played.to_move == 0


def test_m1_equal_scores_are_a_draw() -> None:
    played = hg.Match("rootbound(side=3)", position=".O#/OO#./..O##/OO#./##. 1")
    assert played.outcome == hg.Outcome("stuck", (3, 3), (), (1, 1))
    assert played.prompt == "Nobody can place a piece. A draw, 3 to 3, counting claimed points."
    assert played.legal() == []


def test_m3_a_player_without_pieces_has_lost() -> None:
    played = match("c3 a1 a2 e3 e1", "rootbound(side=3)")
    assert played.outcome == hg.Outcome("stuck", (16, 0), (0,), (1, 2))
    assert played.cells() == {"c3": "0", "e3": "0", "e1": "0"}


def test_m4_a_skipped_turn_erases_too() -> None:
    """White is stuck: Black's dead groups go on White's skipped turn, and Black moves again."""
    played = hg.Match("rootbound(side=3)", position="#O./O.O./#O#OO/#OO#/#.# 0 first=b4")
    before = played.cells()
    played.play("a2")
    assert played.to_move == 0 and played.outcome is None
    assert set(before) - set(played.cells()) == {"c1", "b1", "a1", "b4", "a3"}


def test_m5_black_is_first_looked_at_when_the_fourth_turn_ends() -> None:
    played = match("d4 g3 j8 d5 done")
    assert played.cells()["d4"] == "0"
    played.play("k2 done")
    assert "d4" not in played.cells() and played.outcome and played.outcome.winners == (1,)


def test_m7_one_piece_is_enough() -> None:
    assert match("d4 g3 done d9 done").turns == ("d4", "g3 done", "d9 done")


def test_m9_both_stuck_players_still_have_a_skipped_turn() -> None:
    turns = ["c4", "a2 d3", "a3 c1", "e1 d2", "d4 a1", "e3 b2", "d1 b3", "c2", "b1"]
    played = hg.Match("rootbound(side=3)")
    for turn in turns[:-1]:
        played.play(turn)
    assert {"a1", "c1", "d1"} <= set(played.cells())
    played.play(turns[-1])
    assert played.turns == tuple(turns)
    assert not {"a1", "b1", "c1", "d1"} & set(played.cells())
    assert played.outcome == hg.Outcome("stuck", (2, 5), (1,), (2, 1))
    assert played.prompt == "Nobody can place a piece. White wins, 5 to 2, counting claimed points."


@pytest.mark.parametrize("name", ["rootbound(side=3)", "rootbound(side=4)", "rootbound"])
def test_m2_the_player_to_move_can_place_until_neither_can(name: str) -> None:
    rules = hg.make(name)
    for seed in range(10):
        stuck: set[int] = set()
        for position, action in walk(rules, seed):
            if position.first is None:
                assert position.to_move not in stuck or action is None, "a stuck player stays stuck"
                stuck |= {seat for seat in (0, 1) if not rules.can_place(replace(position, to_move=seat))}
        assert stuck == {0, 1} and rules.outcome(position)
        claims = rules.claims(position)
        assert rules.outcome(position).scores == (claims.count(1), claims.count(2))


def test_nobody_passes() -> None:
    played = match("d4")
    for word, text in (("pass", "You may not pass: place a piece."), ("done", "You must place a piece before")):
        reason = played.why_not(word)
        assert reason and (reason.code, reason.clause) == ("must_place", "3.1") and str(reason).startswith(text)
    played.play("g3")
    reason = played.why_not("pass")
    assert reason and reason.code == "piece_placed"


@pytest.mark.parametrize(
    ("first", "refused", "code", "points", "clause"),
    [
        ("", "d4", "occupied", {"d4"}, "3.2"),
        ("", "a1", "claimed", {"a2", "b1", "b2"}, "3.3"),
        ("d5", "e5", "triangle", {"d4", "d5"}, "3.4"),
        ("d5", "d6", "line", {"d4", "d5"}, "3.5"),
    ],
)
def test_reasons(first: str, refused: str, code: str, points: set[str], clause: str) -> None:
    played = match_at("rootbound", "d4 a2 b1 b2", "k2 k6")
    if first:
        played.play(first)
    reason = played.why_not(refused)
    assert reason and (reason.code, set(reason.points), reason.clause) == (code, points, clause)


def test_prompts_and_the_scene() -> None:
    played, said = match(), []
    for move in ("d4", "g3", "done"):
        said.append(played.prompt)
        played.play(move)
    assert said == [
        "Place your first piece anywhere.",
        "Place one or two pieces.",
        "Place a second piece, or say done.",
    ]
    assert played.scene().title == "Rootbound, side 7"
    assert played.scene().description == (
        "Black has 1 piece and no claimed points; White has 1 piece and no claimed points. Black is to move."
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("3/4/5/4/3", "no pieces"),
        ("3/4/5/4/2# 0 turn=2", "turn=2 is White's"),
        ("3/4/5/4/2# 0 turn=4", "cannot have turn=4; hint: 1 to 3"),
        ("3/#2O/5/O3/2# 0 passes=1", "no word 'passes'"),
        ("3/#2O/5/O3/2# 0 first=a1", "no Black piece on a1"),
        ("3/4/5/2#1/1## 0", "triangle"),
        ("#O./O.O./.O#OO/.OO./... 1", "White cannot place; hint: it is Black's turn"),
    ],
)
def test_bad_positions(text: str, words: str) -> None:
    with pytest.raises(hg.BadRecord, match=words):
        hg.Match("rootbound(side=3)", position=text)
