"""The manners of the whole command line: every command, how it ends, what it says, and how quickly it begins."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import hedgerow as hg
from forks import Call, ends
from hedgerow.terminal import ending
from hedgerow.terminal.cli import COMMANDS, app
from pseudo_terminal import on_terminal

MODULE = [sys.executable, "-m", "hedgerow"]


def commands(group: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command and every command in it, by its words."""
    for name, command in (group or typer.main.get_command(app)).commands.items():
        yield (*path, name), command
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))


EVERY = dict(commands())
ALONE = [path for path, command in EVERY.items() if not hasattr(command, "commands")]


# --- how commands end -------------------------------------------------------------------------------------------------


def test_every_command_ends_politely(tmp_path: Path) -> None:
    """With an option that there is not, a full disk, a pipe that nobody reads: a line, a code, no traceback."""
    assert len(EVERY) > 40
    wrong = [Call((*path, "--no-such-option")) for path in EVERY]
    full = [Call((*path, "--help"), out="full") for path in EVERY]
    unread = [Call((*path, "--help"), out="unread") for path in EVERY]
    for done in ends([*wrong, *full, *unread], tmp_path):
        path = " ".join(done.call.arguments[:-1])
        assert "Traceback" not in done.err and done.out == "", done
        if done.call.out == "unread":
            assert (done.code, done.err) == (ending.FAILED, ""), done
        elif done.call.out == "full":
            assert (done.code, done.err) == (ending.FAILED, "error: No space left on device\n"), done
        else:
            hint = f"hint: hedgerow {path} --help\n"
            assert done.code == ending.WRONG and done.err.startswith("error: no such option") and hint in done.err, done


FILES = {
    "binary": bytes(range(256)) * 40,
    "latin": "Game: tanbo\nBlack: Zoë\n\n".encode("latin-1"),
    "nul": b"\0" * 100,
    "empty": b"",
    "json": b'{"header": []}',
    "deep": b"(" * 200_000,
    "long": b"Game: tanbo\n" * 200_000,
    "markup": b"[bold]Game: [/red] tanbo",
}
READERS = [("show",), ("replay",), ("analyse",), ("convert",)]


def test_every_file_that_is_no_game_is_refused_with_a_line(tmp_path: Path) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder").mkdir()
    calls = [
        Call((*reader, name, *(["out.svg"] if reader == ("convert",) else [])))
        for reader in READERS
        for name in (*FILES, "folder", "missing", "/proc/self/mem")
    ]
    for done in ends(calls, tmp_path):
        assert done.code == ending.WRONG and done.out == "", done
        assert done.err.startswith("error: ") and done.err.count("\n") == 1 and "hint:" in done.err, done


ABSURD = [
    ("rules", ""),
    ("rules", "hexbo:" + "side=5," * 1000),
    ("rules", "[red]hexbo"),
    ("rules", "\udcff"),
    ("perft", "hexbo", "99999999999999999999"),
    ("perft", "hexbo", "nan"),
    ("warm", "hexbo", "hexbo:side=7"),
    ("bench", "playouts", "hexbo", "--seconds", "nan"),
    ("bench", "playouts", "hexbo", "--seconds", "-1"),
    ("bench", "search", "hexbo", "--threads", "0"),
    ("bench", "serve", "chess"),
    ("bench", "levels", "chess"),
    ("arena", "hexbo", "random"),
    ("arena", "hexbo", "random", "nobody"),
    ("arena", "hexbo", "random", "random", "--games", "0"),
    ("arena", "hexbo", "random", "random", "--sprt", "a"),
    ("arena", "hexbo", "random", "random", "--book", "missing"),
    ("gtp", "--game", "chess"),
    ("gtp", "--player", "nobody"),
    ("serve", "--port", "99999"),
    ("serve", "--registration", "maybe"),
    ("serve", "--public-url", "nonsense"),
    ("serve", "--smtp", "nonsense"),
    ("mail",),
    ("mail", "--listen", "nonsense", "--mail-address", "a@b"),
    ("command", "help", "--server", "nonsense"),
    ("engine-worker",),
    ("engine-worker", "--database", "nonsense", "--redis", "nonsense"),
    ("check",),
    ("completion", "tcsh"),
    ("play", "chess"),
    ("play", "hexbo", "--level", "0"),
    ("play", "missing.txt"),
    ("admin", "close-report", "x"),
    ("admin", "revoke-token", "Ann", "x", "--data", "nowhere"),
    ("admin", "restore", "missing", "--data", "nowhere"),
    ("nonsense",),
    ("--nonsense",),
]


