"""A match: playing, refusing, undoing, leaving."""

from __future__ import annotations

import pickle
import random

import pytest

import hedgerow as hg
from walks import DEFAULTS


@pytest.mark.parametrize("name", DEFAULTS)
def test_undo_takes_back_one_action_and_undo_turn_a_turn(name: str) -> None:
    match, chance, past = hg.Match(name), random.Random(2), []
    for _ in range(30):
        past.append((match.plain, match.turns))
        match.play(chance.choice([m for m in match.legal() if m != "pass"] or ["pass"]))
        if match.outcome:
            break
    turns = match.turns
    while past:
        copy = match.copy()
        copy.undo_turn()
        assert copy.turns == match.turns[:-1]
        match.undo()
        assert (match.plain, match.turns) == past.pop()
    match.undo()
    match.undo_turn()
    assert match.turns == () and turns


def test_a_refused_move_leaves_the_match_untouched() -> None:
    match = hg.Match("root_bound(side=4)")
    match.play("a1")
    with pytest.raises(hg.IllegalMove) as refused:
        match.play("c3 a1")
    assert refused.value.reason.code == "occupied" and refused.value.move == "a1"
    assert match.turns == ("a1",) and match.cells() == {"a1": "0"}
    for text in ("", "  ", "hello", "c3 hello"):
        with pytest.raises(hg.UnreadableMove):
            match.play(text)
        assert match.why_not(text).code == "unreadable"
    assert match.turns == ("a1",)


def test_messages_quote_the_move_the_reason_and_the_rule() -> None:
    match = hg.Match("tanbo")
    with pytest.raises(
        hg.IllegalMove, match=r"^illegal move 'A1': there is already a stone on A1 \(Tanbo rule \d\.\d\)$"
    ):
        match.play("A1")


def test_things_that_are_not_text_or_not_a_seat() -> None:
    match = hg.Match("tanbo")
    for call, error in [
        (lambda: hg.make(None), hg.UnknownGame),
        (lambda: hg.Match(5), hg.UnknownGame),
        (lambda: hg.Match("tanbo", position=7), hg.BadRecord),
        (lambda: hg.read(b"Game: tanbo"), hg.BadRecord),
        (lambda: match.play(5), hg.UnreadableMove),
        (lambda: match.resign(True), hg.IllegalMove),
        (lambda: match.flag(1.0), hg.IllegalMove),
        (lambda: match.scene(("Z9",)), hg.HedgerowError),
    ]:
        with pytest.raises(error):
            call()
    assert match.why_not(None).code == "unreadable" and match.turns == ()


def test_a_refusal_can_be_sent_to_another_process() -> None:
    with pytest.raises(hg.IllegalMove) as refused:
        hg.Match("tanbo").play("A1")
    again = pickle.loads(pickle.dumps(refused.value))
    assert str(again) == str(refused.value) and again.reason == refused.value.reason


def test_the_description_tells_whose_turn_it_is_or_how_it_ended() -> None:
    match = hg.Match("hexbo(side=5)")
    assert match.scene().description.endswith("Black is to move.")
    match.play("B3")
    match.resign(0)
    assert match.scene().description.endswith("Black resigned: White wins.")
    assert match.scene().last == (match.rules.board.point["B3"],), "the last turn is marked, though somebody has left"


def test_two_players_leaving() -> None:
    for seat in (0, 1):
        match = hg.Match("root_down")
        match.flag(seat)
        places = (2, 1) if seat == 0 else (1, 2)
        assert match.outcome == hg.Outcome("time", None, (1 - seat,), places)
        assert match.legal() == [] and match.why_not("b2-b4").code == "game_over"
        for again in (lambda m=match: m.resign(0), match.agree_draw, lambda m=match: m.play("b2-b4")):
            with pytest.raises(hg.IllegalMove):
                again()
        match.undo()
        assert match.outcome is None


def test_an_agreed_draw() -> None:
    match = hg.Match("rootbound")
    match.agree_draw()
    assert match.outcome == hg.Outcome("agreement", None, (), (1, 1)) and match.prompt == "A draw was agreed."


def test_six_players_leave_one_by_one() -> None:
    match = hg.Match("hexbo(players=6)")
    match.play(match.legal()[0])
    match.resign(3)
    assert match.outcome is None and "3" in match.cells().values(), "the stones stay"
    with pytest.raises(hg.IllegalMove):
        match.resign(3)
    with pytest.raises(hg.IllegalMove):
        match.resign(6)
    match.flag(1)
    assert match.to_move == 2
    draw = match.copy()
    draw.agree_draw()
    assert draw.outcome.places == (1, 5, 1, 6, 1, 1)
    for seat in (0, 2, 4):
        match.resign(seat)
    assert match.outcome == hg.Outcome("resignation", None, (5,), (4, 5, 3, 6, 2, 1))
    assert match.prompt == "Green resigned: Yellow wins."


def test_skipped_turns_do_not_appear() -> None:
    match = hg.Match("rootbound(side=3)")
    match.play("c4 a2 d3 a3 c1 e1 d2 d4 a1 e3 b2 d1 b3")
    assert match.turns == ("c4", "a2 d3", "a3 c1", "e1 d2", "d4 a1", "e3 b2", "d1 b3")


def test_scenes_mark_the_last_turn() -> None:
    match = hg.Match("root_bound(side=4)")
    match.play("a1 c3 g2")
    assert {match.rules.board.names[p] for p in match.scene().last} == {"c3", "g2"}
    assert match.scene(("a1",)).highlights == (match.rules.board.point["a1"],)
    assert match._repr_svg_() == match.svg()
    assert str(match)


def test_exactly_one_turn() -> None:
    match = hg.Match("root_bound(side=4)")
    match.play_turn("a1")
    match.play("c3")
    assert match.mid_turn
    match.play_turn("g2")
    assert match.turns == ("a1", "c3 g2") and not match.mid_turn
    for text, code in (("d4 e1 f1", "several_turns"), ("d4", "unfinished"), ("a1", "occupied")):
        with pytest.raises(hg.IllegalMove) as refused:
            match.play_turn(text)
        assert refused.value.reason.code == code and match.turns == ("a1", "c3 g2")
    for text in ("", "hello", None):
        with pytest.raises(hg.UnreadableMove):
            match.play_turn(text)  # type: ignore[arg-type]


def test_a_match_after_some_of_its_turns() -> None:
    match = hg.Match("root_bound(side=4)")
    match.play("a1 c3 g2 d4")
    assert [match.after(turns).turns for turns in range(4)] == [(), ("a1",), ("a1", "c3 g2"), ("a1", "c3 g2", "d4")]
    assert match.after(2).tags == match.tags and match.turns[-1] == "d4"
    for turns in (-1, 4, True, "1"):
        with pytest.raises(hg.HedgerowError, match="no turn"):
            match.after(turns)  # type: ignore[arg-type]
