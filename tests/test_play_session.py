"""A game at one keyboard without any screen: seats, clocks, take-back, saving, what may be pressed, the lesson."""

from __future__ import annotations

import errno
import os
import random
from pathlib import Path

import pytest

import hedgerow as hg
from hedgerow.game import BadOption, HedgerowError, IllegalMove
from hedgerow.lessons import lesson_of
from hedgerow.search import naming, players
from hedgerow.search.players import Player
from hedgerow.terminal.play import commands, telling
from hedgerow.terminal.play.clock import Clock, Control, control_of
from hedgerow.terminal.play.files import Keeper, folder, unfinished, write
from hedgerow.terminal.play.lesson import Course
from hedgerow.terminal.play.pressing import Pressing
from hedgerow.terminal.play.seats import Seat, machine, people, seat_of, seated, usual
from hedgerow.terminal.play.session import Session, opened
from hedgerow.terminal.play.steering import Cursor
from hedgerow.terminal.play.thinking import Hints, area_of, best_turn, points_of
from walks import VARIANTS

pytestmark = pytest.mark.usefixtures("own_state")


class Time:
    """A clock that only goes when it is told to."""

    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


def at_keyboard(name: str) -> Session:
    match = hg.Match(name)
    return Session(match, people(match.rules))


# --- seats ------------------------------------------------------------------------------------------------------------


def test_seats_are_people_levels_and_players_in_any_mix() -> None:
    seats = seated("Ann, 2, uct(iterations=50,seed=1), level(4), Bo, random", 6)
    assert [seat.player for seat in seats] == [
        None,
        "level(2)",
        "uct(iterations=50,seed=1)",
        "level(4)",
        None,
        "random",
    ]
    assert seat_of("Machine, level(2)") == machine("level(2)")


@pytest.mark.parametrize("text", ["Ann", "Ann,Bo,Cy", "Ann,", ",", "", "Ann,\x1b[31m", f"Ann,{'x' * 41}"])
def test_wrong_seats_are_refused_with_a_hint(text: str) -> None:
    with pytest.raises(HedgerowError, match="hint:"):
        seated(text, 2)


def test_a_level_that_the_game_does_not_have_is_refused() -> None:
    rules = hg.make("hexbo(side=5)")
    with pytest.raises(BadOption, match="hint: 1 to 8"):
        Session(hg.Match(rules), usual(rules, level=9))
    session = Session(hg.Match(rules), usual(rules))
    with pytest.raises(BadOption):
        session.set_level("99")
    assert session.set_level("White 5") == "White: Machine, level(5)" and session.set_level("White Bo") == "White: Bo"
    assert not any(seat.machine for seat in session.seats)
    with pytest.raises(HedgerowError, match="no machine plays here"):
        session.set_level("3")


# --- playing and taking back ------------------------------------------------------------------------------------------


def test_take_back_goes_by_actions_within_a_turn_and_by_turns_after_it() -> None:
    session = at_keyboard("root_bound(side=4)")
    session.play("a1")
    session.play("c3")
    assert session.take_back() == "took back c3" and session.match.turns == ("a1",)
    session.play("c3 g2")
    assert session.take_back() == "took back White's turn 'c3 g2'"
    assert session.take_back() == "took back Black's turn 'a1'"
    with pytest.raises(HedgerowError, match="nothing to take back"):
        session.take_back()


def test_take_back_against_machines_goes_to_the_persons_own_turn() -> None:
    match = hg.Match("hexbo(side=5,players=3)")
    session = Session(match, [machine("random(seed=1)"), Seat("You"), machine("random(seed=2)")])
    for _ in range(4):
        match.play(match.legal()[0])
    first = match.turns[0]
    assert session.mine and len(match.turns) == 4
    session.take_back()
    assert session.mine and match.turns == (first,)


def test_a_resignation_is_taken_back() -> None:
    session = at_keyboard("tanbo(size=9)")
    session.play("A2")
    assert session.resign() == "White resigned." and session.match.outcome
    assert session.take_back() == "took back the end of the game" and session.match.outcome is None


def test_who_resigns_against_machines_is_the_person() -> None:
    rules = hg.make("tanbo(size=9)")
    session = Session(hg.Match(rules), usual(rules))
    session.match.play("A2")
    assert session.resign() == "Black resigned."
    with pytest.raises(HedgerowError, match="a machine agrees to no draw"):
        session.draw()


