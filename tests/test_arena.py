"""The arena: fair seats, the same games on any number of processes, honest intervals, early stops, records."""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import hedgerow as hg
from hedgerow.search import bout as bout_module
from hedgerow.search.arena import Result, arena, bouts, line_ups
from hedgerow.search.bout import Bout, play_bout
from hedgerow.search.odds import Sprt, Tally, elo_of, likeliest, rate_of, wilson
from hedgerow.search.openings import book_openings, random_openings
from hedgerow.search.players import Player
from hedgerow.terminal.arena import arena as arena_command
from hedgerow.terminal.gtp import gtp

UCT = "uct(iterations=20,memory=4)"
THREE = "hexbo(side=5,players=3)"

# --- who sits where ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["hexbo(side=5)", THREE, "hexbo(side=5,players=6)"])
@pytest.mark.parametrize("count", [2, 3, 4, 7])
def test_every_player_sits_everywhere_equally_often(game: str, count: int) -> None:
    rules = hg.make(game)
    names = [f"random(seed={one})" for one in range(count)]
    seen = Counter(
        (one, seat)
        for bout in bouts(rules, names, 2, lambda number: "", seed=3)
        for seat, one in enumerate(bout.seating)
    )
    assert len(seen) == count * rules.players and len(set(seen.values())) == 1


def test_everybody_meets_everybody() -> None:
    assert sorted(line_ups(4, 2)) == list(combinations(range(4), 2))
    assert {frozenset(line_up) for line_up in line_ups(4, 3)} == set(map(frozenset, combinations(range(4), 3)))
    met = {pair for line_up in line_ups(4, 6) for pair in combinations(sorted(set(line_up)), 2)}
    assert met == set(combinations(range(4), 2))


def test_every_rotation_has_the_same_opening_and_every_round_another() -> None:
    rules = hg.make(THREE)
    played = list(bouts(rules, ["random"] * 3, 4, random_openings(rules, 3, seed=5), seed=5))
    groups = [{bout.opening for bout in played[start : start + 3]} for start in range(0, 12, 3)]
    assert [len(group) for group in groups] == [1] * 4 and len(set.union(*groups)) == 4
    assert played == list(bouts(rules, ["random"] * 3, 4, random_openings(rules, 3, seed=5), seed=5))
    assert played != list(bouts(rules, ["random"] * 3, 4, random_openings(rules, 3, seed=6), seed=6))
    assert len({seed for bout in played for seed in bout.seeds}) == 36


# --- openings ---------------------------------------------------------------------------------------------------------


def test_random_openings_never_end_a_game() -> None:
    rules = hg.make("root_bound(side=3)")
    for number in range(50):
        match = hg.Match(rules)
        match.play(random_openings(rules, 5, seed=1)(number))
        assert len(match.actions) == 5 and match.outcome is None
    with pytest.raises(hg.BadOption, match="take fewer"):
        random_openings(rules, 500, seed=1)(0)


def test_a_book_gives_its_openings_in_order(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text("# two openings\nb2-b4 b7-b5\n\nc2-a4  # the other\n")
    openings = book_openings(hg.make("root_down"), book)
    assert [openings(number) for number in range(3)] == ["b2-b4 b7-b5", "c2-a4", "b2-b4 b7-b5"]
    arena("root_down", ["random", "random"], games=4, book=book, records=tmp_path / "records")
    first = [hg.read(path.read_text()).turns[0] for path in sorted((tmp_path / "records").iterdir())]
    assert first == ["b2-b4", "b2-b4", "c2-a4", "c2-a4"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("b2-b4\nb2-b4 b2-b4\n", "line 2: illegal move"),
        ("b2-b4\nhello", "line 2: cannot read"),
        ("# none", "no opening"),
    ],
)
def test_a_bad_book_is_refused(tmp_path: Path, text: str, words: str) -> None:
    book = tmp_path / "book.txt"
    book.write_text(text)
    with pytest.raises(hg.BadRecord, match=words):
        book_openings(hg.make("root_down"), book)


# --- many games -------------------------------------------------------------------------------------------------------


def untimed(result: Result) -> dict[str, Any]:
    told = result.as_dict()
    for row in told["players"]:
        del row["seconds_per_turn"]
    return told


