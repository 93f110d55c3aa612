"""`hedgerow bench serve` and `bench page` measure what they say: turns that are stored, over sockets."""

from __future__ import annotations

import json
import subprocess
import sys

from hedgerow.match import Match
from hedgerow.serve.bench import random_game


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


def test_random_games_are_games() -> None:
    match = Match("root_bound(side=4)")
    for seat, text in random_game("root_bound(side=4)", 5):
        assert match.to_move == seat
        match.play(text)
    assert match.outcome is not None
