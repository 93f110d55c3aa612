"""A screen without a terminal, driven by keys and mouse: it is waited for what they cause, not for a quiet processor.

Textual's pilot sleeps after every key until the process has used little time for a while; machines that think, and
other programs on a busy computer, make that a second. Here a key is done when nothing is left that it set going.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from unittest.mock import patch

from textual.app import App
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

import hedgerow as hg
from hedgerow.terminal.play.board import BoardView
from hedgerow.terminal.play.game_screen import GameScreen
from hedgerow.terminal.play.seats import people
from hedgerow.terminal.play.session import Session

ROUNDS = 200
"""How often a message may lead to others before that is called a circle."""
BREATHS = 5
"""So many turns of the loop it takes until what was handed to it stands in a queue."""


@asynccontextmanager
async def on_screen(app: App[Any], size: tuple[int, int] = (80, 24)) -> AsyncIterator[Pilot[Any]]:
    """The application on a screen of so many columns and lines, once everything is drawn."""

    async def settled(*_: float) -> None:
        await settle(app)

    with patch("textual.app.wait_for_idle", settled), patch("textual.pilot.wait_for_idle", settled):
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            yield pilot


async def settle(app: App[Any]) -> None:
    """Waits until no widget has anything to do."""
    for _ in range(ROUNDS):
        await _breathe()
        if not app.is_running or app._exit or app._exception is not None:
            return
        await _heard(_pumps(app))
        await _breathe()
        if not any(_busy(pump) for pump in _pumps(app)):
            return
        app.screen._on_timer_update()
    raise AssertionError("the screen never comes to rest")


async def _breathe() -> None:
    for _ in range(BREATHS):
        await asyncio.sleep(0)


def _pumps(app: App[Any]) -> list[MessagePump]:
    screens = [screen for stack in app._screen_stacks.values() for screen in stack]
    return [
        app,
        *(widget for screen in screens for widget in screen.walk_children(with_self=True) if widget.is_running),
    ]


async def _heard(pumps: list[MessagePump]) -> None:
    """Waits until each has taken in what was sent to it before."""
    heard = [asyncio.Event() for _ in pumps]
    waiting = [asyncio.ensure_future(one.wait()) for pump, one in zip(pumps, heard) if pump.call_later(one.set)]
    if waiting:
        _, late = await asyncio.wait(waiting, timeout=1)
        for one in late:
            one.cancel()


def _busy(pump: MessagePump) -> bool:
    if not pump._message_queue.empty() or pump._pending_message is not None or pump._next_callbacks:
        return True
    if isinstance(pump, Screen) and pump is pump.app.screen:
        return bool(pump._dirty_widgets or pump._callbacks or pump._layout_required or pump._repaint_required)
    return False


# --- what people do at a game's screen --------------------------------------------------------------------------------


def at_keyboard(name: str, turns: str = "") -> Session:
    match = hg.Match(name)
    if turns:
        match.play(turns)
    return Session(match, people(match.rules))


def game(pilot: Pilot[Any]) -> GameScreen:
    assert isinstance(pilot.app.screen, GameScreen), pilot.app.screen
    return pilot.app.screen


def said(pilot: Pilot[Any], where: str = "#prompt") -> str:
    return str(pilot.app.screen.query_one(where, Static).visual)


async def until(pilot: Pilot[Any], true: Callable[[], object], seconds: float = 90) -> None:
    """Waits for something that a thread does."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never happened"
        await pilot.pause(0.05)
    await pilot.pause()


async def typed(pilot: Pilot[Any], line: str) -> None:
    keys = {
        "-": "minus",
        " ": "space",
        "(": "left_parenthesis",
        ")": "right_parenthesis",
        ".": "full_stop",
        "/": "slash",
    }
    await pilot.press(*(keys.get(char, char) for char in line), "enter")
    await pilot.pause()


async def go_to(pilot: Pilot[Any], name: str) -> None:
    """Moves the cursor to a point with the arrow keys alone."""
    board = pilot.app.screen.query_one(BoardView)
    spots, to = board.scene.board.spots, board.scene.board.point[name]
    for _ in range(80):
        x, y = spots[board.cursor.point]
        if board.cursor.point == to:
            return
        if abs(spots[to][1] - y) > 0.1:
            await pilot.press("down" if spots[to][1] > y else "up")
        else:
            await pilot.press("right" if spots[to][0] > x else "left")
    raise AssertionError(f"the arrow keys do not lead to {name}")


async def click(pilot: Pilot[Any], name: str) -> None:
    """Clicks a point where it is drawn."""
    board = pilot.app.screen.query_one(BoardView)
    assert board._picture
    line, column = board._picture.layout.spots[board.scene.board.point[name]]
    left, top = board._margins()
    x, y = board.scroll_offset
    await pilot.click(BoardView, offset=(column + left - x, line + top - y))
    await pilot.pause()