def test_the_games_are_the_same_on_any_number_of_processes(tmp_path: Path) -> None:
    def run(processes: int) -> tuple[dict[str, Any], list[str]]:
        folder = tmp_path / str(processes)
        result = arena("root_down", ["random", UCT, "random"], games=2, processes=processes, seed=7, records=folder)
        return untimed(result), [path.read_text() for path in sorted(folder.iterdir())]

    alone = run(1)
    assert len(alone[1]) == 6 and len(set(alone[1])) == 6
    assert run(3) == alone


def test_records_tell_the_players_and_the_result(tmp_path: Path) -> None:
    names = ["random", "random(seed=1)", "random(seed=2)"]
    result = arena(THREE, names, games=6, records=tmp_path / "new" / "folder")
    points: Counter[str] = Counter()
    for path in sorted((tmp_path / "new" / "folder").iterdir()):
        match = hg.read(path.read_text())
        assert match.outcome and match.outcome.winners
        players = [match.tags[seat] for seat in match.rules.seats]
        assert sorted(players) == sorted(names)
        for name, place in zip(players, match.outcome.places):
            points[name] += 3 - place
    assert result.games == 6
    assert [points[name] for name in names] == [result.total(one).points for one in range(3)]


def test_a_match_goes_on_where_it_ended(tmp_path: Path) -> None:
    """As if it had never been interrupted: the same games, seats and results."""
    match: dict[str, Any] = {"players": ["random", UCT], "openings": 2, "seed": 3}
    whole = arena("root_down", games=8, records=tmp_path / "whole", **match)
    folder = tmp_path / "slices"
    for games in (4, 6, 8, 8):
        found = arena("root_down", games=games, records=folder, resume=True, **match)
        assert found.games == games
    assert found.tallies == whole.tallies
    for path in (tmp_path / "whole").iterdir():
        assert (folder / path.name).read_text() == path.read_text()
    assert len(list(folder.iterdir())) == 8
    with pytest.raises(hg.BadOption, match=r"already; hint: --resume, or a new folder"):
        arena("root_down", records=folder, **match)
    for other in ({"seed": 4}, {"players": ["random", "random"]}, {"openings": 3}):
        with pytest.raises(hg.BadOption, match=r"^the record of game \d is of another match; hint: the same game"):
            arena("root_down", games=8, records=folder, resume=True, **(match | other))
    (folder / "00002.txt").write_text("Game: root_down\n\n1. z9\n")
    with pytest.raises(hg.BadOption, match="cannot read the record of game 2: line 3"):
        arena("root_down", games=8, records=folder, resume=True, **match)
    with pytest.raises(hg.BadOption, match="nothing to go on from; hint: --records"):
        arena("root_down", resume=True, **match)


def test_with_more_seats_than_players_each_is_compared_with_the_other_only() -> None:
    result = arena(THREE, ["random", "random(seed=2)"], games=3, seed=2)
    assert result.games == 6 and result.tallies[0, 1].games == 12


def test_the_stronger_player_is_seen_and_the_test_stops_early() -> None:
    strong = "uct(iterations=100,memory=4)"
    result = arena("root_down", [strong, "random"], games=200, sprt=Sprt(0, 200), processes=2)
    assert result.verdict == "elo1" and result.stopped == "sprt"
    assert result.games < 60 and result.games % 2 == 0
    assert result.tallies[0, 1].elo_interval[0] > 100
    assert json.loads(json.dumps(result.as_dict()))["sprt"]["verdict"] == "elo1"


@pytest.mark.parametrize("processes", [1, 2])
def test_an_interrupt_ends_it_with_what_there_is(processes: int) -> None:
    def interrupt(result: Result) -> None:
        if result.games == 3:
            raise KeyboardInterrupt

    result = arena("root_down", ["random", "random"], games=1000, processes=processes, progress=interrupt)
    assert result.stopped == "interrupted" and result.games == result.tallies[0, 1].games == 3


LONG_ARENA = (
    "import signal, sys; from pathlib import Path\n"
    "signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})\n"  # as at a terminal, whoever runs the tests
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from hedgerow.search.arena import arena\n"
    "result = arena('hexbo', ['random', 'random'], games=100_000, processes=2, records=Path(sys.argv[1]))\n"
    "print(result.stopped, result.games)"
)


