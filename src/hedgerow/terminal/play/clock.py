"""Clocks at one keyboard: minutes for everybody, and seconds for every turn.

>>> control_of("5+3"), control_of("none")
(Control(base=300.0, increment=3.0), None)
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hedgerow.game import BadOption

LONGEST = 600
"""How many minutes a clock may give, and seconds a turn."""


@dataclass(frozen=True)
class Control:
    """How time is given: so many seconds for the game, and so many more for every turn."""

    base: float
    increment: float

    def __str__(self) -> str:
        return f"{self.base / 60:g}+{self.increment:g}"


def control_of(text: str) -> Control | None:
    """The control that a text like `5+3` means, None for `none`."""
    if text.strip().lower() in ("", "none", "off", "0"):
        return None
    found = re.fullmatch(r"\s*(\d{1,3}(?:\.\d{1,3})?)(?:\s*\+\s*(\d{1,3}(?:\.\d)?))?\s*", text)
    if not found or not 0 < float(found[1]) <= LONGEST or float(found[2] or 0) > LONGEST:
        raise BadOption(f"cannot have a clock of {text[:40]!r}; hint: minutes and seconds a turn like 5+3, or none")
    return Control(60 * float(found[1]), float(found[2] or 0))


class Clock:
    """The time every seat has left; it runs for one seat at a time, or rests."""

    def __init__(self, control: Control, seats: int, now: Callable[[], float] = time.monotonic) -> None:
        self.control, self.now = control, now
        self.left = [control.base] * seats
        self.running: int | None = None
        self._since = 0.0

    def start(self, seat: int) -> None:
        """Runs for a seat from now on, unless it does so already."""
        if self.running != seat:
            self.stop()
            self.running, self._since = seat, self.now()

    def stop(self) -> None:
        """Rests; what has passed is taken off."""
        if self.running is not None:
            self.left = self.shown()
            self.running = None

    def finish_turn(self, seat: int) -> None:
        """The seat has played its turn: it gets the increment, and the clock rests."""
        self.stop()
        self.left[seat] += self.control.increment

    def shown(self) -> list[float]:
        """What everybody has at this moment; never less than nothing."""
        left = list(self.left)
        if self.running is not None:
            left[self.running] = max(0.0, left[self.running] - (self.now() - self._since))
        return left

    def fallen(self) -> int | None:
        """The seat whose time has run out."""
        return self.running if self.running is not None and self.shown()[self.running] <= 0 else None

    def set(self, left: Sequence[float]) -> None:
        """Everybody has so much, as at an earlier moment; the clock rests."""
        self.running, self.left = None, list(left)

    def share(self, seat: int) -> float:
        """How many seconds a machine should think about its next turn at most."""
        return max(0.05, self.shown()[seat] / 30 + 0.8 * self.control.increment - 0.05)


def in_words(seconds: float) -> str:
    """A time as clocks show it.

    >>> in_words(3725), in_words(65), in_words(7.25)
    ('1:02:05', '1:05', '0:07.2')
    """
    if seconds < 10:
        return f"0:{int(seconds * 10) / 10:04.1f}"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
