"""How a command ends: with an exit code, at most one line about what went wrong, and never with a traceback.

| code | |
|---|---|
| 0 | done |
| 1 | something failed that the command line cannot help: a full disk, a closed pipe, a fault of Hedgerow |
| 2 | the command line, a file or a move is wrong |
| 129 | the terminal was closed (`play`, `replay`) |
| 130 | stopped by Ctrl-C |
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import Any

import typer

from hedgerow.game import HedgerowError
from hedgerow.terminal.stopping import say_again
from hedgerow.terminal.talk import say_error

DONE, FAILED, WRONG, HUNG_UP, STOPPED = 0, 1, 2, 129, 130
COMPLETE = "_HEDGEROW_COMPLETE"
"""The environment variable by which a shell asks for completions."""
DEBUG = "HEDGEROW_DEBUG"
"""The environment variable that lets an unexpected error through, with its traceback."""


def run(app: typer.Typer) -> int:
    """Runs what the command line says and gives the exit code."""
    try:
        return _run(app)
    except KeyboardInterrupt:  # once more, while it was ending
        os._exit(STOPPED)


def _run(app: typer.Typer) -> int:
    _open_streams()
    try:
        code = _ended(app)
        _hear(lambda *_: os._exit(STOPPED))  # what is left to do needs no traceback
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        return code
    except BrokenPipeError:  # whoever read has enough, and needs no word about it
        code = FAILED
    except OSError as error:
        code = FAILED
        _say(_about(error))
    _forget_output()
    return code


def _hear(how: Any) -> None:
    """What Ctrl-C does from now on, unless it is ignored."""
    if callable(signal.getsignal(signal.SIGINT)):
        signal.signal(signal.SIGINT, how)


def _again(lost: Any) -> None:
    """Says a Ctrl-C again that came where Python can only drop it: in a destructor or at the end of an import."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        say_again()
    else:
        sys.__unraisablehook__(lost)


def _ended(app: typer.Typer) -> int:
    try:
        sys.unraisablehook = _again
        _hear(signal.default_int_handler)
        if COMPLETE in os.environ:
            from typer._completion_classes import completion_init

            completion_init()
        found = typer.main.get_command(app).main(prog_name="hedgerow", standalone_mode=False)
        return found if isinstance(found, int) else DONE
    except HedgerowError as error:
        return _say(str(error), WRONG)
    except KeyboardInterrupt:
        return STOPPED
    except (BrokenPipeError, typer.Abort):
        raise BrokenPipeError from None
    except OSError:
        raise
    except Exception as error:
        if hasattr(error, "format_message"):
            return _refused(error)
        if os.environ.get(DEBUG):
            raise
        return _say(_unexpected(error))


def _refused(error: Any) -> int:
    """What Typer says of a command line that it cannot read; where it has shown the help instead, nothing."""
    words = str(error.format_message()).strip()
    if type(error).__name__ != "NoArgsIsHelpError" and words:
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "hedgerow"
        _say(f"{_sentence(words)}; hint: {path} --help")
    return int(error.exit_code)


def _sentence(words: str) -> str:
    """One line that begins as ours do."""
    line = " ".join(words.split()).rstrip(".")
    return line[:1].lower() + line[1:]


def _about(error: OSError) -> str:
    where = f"{str(error.filename)!r}: " if error.filename else ""
    return f"{where}{error.strerror or error}"


def _unexpected(error: Exception) -> str:
    first = next(iter(str(error).splitlines()), "")[:200]
    told = f"{type(error).__name__}: {first}" if first else type(error).__name__
    return f"something unexpected happened: {told}; hint: {DEBUG}=1 shows where"


def _say(words: str, code: int = FAILED) -> int:
    with suppress(OSError):
        say_error(words)
    return code


def _open_streams() -> None:
    """A closed stream becomes one that nobody reads; what a terminal cannot write becomes a question mark."""
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: SIM115
        elif name != "stdin" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _forget_output() -> None:
    """Lets what could not be written go, so that Python does not try it again at the very end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            os.dup2(nowhere, stream.fileno())