def test_an_illegal_turn_changes_nothing() -> None:
    session = at_keyboard("root_down")
    with pytest.raises(IllegalMove):
        session.play("c1-c3")
    assert session.match.turns == () and session.version == 0


# --- clocks -----------------------------------------------------------------------------------------------------------


def test_a_clock_runs_for_whoever_is_to_move_and_adds_the_increment() -> None:
    now = Time()
    clock = Clock(Control(60, 2), 2, now)
    clock.start(0)
    now.at += 10
    assert clock.shown() == [50, 60]
    clock.finish_turn(0)
    now.at += 100
    assert clock.shown() == [52, 60] and clock.running is None
    clock.start(1)
    now.at += 61
    assert clock.fallen() == 1 and clock.shown()[1] == 0


def test_a_flag_ends_the_game_and_take_back_gives_the_time_back() -> None:
    session = Session(hg.Match("tanbo(size=9)"), people(hg.make("tanbo(size=9)")), Control(60, 0))
    assert session.clock
    now = session.clock.now = Time()
    session.run_clock()
    now.at += 20
    session.play("A2")
    session.run_clock()
    now.at += 10
    session.take_back()
    assert session.clocks() == [40, 60]
    session.run_clock()
    now.at += 41
    assert session.fell() == "Black ran out of time." and session.match.outcome
    assert session.match.outcome.reason == "time" and session.fell() == ""


@pytest.mark.parametrize("text", ["5+", "+3", "-1", "1000", "a", "0.0001", "5+3+2", "5;3"])
def test_wrong_clocks_are_refused(text: str) -> None:
    with pytest.raises(BadOption, match=r"hint: .* 5\+3"):
        control_of(text)


# --- files ------------------------------------------------------------------------------------------------------------


def test_every_action_is_kept_aside_and_the_game_goes_on_from_there() -> None:
    match = hg.Match("root_bound(side=4)")
    session = Session(match, [Seat("Ann"), machine("level(2)")], control_of("5+3"))
    session.play("a1")
    (kept,) = unfinished()
    match.play("c3")
    session.version += 1
    session._changed()
    again = opened(kept, Keeper(kept))
    assert again.match.turns == ("a1", "c3") and again.match.mid_turn
    assert again.names == ["Ann", "Machine, level(2)"] and again.seats[1].machine
    assert again.clock and again.clock.control == Control(300, 3)
    assert again.clocks() == pytest.approx(session.clocks(), abs=1)
    assert "hedgerow play --resume" in session.leave() and unfinished() == [kept]


def test_nothing_is_kept_of_a_game_that_is_over_empty_or_saved(tmp_path: Path) -> None:
    session = at_keyboard("tanbo(size=9)")
    assert session.leave() == "" and unfinished() == []
    session.play("A2")
    session.save(tmp_path / "game.txt")
    assert session.leave() == "" and unfinished() == []
    assert hg.read((tmp_path / "game.txt").read_text()).turns == ("A2",)
    session.play("A8")
    assert session.leave() and len(unfinished()) == 1
    session.resign()
    assert session.leave() == "" and unfinished() == []


def test_a_file_that_is_no_record_is_never_overwritten(tmp_path: Path) -> None:
    session, other = at_keyboard("tanbo(size=9)"), tmp_path / "letter.txt"
    other.write_text("Dear Ann")
    with pytest.raises(HedgerowError, match="no record; hint: name another file"):
        session.save(other)
    assert other.read_text() == "Dear Ann" and list(tmp_path.iterdir()) == [other]


def test_what_is_no_plain_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write(pipe, "Game: tanbo\n")
    assert os.read(reading, 100) == b"Game: tanbo\n" and pipe.is_fifo()
    os.close(reading)


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "game.txt")
    write(tmp_path / "link", "Game: tanbo\n")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "game.txt").read_text() == "Game: tanbo\n"


