"""The command line as a person and a program meet it: real processes, stdout for data, stderr for talk."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import hedgerow as hg


def hedgerow(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "hedgerow", *arguments], input=given, capture_output=True, text=True)


def data(*arguments: str, given: str = "") -> object:
    done = hedgerow(*arguments, "--json", given=given)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_games() -> None:
    assert [row["name"] for row in data("games")] == list(hg.games())
    text = hedgerow("games").stdout
    assert all(name in text for name in hg.games())


@pytest.mark.parametrize("name", hg.games())
def test_rules(name: str) -> None:
    assert data("rules", name)["rules"].startswith("# ")
    assert "## Rulings" in hedgerow("rules", name).stdout


@pytest.fixture
def record(tmp_path: Path) -> Path:
    match = hg.Match("hexbo(side=5)")
    match.play("B3 B6 C4")
    path = tmp_path / "game.txt"
    path.write_text(match.record())
    return path


def test_show(record: Path) -> None:
    told = data("show", str(record))
    assert told["turns"] == ["B3", "B6", "C4"] and told["to_move"] == 1 and told["outcome"] is None
    shown = hedgerow("show", str(record)).stdout
    assert ">#<" in shown and "3 turns" in shown and "\x1b" not in shown
    assert data("show", "-", "--turn", "1", given=record.read_text())["turns"] == ["B3"]
    assert ET.fromstring(hedgerow("show", str(record), "--svg").stdout).tag.endswith("svg")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("rules", "chess"), "error: no game 'chess'; hint:"),
        (("rules", "hexbo:side=6"), "error: hexbo cannot have side='6'; hint:"),
        (("show", "no such file"), "error: cannot read 'no such file'"),
        (("show", "-"), "error: line 1: no Game header"),
        (("perft", "hexbo", "-1"), "depth"),
        (("bench", "playouts", "hexbo(side=4)"), "error: hexbo cannot have side='4'"),
        (("warm", "nothing"), "error: no game 'nothing'"),
        (("nonsense",), "No such command"),
    ],
)
def test_mistakes_end_with_a_friendly_line(arguments: tuple[str, ...], words: str) -> None:
    done = hedgerow(*arguments)
    assert done.returncode == 2 and words in done.stderr and done.stdout == ""
    assert "Traceback" not in done.stderr


def test_show_refuses_a_turn_that_is_not_there(record: Path) -> None:
    assert "the record has 3" in hedgerow("show", str(record), "--turn", "4").stderr


def test_perft() -> None:
    assert data("perft", "root_down", "1") == {"game": "root_down", "perft": [1, 16]}
    assert hedgerow("perft", "root_down", "1").stdout.split()[:2] == ["0", "1"]


def test_bench_playouts() -> None:
    told = data("bench", "playouts", "root_down", "--seconds", "0.05")
    assert told["playouts_per_s"] * told["mean_plies"] == pytest.approx(told["plies_per_s"])
    assert told["playouts"] > 0 and told["cpu_seconds"] > 0
    assert "playouts/s" in hedgerow("bench", "playouts", "root_down", "--seconds", "0.05").stdout


def test_version() -> None:
    assert hedgerow("--version").stdout.strip() == hg.__version__