def test_absurd_command_lines_are_refused_with_a_line(tmp_path: Path) -> None:
    for done in ends([Call(arguments) for arguments in ABSURD], tmp_path, heavy=True):
        assert done.code in (ending.WRONG, ending.FAILED) and "Traceback" not in done.err, done
        assert done.err.startswith("error: ") and done.err.rstrip().count("\n") == 0, done


def test_exit_codes_are_what_is_written(tmp_path: Path) -> None:
    assert (ending.DONE, ending.FAILED, ending.WRONG, ending.STOPPED) == (0, 1, 2, 130)
    table = str(ending.__doc__)
    assert all(f"| {code} |" in table for code in (0, 1, 2, 130))
    done, wrong = ends([Call(("games",)), Call(("rules", "chess"))], tmp_path)
    assert (done.code, done.err) == (0, "") and wrong.code == 2


@pytest.mark.parametrize(("arguments", "given"), [(("perft", "root_down", "40"), ""), (("gtp",), "name\n")])
def test_ctrl_c_ends_with_130(arguments: tuple[str, ...], given: str) -> None:
    """While compiled rules are counting, and while nothing is done but waiting for a line."""
    running = subprocess.Popen(
        [*MODULE, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell lets its jobs ignore it
    )
    assert running.stdin and running.stdout
    running.stdin.write(given)
    running.stdin.flush()
    assert running.stdout.readline()
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=120)
    assert running.returncode == ending.STOPPED and "Traceback" not in err, err


EARLY = """
import os, signal, sys

where = sys.argv.pop()

class Stopping:
    def find_spec(name, path, target=None):
        if name == where:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Stopping)
from hedgerow_command import main
sys.argv[1:] = ["print", "tanbo"]
main()
"""


