"""Games on the screen, driven by keys and mouse: every game, both sizes, refusals, engine, clocks, dialogs."""

from __future__ import annotations

import asyncio
import random
import time
from pathlib import Path

import pytest
from textual.widgets import Input

import hedgerow as hg
from hedgerow.terminal.play import thinking
from hedgerow.terminal.play.app import Play
from hedgerow.terminal.play.board import BoardView
from hedgerow.terminal.play.clock import Control
from hedgerow.terminal.play.dialogs import Menu, Question, RulesText, Telling, TooSmall
from hedgerow.terminal.play.files import unfinished
from hedgerow.terminal.play.seats import Seat, machine, people
from hedgerow.terminal.play.session import Session
from piloting import at_keyboard, click, game, go_to, on_screen, said, typed, until
from walks import VARIANTS

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("own_state")]
SIZES = [(80, 24), (200, 60)]
SOME = (
    "hexbo",
    "hexbo(side=5,players=6)",
    "tanbo",
    "tanbo(size=9)",
    "root_bound",
    "root_bound(side=10)",
    "root_bound(side=4,centerless=yes)",
    "rootbound(side=5)",
    "root_down",
    "root_down(activating_roots=own,repetition=0)",
    "root_and_thorn(removed=discard)",
)


# --- every game -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SOME)
async def test_every_game_is_played_by_keys_by_mouse_and_by_typing(name: str, size: tuple[int, int]) -> None:
    session, chance = at_keyboard(name), random.Random(name)
    async with on_screen(Play(session), size) as pilot:
        for number in range(6):
            match = session.match
            text = chance.choice([text for text in match.legal() if text != "pass"])
            action = match.rules.read(match.plain, text)
            assert isinstance(action, int)
            before = len(match.actions)
            if number % 3 == 2:
                await typed(pilot, text)
            else:
                for word in match.rules.clicks(match.plain, action):
                    if word not in match.rules.board.point:
                        await pilot.press("f6") if word == game(pilot).pressing.words[0] else await typed(pilot, word)
                    elif number % 3:
                        await click(pilot, word)
                    else:
                        await go_to(pilot, word)
                        await pilot.press("enter")
                    await pilot.pause()
            assert len(session.match.actions) == before + 1 and session.match.last_word == text, (text, said(pilot))


@pytest.mark.parametrize("name", VARIANTS)
async def test_every_variant_is_drawn_whole_on_a_small_terminal(name: str) -> None:
    async with on_screen(Play(at_keyboard(name))) as pilot:
        board = pilot.app.screen.query_one(BoardView)
        assert board._picture and not board.show_vertical_scrollbar and not board.show_horizontal_scrollbar
        assert board.virtual_size.width <= board.size.width and board.virtual_size.height <= board.size.height
        lines = [board.render_line(y).text for y in range(board.size.height)]
        drawn = [line.rstrip() for line in board._picture.text().splitlines()]
        top = board._margins()[1]
        assert [line.strip() for line in lines[top : top + len(drawn)]] == [line.strip() for line in drawn]


async def test_a_board_that_does_not_fit_scrolls_with_the_cursor() -> None:
    async with on_screen(Play(at_keyboard("tanbo")), (60, 18)) as pilot:
        board = pilot.app.screen.query_one(BoardView)
        for corner in ("A1", "A19", "T19", "T1"):
            await go_to(pilot, corner)
            await pilot.pause()
            assert board._picture
            line, column = board._picture.layout.spots[board.cursor.point]
            x, y = board.scroll_offset
            assert 0 <= line - y < board.size.height and 0 <= column - x < board.size.width, corner
        await click(pilot, "S1")
        assert board.cursor.name == "S1"


async def test_larger_and_smaller() -> None:
    async with on_screen(Play(at_keyboard("tanbo(size=9)"))) as pilot:
        board = pilot.app.screen.query_one(BoardView)
        first = board.virtual_size
        await pilot.press("plus")
        assert board.virtual_size > first
        await pilot.press("minus", "minus")
        assert board.virtual_size < first


# --- turns of several parts -------------------------------------------------------------------------------------------


async def test_two_pieces_and_done() -> None:
    session = at_keyboard("root_bound(side=4)", "a1 g2 c3 d4 g4")
    async with on_screen(Play(session)) as pilot:
        point = session.match.legal()[0]
        await go_to(pilot, point)
        await pilot.press("enter")
        assert session.match.mid_turn and "second piece" in said(pilot) and "done" in said(pilot, "#words")
        await pilot.press("backspace")
        assert not session.match.mid_turn and session.match.turns[-1] == "d4 g4"
        await pilot.press("enter", "f6")
        assert session.match.turns[-1] == f"{point} done"
        await pilot.press("f6")
        assert session.match.turns[-1] == "pass"


