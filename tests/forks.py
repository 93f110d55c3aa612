"""Many command lines, each in a fork of a process that has `hedgerow` loaded: real streams and real ends, quickly.

The process is started once by whoever needs it first, and ends with the tests; every call brings its own folder and
environment.
"""

from __future__ import annotations

import base64
import contextlib
import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

SECONDS = 60
"""How long a command may take."""


@dataclass(frozen=True)
class Call:
    """A command line; where its output goes: a pipe, one that nobody reads, a full disk, or nowhere (closed)."""

    arguments: tuple[str, ...]
    given: str = ""
    out: str = "pipe"
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    call: Call
    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        return self.raw.decode(errors="replace")


def ends(calls: list[Call], folder: Path, heavy: bool = False) -> list[Ended]:
    """What becomes of each, in a folder; `heavy` has engine and server loaded before, where many of them need it."""
    process = _started(heavy)
    assert process.stdin and process.stdout
    found = []
    for call in calls:
        told = asdict(call) | {"folder": str(folder), "environment": {**os.environ, **call.environment}}
        process.stdin.write(json.dumps(told) + "\n")
        process.stdin.flush()
        one = json.loads(process.stdout.readline())
        found.append(Ended(call, one["code"], base64.b64decode(one["out"]), one["err"]))
    return found


def end(*arguments: object, given: str = "", folder: Path | None = None, **environment: str) -> Ended:
    """What becomes of one."""
    (found,) = ends([Call(tuple(map(str, arguments)), given, environment=environment)], folder or Path.cwd())
    return found


@cache
def _started(heavy: bool) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, _place().name, *["heavy"] * heavy]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@cache
def _place() -> tempfile.TemporaryDirectory[str]:
    """Where the streams of calls are, until the tests end."""
    return tempfile.TemporaryDirectory()


# --- the process that forks -------------------------------------------------------------------------------------------


def _serve() -> None:
    from hedgerow_command import main

    _load()
    if sys.argv[2:]:
        _load_engine_and_server()
    gc.freeze()  # what is there before the forks is not looked through at the end of each
    files = [Path(sys.argv[1], f"{name}-{os.getpid()}") for name in ("in", "out", "err")]
    for line in sys.stdin:
        call = json.loads(line)
        for file, content in zip(files, (call["given"], "", "")):
            file.write_text(content)
        child = os.fork()
        if child == 0:
            _become(call, files)
            return main()
        _, status = os.waitpid(child, 0)
        out, err = (file.read_bytes() for file in files[1:])
        answer = {"out": base64.b64encode(out).decode(), "err": err.decode(errors="replace")}
        print(json.dumps(answer | {"code": os.waitstatus_to_exitcode(status)}), flush=True)


def _load() -> None:
    """Imports what the commands would import, once for all forks."""
    import pydantic
    import rich.progress
    import rich.table
    import typer
    from typer import _adapters, rich_utils

    from hedgerow.paper import kit, plate
    from hedgerow.terminal.cli import app

    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert pydantic and rich.progress and rich.table and _adapters and rich_utils and kit and plate
    assert [commands[name] for name in commands]


def _load_engine_and_server() -> None:
    """What few commands import, and takes each of them seconds."""
    import hedgerow.search.arena
    import hedgerow.serve.engine.worker
    import hedgerow.serve.post.office
    import hedgerow.serve.process.run
    import hedgerow.tools.serve_bench

    assert hedgerow.search.arena and hedgerow.serve.process.run and hedgerow.tools.serve_bench


def _become(call: dict[str, Any], files: list[Path]) -> None:
    """Takes the folder, the streams, the environment and the arguments of a call."""
    for number, file in enumerate(files):
        os.dup2(os.open(file, os.O_RDWR), number)
    if call["out"] == "full":
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
    elif call["out"] == "unread":
        reader, writer = os.pipe()
        os.close(reader)
        os.dup2(writer, 1)
    elif call["out"] == "closed":
        os.close(1)
    closed = call["out"] == "closed"
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = None if closed else open(1, "w", encoding="utf-8", closefd=False)  # type: ignore[assignment]  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.argv = ["hedgerow", *call["arguments"]]
    os.chdir(call["folder"])
    os.environ.clear()
    os.environ.update(call["environment"])
    signal.alarm(SECONDS)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        _serve()
