"""What goes on behind the screen: threads that think, and the messages in which they tell what they found.

A thread is never waited for: whoever leaves or takes back no longer listens, and its message is not heard.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.message import Message
from textual.message_pump import MessagePump

from hedgerow.match import Match
from hedgerow.terminal.play import thinking
from hedgerow.terminal.play.seats import Seat

if TYPE_CHECKING:
    from hedgerow.search.findings import Analysis

PACE = 0.35
"""How many seconds a machine's turn takes at least, so that people can follow."""


class Told(Message):
    """What a thread has to say; `version` is that of the game it was asked about."""

    def __init__(self, version: int, found: Any = None) -> None:
        super().__init__()
        self.version, self.found = version, found


class Prepared(Told):
    """A machine is ready: its clock may run."""


class Chosen(Told):
    """A machine has chosen a turn."""


class Hinted(Told):
    """The engine has found a turn to hint at: the position, and the turn."""


class Looked(Told):
    """The engine has looked further."""

    found: Analysis


class Failed(Told):
    """Something went wrong with that; `found` says what."""


def start(pump: MessagePump, version: int, work: Callable[[], None]) -> None:
    """Does some work in a thread; what goes wrong is told."""

    def run() -> None:
        try:
            work()
        except Exception as error:  # a thread must not die in silence, and the game goes on
            tell(pump, Failed(version, f"{type(error).__name__}: {error}"))

    threading.Thread(target=run, daemon=True).start()


def tell(pump: MessagePump, message: Message) -> None:
    """Hands a message to the screen, unless it has gone."""
    try:
        pump.post_message(message)
    except RuntimeError:  # its loop is closed
        return


def choose(pump: MessagePump, version: int, seat: Seat, match: Match, seconds: Callable[[], float | None]) -> None:
    """Has a machine choose a turn."""

    def work() -> None:
        thinking.prepare(match.rules, seat)
        tell(pump, Prepared(version))
        begun = time.monotonic()
        turn = thinking.choose(seat, match, seconds())
        time.sleep(max(0.0, PACE - (time.monotonic() - begun)))
        tell(pump, Chosen(version, turn))

    start(pump, version, work)


def hint(pump: MessagePump, version: int, match: Match) -> None:
    """Has the engine find a turn to hint at."""
    start(pump, version, lambda: tell(pump, Hinted(version, (match.position(), thinking.best_turn(match)))))


def look(pump: MessagePump, version: int, match: Match) -> threading.Event:
    """Has the engine look at a position until the event is set."""
    stop = threading.Event()

    def work() -> None:
        for found in thinking.looks(match, stop):
            if stop.is_set():
                return
            tell(pump, Looked(version, found))

    start(pump, version, work)
    return stop
