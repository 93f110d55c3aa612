"""Time for thinking, as GTP tells it: main time, then periods of so many seconds for so many turns."""

from __future__ import annotations

from dataclasses import dataclass

TURNS_AHEAD = 30
"""Main time is shared out as if so many turns were still to come, so it never runs out."""
LAG = 0.05
"""What a turn may lose on its way, in seconds."""
LEAST = 0.02


@dataclass
class Clock:
    """One seat's time.

    >>> clock = Clock(60, 0, 0); clock.share
    1.95
    >>> clock = Clock(0, 10, 5); clock.share, clock.stones_left
    (1.75, 5)
    """

    left: float
    """Seconds left of the main time, or of the period."""
    period: float
    stones: int
    """How many turns a period is for; 0: there are none."""
    stones_left: int = 0
    """Turns still to be played in this period; 0 during the main time."""

    def __post_init__(self) -> None:
        if not self.left:
            self._enter_period()

    @property
    def share(self) -> float:
        """How long to think about the next turn."""
        if self.stones_left:
            wanted = 0.9 * self.left / self.stones_left
        else:
            wanted = self.left / TURNS_AHEAD + (0.5 * self.period / self.stones if self.stones else 0)
        return max(LEAST, wanted - LAG)

    def spend(self, seconds: float) -> None:
        """A turn took so long."""
        self.left -= seconds
        if self.stones_left:
            self.stones_left -= 1
            if not self.stones_left:
                self.left = 0.0
        if self.left <= 0 and not self.stones_left:
            overrun = self.left
            self._enter_period()
            self.left = max(0.0, self.left + overrun)

    def tell(self, left: float, stones_left: int) -> None:
        """The controller knows better."""
        self.left, self.stones_left = left, stones_left

    def _enter_period(self) -> None:
        self.left, self.stones_left = (self.period, self.stones) if self.stones else (0.0, 0)
