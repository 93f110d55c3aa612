"""`hedgerow play` on a real pseudo-terminal: what a person sees, types and clicks, how it ends, and what is left."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest

import hedgerow as hg
from pseudo_terminal import PATIENCE, on_terminal

pytestmark = pytest.mark.usefixtures("own_state")

SIZES = [(80, 24), (200, 60)]


def kept(tmp_path: Path) -> list[hg.Match]:
    return [hg.read(path.read_text()) for path in sorted((tmp_path / "state").glob("*.txt"))]


@pytest.mark.parametrize("size", SIZES)
def test_a_game_is_played_seen_and_left(size: tuple[int, int], tmp_path: Path) -> None:
    with on_terminal("play", "root_bound:side=4", "--seats", "Ann,Bo", size=size) as terminal:
        seen = terminal.until("Place your first piece")
        assert "Root Bound, side 4" in seen and "Black Ann" in seen and "F10 menu" in seen
        terminal.press("a", "1", "enter")
        terminal.until("first of your two pieces")
        terminal.press("c", "3", "enter")
        terminal.until("not next to the")
        terminal.press("c", "4", "enter")
        terminal.until("may not touch each other")
        assert "(" in terminal.text, "what forbids it is lit"
        terminal.press("backspace")
        terminal.until("Took back c3.")
        terminal.press("ctrl+q")
        assert terminal.end() == 0
        assert b"hedgerow play --resume" in terminal.raw and b"Traceback" not in terminal.raw
        assert b"\x1b[?1049l" in terminal.raw, "the screen is given back"
    assert kept(tmp_path)[0].turns == ("a1",)


def test_the_mouse_presses_what_is_seen(tmp_path: Path) -> None:
    with on_terminal("play", "tanbo:size=9", "--seats", "Ann,Bo") as terminal:
        terminal.until("Grow a root")
        lines = terminal.screen.display
        header = next(n for n, line in enumerate(lines) if re.search(r"1   2   3", line))
        column = lines[header].index("2")
        terminal.click(column, header + 1)  # A2
        terminal.until("1. A2")
        terminal.press("ctrl+c")
        assert terminal.end() == 130 and b"Traceback" not in terminal.raw
    assert kept(tmp_path)[0].turns == ("A2",)


def test_a_terminal_that_is_too_small_recovers() -> None:
    with on_terminal("play", "hexbo", "--seats", "Ann,Bo", size=(50, 12)) as terminal:
        terminal.until("this one has 50 × 12")
        assert "60 × 18 characters" in terminal.text
        terminal.resize(80, 24)
        terminal.until("Grow a root")
        terminal.resize(40, 24)
        terminal.until("this one has 40 × 24")
        terminal.resize(50, 10)
        terminal.until("this one has 50 × 10")
        terminal.resize(80, 24)
        terminal.until("Grow a root")
        terminal.resize(80, 12)
        terminal.until("this one has 80 × 12")
        terminal.resize(200, 60)
        terminal.until("Grow a root")
        assert "╱" in terminal.text, "there is room for lines between the points"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_keeps_the_game_and_gives_the_screen_back(number: int, tmp_path: Path) -> None:
    with on_terminal("play", "tanbo:size=9", "--seats", "Ann,Bo") as terminal:
        terminal.until("Grow a root")
        terminal.press("A", "2", "enter")
        terminal.until("1. A2")
        terminal.process.send_signal(number)
        assert terminal.end() == 128 + number and b"\x1b[?1049l" in terminal.raw
    assert kept(tmp_path)[0].turns == ("A2",)


@pytest.mark.parametrize("belongs", [True, False])
@pytest.mark.parametrize("seats", ["Ann,Bo", "Ann,1"])
def test_a_terminal_that_goes_away_ends_it_and_the_game_is_kept(seats: str, belongs: bool, tmp_path: Path) -> None:
    """A closed window: with the signal to whom it belongs, and without one to anybody else."""
    with on_terminal("play", "tanbo:size=9", "--seats", seats, "--clock", "5+0", belongs=belongs) as terminal:
        terminal.until("Grow a root")
        terminal.press("A", "2", "enter")
        terminal.until("1. A2")
        terminal.go_away()
        assert terminal.process.wait(PATIENCE) == 128 + signal.SIGHUP
    assert kept(tmp_path)[0].turns[0] == "A2"


@pytest.mark.parametrize("belongs", [True, False])
def test_lines_of_text_end_with_their_terminal(belongs: bool, tmp_path: Path) -> None:
    with on_terminal("play", "tanbo:size=9", "--seats", "Ann,Bo", "--plain", belongs=belongs) as terminal:
        terminal.until("Black to move.")
        terminal.press("A", "2", "\n")
        terminal.until("Black played A2.")
        terminal.go_away()
        assert terminal.process.wait(PATIENCE) != 0
    assert kept(tmp_path)[0].turns == ("A2",)


def test_no_color() -> None:
    with on_terminal("play", "tanbo:size=9", "--seats", "Ann,Bo", NO_COLOR="1") as terminal:
        terminal.until("Grow a root")
        assert not re.search(rb"\x1b\[[0-9;]*[34]8;[25];", terminal.raw) and "○" in terminal.text
    with on_terminal("play", "tanbo:size=9", "--seats", "Ann,Bo") as terminal:
        terminal.until("Grow a root")
        assert re.search(rb"\x1b\[[0-9;]*48;2;", terminal.raw)


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [(("--plain",), {}), ((), {"TERM": "dumb"}), ((), {"HEDGEROW_PLAIN": "1"}), ((), {"ACCESSIBLE": "1"})],
)
def test_lines_of_text_on_a_terminal(arguments: tuple[str, ...], environment: dict[str, str]) -> None:
    with on_terminal("play", "tanbo:size=9", "--seats", "Ann,Bo", *arguments, **environment) as terminal:
        terminal.until("Black to move.")
        board = "A- ." in terminal.text
        assert board != ("ACCESSIBLE" in environment), "a screen reader is not read a board unasked"
        terminal.press("A", "2", "\n")
        terminal.until("Black played A2.")
        assert b"\x1b[?1049h" not in terminal.raw
        terminal.press("ctrl+c")
        assert terminal.end() == 130 and b"Stopped." in terminal.raw


def test_it_asks_and_begins(tmp_path: Path) -> None:
    with on_terminal("play") as terminal:
        terminal.until("Which game?")
        assert "Hexbo" in terminal.text and "Root and Thorn" in terminal.text
        terminal.press("down")
        terminal.until("wither where they are cut off")
        terminal.press("f5")
        terminal.until("Root Bound, side 7")
        terminal.press("ctrl+q")
        assert terminal.end() == 0
    assert kept(tmp_path) == []


def test_a_screen_that_breaks_says_so_without_a_traceback(tmp_path: Path) -> None:
    """A bug of ours, made on purpose: the game is kept and the terminal is as it was."""
    (tmp_path / "sitecustomize.py").write_text(
        "import hedgerow.terminal.play.panels as panels\n"
        "right = panels.turns\n"
        "def broken(table, *rest):\n"
        "    assert len(table.match.turns) < 2, 'on purpose'\n"
        "    return right(table, *rest)\n"
        "panels.turns = broken\n"
    )
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    with on_terminal("play", "tanbo:size=9", "--seats", "Ann,Bo", PYTHONPATH=path) as terminal:
        terminal.until("Grow a root")
        terminal.press("A", "2", "enter")
        terminal.until("1. A2")
        terminal.press("A", "8", "enter")
        assert terminal.end() == 1
        assert b"error: the screen broke; hint:" in terminal.raw and b"Traceback" not in terminal.raw
        assert b"\x1b[?1049l" in terminal.raw and b"hedgerow play --resume" in terminal.raw
    assert kept(tmp_path)[0].turns == ("A2", "A8")
    assert "on purpose" in (tmp_path / "state" / "crash.log").read_text()


@pytest.mark.parametrize("name", ["hexbo", "tanbo", "root_bound", "rootbound", "root_down", "root_and_thorn"])
def test_the_standard_boards_are_seen_whole(name: str) -> None:
    with on_terminal("play", name, "--seats", "Ann,Bo") as terminal:
        rules = hg.make(name)
        seen = terminal.until(rules.game.title)
        terminal.until(lambda: all(_label(terminal.text, label) for label in {point[0] for point in rules.board.names}))
        assert seen


def _label(text: str, label: str) -> bool:
    """A row or a column is named by that letter, at the left of the board or below it."""
    left = (line[:54] for line in text.splitlines())
    return any(re.search(rf"(^|\s){label}(\s|$)", line) for line in left)
