"""Games on disk: saved whole or not at all, and after every action kept aside, so that nothing is ever lost.

An unfinished game lies in the folder that `folder` names until it is over or was saved by hand.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path

from hedgerow.game import HedgerowError
from hedgerow.match import Match, read
from hedgerow.record import MAX_RECORD_CHARS

MOST_KEPT = 30
"""How many unfinished games are kept; the oldest go."""


def folder() -> Path:
    """Where unfinished games lie: HEDGEROW_STATE, or hedgerow in the user's folder for such things."""
    if named := os.environ.get("HEDGEROW_STATE"):
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "hedgerow"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "hedgerow"


def write(path: Path, text: str) -> None:
    """Writes a record whole or leaves what was there; raises HedgerowError saying why.

    A file that is no record is never overwritten, and what is no plain file (a pipe, /dev/full) is never replaced.
    """
    try:
        path = path.resolve()
        if path.is_file() and not _holds_record(path):
            raise OSError(0, "there is another file, which is no record")
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
        else:
            _replace(path, text)
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or error
        raise HedgerowError(f"cannot write {str(path)!r:.80}: {why}; hint: name another file") from None


def _replace(path: Path, text: str) -> None:
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with beside.open("w", encoding="utf-8") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(opened.fileno())
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def _holds_record(path: Path) -> bool:
    with path.open("rb") as opened:
        return opened.read(8).removeprefix(b"\xef\xbb\xbf")[:5] in (b"Game:", b"")


def load(path: Path) -> Match:
    """The match in a file; raises HedgerowError saying why there is none."""
    try:
        with path.open(encoding="utf-8-sig") as opened:
            return read(opened.read(MAX_RECORD_CHARS + 1))
    except (OSError, ValueError) as error:
        if isinstance(error, HedgerowError):
            raise HedgerowError(f"cannot read {str(path)!r:.80}: {error}") from None
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise HedgerowError(f"cannot read {str(path)!r:.80}: {why}; hint: give the file of a record") from None


class Keeper:
    """Keeps one game aside while it is played."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.trouble = ""
        """Why nothing is kept, the first time that it failed; empty while all is well."""

    def keep(self, match: Match) -> None:
        """Writes the game down; where that fails, `trouble` says so and the game goes on."""
        try:
            if self.path is None:
                self.path = _new_path(match.rules.game.name)
            write(self.path, match.record())
        except (HedgerowError, OSError) as error:
            self.trouble = self.trouble or str(error)

    def forget(self) -> None:
        """The game is over, or saved elsewhere."""
        if self.path is not None:
            with contextlib.suppress(OSError):
                self.path.unlink()


def _new_path(game: str) -> Path:
    place = folder()
    place.mkdir(parents=True, exist_ok=True)
    for old in unfinished()[MOST_KEPT - 1 :]:
        with contextlib.suppress(OSError):
            old.unlink()
    stamp = time.strftime("%Y-%m-%d-%H%M%S")
    return place / f"{stamp}-{game}-{os.getpid()}-{time.monotonic_ns() % 1_000_000}.txt"


def unfinished() -> list[Path]:
    """The files of unfinished games, the latest first."""
    found = []
    with contextlib.suppress(OSError):
        found = [(path.stat().st_mtime_ns, path) for path in folder().glob("*.txt")]
    return [path for _, path in sorted(found, reverse=True)]