async def test_a_kicker_says_how_far_it_goes_and_what_it_does() -> None:
    session = at_keyboard("root_down")
    async with on_screen(Play(session)) as pilot:
        await go_to(pilot, "b2")
        await pilot.press("enter")
        screen = game(pilot)
        assert "exactly 2 squares" in said(pilot) and screen.pressing.points == {"b4", "d4"}
        assert screen.board.marks.legal == {"b4", "d4"} and screen.board.marks.pressed == ("b2",)
        await pilot.press("tab")
        assert screen.board.cursor.name in ("b4", "d4") and "kicks" in said(pilot)
        await pilot.press("escape")
        assert not screen.pressing.pressed and not session.match.actions
        await go_to(pilot, "b2")
        await pilot.press("enter", "tab", "enter")
        assert session.match.turns[0].startswith("b2-")


async def test_a_tree_is_chosen_by_its_word(monkeypatch: pytest.MonkeyPatch) -> None:
    session, chance = at_keyboard("root_and_thorn"), random.Random(5)
    while not (trees := _spaces_for_trees(session.match)):
        session.match.play(chance.choice([text for text in session.match.legal() if text != "pass"]))
    async with on_screen(Play(session)) as pilot:
        await click(pilot, trees[0])
        assert "Birch" in said(pilot, "#words") and "Oak" in said(pilot, "#words") and "range" in said(pilot)
        column = said(pilot, "#words").index("Oak")
        await pilot.click("#words", offset=(column, 0))
        await pilot.pause()
        assert session.match.last_turn == f"O{trees[0]}"


def _spaces_for_trees(match: hg.Match) -> list[str]:
    """Spaces where both trees may be planted."""
    legal = match.legal()
    return [text[1:] for text in legal if text.startswith("O") and f"B{text[1:]}" in legal]


async def test_the_far_side_sees_the_board_turned() -> None:
    match = hg.Match("root_down")
    session = Session(match, [machine("random(seed=1)"), Seat("You")])
    async with on_screen(Play(session)) as pilot:
        await until(pilot, lambda: session.mine)
        board = game(pilot).board
        assert board.cursor.turned and board._picture
        spots, points = board._picture.layout.spots, match.rules.board.point
        assert spots[points["a8"]][0] > spots[points["a1"]][0] and spots[points["a8"]][1] > spots[points["h8"]][1]
        before = board.cursor.point
        await pilot.press("up")
        assert match.rules.board.cells[board.cursor.point][0] == match.rules.board.cells[before][0] + 1


# --- refusals, legal points, looking back -----------------------------------------------------------------------------


async def test_a_refused_point_says_why_and_lights_what_forbids_it() -> None:
    session = at_keyboard("root_bound(side=4)", "a1 c3")
    async with on_screen(Play(session)) as pilot:
        await go_to(pilot, "c4")
        await pilot.press("enter")
        await pilot.pause()
        assert "may not touch each other" in said(pilot) and "rule 3.2" in said(pilot)
        assert game(pilot).marks.lit == ("c3",) and session.match.turns == ("a1", "c3")
        assert pilot.app.screen.query_one("#prompt").has_class("refused")
        await typed(pilot, "c3")
        assert "already a piece on c3" in said(pilot)
        await typed(pilot, "zzz")
        assert "Cannot read 'zzz'" in said(pilot)
        await pilot.press("escape")
        assert not game(pilot).marks.lit and "second of your two pieces" in said(pilot)


async def test_legal_points_on_demand() -> None:
    session = at_keyboard("tanbo(size=9)")
    async with on_screen(Play(session)) as pilot:
        screen = game(pilot)
        assert not screen.board.marks.legal
        await pilot.press("full_stop")
        assert screen.board.marks.legal == set(session.match.legal())
        await pilot.press("f3")
        assert not screen.board.marks.legal
        await typed(pilot, "legal")
        assert screen.board.marks.legal == set(session.match.legal())


async def test_looking_back_and_forward() -> None:
    session = at_keyboard("tanbo(size=9)", "A2 A8 C2")
    async with on_screen(Play(session)) as pilot:
        await pilot.press("pageup", "pageup")
        assert "After turn 1 of 3" in said(pilot) and game(pilot).match.turns == ("A2",)
        await go_to(pilot, "B1")
        await pilot.press("enter")
        assert session.match.turns == ("A2", "A8", "C2"), "the past is only looked at"
        await pilot.press("pagedown")
        assert game(pilot).match.turns == ("A2", "A8")
        await pilot.press("escape")
        assert game(pilot).back is None and game(pilot).open_to


