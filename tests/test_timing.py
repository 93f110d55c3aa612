"""What time players think by: one place tells it, the arena chooses, and by the processor's time one thread thinks."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import hedgerow as hg
from hedgerow.search import timing
from hedgerow.search.arena import arena
from hedgerow.search.bout import Bout, play_bout
from hedgerow.search.grid import Grid
from hedgerow.search.naming import player
from hedgerow.search.networks import Network, network_for
from hedgerow.terminal.arena import arena as arena_command

COMPILES_FOR = GAME = "hexbo(side=5)"
THINKERS = (
    ("uct(seconds=5,memory=4)", GAME),
    ("net(seconds=5,memory=4)", GAME),
    ("alphabeta(seconds=5)", "root_down"),
    ("best(seconds=5)", GAME),
)


class Ticks:
    """A clock that goes on by a second whenever it is looked at."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return float(self.looks)


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Ticks]]:
    """Both clocks, ticking only when somebody looks."""
    ticking = {timing.WALL: Ticks(), timing.CPU: Ticks()}
    monkeypatch.setattr(timing, "CLOCKS", ticking)
    yield ticking


@pytest.mark.parametrize("clock", [timing.WALL, timing.CPU])
@pytest.mark.parametrize("name, game", THINKERS)
def test_whoever_thinks_by_time_looks_at_the_clock_that_counts_and_at_no_other(
    name: str, game: str, clock: str, clocks: dict[str, Ticks]
) -> None:
    match = hg.Match(game)
    with timing.counted(clock):
        assert player(name).choose(match) in match.legal()
    (other,) = set(clocks) - {clock}
    assert 3 <= clocks[clock].looks <= 20 and clocks[other].looks == 0


def test_the_wall_counts_unless_somebody_says_otherwise(clocks: dict[str, Ticks]) -> None:
    with timing.counted(timing.CPU), pytest.raises(ZeroDivisionError):
        1 / 0  # noqa: B018
    timing.now()
    heard: list[float] = []
    with timing.counted(timing.CPU):
        beside = threading.Thread(target=lambda: heard.append(timing.now()))  # a server's other thread, for instance
        beside.start()
        beside.join()
    assert heard == [2.0] and clocks[timing.CPU].looks == 0


def test_a_bout_tells_thinking_time_by_its_clock(clocks: dict[str, Ticks]) -> None:
    bout = Bout(1, GAME, (0, 1), ("uct(seconds=3,memory=4)", "random"), (1, 2), "", clock=timing.CPU)
    played = play_bout(bout)
    assert played is not None and clocks[timing.WALL].looks == 0
    assert played.seconds[0] > played.seconds[1] == played.turns[1]


@pytest.mark.parametrize(
    "name", ["uct(seconds=1,threads=2)", "best(threads=2)", "net(threads=3)", "alphabeta(threads=2)"]
)
def test_several_threads_are_refused_where_one_is_counted(name: str) -> None:
    with pytest.raises(
        hg.BadOption, match=r"[23] threads by the clock 'cpu', which counts one; hint: leave threads out"
    ):
        arena(GAME, ["random", name], games=2, clock="cpu")
    match = hg.Match(GAME)
    with timing.counted(timing.CPU), pytest.raises(hg.BadOption, match="which counts one"):
        player(name).choose(match)


def test_a_clock_that_is_not_there_is_refused() -> None:
    with pytest.raises(hg.BadOption, match="no clock 'sun'; hint: wall or cpu"):
        arena(GAME, ["random", "random(seed=1)"], games=2, clock="sun")


def test_the_command_takes_a_clock() -> None:
    app = typer.Typer()
    app.command()(arena_command)
    words = [GAME, "uct(seconds=0.001,memory=4)", "random", "--games", "2", "--clock", "cpu"]
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 0 and "2 games" in found.output and "a turn took" in found.output
    assert CliRunner().invoke(app, [*words[:-1], "sun"]).exit_code == 2


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which threads a process has")
def test_a_network_answers_in_the_thread_that_asks() -> None:
    """Otherwise the processor time of the thread that thinks would not be what its thinking costs."""
    rules: Any = hg.make(GAME)
    content = Path(hg.__file__).parent.joinpath("games", "hexbo", "network.onnx").read_bytes()
    assert network_for(rules) is not None  # ONNX Runtime is loaded

    def threads() -> set[str]:
        return {task.name for task in Path("/proc/self/task").iterdir()}

    before = threads()
    network = Network(content)
    network.evaluate(np.zeros((8, Grid(rules).features, 9, 9), np.uint8))
    assert threads() == before
