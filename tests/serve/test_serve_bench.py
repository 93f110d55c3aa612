"""`hedgerow bench serve`, `page`, `levels` and `lists` measure what they say, as servers do it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hedgerow.match import Match
from hedgerow.tools.levels_bench import pairings
from hedgerow.tools.serve_bench import random_game


def test_one_line_of_json() -> None:
    options = ["hexbo:side=5", "-k", "4", "--seconds", "1", "--pace", "40", "--watchers", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "hedgerow", "bench", "serve", *options], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["game"] == "hexbo(side=5)" and told["matches"] == 4 and told["watchers"] == 2
    assert 4 < told["turns"] < 120 and 0 < told["p50_ms"] <= told["p99_ms"] <= told["max_ms"]


def test_a_turn_as_people_play_it() -> None:
    options = ["root_bound:side=4", "-k", "2", "--seconds", "1", "--pace", "20", "--watchers", "3", "--json"]
    done = subprocess.run([sys.executable, "-m", "hedgerow", "bench", "page", *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["game"] == "root_bound(side=4)" and told["watchers"] == 3 and 2 < told["turns"] < 100
    assert 0 < told["p50_ms"] <= told["p99_ms"] and told["server_cpu_ms_per_turn"] > 0
    assert 100 < told["bytes_per_watcher_turn"] < 8_000 and told["bytes_per_viewer_turn"] > 100


def test_what_a_page_costs() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hedgerow", "bench", "page", "tanbo:size=9", "--pages", "--json"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert all(told[page]["cpu_ms"] > 0 and told[page]["bytes"] > 1000 for page in ("/", "/lobby", "the game's page"))


def test_levels_as_a_server_plays_them() -> None:
    options = ["root_bound:side=3", "--to", "3", "--games", "3", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "hedgerow", "bench", "levels", *options], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["game"] == "root_bound(side=3)" and [one["level"] for one in told["levels"]] == [2, 3]
    assert all(one["games"] == one["wins"] + one["draws"] + one["losses"] == 3 for one in told["levels"])
    seats = [pairing.seating for pairing in pairings("root_bound(side=3)", 2, 4, seed=1)]
    openings = [pairing.opening for pairing in pairings("root_bound(side=3)", 2, 4, seed=1)]
    assert seats == [(2, 1), (1, 2)] * 2 and openings[0] == openings[1] != openings[2] == openings[3]


def test_random_games_are_games() -> None:
    match = Match("root_bound(side=4)")
    for seat, text in random_game("root_bound(side=4)", 5):
        assert match.to_move == seat
        match.play(text)
    assert match.outcome is not None


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_lists_of_many_games(database: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The games that are filled in are sound, and every page is loaded."""
    where = str(tmp_path) if database == "sqlite" else request.getfixturevalue("postgres")
    options = [
        "--games",
        "100",
        "--loads",
        "5",
        "--json",
        "--data",
        str(tmp_path),
        *([] if database == "sqlite" else ["--database", where]),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "hedgerow", "bench", "lists", *options], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["games"], told["database"]) == (100, database)
    assert len([page for page in told.values() if isinstance(page, dict) and page["bytes"] and page["cpu_ms"]]) > 15
    checked = subprocess.run([sys.executable, "-m", "hedgerow", "check", where], capture_output=True, text=True)
    assert "100 games are what their turns make of them" in checked.stdout, checked.stdout