async def test_removed_stones_are_told() -> None:
    session, chance = at_keyboard("hexbo(side=5)"), random.Random(3)
    while True:
        text = chance.choice(session.match.legal())
        then = session.match.copy()
        then.play(text)
        if len(then.cells()) < len(session.match.cells()) + 1 and not then.outcome:
            break
        session.match.play(text)
    async with on_screen(Play(session)) as pilot:
        await typed(pilot, text)
        assert " died." in said(pilot)


# --- machines, hints, the engine, clocks ------------------------------------------------------------------------------


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machines that take their time without using the processor, on which Textual's pilot waits until it is idle."""
    choose = thinking.choose
    monkeypatch.setattr(thinking, "choose", lambda *asked: (time.sleep(3), choose(*asked))[1])


async def test_a_machine_answers_and_take_back_goes_to_ones_own_turn(slow: None) -> None:
    match = hg.Match("tanbo(size=9)")
    session = Session(match, [Seat("You"), machine("uct(iterations=100)")])
    async with on_screen(Play(session)) as pilot:
        await typed(pilot, "A2")
        assert not session.mine
        await typed(pilot, "B1")
        assert len(match.turns) == 1 and "White" in said(pilot), "nobody plays for the machine"
        await until(pilot, lambda: len(match.turns) == 2)
        assert session.mine
        await pilot.press("f5")
        assert match.turns == () and session.mine


async def test_taking_back_while_a_machine_thinks_leaves_its_turn_unheard(slow: None) -> None:
    match = hg.Match("root_down")
    session = Session(match, [Seat("You"), machine("alphabeta(plays=100)")])
    async with on_screen(Play(session)) as pilot:
        await typed(pilot, "b2-b4")
        await until(pilot, lambda: "thinking" in said(pilot))
        await pilot.press("backspace")
        assert match.turns == ()
        await asyncio.sleep(4)
        await pilot.pause()
        assert match.turns == () and session.mine


async def test_a_hint_shows_the_area_and_then_the_turn() -> None:
    session = at_keyboard("tanbo(size=9)")
    async with on_screen(Play(session)) as pilot:
        await pilot.press("f2")
        await until(pilot, lambda: game(pilot).marks.area)
        assert "Look around" in said(pilot) and not game(pilot).marks.lit
        await pilot.press("exclamation_mark")
        (point,) = game(pilot).marks.lit
        assert point in session.match.legal() and f"Consider {point}." in said(pilot)


async def test_the_engine_thinks_while_the_screen_goes_on() -> None:
    session = at_keyboard("root_bound(side=4)")
    async with on_screen(Play(session)) as pilot:
        await pilot.press("equals_sign")
        await until(pilot, lambda: game(pilot).found)
        seen = set()
        for key in ("left", "up", "right", "right", "down", "down"):
            await pilot.press(key)
            seen.add(game(pilot).board.cursor.name)
        assert len(seen) == 6, "keys are heard while it thinks"
        await until(pilot, lambda: game(pilot).found and game(pilot).found.iterations > 2000)
        shown = said(pilot, "#engine")
        assert "Black" in shown and "%" in shown and game(pilot).marks.letters
        await typed(pilot, "a1")
        assert game(pilot).found is None or game(pilot).found.to_move == 1
        await until(pilot, lambda: game(pilot).found)
        assert game(pilot).found.to_move == 1
        stop = game(pilot).looking
        await pilot.press("f4")
        assert stop and stop.is_set() and not game(pilot).engine_on


async def test_clocks_run_and_flags_fall() -> None:
    session = Session(hg.Match("tanbo(size=9)"), people(hg.make("tanbo(size=9)")), Control(2.5, 0))
    async with on_screen(Play(session)) as pilot:
        assert "0:0" in said(pilot, "#seats")
        await typed(pilot, "A2")
        await until(pilot, lambda: session.match.outcome, 20)
        assert "White ran out of time" in said(pilot) and session.match.outcome.reason == "time"
        clocks = session.clocks()
        assert clocks and clocks[1] == 0 and clocks[0] > 0


async def test_six_at_one_keyboard_with_machines_among_them() -> None:
    match = hg.Match("hexbo(side=5,players=6)")
    session = Session(match, [Seat("Ann"), machine("random(seed=1)"), Seat("Bo"), *[machine("random(seed=2)")] * 3])
    async with on_screen(Play(session)) as pilot:
        assert "Yellow" in said(pilot, "#seats") and "Ann" in said(pilot, "#seats")
        for turns in (0, 2, 6, 8):
            await until(pilot, lambda turns=turns: len(match.turns) == turns and session.mine)
            await typed(pilot, match.legal()[0])


