"""Files that only their owner can read: they hold mail addresses, hashes of passwords and private games."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path
from typing import TextIO

from hedgerow.game import HedgerowError

log = logging.getLogger("hedgerow.private")

FOLDER, FILE = 0o700, 0o600
OTHERS = 0o077
"""What everybody but the owner may do."""
NAMES = ("hedgerow.db", "hedgerow.db-wal", "hedgerow.db-shm", "hedgerow.db-journal", "lock")
"""What a server keeps in its folder."""


def keep_private() -> None:
    """Whatever this process makes from now on is its owner's alone."""
    os.umask(OTHERS)


def make_folder(folder: Path) -> None:
    """The folder, made where it is not there; one that others can look into is closed, and so are its files."""
    try:
        folder.mkdir(FOLDER, parents=True, exist_ok=True)
    except OSError as error:
        raise HedgerowError(
            f"cannot make the data folder {str(folder)!r}: {error.strerror}; hint: choose another with --data"
        ) from None
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise HedgerowError(
            f"cannot write in the data folder {str(folder)!r}; hint: give it to the user that runs this, "
            "or choose another with --data"
        )
    tighten(folder)


def make_file(path: Path) -> None:
    """The file, made where it is not there."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, FILE))


def new_file(path: Path) -> TextIO:
    """A new file to write into; raises HedgerowError where there is one of that name."""
    try:
        made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE)
    except FileExistsError:
        raise HedgerowError(f"there is already a file {str(path)!r}; hint: choose another name") from None
    return os.fdopen(made, "w", encoding="utf-8")


def open_to_others(folder: Path) -> list[Path]:
    """The folder and those of a server's files in it that others than their owner can use."""
    found = [folder, *(folder / name for name in NAMES)]
    return [path for path in found if path.exists() and path.stat().st_mode & OTHERS]


def tighten(folder: Path) -> None:
    """Takes away what others may do, where that is ours to decide, and says so."""
    for path in open_to_others(folder):
        mode = path.stat().st_mode
        if path.stat().st_uid != os.geteuid() or (path == folder and not _ours_alone(folder)):
            log.warning("others can use %s (%s); hint: chmod go= it", path, oct(stat.S_IMODE(mode)))
            continue
        path.chmod(stat.S_IMODE(mode) & ~OTHERS)
        log.warning("others could use %s (%s); that is over", path, oct(stat.S_IMODE(mode)))


def _ours_alone(folder: Path) -> bool:
    """Nothing else is kept there: somebody's home, or /tmp, is not ours to close."""
    return all(path.name in NAMES for path in folder.iterdir())
