"""A screen without a terminal, driven by keys and mouse: it is waited for what they cause, not for a quiet processor.

Textual's pilot sleeps after every key until the process has used little time for a while; machines that think, and
other programs on a busy computer, make that a second. Here a key is done when nothing is left that it set going.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from unittest.mock import patch

from textual.app import App
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.screen import Screen

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
