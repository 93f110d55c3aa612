"""The command line as a person and a program meet it: real streams and ends, stdout for data, stderr for talk."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import hedgerow as hg
from forks import Ended, end
from hedgerow.lessons import lesson_of


def hedgerow(*arguments: str, given: str = "") -> Ended:
    return end(*arguments, given=given)


def data(*arguments: str, given: str = "") -> object:
    done = hedgerow(*arguments, "--json", given=given)
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_games() -> None:
    assert [row["name"] for row in data("games")] == list(hg.games())
    text = hedgerow("games").out
    assert all(name in text for name in hg.games())


@pytest.mark.parametrize("name", hg.games())
def test_rules(name: str) -> None:
    told, shown = data("rules", name), hedgerow("rules", name).out
    assert told["rules"].startswith("# ") and "## Rulings" in shown
    assert [figure["clause"] for figure in told["figures"]] == [figure.clause for figure in lesson_of(name).figures]
    for figure in told["figures"]:
        assert f"*{figure['says']}*" in shown and all(
            f"    {line}".rstrip() in shown for line in figure["board"].split("\n")
        )


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
    shown = hedgerow("show", str(record)).out
    assert ">#<" in shown and "3 turns" in shown and "\x1b" not in shown
    assert data("show", "-", "--turn", "1", given=record.read_text())["turns"] == ["B3"]
    assert ET.fromstring(hedgerow("show", str(record), "--svg").out).tag.endswith("svg")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("rules", "chess"), "error: no game 'chess'; hint:"),
        (("rules", "hexbo:side=6"), "error: hexbo cannot have side='6'; hint:"),
        (("rules", "hexbo:players=4"), "which only 2, 3 or 6 players can share evenly; hint: players is 2 or 3 or 6"),
        (("show", "no such file"), "error: cannot read 'no such file'"),
        (("show", "-"), "error: line 1: no Game header"),
        (("perft", "hexbo", "41"), "error: invalid value for 'depth'"),
        (("bench", "playouts", "hexbo(side=4)"), "error: hexbo cannot have side='4'"),
        (("warm", "nothing"), "error: no game 'nothing'"),
        (("nonsense",), "error: no such command 'nonsense'; hint: hedgerow --help"),
    ],
)
def test_mistakes_end_with_a_friendly_line(arguments: tuple[str, ...], words: str) -> None:
    done = hedgerow(*arguments)
    assert done.code == 2 and words in done.err and done.out == ""
    assert "Traceback" not in done.err


def test_show_refuses_a_turn_that_is_not_there(record: Path) -> None:
    assert "the record has 3" in hedgerow("show", str(record), "--turn", "4").err


def test_perft() -> None:
    assert data("perft", "root_down", "1") == {"game": "root_down", "perft": [1, 16]}
    assert hedgerow("perft", "root_down", "1").out.split()[:2] == ["0", "1"]


def test_bench_network() -> None:
    told = data("bench", "network", "root_down", "--seconds", "0.2")
    assert told["evaluations"] > 40 and told["cpu_seconds"] >= 0.2 and told["depth"] > 1
    assert told["evaluations_per_s"] == pytest.approx(told["evaluations"] / told["cpu_seconds"])
    assert "evaluations/s of one core" in hedgerow("bench", "network", "root_down", "--seconds", "0.05").out


def test_bench_alphabeta() -> None:
    told = data("bench", "alphabeta", "root_down", "--seconds", "0.1")
    assert told["plays"] > 0 and told["depth"] > 1
    assert told["plays_per_s"] == pytest.approx(told["plays"] / told["cpu_seconds"])
    assert "plays/s of one core" in hedgerow("bench", "alphabeta", "root_down", "--seconds", "0.05").out


def test_bench_playouts() -> None:
    told = data("bench", "playouts", "root_down", "--seconds", "0.05")
    assert told["playouts_per_s"] * told["mean_plies"] == pytest.approx(told["plies_per_s"])
    assert told["playouts"] > 0 and told["cpu_seconds"] > 0
    assert "playouts/s" in hedgerow("bench", "playouts", "root_down", "--seconds", "0.05").out


def test_version() -> None:
    assert hedgerow("--version").out.strip() == hg.__version__
