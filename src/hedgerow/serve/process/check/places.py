"""Checks of a data folder: owner and permissions of its files, and free disk space."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from hedgerow.serve.files import NAMES, OTHERS
from hedgerow.serve.process.check.finding import Finding, fault, fine, warning
from hedgerow.serve.store.database import FILE

LITTLE, SCARCE = 500 * 2**20, 50 * 2**20
"""How many free bytes are little, and how many so few that a server may stop any moment."""


def look(folder: Path) -> list[Finding]:
    """What there is to say about the files."""
    if not (folder / FILE).exists():
        return [fault("rights", f"no games are kept in {str(folder)!r}; hint: is it the folder of --data?")]
    wrong = list(_rights(folder))
    return [*(wrong or [fine("rights", "the folder and its files are their owner's alone")]), _room(folder)]


def _rights(folder: Path) -> Iterator[Finding]:
    owner = folder.stat().st_uid
    for path in (folder, *sorted(folder.iterdir())):
        told = path.lstat()
        name, mode = path.name or str(path), stat.S_IMODE(told.st_mode)
        if mode & OTHERS and not stat.S_ISLNK(told.st_mode):
            serious = path == folder or path.name in NAMES
            say = fault if serious else warning
            yield say("rights", f"others than its owner can use {name!r} ({mode:04o}); hint: chmod go= {name}")
        if path.name in NAMES and told.st_uid != owner:
            yield warning("rights", f"{name!r} and its folder have different owners; hint: chown -R them to one user")


def _room(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    say = fault if free < SCARCE else warning if free < LITTLE else fine
    return say("rights", f"{free // 2**20} MB are free on the disk" + ("; hint: make room" if say is not fine else ""))