def test_a_full_disk_leaves_the_old_file_and_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = at_keyboard("tanbo(size=9)")
    session.save(tmp_path / "game.txt")
    before = (tmp_path / "game.txt").read_text()
    session.play("A2")

    def full(fd: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(HedgerowError, match="No space left on device; hint:"):
        session.save(tmp_path / "game.txt")
    assert (tmp_path / "game.txt").read_text() == before
    assert not list(tmp_path.rglob("*.part"))
    session.play("A8")
    assert "No space left" in session.keeper.trouble and session.match.turns == ("A2", "A8")
    assert session.leave().startswith("The game could not be kept")


def test_there_are_never_too_many_unfinished_games() -> None:
    for _ in range(35):
        session = at_keyboard("tanbo(size=9)")
        session.play("A2")
    assert len(unfinished()) == 30 and folder().is_dir()


# --- pressing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", VARIANTS)
def test_every_legal_action_can_be_pressed_and_every_press_leads_to_one(name: str) -> None:
    match, chance = hg.Match(name), random.Random(name)
    for _ in range(12):
        if match.outcome:
            break
        pressing = Pressing(match)
        for action in match.rules.legal(match.plain):
            for word in match.rules.clicks(match.plain, action):
                assert word in pressing.points or word in pressing.words
                found = pressing.press(word)
            assert found.action == match.rules.spell(match.plain, action)
        match.play(chance.choice(match.legal()))


@pytest.mark.parametrize(
    "name", ["hexbo(side=5)", "tanbo(size=9)", "root_bound(side=4)", "root_down", "root_and_thorn"]
)
def test_every_point_that_may_not_be_pressed_has_a_reason(name: str) -> None:
    match, chance = hg.Match(name), random.Random(name)
    for _ in range(10):
        pressing = Pressing(match)
        for point in match.rules.board.names:
            if point not in pressing.points:
                refused = Pressing(match).press(point).refused
                reason = match.why_not(refused)
                assert reason is not None and reason.code != "unreadable", (point, refused)
        match.play(chance.choice(match.legal()))


def test_pressing_again_puts_a_kicker_down_and_another_one_takes_its_place() -> None:
    pressing = Pressing(hg.Match("root_down"))
    pressing.press("b2")
    assert "exactly 2 squares" in pressing.lead()
    assert pressing.press("b2") == ("", "", ()) and not pressing.pressed
    pressing.press("b2")
    pressing.press("c2")
    assert pressing.pressed == ["c2"]
    found = pressing.press("c5")
    assert found.refused == "c2-c5" and found.tried == ("c2", "c5") and not pressing.pressed


def test_a_tree_is_chosen_after_its_space() -> None:
    match, chance = hg.Match("root_and_thorn"), random.Random(5)
    while True:
        choices = [(point, words) for point in Pressing(match).points if len(words := _words_after(match, point)) > 1]
        if choices:
            break
        match.play(chance.choice([text for text in match.legal() if text != "pass"]))
    point, words = choices[0]
    assert set(words) <= {"Birch", "Oak"}
    pressing = Pressing(match)
    pressing.press(point)
    assert pressing.press(words[0]).action == words[0][0] + point


def _words_after(match: hg.Match, point: str) -> list[str]:
    pressing = Pressing(match)
    return pressing.words if not pressing.press(point).action and pressing.pressed else []


# --- steering ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["hexbo(side=5)", "root_bound(side=4,centerless=yes)", "tanbo(size=9)", "root_down"])
@pytest.mark.parametrize("turned", [False, True])
def test_the_arrow_keys_lead_to_every_point(name: str, turned: bool) -> None:
    board = hg.make(name).board
    seen, waiting = set[int](), [0]
    while waiting:
        point = waiting.pop()
        if point in seen:
            continue
        seen.add(point)
        for step in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            cursor = Cursor(board, point)
            cursor.turned = turned
            cursor.go(*step)
            waiting.append(cursor.point)
    assert len(seen) == len(board)


def test_going_up_a_hexagon_and_down_again_comes_back() -> None:
    cursor = Cursor(hg.make("hexbo").board)
    begun = cursor.name
    for _ in range(8):
        cursor.go(0, -1)
    for _ in range(8):
        cursor.go(0, 1)
    assert cursor.name == begun


# --- words ------------------------------------------------------------------------------------------------------------


def test_why_tells_the_rule_and_the_points() -> None:
    session = at_keyboard("root_bound(side=4)")
    session.play("a1 c3")
    answer = commands.carry_out(session, "why c4")
    assert "may not touch each other" in answer.words and "(Root Bound rule 3.2)" in answer.words
    assert answer.points == ("c3",) and commands.carry_out(session, "why g1").words == "g1 may be played."


@pytest.mark.parametrize("line", ["", "why", "save", "say hello", "rules 99", "zzz", "level", "agree", "pass pass"])
def test_wrong_commands_are_refused_in_a_line(line: str) -> None:
    session = at_keyboard("hexbo(side=5)")
    with pytest.raises(HedgerowError) as refused:
        commands.carry_out(session, line)
    words, _ = telling.refused(refused.value)
    assert "\n" not in words and words


def test_counts() -> None:
    session = at_keyboard("root_and_thorn")
    session.play("Me3 Me8")
    assert commands.carry_out(session, "count").words == "If everybody passed now: Dark 1, Light 1."
    session.play("pass pass")
    assert commands.carry_out(session, "count").words == "Final count: Dark 1, Light 1."
    assert "2 stones in 2 roots" in commands.carry_out(at_keyboard("tanbo(size=9)"), "count").words


def test_removed_pieces_are_told() -> None:
    match = hg.Match("hexbo(side=5)")
    chance = random.Random(1)
    while not match.outcome:
        match.play(chance.choice(match.legal()))
        before = match.copy()
        before.undo_turn()
        gone = set(before.cells()) - set(match.cells())
        assert all(name in telling.turn_told(match) for name in gone)


def test_a_hint_tells_the_area_first_and_then_the_turn() -> None:
    match, hints = hg.Match("root_down"), Hints()
    with pytest.raises(HedgerowError):
        hints.next(match)
    hints.learn(match, "b2-b4")
    words, points, area = hints.next(match)
    assert "b2" not in words and not points and "b2" in area and len(area) < 40
    words, points, area = hints.next(match)
    assert words == "Consider b2-b4." and points == ("b2", "b4") and not area
    match.play("b2-b4")
    assert not hints.known(match)


@pytest.mark.parametrize("name", ["hexbo(side=5)", "root_down"])
def test_a_hint_is_the_turn_of_whoever_plays_the_game_best(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Player] = []

    def made(text: str) -> Player:
        asked.append(naming.player(text))
        return asked[-1]

    monkeypatch.setattr("hedgerow.search.player", made)
    match = hg.Match(name)
    assert best_turn(match, seconds=0.05) in match.legal() and not match.turns
    (best,) = asked
    assert isinstance(best, naming.StandIn)
    kind = {"hexbo(side=5)": players.NetPlayer, "root_down": players.AlphaBetaPlayer}[name]
    assert type(best.inner) is kind


def test_a_pass_has_no_area() -> None:
    match = hg.Match("root_and_thorn")
    match.play("Me3 Me8")
    assert area_of(match, "pass") == frozenset() and points_of(match, "pass") == ()


# --- the lesson -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", hg.games())
def test_every_step_of_every_lesson_can_be_done_by_typing(game: str) -> None:
    course = Course(game)
    for number, step in enumerate(lesson_of(game).steps, 1):
        course.go(number)
        assert course.step is step and not course.done
        turn = step.refused or (course.match.legal()[0] if step.wanted == ("any",) else step.wanted[0])
        answer = course.typed(turn)
        while not course.done and not answer.words:
            answer = course.typed(course.match.legal()[0])
        assert course.done and step.then in answer.words, (step.title, answer)


@pytest.mark.parametrize("game", hg.games())
def test_every_refusal_of_a_lesson_can_be_pressed(game: str) -> None:
    course = Course(game)
    for number, step in enumerate(course.steps, 1):
        if not step.refused:
            continue
        course.go(number)
        pressing = Pressing(course.match)
        for word in step.press:
            found = pressing.press(word)
        answer = course.pressed(found.tried, found.refused)
        assert course.done and step.then in answer.words, step.title


def test_another_turn_than_the_one_asked_for_begins_the_step_again() -> None:
    course = Course("root_down")
    number = next(n for n, step in enumerate(course.steps, 1) if step.wanted == ("b3-b4",))
    course.go(number)
    before = course.match.position()
    other = next(text for text in course.match.legal() if text != "b3-b4")
    answer = course.typed(other)
    assert not course.done and "not what was asked" in answer.words and course.match.position() == before
