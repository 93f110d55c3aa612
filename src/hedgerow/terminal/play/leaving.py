"""The screen ends when a signal says so, and when its terminal goes away.

Most closed windows send SIGHUP, but only to the program that the terminal belongs to. Any other one reads the end of
the file over and over from then on, and what it writes fails. So the terminal is watched, too.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
import threading
import time

from textual.app import App

from hedgerow.terminal.ending import HUNG_UP

PATIENCE = 10.0
"""How many seconds the screen has to end without its terminal; the game is kept after every turn."""


def heed(app: App[int]) -> None:
    """Ends a running screen with 128 + number after SIGTERM or SIGHUP, and with 129 when its terminal has gone."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        try:
            loop.add_signal_handler(number, app.exit, None, 128 + number)
        except (NotImplementedError, RuntimeError, ValueError):  # not here, or not in this thread
            return
    if not app.is_headless and sys.__stdin__ is not None and sys.__stdin__.isatty() and hasattr(select, "poll"):
        threading.Thread(target=_watch, args=(app, loop, sys.__stdin__.fileno()), daemon=True).start()


def _watch(app: App[int], loop: asyncio.AbstractEventLoop, terminal: int) -> None:
    written = [fd for fd in (1, 2) if os.isatty(fd)]
    poll = select.poll()
    poll.register(terminal, 0)  # of nothing but its end
    if not any(found & (select.POLLHUP | select.POLLERR) for _, found in poll.poll()):
        return  # it cannot be watched here
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for fd in written:
        os.dup2(nowhere, fd)  # what is still drawn has to go somewhere, or whoever draws waits for ever
    try:
        loop.call_soon_threadsafe(app.exit, None, HUNG_UP)
    except RuntimeError:  # it has ended meanwhile
        return
    time.sleep(PATIENCE)
    os._exit(HUNG_UP)  # a thread that draws may have died before; the loop waits for it
