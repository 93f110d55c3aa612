"""A real pseudo-terminal with a program in it: keys go in as bytes, and what a person would see comes out."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator

import pyte

PATIENCE = 90.0
"""Seconds that something may take on a busy machine."""
KEYS = {
    "up": b"\x1b[A",
    "down": b"\x1b[B",
    "right": b"\x1b[C",
    "left": b"\x1b[D",
    "home": b"\x1b[H",
    "end": b"\x1b[F",
    "enter": b"\r",
    "tab": b"\t",
    "escape": b"\x1b",
    "backspace": b"\x7f",
    "f1": b"\x1bOP",
    "f2": b"\x1bOQ",
    "f5": b"\x1b[15~",
    "f6": b"\x1b[17~",
    "f10": b"\x1b[21~",
    "ctrl+c": b"\x03",
    "ctrl+q": b"\x11",
}
UNKNOWN = re.compile(rb"\x1b\[[<>=][0-9;]*[A-Za-z]|\x1b[P_\]][^\x07\x1b]*(?:\x07|\x1b\\)")
"""What this emulator does not know, and no terminal shows."""


class Terminal:
    """A program on a terminal of so many columns and lines; one that does not belong to it gets no signals from it."""

    def __init__(
        self, command: list[str], columns: int, lines: int, environment: dict[str, str], belongs: bool = True
    ) -> None:
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self._master, slave = pty.openpty()
        self._open = True
        self._resized(columns, lines)
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
            preexec_fn=(lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0)) if belongs else None,  # Ctrl-C is a signal
        )
        os.close(slave)

    def _resized(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def resize(self, columns: int, lines: int) -> None:
        """Another size, as when a window is drawn larger."""
        self._resized(columns, lines)
        self.screen.resize(lines, columns)
        self.process.send_signal(signal.SIGWINCH)

    def go_away(self) -> None:
        """Goes away, as a window that is closed."""
        if self._open:
            self._open = False
            os.close(self._master)

    def press(self, *keys: str) -> None:
        """Presses keys, by name or as text."""
        for key in keys:
            os.write(self._master, KEYS.get(key, key.encode()))

    def click(self, column: int, line: int) -> None:
        """Presses and releases the left mouse button, counted from 0."""
        for final in "Mm":
            os.write(self._master, f"\x1b[<0;{column + 1};{line + 1}{final}".encode())

    def read(self, seconds: float = 0.1) -> bool:
        """Takes over what the program has written; False at its end."""
        if not select.select([self._master], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the program has closed the terminal
            return False
        self.raw += data
        self.stream.feed(UNKNOWN.sub(b"", data))
        return bool(data)

    @property
    def text(self) -> str:
        """What is seen."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    @property
    def panel(self) -> str:
        """What stands beside the board, without the ends of its lines."""
        wide = 50 if self.screen.columns >= 130 else 26
        return " ".join(" ".join(line[-wide:].split()) for line in self.screen.display)

    def until(self, true: str | Callable[[], object]) -> str:
        """Waits until something is seen, or is true; what is seen then."""
        end = time.monotonic() + PATIENCE
        while not (true in self.text or true in self.panel if isinstance(true, str) else true()):
            if not self.read() or time.monotonic() > end:
                raise AssertionError(f"never saw {true!r}:\n{self.text}")
            while select.select([self._master], [], [], 0)[0] and self.read():
                pass  # to look at a large screen takes longer than to read it
        while select.select([self._master], [], [], 0.1)[0] and self.read():
            pass  # the rest of the picture
        return self.text

    def end(self) -> int:
        """Waits for the program's end; its exit code."""
        end = time.monotonic() + PATIENCE
        while self.read() and time.monotonic() < end:
            if self.process.poll() is not None and not select.select([self._master], [], [], 0.2)[0]:
                break
        return self.process.wait(max(1.0, end - time.monotonic()))


@contextlib.contextmanager
def on_terminal(
    *arguments: str, size: tuple[int, int] = (80, 24), belongs: bool = True, **environment: str
) -> Iterator[Terminal]:
    """`hedgerow` with these arguments on a terminal; it is killed at the end."""
    known = {
        key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "HEDGEROW_PLAIN", "COLUMNS", "LINES")
    }
    known |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"} | environment
    terminal = Terminal([sys.executable, "-m", "hedgerow", *arguments], *size, known, belongs)
    try:
        yield terminal
    finally:
        terminal.process.kill()
        terminal.process.wait()
        terminal.go_away()