@pytest.mark.parametrize("module", ["hedgerow", "typer", "hedgerow.terminal.print_", "reportlab.pdfgen"])
def test_ctrl_c_while_it_is_being_loaded_is_quiet(module: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", EARLY, module], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (ending.STOPPED, "", "")
    assert not list(tmp_path.iterdir())


LOST = """
import os, signal, sys
from hedgerow.terminal import greeting
class Swallowed:
    def __del__(self): os.kill(os.getpid(), signal.SIGINT); [None for _ in range(9)]
def greet(names):
    import time
    Swallowed()
    time.sleep(60)
greeting.greet = greet
from hedgerow_command import main
sys.argv = ["hedgerow"]
main()
"""


def test_ctrl_c_that_python_drops_is_said_again() -> None:
    done = subprocess.run([sys.executable, "-c", LOST], capture_output=True, text=True, timeout=50)
    assert (done.returncode, done.stderr) == (ending.STOPPED, "")


BROKEN = """
import hedgerow.terminal.games as games
def broken(*a, **k): raise RuntimeError("[red]something\\nof two lines")
games.make = broken
import sys; sys.argv = ["hedgerow", "rules", "hexbo"]
from hedgerow.terminal.cli import main
main()
"""


def test_a_fault_of_ours_is_one_line_and_its_traceback_is_there_for_those_who_ask() -> None:
    calm = {name: value for name, value in os.environ.items() if name != ending.DEBUG}
    done = subprocess.run([sys.executable, "-c", BROKEN], capture_output=True, text=True, env=calm)
    expected = (
        "error: something unexpected happened: RuntimeError: [red]something; hint: HEDGEROW_DEBUG=1 shows where\n"
    )
    assert (done.returncode, done.stderr) == (1, expected)
    asked = subprocess.run(
        [sys.executable, "-c", BROKEN], capture_output=True, text=True, env=calm | {ending.DEBUG: "1"}
    )
    assert asked.returncode == 1 and "Traceback" in asked.stderr and "of two lines" in asked.stderr


def test_closed_streams(tmp_path: Path) -> None:
    for done in ends([Call(("games",), out="closed"), Call(("rules", "hexbo", "--json"), out="closed")], tmp_path):
        assert (done.code, done.err) == (0, "")


def test_a_terminal_that_knows_only_ascii_is_no_fault() -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    for arguments in ([], ["games"], ["rules", "hexbo"], ["--help"], ["man"]):
        done = subprocess.run([*MODULE, *arguments], capture_output=True, env=environment)
        assert done.returncode == 0 and done.stderr == b"" and done.stdout.decode("ascii")


# --- what it says -----------------------------------------------------------------------------------------------------


def seen(arguments: list[str], **environment: str) -> str:
    """What a terminal of 80 by 24 is sent."""
    with on_terminal(*arguments, **environment) as terminal:
        assert terminal.end() == 0
    return terminal.raw.decode()


def test_alone_it_greets_on_one_screen() -> None:
    done = subprocess.run(MODULE, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and done.stderr == "" and len(lines) <= 24 and max(map(len, lines)) <= 80
    assert "\x1b" not in done.stdout and hg.__version__ in done.stdout
    assert all(hg.make(name).game.title in " ".join(done.stdout.split()) for name in hg.games())
    typed = re.findall(r"^  (hedgerow .*?)(?:  |$)", done.stdout, re.MULTILINE)
    first = [words.split()[1] for words in typed if not words.split()[1].startswith("-")]
    assert first[0] == "play" and {(name,) for name in first} <= set(EVERY)


def test_colours_only_where_they_are_wanted(tmp_path: Path) -> None:
    record = tmp_path / "game.txt"
    record.write_text(hg.Match("hexbo(side=5)").record())
    for arguments in ([], ["show", str(record)], ["games"], ["--help"]):
        usual = {"TERM": "xterm-256color", "NO_COLOR": ""}
        assert re.search(r"\x1b\[[\d;]*3\d", seen(arguments, **usual)) or "\x1b[1m" in seen(arguments, **usual), (
            arguments
        )
        for plain in ({"NO_COLOR": "1", "TERM": "xterm-256color"}, {"TERM": "dumb", "NO_COLOR": ""}):
            assert not re.search(r"\x1b\[[\d;]*[34]\d", seen(arguments, **plain)), (arguments, plain)


def test_the_help_has_one_voice() -> None:
    """Every command begins with what it does, as an order, and every option is a sentence."""
    for path, command in EVERY.items():
        about = str(command.help)
        assert about[0].isupper() and re.match(r"[A-Z][a-z]+ ", about), f"{path}: {about}"
        assert about.split("\n")[0].rstrip().endswith((".", ":", ";", ",")) or len(about.split("\n")) > 1, path
        assert about.split()[0] not in ("The", "A", "What", "Random", "Each"), f"{path}: {about}"
        for param in command.params:
            if param.param_type_name == "option":
                assert param.help and param.help[0].isupper() and param.help.endswith((".", "...")), (path, param.name)
            elif param.help:
                assert not param.help.endswith("."), (path, param.name)


def test_commands_have_headings_in_the_help() -> None:
    shown = subprocess.run([*MODULE, "--help"], capture_output=True, text=True).stdout
    for heading, inside in COMMANDS.items():
        assert heading in shown and all(re.search(rf"^\W+{name}\b", shown, re.MULTILINE) for name in inside)
    assert subprocess.run([*MODULE, "-h"], capture_output=True, text=True).stdout == shown


# --- how quickly it begins --------------------------------------------------------------------------------------------

HEAVY = {"numpy", "numba", "fastapi", "sqlalchemy", "pydantic", "textual", "reportlab", "PIL", "resvg_py", "uvicorn"}


@pytest.mark.parametrize("arguments", [[], ["games"], ["games", "--json"], ["--version"]])
def test_what_is_not_used_is_not_imported(arguments: list[str]) -> None:
    code = "import sys; from hedgerow.terminal.ending import run; from hedgerow.terminal.cli import app; run(app); "
    code += f"print(sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_no_command_imports_anything_heavy_before_it_runs() -> None:
    """The help of all commands together, which imports every module of the terminal that has one."""
    heavy = HEAVY - {"pydantic"}
    code = "import sys; from hedgerow.terminal.ending import run; from hedgerow.terminal.cli import app; run(app); "
    code += f"print(sorted({heavy!r} & set(sys.modules)), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
