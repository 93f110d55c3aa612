"""Nobody waits in silence: when compiling takes longer than a moment, a line on stderr says so."""

from __future__ import annotations

import sys
import threading
from typing import Any

from numba.core import event

PATIENCE = 0.5
"""After how many seconds somebody who waits is told why."""


class News(event.Listener):
    """Hears what Numba compiles, the outermost function of each thread, and tells of it once a process."""

    def __init__(self) -> None:
        self.here = threading.local()
        self.told = False

    def on_start(self, event: Any) -> None:
        depth = getattr(self.here, "depth", 0)
        self.here.depth = depth + 1
        if depth == 0:
            self.here.timer = threading.Timer(PATIENCE, self._tell)
            self.here.timer.daemon = True
            self.here.timer.start()

    def on_end(self, event: Any) -> None:
        self.here.depth -= 1
        if self.here.depth == 0:
            self.here.timer.cancel()

    def _tell(self) -> None:
        if not self.told:
            self.told = True
            say("compiling this game's kernels, once; that takes some seconds…")


def say(text: str) -> None:
    """A word to the person watching; stdout is for data."""
    print(f"hedgerow: {text}", file=sys.stderr, flush=True)


_SAID: set[str] = set()


def say_once(text: str) -> None:
    """The same, once a process."""
    if text not in _SAID:
        _SAID.add(text)
        say(text)


event.register("numba:compile", News())
