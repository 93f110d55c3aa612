"""Ctrl-C that gets through: libraries with places that swallow every exception are told again until it is out."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

AGAIN_S = 0.02
"""After how many seconds it is said again."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Inside, KeyboardInterrupt is raised again and again after Ctrl-C, until the block has ended."""
    timed = hasattr(signal, "setitimer")  # Windows has none: there it is raised once
    inside = True

    def stop(*_: object) -> None:
        if inside:
            if timed:
                signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
            raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in [signal.SIGINT, *([signal.SIGALRM] if timed else [])]}
    try:
        yield
    finally:
        inside = False
        if timed:
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def say_again() -> None:
    """Says Ctrl-C again in a moment, to the main thread, which may be asleep by then."""
    main = threading.main_thread().ident or 0
    if hasattr(signal, "pthread_kill"):
        threading.Timer(AGAIN_S, signal.pthread_kill, (main, signal.SIGINT)).start()
