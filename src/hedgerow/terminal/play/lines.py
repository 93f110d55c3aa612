"""Lines that somebody types or a pipe brings, one at a time, with something else to be done while none has come."""

from __future__ import annotations

import os
import select
import sys

LONGEST = 10_000
"""How many characters a line may have; the rest of it is dropped."""


class Lines:
    """The lines of standard input."""

    def __init__(self) -> None:
        self._waiting = b""
        self._ended = False
        self.echoes = not (sys.stdin and sys.stdin.isatty())
        """Nobody sees what is typed, so it is written down as it comes."""

    def next(self, seconds: float | None = None) -> str | None:
        """The next line, None where none has come for so long; raises EOFError at the end."""
        while b"\n" not in self._waiting:
            if self._ended:
                if self._waiting:
                    break
                raise EOFError
            if not self._read(seconds):
                return None
        line, _, self._waiting = self._waiting.partition(b"\n")
        text = line[:LONGEST].decode("utf-8", "replace").strip()
        if self.echoes:
            print(text)
        return text

    def _read(self, seconds: float | None) -> bool:
        """Reads what is there; False where nothing has come for so long."""
        if sys.stdin is None:
            self._ended = True
            return True
        fd = sys.stdin.fileno()
        if sys.platform != "win32" and not select.select([fd], [], [], seconds)[0]:
            return False
        data = os.read(fd, 65536)
        self._ended = not data
        self._waiting += data
        return True
