"""Analysis: turns that can be played, chances that add up, a stream that improves and stops."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import hedgerow as hg
from hedgerow.search.analysis import analyse, snapshots
from hedgerow.terminal.analyse import analyse as command

OPENINGS = {
    "hexbo(side=5,players=3)": "",
    "tanbo(size=9)": "",
    "root_bound(side=3)": "a1 c3 e3",
    "rootbound(side=3)": "c3",
    "root_down": "",
    "root_and_thorn": "Me3 Me8 Ue4",
}


def begun(name: str) -> hg.Match:
    match = hg.Match(name)
    if OPENINGS[name]:
        match.play(OPENINGS[name])
    return match


@pytest.mark.parametrize("name", OPENINGS)
def test_lines_are_whole_turns_that_can_be_played(name: str) -> None:
    match = begun(name)
    found = analyse(match, iterations=3000, lines=8, engine="search")
    assert (found.iterations, found.to_move, found.position) == (3000, match.to_move, match.position())
    assert 3 < len(found.lines) <= 8
    for line in found.lines:
        after = match.copy()
        after.play(line.turn)
        assert len(after.turns) == len(match.turns) + 1 and not after.rules.mid_turn(after.plain)
        for turn in line.variation[1:]:
            after.play(turn)
        assert line.variation[0] == line.turn and line.visits > 0
        assert sum(line.values) == pytest.approx(1, abs=0.001)


def test_an_unordered_pair_appears_once() -> None:
    found = analyse(begun("root_bound(side=3)"), iterations=20_000, lines=30)
    turns = [frozenset(line.turn.split()) for line in found.lines]
    assert len(set(turns)) == len(turns) > 10 and max(map(len, turns)) == 2


@pytest.mark.parametrize("name", OPENINGS)
def test_heat_is_a_share_of_the_hottest_point(name: str) -> None:
    match = begun(name)
    heat = analyse(match, iterations=2000, engine="search").heat
    assert max(heat.values()) == 1 and min(heat.values()) >= 0
    assert set(heat) <= set(match.rules.board.names)


def test_who_will_own_what() -> None:
    found = analyse(begun("root_and_thorn"), iterations=1000, engine="search")
    assert found.owners and found.scores
    assert found.owners["e3"] == (1.0, 0.0) and found.owners["e8"] == (0.0, 1.0)  # a Maple never leaves
    totals = [sum(shares[seat] for shares in found.owners.values()) for seat in (0, 1)]
    assert totals == pytest.approx(found.scores, abs=0.01)


@pytest.mark.parametrize("name", ["root_bound(side=3)", "rootbound(side=3)"])
def test_pieces_and_claimed_points_are_owned(name: str) -> None:
    """What is claimed stays so: each side has closed off a corner."""
    match = hg.Match(name, position="1O1/2OO/5/##2/1#1 0")
    found = analyse(match, iterations=500)
    assert found.owners and found.scores and set(found.owners) == set(match.rules.board.names)
    for point in ("a1", "a2", "b1", "b2"):
        assert found.owners[point] == (1.0, 0.0)
    assert found.owners["e3"] == (0.0, 1.0)
    totals = [sum(shares[seat] for shares in found.owners.values()) for seat in (0, 1)]
    if name.startswith("root_bound"):
        assert totals == pytest.approx(found.scores, abs=0.01)
    else:  # pieces are owned, but only claimed points count
        assert all(total > score + 3 for total, score in zip(totals, found.scores))


def test_scores_only_where_a_game_has_them() -> None:
    growth, down = (analyse(begun(name), iterations=500, engine="search") for name in ("tanbo(size=9)", "root_down"))
    assert growth.scores is None and growth.owners is None and growth.lines[0].lead is None
    assert down.scores and isinstance(down.lines[0].lead, float)


def test_a_seed_gives_the_same_analysis_and_json_holds_it() -> None:
    first, second = (analyse(begun("root_down"), iterations=700, seed=3, engine="search") for _ in range(2))
    assert replace(first, seconds=0) == replace(second, seconds=0)
    assert json.loads(json.dumps(first.as_dict()))["lines"][0]["turn"] == first.lines[0].turn


def test_a_forced_win_is_told() -> None:
    match = hg.Match("root_bound(side=3)")
    match.play("a1 c3 e3 c5 b4")
    found = analyse(match, iterations=200_000)
    assert found.proven == 1 == found.lines[0].proven and found.iterations < 200_000
    assert found.lines[0].values == (0.0, 1.0)


def test_snapshots_improve_and_the_stream_can_be_stopped() -> None:
    match = begun("root_and_thorn")
    analyse(match, iterations=1, engine="search")
    stream = snapshots(match, every=0.01, engine="search")
    counts = [next(stream).iterations for _ in range(3)]
    assert counts == sorted(counts) and counts[0] < counts[-1]
    stream.close()
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    begun_at = time.monotonic()
    assert [found.iterations > 0 for found in snapshots(match, every=None, stop=stop, engine="search")] == [True]
    assert time.monotonic() - begun_at < 60  # it would never end by itself


def test_a_finished_game_is_refused() -> None:
    match = begun("root_and_thorn")
    match.play("pass pass")
    with pytest.raises(hg.HedgerowError, match="over"):
        analyse(match)


def test_the_command(tmp_path: Path) -> None:
    match, app = begun("root_and_thorn"), typer.Typer()
    app.command()(command)
    file = tmp_path / "game.txt"
    file.write_text(match.record())
    limits = [str(file), "--iterations", "300", "--lines", "2", "--engine", "search"]
    shown = CliRunner().invoke(app, limits)
    assert shown.exit_code == 0 and "Light to move" in shown.stdout and "Preparing" in shown.stderr
    assert "by search, 300 random games in " in shown.stdout and "+ + +" in shown.stdout, "expected owners on the board"
    told = json.loads(CliRunner().invoke(app, [*limits, "--json", "--turn", "1"]).stdout)
    assert told["to_move"] == 1 and told["iterations"] == 300 and len(told["lines"]) == 2
    assert told["owners"]["e3"] == [1.0, 0.0]
    assert isinstance(CliRunner().invoke(app, [*limits, "--turn", "9"]).exception, hg.HedgerowError)
