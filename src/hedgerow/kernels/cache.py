"""Where compiled kernels are kept: a folder of the user's cache, named by a hash of the kernels' sources.

Numba does not notice edits in the modules a kernel calls, so an edit anywhere moves the whole cache to a new folder;
and it looks at its cache setting while a kernel is decorated, so `kernel` points it at ours for just that moment.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from uuid import uuid4

import numba
from numba import config, njit, types

from hedgerow.kernels import news  # noqa: F401  (from now on it tells who compiles)

PACKAGE = Path(__file__).resolve().parent.parent
KEPT_FOLDERS = 3


def kernel(function: Callable[..., Any]) -> Any:
    """Decorates an entry point: compiled on first call, kept on disk, run with the GIL released."""
    before, ours = config.CACHE_DIR, folder()
    config.CACHE_DIR = str(ours or "")
    try:
        entry = njit(cache=ours is not None, nogil=True)(function)
    finally:
        config.CACHE_DIR = before
    _ENTRY_POINTS.append(entry)
    if ours and not config.DISABLE_JIT:
        _name_apart(entry)
        _recompile_unreadable(entry)
    return entry


def _record_name(record: types.Record) -> tuple[str, tuple[str]]:
    """How a record appears in the names of compiled functions: by its fields, not by the order of its coming.

    Numba numbers record types as each process meets them. Kernels from the cache, made by several processes, then have
    equal names for functions of different records, and the first one loaded would serve for all.
    """
    return "Record", (hashlib.sha256(record.name.encode()).hexdigest(),)


types.Record.mangling_args = property(_record_name)  # type: ignore[method-assign, assignment]


def _name_apart(entry: Any) -> None:
    """Gives every file of compiled code a name of its own.

    Numba numbers them by an index that all games share and nobody locks: two processes that compile at the same time
    could take the same number, and one would later run the other's code.
    """
    files = entry._cache._cache_file
    files._data_name = lambda number: f"{entry.py_func.__name__}-{uuid4().hex}.nbc"


def _recompile_unreadable(entry: Any) -> None:
    """A damaged file counts as missing: what was in it is compiled again and written anew."""
    files = entry._cache._cache_file
    load_index, load_data = files._load_index, files._load_data

    def index() -> Any:
        try:
            return load_index()
        except Exception:
            return {}

    def data(name: str) -> Any:
        try:
            return load_data(name)
        except Exception as damaged:
            raise OSError(f"cannot read {name}") from damaged  # which is how Numba is told that it is not there

    files._load_index, files._load_data = index, data


_ENTRY_POINTS: list[Any] = []


def compiled_and_loaded() -> tuple[int, int]:
    """How many kernels this process has compiled, and how many it found in the cache."""
    stats = [entry.stats for entry in _ENTRY_POINTS if hasattr(entry, "stats")]
    return sum(sum(s.cache_misses.values()) for s in stats), sum(sum(s.cache_hits.values()) for s in stats)


@lru_cache(maxsize=1)
def folder() -> Path | None:
    """The folder of this version's kernels, made if need be; older ones beyond a few are removed.

    None where no place can be written: then kernels are compiled anew by every process, which says so once.
    """
    for root in _roots():
        mine = root / f"kernels-{fingerprint()}"
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            mine.mkdir(exist_ok=True)
            with tempfile.TemporaryFile(dir=mine):
                pass
            mine.touch()
        except OSError:
            continue
        if _is_ours(root):
            prune(root)
            return mine
    print("hedgerow: compiled kernels cannot be kept; hint: set HEDGEROW_CACHE to a folder", file=sys.stderr)
    return None


def _is_ours(root: Path) -> bool:
    """Nobody else can put code there: what lies in the cache is run."""
    if not hasattr(os, "getuid"):
        return True
    status = root.stat()
    return status.st_uid == os.getuid() and not status.st_mode & 0o022


def _roots() -> list[Path]:
    """Where a cache may live, best first: what the user set, the platform's place, a temporary folder."""
    asked = os.environ.get("HEDGEROW_CACHE")
    if asked:
        return [Path(asked)]
    places = [os.environ.get("XDG_CACHE_HOME"), os.environ.get("LOCALAPPDATA")]
    if home := os.path.expanduser("~"):
        places.append(os.path.join(home, "Library/Caches" if sys.platform == "darwin" else ".cache"))
    found = [Path(place) / "hedgerow" for place in places if place and Path(place).is_absolute()]
    owner = getattr(os, "getuid", lambda: "user")()
    return [*found, Path(tempfile.gettempdir()) / f"hedgerow-{owner}"]


def fingerprint() -> str:
    """A hash of everything that kernels are made of: every source file, Numba, Python."""
    digest = hashlib.sha256()
    for path in sorted(kernel_sources()):
        name = path.relative_to(PACKAGE) if path.is_relative_to(PACKAGE) else path
        digest.update(name.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    digest.update(f"{_version()} {numba.__version__} {sys.version}".encode())
    return digest.hexdigest()[:20]


def kernel_sources() -> list[Path]:
    """The files whose text a kernel may depend on."""
    return [
        path
        for room in (*(PACKAGE / room for room in ("kernels", "games", "search", "learn")), *other_games())
        for path in room.rglob("*.py")
        if (not path.name.startswith("test_") and b"numba" in path.read_bytes()) or path.name == "plain.py"
    ]


def other_games() -> list[Path]:
    """The folders with games that lie outside the package, as `hedgerow.games` finds them."""
    return [Path(folder).absolute() for folder in os.environ.get("HEDGEROW_GAMES", "").split(os.pathsep) if folder]


def prune(root: Path) -> None:
    """Keeps the newest folders of kernels and removes the rest."""
    found = sorted(root.glob("kernels-*"), key=_last_used, reverse=True)
    for old in found[KEPT_FOLDERS:]:
        shutil.rmtree(old, ignore_errors=True)


def _last_used(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # another process has just removed it
        return 0.0


def _version() -> str:
    try:
        return version("hedgerow")
    except PackageNotFoundError:
        return "source"