async def test_a_game_ends_and_is_taken_back() -> None:
    session = at_keyboard("root_and_thorn", "Me3 Me8")
    async with on_screen(Play(session)) as pilot:
        await pilot.press("f6", "f6")
        assert session.match.outcome and "A draw, 1 to 1" in said(pilot) and "Final count" in said(pilot)
        await pilot.press("f2")
        assert "game is over" in said(pilot)
        await pilot.press("backspace")
        assert session.match.outcome is None


# --- files and dialogs ------------------------------------------------------------------------------------------------


async def test_save_and_load(tmp_path: Path) -> None:
    session = at_keyboard("tanbo(size=9)", "A2")
    async with on_screen(Play(session)) as pilot:
        await pilot.press("ctrl+s")
        assert isinstance(pilot.app.screen, Question)
        pilot.app.screen.query_one(Input).value = str(tmp_path / "game.txt")
        await pilot.press("enter")
        await pilot.pause()
        assert "Saved to" in said(pilot) and hg.read((tmp_path / "game.txt").read_text()).turns == ("A2",)
        await pilot.press("ctrl+s")
        pilot.app.screen.query_one(Input).value = "/proc/nothing/game.txt"
        await pilot.press("enter")
        await pilot.pause()
        assert "Cannot write" in said(pilot)
        await typed(pilot, "A8")
        for name, words in ((str(tmp_path / "none"), "No such file"), (str(tmp_path / "game.txt"), "")):
            await pilot.press("f10", "down", "down", "enter")
            await pilot.pause()
            pilot.app.screen.query_one(Input).value = name
            await pilot.press("enter")
            await pilot.pause()
            assert words in said(pilot)
        assert game(pilot).table.match.turns == ("A2",) and game(pilot).table is not session


async def test_help_rules_menu_and_themes() -> None:
    async with on_screen(Play(at_keyboard("root_down"))) as pilot:
        for key, screen in (("question_mark", Telling), ("f1", Telling), ("f10", Menu)):
            await pilot.press(key)
            assert isinstance(pilot.app.screen, screen)
            await pilot.press("escape")
        await typed(pilot, "rules")
        assert isinstance(pilot.app.screen, RulesText)
        await pilot.press("escape")
        await typed(pilot, "rules 3.1")
        assert said(pilot).startswith("3.1")
        assert game(pilot).board.theme_name == "dark"
        pilot.app.screen._picked("theme")
        await pilot.pause()
        assert game(pilot).board.theme_name == "light"
        turned = game(pilot).board.cursor.turned
        pilot.app.screen._picked("turn_board")
        assert game(pilot).board.cursor.turned != turned


async def test_resigning_asks_first() -> None:
    session = at_keyboard("root_down")
    async with on_screen(Play(session)) as pilot:
        game(pilot)._picked("resign")
        await pilot.pause()
        await pilot.press("down", "enter")
        assert session.match.outcome is None
        game(pilot)._picked("resign")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert session.match.outcome and "South resigned: North wins." in said(pilot)


async def test_levels_change() -> None:
    session = at_keyboard("tanbo(size=9)")
    async with on_screen(Play(session)) as pilot:
        await typed(pilot, "level White random")
        assert session.seats[1].machine
        await typed(pilot, "A2")
        await until(pilot, lambda: len(session.match.turns) == 2)
        await typed(pilot, "level 99")
        assert "no level 99" in said(pilot)


@pytest.mark.parametrize(("key", "code"), [("ctrl+q", 0), ("ctrl+c", 130)])
async def test_leaving_keeps_the_game(key: str, code: int) -> None:
    session = at_keyboard("tanbo(size=9)")
    app = Play(session)
    async with on_screen(app) as pilot:
        await typed(pilot, "A2")
        await pilot.press(key)
    assert app.return_code == code and session.leave().endswith("hedgerow play --resume") and len(unfinished()) == 1


async def test_a_terminal_that_is_too_small_says_so_and_recovers() -> None:
    session = at_keyboard("hexbo")
    async with on_screen(Play(session), (40, 10)) as pilot:
        assert isinstance(pilot.app.screen, TooSmall)
        assert "60 × 18" in said(pilot, "#size") and "40 × 10" in said(pilot, "#size")
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        await typed(pilot, "A2")
        assert session.match.turns == ("A2",)
        await pilot.resize_terminal(80, 17)
        await pilot.pause()
        assert "80 × 17" in said(pilot, "#size")
        await pilot.resize_terminal(200, 60)
        await pilot.pause()
        assert game(pilot).board.virtual_size.height > 40


async def test_without_colours_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with on_screen(Play(at_keyboard("tanbo(size=9)", "A2"))) as pilot:
        text = game(pilot).board._picture.text()
        assert pilot.app.no_color and "●" in text and "○" in text and ">" in text