@contextmanager
def long_arena(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process with two workers, which has written some records; none of them is left behind."""
    command = [sys.executable, "-c", LONG_ARENA, str(folder)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True)
    try:
        while not (folder / "00003.txt").exists():
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.parametrize("outside", ["heard", "ignored", "blocked"])
def test_ctrl_c_reaches_a_real_process_group(tmp_path: Path, outside: str) -> None:
    before = signal.getsignal(signal.SIGINT)
    if outside == "ignored":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT} if outside == "blocked" else set())
    try:
        with long_arena(tmp_path / "records") as process:
            os.killpg(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=60)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
    stopped, games = out.split()
    assert stopped == "interrupted" and int(games) == len(list((tmp_path / "records").iterdir())) >= 3
    assert "Traceback" not in err


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to find the group")
def test_workers_do_not_outlive_their_parent(tmp_path: Path) -> None:
    with long_arena(tmp_path / "records") as process:
        process.kill()
        process.wait()
        end = time.monotonic() + 30
        while members := in_group(process.pid):
            assert time.monotonic() < end, members
            time.sleep(0.05)


def in_group(group: int) -> list[str]:
    """The processes of a group that still run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, its = path.read_text().rsplit(") ", 1)[1].split()[:3]
            if its == str(group) and state != "Z":
                found.append(path.parent.name)
    return found


def test_a_process_that_dies_ends_it_with_what_there_is() -> None:
    def kill(result: Result) -> None:
        for child in multiprocessing.active_children():
            child.kill()

    result = arena("root_down", ["random", "random"], games=1000, processes=2, progress=kill)
    assert result.stopped == "a process died" and 1 <= result.games < 1000


@pytest.mark.parametrize(
    ("players", "options", "words"),
    [
        (["random"], {}, "at least two"),
        (["random", "nobody"], {}, "no player 'nobody'"),
        (["random", "level(99)"], {}, "no level 99"),
        (["random", "random"], {"games": 0}, "at least 1"),
        (["random", "random"], {"processes": 0}, "at least 1"),
        (["random", "random", "random"], {"sprt": Sprt(0, 10)}, "for two"),
        (["random", "random"], {"records": Path(__file__).parent}, "new folder"),
        (["random", "random"], {"records": Path(__file__)}, "can be written"),
    ],
)
def test_what_cannot_be_played_is_refused_at_once(players: list[str], options: dict[str, Any], words: str) -> None:
    with pytest.raises(hg.BadOption, match=words):
        arena("root_down", players, **options)


# --- players who do wrong ---------------------------------------------------------------------------------------------


class Wrong(Player):
    """Says what it is named, or crashes."""

    def choose(self, match: hg.Match) -> str:
        if self.name == "crash":
            raise RuntimeError("out of\nideas")
        return self.name

    def action(self, rules: Any, position: Any) -> int:
        raise NotImplementedError


@pytest.fixture
def wrong_players(monkeypatch: pytest.MonkeyPatch) -> None:
    right = bout_module.player
    monkeypatch.setattr(bout_module, "seeded", lambda name, seed: name)
    monkeypatch.setattr(bout_module, "player", lambda name: right(name) if name == "random" else Wrong(name))


@pytest.mark.usefixtures("wrong_players")
@pytest.mark.parametrize(
    ("game", "says", "words"),
    [
        ("root_down", "crash", "RuntimeError: out of ideas"),
        ("root_down", "a1-a2", "IllegalMove: illegal move 'a1-a2'"),
        ("root_down", "b2-b4 b7-b5", "more than one turn"),
        ("root_down", "", "UnreadableMove"),
        ("root_bound(side=4)", "a1", "'a1': unfinished turn"),
    ],
)
def test_a_wrong_turn_is_the_error_of_its_player_and_the_record_is_kept(game: str, says: str, words: str) -> None:
    opening = "d4" if game.startswith("root_bound") else ""
    names = ("random", says) if opening else (says, "random")
    seat = names.index(says)
    played = play_bout(Bout(1, game, (0, 1), names, (1, 2), opening))
    assert played and words in played.faults[seat] and len(played.faults) == 1
    match = hg.read(played.record)
    assert match.outcome and match.outcome.reason == "resignation" and match.outcome.winners == (1 - seat,)
    assert match.tags["Error"].startswith(match.rules.seats[seat]) and words in match.tags["Error"]
    result = Result(game, names, 1)
    result.add(played)
    assert result.as_dict()["errors"][0]["player"] == says and result.total(seat) == Tally(0, 0, 1)


@pytest.mark.usefixtures("wrong_players")
def test_with_three_players_the_game_goes_on_without_the_one_who_crashed() -> None:
    played = play_bout(Bout(1, THREE, (0, 1, 2), ("random", "crash", "random"), (1, 2, 3), ""))
    assert played and list(played.faults) == [1] and played.places[1] == 3
    assert len(hg.read(played.record).turns) > 10


# --- what results are worth -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "games", "low", "high"),
    [(8, 10, 0.4902, 0.9433), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (50, 100, 0.4038, 0.5962)],
)
def test_wilson_intervals_are_the_known_ones(points: int, games: int, low: float, high: float) -> None:
    assert wilson(points, games) == pytest.approx((low, high), abs=5e-5)


