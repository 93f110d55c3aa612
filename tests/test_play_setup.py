"""Choosing a game on the screen, and its lesson, driven by keys and mouse."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList, Select

import hedgerow as hg
from hedgerow.terminal.play.app import Play
from hedgerow.terminal.play.game_screen import GameScreen
from hedgerow.terminal.play.lesson_screen import LessonScreen
from hedgerow.terminal.play.play_screen import PlayScreen
from hedgerow.terminal.play.setup_screen import SetupScreen
from piloting import at_keyboard, click, on_screen, said, typed

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("own_state")]
SIZES = [(80, 24), (200, 60)]


# --- choosing a game --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
async def test_it_asks_which_game_and_who_plays(size: tuple[int, int]) -> None:
    app = Play()
    async with on_screen(app, size) as pilot:
        assert isinstance(pilot.app.screen, SetupScreen)
        for game_name in ["root_bound", "root_and_thorn", "tanbo", "root_down", "rootbound", "hexbo"]:
            games = pilot.app.screen.query_one("#games", OptionList)
            games.highlighted = games.get_option_index(game_name)
            await pilot.pause()
            assert pilot.app.screen.game.name == game_name
        pilot.app.screen.query_one("#option-players", Select).value = "3"
        pilot.app.screen.query_one("#option-side", Select).value = "5"
        await pilot.pause()
        await pilot.pause()
        pilot.app.screen.query_one("#seat-1", Select).value = "person"
        pilot.app.screen.query_one("#clock", Select).value = "5+3"
        await pilot.press("f5")
        await pilot.pause()
        session = app.session
        assert session and session.match.rules.name == "hexbo(side=5,players=3)"
        assert session.names == ["You", "White", "Machine, level(3)"] and session.clock
        await typed(pilot, session.match.legal()[0])
        assert len(session.match.turns) == 1


async def test_options_that_do_not_go_together_are_refused() -> None:
    async with on_screen(Play()) as pilot:
        games = pilot.app.screen.query_one("#games", OptionList)
        games.highlighted = games.get_option_index("root_bound")
        await pilot.pause()
        pilot.app.screen.query_one("#option-side", Select).value = "10"
        pilot.app.screen.query_one("#option-centerless", Select).value = "yes"
        await pilot.pause()
        await pilot.press("f5")
        assert isinstance(pilot.app.screen, SetupScreen) and "centerless=yes with side=10" in said(pilot, "#wrong")


async def test_an_unfinished_game_is_offered() -> None:
    at_keyboard("tanbo(size=9)").play("A2")
    app = Play()
    async with on_screen(app) as pilot:
        await pilot.press("end", "enter")
        await pilot.pause()
        assert app.session and app.session.match.turns == ("A2",)


# --- the lesson -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", hg.games())
async def test_a_lesson_is_done_by_pressing(name: str) -> None:
    async with on_screen(Play(at_keyboard(name), lesson=True)) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, LessonScreen)
        for step in screen.course.steps:
            assert screen.course.step is step
            await _do(pilot, screen, step)
            assert screen.course.done and step.then in said(pilot), step.title
            await pilot.press("f8")
            await pilot.pause()
        assert isinstance(pilot.app.screen, GameScreen)


async def _do(pilot: Pilot[Any], screen: PlayScreen, step: Any) -> None:
    if step.refused:
        for word in step.press:
            await _press(pilot, word)
        return
    turn = screen.match.legal()[0] if step.wanted == ("any",) else step.wanted[0]
    for word in turn.split():
        action = screen.match.rules.read(screen.match.plain, word)
        for press in screen.match.rules.clicks(screen.match.plain, action):
            await _press(pilot, press)
    while not screen.course.done:  # a turn of two pieces, of which any will do
        await _press(pilot, screen.match.legal()[0])


async def _press(pilot: Pilot[Any], word: str) -> None:
    if word in pilot.app.screen.match.rules.board.point:
        await click(pilot, word)
    else:
        pilot.app.screen.action_word(word)
        await pilot.pause()


async def test_a_wrong_turn_in_a_lesson_begins_the_step_again() -> None:
    async with on_screen(Play(at_keyboard("root_down"), lesson=True)) as pilot:
        screen = pilot.app.screen
        number = next(n for n, step in enumerate(screen.course.steps, 1) if step.wanted == ("b3-b4",))
        screen.course.go(number)
        screen.step()
        await typed(pilot, next(text for text in screen.match.legal() if text != "b3-b4"))
        assert "not what was asked" in said(pilot) and not screen.course.done
        await typed(pilot, "b3-b4")
        assert screen.course.done
        await pilot.press("f7")
        assert screen.course.number == number - 1
