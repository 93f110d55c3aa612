"""What commands say: data on stdout, talk on stderr."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console


def colourful(stream: TextIO) -> bool:
    """Whether to write in colours: to a terminal that has them, unless NO_COLOR asks for none."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def emit(data: Any) -> None:
    """One line of JSON on stdout."""
    print(json.dumps(data))


@cache
def talk() -> Console:
    """Where a command talks to whoever watches it: stderr."""
    from rich.console import Console

    return Console(stderr=True)


def say(words: str) -> None:
    """One line on stderr."""
    talk().print(words, markup=False, highlight=False, soft_wrap=True)


def say_error(words: str) -> None:
    """One line on stderr, in red where there are colours."""
    talk().print(f"error: {words}", style="red", markup=False, highlight=False, soft_wrap=True)


@contextmanager
def counting(words: str) -> Iterator[Callable[[str, int], None]]:
    """A line on stderr, where that is a terminal, while something of unknown length takes its time."""
    with talk().status(f"{words}…") as status:
        yield lambda what, done: status.update(f"{words}: {done:,} {what}…")


@contextmanager
def progress(words: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on stderr, where that is a terminal, while something takes its time; it is told how much is done."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=talk(), transient=True, disable=not talk().is_terminal) as bar:
        task = bar.add_task(words, total=total)
        yield lambda done: bar.update(task, completed=done)
