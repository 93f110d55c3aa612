"""Root Down: the sheet's words and the rulings by point name, the ends, set-ups, and what must hold in every game."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hedgerow as hg
from hedgerow.games.root_down.plain import QUIET_END
from hedgerow.games.root_down.setups import STANDARD, adjacent_roots
from walks import walk

RULES = hg.make("root_down")
DANCE = "setup=6kr/7k/8/8/8/8/K7/RK6"
STEPS = ("a2-b2", "h7-g7", "a1-a2", "h8-h7", "b2-a1", "g7-h8")
"""Six moves after which the set-up of the dance is there again."""
EVERY_OPTION = pytest.mark.parametrize(
    "name",
    [
        "root_down",
        "root_down(activating_roots=own)",
        "root_down(repetition=0)",
        "root_down(setup=rk1k2r1/kk1k4/8/3D4/3d4/8/KK1K4/RK1K2R1)",
        f"root_down({DANCE})",
    ],
)


def match_at(south: str, north: str, to_move: int = 0, words: str = "", name: str = "root_down") -> hg.Match:
    """A match from pieces spelled like Rc1."""
    rules = hg.make(name)
    rows = [["."] * 8 for _ in range(8)]
    for seat, pieces in enumerate((south, north)):
        for piece in pieces.split():
            row, column = rules.board.cells[rules.board.point[piece[1:]]]
            rows[row][column] = piece[0] if seat == 0 else piece[0].lower()
    return hg.Match(rules, position=f"{'/'.join(''.join(row) for row in rows)} {to_move} {words}")


def named(match: hg.Match, points: list[int]) -> set[str]:
    return {match.rules.board.names[point] for point in points}


def code(match: hg.Match, move: str) -> str:
    reason = match.why_not(move)
    return reason.code if reason else "legal"


# --- figures ----------------------------------------------------------------------------------------------------------


def figures() -> list[dict[str, str]]:
    text = Path(__file__).with_name("figures.txt").read_text(encoding="utf-8")
    blocks = [block for block in text.split("\n\n") if not block.startswith("#")]
    return [dict(line.split(":", 1) for line in block.strip().splitlines()) for block in blocks]


def claims(match: hg.Match, key: str, claim: str) -> None:
    """Holds one line of a figure against a match."""
    rules: Any = match.rules
    if key == "distance":
        for name, distance in (part.split() for part in claim.split(",")):
            assert len(rules.companions(match.plain.board, rules.board.point[name])) == int(distance), name
    elif key in ("activated", "then activated"):
        for seat, names in enumerate(claim.split("|")):
            assert named(match, rules.activated(match.plain.board, seat)) == set(names.split())
    elif key == "legal":
        assert match.legal() == sorted(claim.split())
    elif key == "refused":
        assert {part: code(match, part.split()[0]) for part in claim.split(",")} == {
            part: part.split()[1] for part in claim.split(",")
        }
    elif key == "ends":
        reason, south, north, winner = claim.split()
        outcome = match.outcome
        assert outcome and (outcome.reason, outcome.scores) == (reason, (int(south), int(north)))
        assert rules.seats[outcome.winners[0]] == winner
    else:
        match.play(key.removeprefix("after "))
        pieces = [part.split()[1:] for part in claim.split("|")]
        assert match.cells() == {piece[1:]: f"{seat}{piece[0]}" for seat in (0, 1) for piece in pieces[seat]}


@pytest.mark.parametrize("figure", figures(), ids=lambda figure: figure["figure"].strip())
def test_figures(figure: dict[str, str]) -> None:
    given = {key: figure.pop(key).strip() for key in ("figure", "rules", "south", "north", "to move")}
    match = match_at(given["south"], given["north"], int(given["to move"]), name=given["rules"])
    assert figure
    for key, claim in figure.items():
        claims(match, key, claim)


def test_there_is_no_pass() -> None:
    with pytest.raises(hg.IllegalMove, match=r"you may not pass: move a kicker \(Root Down rule 3.1\)"):
        hg.Match("root_down").play("pass")


# --- reasons ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "text", "points"),
    [
        ("d5-d6", "There is no piece on d5.", ""),
        ("c7-c5", "The piece on c7 is North's.", "c7"),
        ("c1-c2", "The piece on c1 is a root, and roots do not move.", "c1"),
        ("h4-h5", "The kicker on h4 is not activated: no root stands beside it.", "h4"),
        ("f2-f3", "The kicker on f2 cannot move: no other kicker of yours is beside the root on f1.", "f2 f1"),
        ("b2-c4", "b2 and c4 are not on a straight line.", ""),
        ("b2-b2", "A kicker must move: b2 is where it stands.", ""),
        (
            "b2-b3",
            "The kicker on b2 moves exactly 2 squares, one for each of c2 and d2 beside the root on c1, not 1.",
            "c2 d2 c1",
        ),
        ("b2-d2", "c2 and d2 stand in the way from b2 to d2.", "c2 d2"),
        ("b2-b4", "b4 stands in the way from b2 to b4.", "b4"),
        ("b2-b9", "There is no point b9: file b goes from b1 to b8.", ""),
    ],
)
def test_reasons(move: str, text: str, points: str) -> None:
    match = match_at("Rc1 Kb2 Kc2 Kd2 Rf1 Kf2 Kh4", "Kb4 Kc7")
    reason = match.why_not(move)
    assert reason and (str(reason), reason.points) == (text, tuple(points.split()))


def test_a_move_off_the_board() -> None:
    west = RULES.actions.id(6, RULES.board.point["b2"])
    reason = RULES.forbids(RULES.start(), west)
    assert reason and (reason.code, reason.points, reason.clause) == ("off_board", ("c2", "d2", "c1"), "3.5")
    assert "moves exactly 2 squares" in str(reason) and "off the board" in str(reason)


@EVERY_OPTION
def test_a_reason_for_a_text_is_true(name: str) -> None:
    """Take the pieces it names off the board, and it no longer applies."""
    rules: Any = hg.make(name)
    chance, codes = random.Random(name), set()
    for seed in range(4):
        for position, _ in walk(rules, seed):
            pieces = [point for point in range(64) if position.board[point]]
            for _ in range(20):
                text = "-".join(rules.board.names[p] for p in (chance.choice(pieces), chance.randrange(64)))
                reason = rules.read(position, text)
                if isinstance(reason, int):
                    continue
                codes.add(reason.code)
                named = [rules.board.point[point] for point in reason.points]
                assert all(position.board[point] for point in named)
                after = rules.read(rules.without(position, named), text)
                assert not named or isinstance(after, int) or after.code != reason.code, (text, reason)
    assert codes >= {"not_yours", "is_root", "distance", "not_straight"}


def test_reading_moves() -> None:
    start = RULES.start()
    north = RULES.actions.id(0, RULES.board.point["b2"])
    assert {RULES.read(start, text) for text in ("b2-b4", "B2-B4", "b2b4", "B2b4")} == {north}
    assert RULES.clicks(start, north) == ("b2", "b4")
    for text in ("b2", "b2-", "-b4", "b2--b4", "b2-b4-b6", "", "2b-4b", "b2 b4"):
        with pytest.raises(hg.UnreadableMove):
            RULES.read(start, text)


# --- the ends ---------------------------------------------------------------------------------------------------------


def test_the_third_occurrence_ends_the_game() -> None:
    match = hg.Match(f"root_down({DANCE})")
    for step in STEPS + STEPS[:-1]:
        match.play(step)
    assert match.outcome is None and match.legal()
    match.play(STEPS[-1])
    assert match.outcome == hg.Outcome("repetition", (2, 2), (1,), (2, 1))
    assert match.legal() == [] and code(match, "a2-b2") == "game_over"
    assert match.prompt == (
        "The same position came up for the third time. North wins, 2 to 2, for a tie goes against the player to move."
    )


def test_the_same_board_with_the_other_player_to_move_is_no_repetition() -> None:
    rules = hg.make(f"root_down({DANCE})")
    start = rules.start()
    position = replace(start, quiet=4, earlier=(start.board, bytes(64), bytes(64), start.board))
    assert rules.outcome(replace(position, earlier=(start.board, bytes(64), start.board, bytes(64))))
    assert rules.outcome(position) is None


def test_two_hundred_moves_without_a_capture_end_the_game() -> None:
    match = hg.Match(f"root_down(repetition=0,{DANCE})")
    for ply in range(QUIET_END):
        assert match.outcome is None and match.plain.quiet == ply
        match.play(STEPS[ply % 6])
    assert match.outcome == hg.Outcome("quiet", (2, 2), (1,), (2, 1))
    assert match.prompt.startswith("200 moves in a row captured nothing. North wins")


@EVERY_OPTION
def test_a_capture_begins_the_count_anew(name: str) -> None:
    rules: Any = hg.make(name)
    captures = 0
    for seed in range(10):
        for before, after in pairwise(position for position, _ in walk(rules, seed)):
            captured = after.board.count(0) > before.board.count(0)
            assert after.quiet == (0 if captured else before.quiet + 1)
            assert len(after.earlier) == (after.quiet if rules.repetition else 0)
            captures += captured
    assert captures or DANCE in name


def test_quiet_moves_of_a_position_as_text() -> None:
    pieces = "Rc3 Kb3 Dc4 Ka3", "Ra5 Db5 Kc5 Dg7"
    capture = match_at(*pieces, words=f"quiet={QUIET_END - 1}")
    capture.play("b3-b4")
    assert capture.outcome is None and capture.plain.quiet == 0
    quiet = match_at(*pieces, words=f"quiet={QUIET_END - 1}")
    quiet.play("b3-b2")
    assert quiet.outcome and quiet.outcome.reason == "quiet"


@pytest.mark.parametrize("repetition", [3, 0])
def test_compiled_rules_end_a_dance_as_plain_ones_do(repetition: int) -> None:
    rules = hg.make(f"root_down(repetition={repetition},{DANCE})")
    states, position = rules.fast.new(), rules.start()
    for ply in range(QUIET_END):
        assert rules.fast.unpack(states) == rules.fast.unpack(rules.fast.pack(position)) == position
        assert np.flatnonzero(rules.fast.legal(states)[0]).tolist() == rules.legal(position)
        if rules.outcome(position):
            break
        action = rules.read(position, STEPS[ply % 6])
        rules.fast.play(states, [action])
        position = rules.play(position, action)
    outcome = rules.outcome(position)
    assert outcome and outcome.reason == ("repetition" if repetition else "quiet")
    assert rules.fast.results(states)[0][0] == outcome.winners[0]
    assert rules.fast.unpack(states) == position


def test_equal_keys_alone_are_no_repetition() -> None:
    """Boards that share a key are compared piece by piece."""
    rules = hg.make(f"root_down({DANCE})")
    states, position = rules.fast.new(), rules.start()
    for step in STEPS[:5]:
        action = rules.read(position, step)
        position = rules.play(position, action)
        before = states.copy()
        rules.fast.play(states, [action])
    before["keys"][0, : before[0].known + 1] = states[0].keys[states[0].known]
    rules.fast.play(before, [action])
    assert not before[0].over and rules.fast.unpack(before) == position


# --- set-ups ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setup", "name"),
    [
        ("standard", "root_down"),
        (STANDARD, "root_down"),
        (STANDARD.replace("8", "44").replace("2r", "..r"), "root_down"),
        ("8/8/8/8/8/8/8/8", "root_down(setup=8/8/8/8/8/8/8/8)"),
        ("r.1k4/8/.......D/11111111/8/8/8/R1R1R1R1", "root_down(setup=r2k4/8/7D/8/8/8/8/R1R1R1R1)"),
    ],
)
def test_setups(setup: str, name: str) -> None:
    assert hg.make(f"root_down(setup={setup})").name == name
    assert hg.make(f"root_down:setup={setup}") is hg.make(name)


@pytest.mark.parametrize(
    ("setup", "words"),
    [
        ("", "fewer than eight ranks"),
        ("8/8", "fewer than eight ranks"),
        ("8/8/8/8/8/8/8/8/8", "more than eight ranks"),
        ("8/8/8/8/8/8/8/9", "'9' in rank 1 is no piece"),
        ("8/8/8/8/8/8/8/08", "'0' in rank 1 is no piece"),
        ("8/x7/8/8/8/8/8/8", "'x' in rank 7 is no piece"),
        ("8/8/8/8/8/8/8/7", "rank 1 has fewer than eight squares"),
        ("8/8/8/8/8/8/8/8R", "rank 1 has more"),
        ("8/8/8/8/8/8/K7/KKKKKKKK", "South has 9 pieces, more than 8"),
        ("kkkkkkkk/dd6/8/8/8/8/8/8", "North has 10 pieces"),
        ("8/8/8/8/8/8/1r6/R7", "roots on b2 and a1 are beside each other"),
        ("8" * 1_000_000, "fewer than eight ranks"),
        ("/" * 1_000_000, "more than eight ranks"),
        ("8/8/8/8/8/8/8/" + "8" * 1_000_000, "rank 1 has more"),
        ("8/8/8/8/8/8/8/٨", "is no piece"),
    ],
)
def test_bad_setups(setup: str, words: str) -> None:
    with pytest.raises(hg.BadOption, match=words) as refused:
        hg.make(f"root_down(setup={setup})")
    assert "hint: setup is standard, or eight ranks" in str(refused.value) and len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("setup", "scores", "winner"),
    [
        ("8/8/8/8/8/8/8/8", (0, 0), 1),
        ("8/8/8/8/8/8/8/RK6", (1, 0), 0),
        ("rk6/8/8/8/8/8/8/RK6", (1, 1), 1),
        ("kr1k4/8/8/8/8/8/8/RK6", (1, 1), 1),
        ("krk5/8/8/8/8/8/8/RK6", (1, 2), 1),
    ],
)
def test_a_set_up_in_which_south_cannot_move(setup: str, scores: tuple[int, int], winner: int) -> None:
    match = hg.Match(f"root_down(setup={setup})")
    outcome = match.outcome
    assert outcome and (outcome.reason, outcome.scores, outcome.winners) == ("stuck", scores, (winner,))
    assert match.legal() == [] and match.prompt.startswith("South has no move. ")
    games = match.rules.fast.playouts(2)
    assert games.lengths.tolist() == [0, 0] and games.winners.tolist() == [winner, winner]
    assert games.scores[0].tolist() == list(scores)


def test_captures_count_from_the_set_up() -> None:
    match = hg.Match("root_down(setup=8/8/8/d7/8/KRK5/8/8)")
    assert match.scene().trays == ()
    match.play("a3-a4")
    assert [(tray.seat, tray.kind, tray.count) for tray in match.scene().trays] == [(0, "captured", 1)]
    assert match.outcome == hg.Outcome("stuck", (2, 0), (0,), (1, 2))
    assert match.prompt == "North has no move. South wins, 2 to 0."


# --- positions as text, looks, invariants -----------------------------------------------------------------------------


def test_positions_tell_what_repetition_needs() -> None:
    match = hg.Match(f"root_down({DANCE})")
    assert match.position() == "......kr/.......k/......../......../......../......../K......./RK...... 0"
    match.play("a2-b2 h7-g7")
    rows, seat, since = match.position().split()
    assert (seat, since) == ("0", "since=6kr/7k/8/8/8/8/K7/RK6,a2-b2,h7-g7")
    again = hg.Match(match.rules, position=match.position())
    for step in (STEPS * 2)[2:]:
        again.play(step)
    assert again.outcome and again.outcome.reason == "repetition"
    assert match.rules.parse(again.position()) == again.plain
    bare = match.rules.parse(f"{rows} 0 quiet=17")
    assert (bare.quiet, bare.earlier) == (17, ()) and match.rules.write(bare).endswith("0 quiet=17")
    assert match.rules.parse(f"{rows} 0 quiet=9 {since}").quiet == 9


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("8/8", "number of rows is 2"),
        ("8/8/8/8/8/8/8/8 2", "no seat '2'"),
        ("8/8/8/8/8/8/8/KKKK4", "4 pieces of South on the board; hint: the set-up has 3"),
        ("8/8/8/8/8/8/8/RR6", "roots beside each other on a1 and b1"),
        ("8/8/8/8/8/8/1r6/R7", "roots beside each other"),
        ("8/8/8/8/8/8/8/8 0 quiet=201", "quiet=201; hint: a number from 0 to 200"),
        ("8/8/8/8/8/8/8/8 0 quiet=-1", "quiet=-1"),
        ("8/8/8/8/8/8/8/8 0 quiet=٣", "quiet"),
        ("8/8/8/8/8/8/8/8 0 quiet=" + "9" * 5000, "quiet=9"),
        ("8/8/8/8/8/8/8/8 0 passes=1", "no word 'passes' here; hint: quiet, since"),
        ("8/8/8/8/8/8/8/8 0 since=", "cannot read since: there are fewer"),
        ("8/8/8/8/8/8/8/8 0 since=,a2-b2", "cannot read since: there are fewer"),
        ("8/8/8/8/8/8/8/8 0 since=8/8/8/8/8/8/8/K7", "since leads to 8/8/8/8/8/8/8/K7; hint: it must lead to 8/8"),
        ("8/8/8/8/8/8/8/8 0 since=8/8/8/8/8/8/8/KKKK4", "4 pieces of South"),
        ("6kr/7k/8/8/8/8/K7/RK6 1 since=6kr/7k/8/8/8/8/K7/RK6,a2-b2", "since leads to"),
        ("6kr/7k/8/8/8/8/K7/RK6 0 since=6kr/7k/8/8/8/8/K7/RK6,a2-b2", "a2-b2, which cannot be played there"),
        ("6kr/7k/8/8/8/8/K7/RK6 1 since=6kr/7k/8/8/8/8/K7/RK6,a2", "since: cannot read 'a2'"),
        ("6kr/7k/8/8/8/8/K7/RK6 1 quiet=0 since=6kr/7k/8/8/8/8/K7/RK6,a2-b2", "quiet=0; hint: a number from 1"),
        ("8/8/8/8/8/8/8/8 0 since=8/8/8/8/8/8/8/8" + ",a1-a2" * 100_000, "quiet=201"),
        ("6kr/7k/8/8/8/8/K7/RK6 1 since=6kr/7k/8/8/8/8/K7/RK6,a2-b1", "a2-b1, which cannot be played there"),
    ],
)
def test_bad_positions(text: str, words: str) -> None:
    with pytest.raises(hg.BadRecord, match=words):
        hg.Match(f"root_down({DANCE})", position=text)


def test_a_capture_ends_what_since_can_tell() -> None:
    before = "8/8/8/rdk5/2D5/KKR5/8/8"
    match = hg.Match("root_down", position=f"{before} 0")
    match.play("b3-b4")
    with pytest.raises(hg.BadRecord, match="b3-b4, which captures; hint: begin behind the last capture"):
        hg.Match("root_down", position=f"{match.position()} since={before},b3-b4")


def test_repetition_that_does_not_count_is_not_kept() -> None:
    match = hg.Match(f"root_down(repetition=0,{DANCE})")
    match.play("a2-b2 h7-g7")
    assert match.position().endswith(" 0 quiet=2")
    with pytest.raises(hg.BadRecord, match=r"no word 'since' here; hint: quiet$"):
        hg.Match(match.rules, position=match.position() + " since=8/8/8/8/8/8/8/8")


def test_no_text_breaks_the_reader() -> None:
    rules, chance = hg.make(f"root_down({DANCE})"), random.Random(4)
    match = hg.Match(rules)
    match.play(" ".join(STEPS))
    for _ in range(400):
        text = list(match.position())
        for _ in range(chance.randrange(1, 4)):
            text[chance.randrange(len(text))] = chance.choice("RKDrkd./,-=018ah ")
        try:
            position = rules.parse("".join(text))
        except hg.BadRecord:
            continue
        assert rules.parse(rules.write(position)) == position
        assert rules.fast.unpack(rules.fast.pack(position)) == position


@EVERY_OPTION
def test_what_holds_in_every_game(name: str) -> None:
    rules: Any = hg.make(name)
    for seed in range(25):
        for position, action in walk(rules, seed):
            assert adjacent_roots(position.board) is None
            assert all(rules.captured(position, seat) >= 0 for seat in (0, 1))
            outcome = rules.outcome(position)
            assert (outcome is None) == (action is not None)
            assert not outcome or len(outcome.winners) == 1, "no game is a draw"


def test_looks() -> None:
    match = hg.Match("root_down")
    assert match.prompt == (
        "Move one of your activated kickers in a straight line: b2, c2, d2, e2, f2 or g2 exactly 2 squares."
    )
    scene = match.scene()
    assert (scene.title, scene.seats, scene.trays) == ("Root Down", ("South", "North"), ())
    assert scene.description.startswith(
        "South has roots on c1 and f1; kickers on b2, c2, d2, e2, f2 and g2; activated: b2, c2, d2, e2, f2 and g2; "
    )
    assert {(mark.kind, mark.glyph) for mark in scene.marks} == {
        ("root", "R"), ("root", "r"), ("kicker", "K"), ("kicker", "k")
    }  # fmt: skip
    later = match_at("Rc3 Kb3 Dc4 Ka3 Rg3 Kh2 Kg2", "Da5")
    assert later.prompt.endswith("line: c4, b3, g2 or h2 exactly 1 square.")
    assert [(tray.seat, tray.kind, tray.count) for tray in later.scene().trays] == [
        (0, "captured", 7), (1, "captured", 1)
    ]  # fmt: skip
    assert "North has a diminished kicker on a5; activated: none; captured: 1." in later.scene().description
    other = hg.make(f"root_down(activating_roots=own,repetition=0,{DANCE})")
    title = other.scene(other.start()).title
    assert title == "Root Down, only own roots activate, repetition does not count, own set-up"


def test_a_game_that_is_over_cites_the_rule_that_ended_it() -> None:
    stuck = hg.Match("root_down(setup=8/8/8/8/8/8/8/KR5r)")
    assert stuck.outcome and stuck.why_not("a1-a2").clause == "5.1"
    quiet = hg.Match("root_down(repetition=0)", position=f"{STANDARD} 0 quiet=200")
    assert quiet.outcome and quiet.why_not("b2-b4").clause == "5.3"
    resigned = hg.Match("root_down")
    resigned.resign(0)
    assert resigned.why_not("b2-b4").clause == ""
