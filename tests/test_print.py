"""`hedgerow print` as people run it: real processes, every kind of sheet, and whatever can go wrong with files."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import hedgerow as hg
from forks import Ended, end
from pdfs import info_of, sizes_of, text_of

HEDGEROW = [sys.executable, "-m", "hedgerow", "print"]


def printed(*arguments: object, cwd: Path | None = None, given: str = "") -> Ended:
    return end("print", *arguments, given=given, folder=cwd)


def in_a_process(*arguments: str, given: str = "") -> bytes:
    """What it prints in a process of its own, which looks for games anew."""
    return subprocess.run([*HEDGEROW, *arguments], input=given.encode(), capture_output=True, timeout=120).stdout


def refused(*arguments: object, cwd: Path | None = None, given: str = "") -> str:
    """The one line that a command ends with, which failed."""
    done = printed(*arguments, cwd=cwd, given=given)
    said = done.err
    assert done.code in (1, 2) and not done.raw and said.startswith("error: ") and said.count("\n") == 1, said
    return said


@pytest.fixture
def record(tmp_path: Path) -> Path:
    match = hg.Match("root_bound(side=4)")
    match.play("a1 c3 g2 d4 f1")
    match.tags |= {"Black": "Ann", "White": "Bo"}
    path = tmp_path / "game.txt"
    path.write_text(match.record())
    return path


def test_a_kit_is_called_like_its_game(tmp_path: Path) -> None:
    done = printed("hexbo:side=5,players=3", cwd=tmp_path)
    assert done.code == 0 and not done.raw
    assert done.err == "hexbo-side-5-players-3.pdf: 6 sheets of A4; print at 100 %\n"
    pdf = (tmp_path / "hexbo-side-5-players-3.pdf").read_bytes()
    assert info_of(pdf)["Title"] == "Hexbo: rules, board, boards for pencils, pieces, score sheet"
    assert [path.name for path in tmp_path.iterdir()] == ["hexbo-side-5-players-3.pdf"]


@pytest.mark.parametrize(
    ("options", "pages", "words"),
    [
        (("--leaflet",), 2, "Rulings"),
        (("--board",), 1, "5 cm, if printed at 100 %"),
        (("--board", "--spacing", "18mm"), 2, "points 18 mm apart"),
        (("--board", "--spacing", "1in", "--paper", "letter"), 4, "points 25.4 mm apart"),
        (("--pencil", "--boards", "4"), 1, "Claimed points"),
        (("--pieces", "--spacing", "1.5cm"), 1, "pieces for points 15 mm apart"),
        (("--score-sheet",), 1, "Signed"),
        (("--score-sheet", "--pencil"), 2, "Signed"),
    ],
)
def test_parts_of_a_kit(tmp_path: Path, options: tuple[str, ...], pages: int, words: str) -> None:
    done = printed("root_bound", *options, "-o", "-")
    assert done.code == 0, done.err
    assert int(info_of(done.raw)["Pages"]) == pages and words in text_of(done.raw)


def test_several_games_in_one_pdf() -> None:
    pdf = printed("hexbo", "tanbo:size=9", "--board", "--paper", "LETTER", "-o", "-").raw
    assert sizes_of(pdf) == [(279, 216), (216, 279)]
    assert "Hexbo, side 10" in text_of(pdf) and "Tanbo, size 9" in text_of(pdf)


def test_records_as_positions_puzzles_and_plates(record: Path) -> None:
    folder = record.parent
    assert printed("game.txt", cwd=folder).code == 0
    assert "Ann – Bo, after 3 turns" in text_of((folder / "game.pdf").read_bytes())
    several = printed("game.txt", "game.txt", "--turn", "0", "--turn", "2", "--columns", "3", "-o", "-", cwd=folder).raw
    assert text_of(several).count("after 0 turns") == 2 and text_of(several).count("after 2 turns") == 2
    assert printed("game.txt", "--puzzle", "--turn", "1", cwd=folder).code == 0
    assert "1. c3 g2" in text_of((folder / "game-puzzle.pdf").read_bytes())
    assert printed("game.txt", "--plate", "--server", "https://play.example.org", cwd=folder).code == 0
    assert "Ann (Black)" in text_of((folder / "game-plate.pdf").read_bytes())
    piped = printed("-", "--plate", "-o", "-", given=record.read_text())
    assert "ROOT BOUND" in text_of(piped.raw)


def test_a_game_from_outside_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEDGEROW_GAMES", str(Path(__file__).parent / "seventh"))
    kit = in_a_process("three", "-o", "-")
    assert "Whoever has three stones in a line" in text_of(kit) and info_of(kit)["Title"].startswith("Three: rules")
    plate = in_a_process("-", "--plate", "-o", "-", given="Game: three\n\n1. a1\n2. b2\n3. a2\n4. c3\n5. a3\n")
    assert "THREE" in text_of(plate) and "Three in a line: Black wins." in text_of(plate)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("hexbos",), "no game 'hexbos'; hint: did you mean hexbo?"),
        (("hexbo:side=99",), "hexbo cannot have side='99'"),
        (("nowhere.txt",), "cannot read 'nowhere.txt': No such file"),
        (("hexbo", "game.txt"), "games and records in one PDF"),
        (("game.txt", "--board"), "--board is for games; hint: hedgerow print --board hexbo"),
        (("game.txt", "--score-sheet"), "--score-sheet is for games"),
        (("game.txt", "--spacing", "18mm"), "--spacing is for games"),
        (("hexbo", "--plate"), "--plate is for records"),
        (("hexbo", "--turn", "0"), "--turn is for records"),
        (("game.txt", "--plate", "--puzzle"), "a plate and puzzles in one PDF"),
        (("game.txt", "--plate", "--turn", "1", "--turn", "2"), "one --turn"),
        (("game.txt", "--turn", "4"), "no turn 4"),
        (("game.txt", "--turn", "-1"), "no turn -1"),
        (("game.txt", "--puzzle", "--turn", "3"), "no answer to puzzle 1"),
        (("game.txt", "--server", "https://play.example.org"), "--server is for a plate"),
        (("game.txt", "--plate", "--server", "play.example.org"), "no server 'play.example.org'; hint: like https://"),
        (("game.txt", "--plate", "--server", "http://[::"), "no server"),
        (("hexbo", "--paper", "papyrus"), "no paper 'papyrus'; hint: a4 or letter"),
        (("hexbo", "--board", "--spacing", "0mm"), "the spacing '0mm' is too small; hint: from 4 mm to 60 mm"),
        (("hexbo", "--board", "--spacing", "-18mm"), "cannot read the spacing '-18mm'"),
        (("hexbo", "--board", "--spacing", "10m"), "no unit 'm'"),
        (("hexbo", "--board", "--spacing", "1000cm"), "the spacing '1000cm' is too large"),
        (("hexbo", "--board", "--spacing", "nan"), "cannot read the spacing 'nan'"),
        (("hexbo", "--pencil", "--boards", "5"), "no sheet of 5 boards"),
        (("hexbo", "--board", "--boards", "2"), "2 boards a sheet"),
        (("hexbo", "--columns", "7"), "--columns"),
        (("hexbo",) * 101, "101 games or records; hint: at most 100"),
        ((), "missing argument"),
    ],
)
def test_what_makes_no_sense_is_refused(record: Path, arguments: tuple[str, ...], words: str) -> None:
    assert words in refused(*arguments, cwd=record.parent)
    assert [path.name for path in record.parent.iterdir()] == ["game.txt"]


def test_files_that_are_no_records(tmp_path: Path) -> None:
    (tmp_path / "photo.txt").write_bytes(os.urandom(300))
    (tmp_path / "moves.txt").write_text("Game: hexbo\n\n1. Z99\n")
    assert "it is not UTF-8 text" in refused("photo.txt", cwd=tmp_path)
    assert "line 3" in refused("moves.txt", cwd=tmp_path)
    assert "Is a directory" in refused(str(tmp_path), cwd=tmp_path)
    assert "hint:" in refused("-", given="")


# --- where it is written ----------------------------------------------------------------------------------------------


def test_nothing_is_written_over_unless_forced(tmp_path: Path) -> None:
    there = tmp_path / "there.pdf"
    there.write_text("mine")
    assert "is there already; hint: --force" in refused("hexbo", "--score-sheet", "-o", there)
    assert there.read_text() == "mine"
    assert printed("hexbo", "--score-sheet", "-o", there, "--force").code == 0
    assert there.read_bytes().startswith(b"%PDF-")


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    assert "No such file" in refused("hexbo", "--score-sheet", "-o", tmp_path / "nowhere" / "x.pdf")
    assert "directory" in refused("hexbo", "--score-sheet", "--force", "-o", tmp_path)
    assert list(tmp_path.iterdir()) == []
    if Path("/dev/full").exists():
        assert "No space left" in refused("hexbo", "--score-sheet", "-o", "/dev/full")


def test_a_closed_pipe_is_no_traceback() -> None:
    with subprocess.Popen([*HEDGEROW, "tanbo", "-o", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        said = process.stderr.read().decode()
        assert process.wait(60) == 1 and "Traceback" not in said


def test_a_pdf_is_not_thrown_at_a_terminal() -> None:
    master, slave = pty.openpty()
    done = subprocess.run([*HEDGEROW, "hexbo", "-o", "-"], stdout=slave, stderr=subprocess.PIPE, timeout=60)
    os.close(slave)
    os.close(master)
    assert done.returncode == 2 and b"a PDF is no text to show in a terminal" in done.stderr


def test_ctrl_c_while_it_draws_leaves_nothing_behind(tmp_path: Path) -> None:
    command = [*HEDGEROW, *["root_bound"] * 90, "-o", "long.pdf"]
    master, slave = pty.openpty()
    with subprocess.Popen(command, cwd=tmp_path, stderr=slave) as process:
        os.close(slave)
        said = b""
        while "Drawing…".encode() not in said:  # so it says what it does, too
            said += os.read(master, 1000)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    os.close(master)
    assert b"Traceback" not in said and list(tmp_path.iterdir()) == []


def test_reportlab_is_loaded_only_to_print() -> None:
    code = "import sys, hedgerow, hedgerow.terminal.cli; print('reportlab' in sys.modules, 'segno' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
