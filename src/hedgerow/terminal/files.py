"""Files that a command writes: whole or not at all, and never over another without being told so."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from hedgerow.game import HedgerowError


def write(file: Path, content: bytes, *, force: bool = False) -> None:
    """Writes a file, - for standard output; raises HedgerowError where one is there already."""
    if str(file) == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    elif file.exists() and not file.is_file():  # a device or a pipe; a folder is refused by the system
        file.write_bytes(content)
    elif file.exists() and not force:
        raise HedgerowError(f"{str(file)!r} is there already; hint: --force writes over it")
    else:
        _replace(file, content)


def _replace(file: Path, content: bytes) -> None:
    """Writes beside the file and then puts it in its place, so that a full disk spoils nothing."""
    beside = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        beside.write_bytes(content)
        os.replace(beside, file)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file)) from error
    finally:  # after Ctrl-C, too, nothing is left beside it
        with suppress(OSError):
            beside.unlink()


def refuse_terminal(what: str, example: str) -> None:
    """Refuses to write what is no text to a terminal."""
    if sys.stdout.isatty():
        raise HedgerowError(f"{what} is no text to show in a terminal; hint: {example}")
