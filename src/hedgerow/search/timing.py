"""What time players think by: the clock on the wall, or the processor time of the thread that thinks.

By the wall, whoever else uses the machine takes time away from a player. By processor time players get their due
whatever else runs, so that a match on a busy machine is fair; only one thread can think then.

>>> with counted("cpu"):
...     begun = now(); time.sleep(0.2); slept = now() - begun
>>> slept < 0.2
True
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from hedgerow.game import BadOption

WALL, CPU = "wall", "cpu"
CLOCKS: dict[str, Callable[[], float]] = {WALL: time.monotonic, CPU: time.thread_time}

_clock: ContextVar[str] = ContextVar("clock", default=WALL)


def now() -> float:
    """Seconds on the clock that counts here and now; only their differences mean anything."""
    return CLOCKS[_clock.get()]()


@contextmanager
def counted(clock: str) -> Iterator[None]:
    """Meanwhile whoever thinks in this thread goes by that clock."""
    if clock not in CLOCKS:
        raise BadOption(f"no clock {clock[:40]!r}; hint: {' or '.join(CLOCKS)}")
    before = _clock.set(clock)
    try:
        yield
    finally:
        _clock.reset(before)


def one_thread_counts(threads: int) -> None:
    """Refuses several threads where the time of one is counted."""
    if threads > 1 and _clock.get() == CPU:
        raise BadOption(f"{threads} threads by the clock {CPU!r}, which counts one; hint: leave threads out")