def test_elo_is_the_known_one() -> None:
    assert elo_of(0.75) == pytest.approx(190.85, abs=0.01) and elo_of(0.5) == 0
    assert rate_of(elo_of(0.9)) == pytest.approx(0.9)
    tally = Tally(10, 10, 0)
    assert tally.rate == 0.75 and tally.reversed.elo == pytest.approx(-tally.elo)
    assert Tally(5, 0, 0).as_dict()["elo"] is None and Tally(5, 0, 0).elo_interval[1] == math.inf
    assert Tally().interval == (0, 1) and Tally().elo == 0


def test_without_draws_the_ratio_is_the_binomial_one() -> None:
    low, high = rate_of(0), rate_of(60)
    expected = 70 * math.log(high / low) + 50 * math.log((1 - high) / (1 - low))
    assert Sprt(0, 60).ratio(Tally(70, 0, 50)) == pytest.approx(expected, abs=1e-3)


def test_the_likeliest_chances_are_the_best_of_a_grid() -> None:
    counts, rate = [30.0, 25.0, 45.0], 0.6

    def likelihood(chances: list[float]) -> float:
        return sum(count * math.log(chance) for count, chance in zip(counts, chances))

    found = likeliest(counts, rate)
    assert found[2] + found[1] / 2 == pytest.approx(rate) and sum(found) == pytest.approx(1)
    draws = [step / 1000 for step in range(1, 799)]
    best = max(likelihood([1 - rate - d / 2, d, rate - d / 2]) for d in draws)
    assert best <= likelihood(found) + 1e-9 and likelihood(found) == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize(("elo", "verdict"), [(0, "elo0"), (60, "elo1")])
def test_the_test_decides_right_on_simulated_games(elo: float, verdict: str) -> None:
    sprt, chance, draws = Sprt(0, 60), random.Random(1), 0.2
    win = rate_of(elo) - draws / 2

    def decided() -> str:
        tally = Tally()
        while not sprt.verdict(tally):
            number = chance.random()
            tally += Tally(number < win, win <= number < win + draws, number >= win + draws)
        return sprt.verdict(tally)

    assert sum(decided() == verdict for _ in range(60)) >= 54


@pytest.mark.parametrize("settings", [(10, 10), (30, 0), (0, 10, 0.0), (0, 10, 0.05, 0.6), (0, math.inf)])
def test_a_test_that_makes_no_sense_is_refused(settings: tuple[float, ...]) -> None:
    with pytest.raises(hg.BadOption):
        Sprt(*settings)


# --- the command ------------------------------------------------------------------------------------------------------


def command(*arguments: str) -> Any:
    app = typer.Typer()
    app.command()(arena_command)
    app.command()(gtp)
    return CliRunner().invoke(app, ["arena", *arguments])


def test_the_command_prints_a_table_or_json() -> None:
    arguments = ("root_down", "random", "random:seed=3", "random", "--games", "2", "--seed", "4")
    shown, told = command(*arguments), command(*arguments, "--json")
    assert shown.exit_code == told.exit_code == 0
    assert "root_down: 6 games" in shown.stdout and "random:seed=3" in shown.stdout and "random #2" in shown.stdout
    data = json.loads(told.stdout)
    assert data["games"] == 6 and len(data["pairs"]) == 3 and data["players"][1]["name"] == "random:seed=3"


def test_the_command_tests_and_says_what_became_of_it() -> None:
    done = command("root_down", "random", "random", "--games", "400", "--sprt", "300,600")
    assert "Elo +300 is accepted" in done.stdout and "of 400 games: sprt" in done.stdout
    for text in ("1", "a,b", "0,inf", "1,2,3"):
        refused = command("root_down", "random", "random", "--sprt", text)
        assert isinstance(refused.exception, hg.BadOption) and "cannot read the test" in str(refused.exception)
