"""The search: the same every time, never past a forced win, stops when told, keeps its tree."""

from __future__ import annotations

import random
import threading
import time

import pytest

import hedgerow as hg
from hedgerow.search import uct
from hedgerow.search.knobs import Knobs
from hedgerow.search.naming import player
from hedgerow.search.uct import Search
from test_forced import sharp

COMPILES_FOR = "hexbo(side=5)"
SMALL = ("hexbo(side=5)", "tanbo(size=9)", "root_bound(side=3)", "rootbound(side=3)", "root_down", "root_and_thorn")
"""The boards of the other tests of searches: every board costs the compiling of its kernels."""


def told(search: Search) -> list[tuple[int, int]]:
    return [(choice.action, choice.visits) for choice in search.choices()]


@pytest.mark.parametrize("name", SMALL)
def test_a_seed_and_one_thread_give_the_same_tree(name: str) -> None:
    rules = hg.make(name)
    first, second, other = (Search(rules, rules.start(), Knobs(), seed=seed, memory=8) for seed in (1, 1, 2))
    first.run(iterations=500)
    second.run(iterations=200)
    second.run(iterations=300)
    other.run(iterations=500)
    assert told(first) == told(second) != told(other)
    assert first.tree.visits[0] == 500 and sum(visits for _, visits in told(first)) <= 500


@pytest.mark.parametrize("name", [*SMALL, "hexbo(side=5,players=3)", "hexbo(side=5,players=6)"])
def test_values_are_chances(name: str) -> None:
    rules = hg.make(name)
    search = Search(rules, rules.start(), Knobs(), threads=2, memory=8)
    search.run(iterations=2000)
    assert search.done == 2000 == search.tree.visits[0]
    for choice in search.choices():
        assert len(choice.values) == rules.players
        assert choice.visits == 0 or sum(choice.values) == pytest.approx(1, abs=0.001)


@pytest.mark.parametrize("name", ["root_bound(side=3)", "rootbound(side=3)"])
def test_the_two_orders_of_a_pair_share_a_node(name: str) -> None:
    rules = hg.make(name)
    position = rules.play(rules.start(), 0)
    shared, split = (Search(rules, position, Knobs(expand=1, pairs=pairs), memory=16) for pairs in (True, False))
    for search in (shared, split):
        search.run(iterations=4000)
    aliases = [int((s.tree.alias[: s.tree.used[0]] != range(int(s.tree.used[0]))).sum()) for s in (shared, split)]
    assert aliases[0] > 100 and aliases[1] <= 1
    tree = shared.tree
    for node in range(1, int(tree.used[0])):
        same = int(tree.alias[node])
        if same != node:
            here, there = int(tree.parent[node]), int(tree.parent[same])
            assert {int(tree.action[node]), int(tree.action[here])} == {int(tree.action[same]), int(tree.action[there])}
            assert tree.parent[here] == tree.parent[there]


def test_a_forced_win_is_found_and_a_forced_loss_is_seen() -> None:
    """Figure M of the Hexbo sheet: Black has one move, and it loses."""
    rules = hg.make("hexbo(side=5)")
    text = "#.O.O/.##OO#/O#.#.O#/O#.O#.#./.O##O##../.O.#O.##/.OOO##./O..O.#/OO.OO 0"
    search = Search(rules, rules.parse(text), Knobs())
    search.run(iterations=50)
    assert search.choices()[0].proven == 1
    assert search.done < 50, "a solved position needs no more iterations"


def test_how_fast_the_machine_is_does_not_matter_when_a_position_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow one comes back from compiled code after every iteration, and a fast one sees late that it is solved."""
    rules = hg.make("hexbo(side=5)")
    position, _, _ = list(sharp(rules, 3))[1]
    ways = []
    for share in (0.0, 1e3):
        monkeypatch.setattr(uct, "SLICE", share)
        search = Search(rules, position, Knobs(), seed=1)
        search.run(iterations=5000)
        ways.append((search.done, told(search)))
        assert search.tree.proven[0] and 50 < search.done < 5000
    assert ways[0] == ways[1]


@pytest.mark.parametrize("name", ["root_down", "root_bound(side=3)", "hexbo(side=5)"])
def test_what_is_proven_is_true(name: str) -> None:
    """Near the end of random games: a move proven to win wins against every answer, by the plain rules."""
    rules, chance, proofs = hg.make(name), random.Random(5), 0
    for _ in range(12):
        positions = [rules.start()]
        while not rules.outcome(positions[-1]):
            positions.append(rules.play(positions[-1], chance.choice(rules.legal(positions[-1]))))
        position = positions[-3]
        search = Search(rules, position, Knobs(expand=1), memory=8)
        search.run(iterations=3000)
        best = search.choices()[0]
        if best.proven is not None:
            proofs += 1
            seat = position.to_move
            value = solved(rules, rules.play(position, best.action), seat, 5)
            assert value is None or (value > 0) == (best.proven == seat)
    assert proofs


def solved(rules: object, position: object, seat: int, depth: int) -> int | None:
    """1, 0 or -1 for a seat of two by looking at everything; None beyond the depth."""
    outcome = rules.outcome(position)
    if outcome:
        return 0 if not outcome.winners else 1 if seat in outcome.winners else -1
    if depth == 0:
        return None
    values = [solved(rules, rules.play(position, action), seat, depth - 1) for action in rules.legal(position)]
    wanted = 1 if position.to_move == seat else -1
    if wanted in values:
        return wanted
    return None if None in values else max(values) if wanted == 1 else min(values)


@pytest.mark.parametrize("name", SMALL)
def test_the_tree_is_kept_after_a_move(name: str) -> None:
    rules = hg.make(name)
    search = Search(rules, rules.start(), Knobs(expand=1), memory=32)
    search.run(iterations=3000)
    best = search.choices()[0]
    expected = list(search.variation(5))
    search.advance(best.action)
    assert search.tree.visits[0] == best.visits
    assert list(search.variation(4)) == expected[1:]
    search.run(iterations=100)
    assert search.tree.visits[0] == best.visits + 100
    assert {c.action for c in search.choices()} == set(rules.legal(rules.play(rules.start(), best.action)))


def test_it_stops_at_once_and_keeps_its_time() -> None:
    rules = hg.make("hexbo(side=5)")
    search = Search(rules, rules.start(), Knobs())
    search.run(iterations=1)
    worker = threading.Thread(target=search.run, kwargs={"seconds": 60})
    worker.start()
    time.sleep(0.2)
    search.stop()
    worker.join(5)
    assert not worker.is_alive() and search.done > 1


def test_it_stays_within_its_memory() -> None:
    rules = hg.make("hexbo(side=5)")
    search = Search(rules, rules.start(), Knobs(expand=1), memory=1)
    search.run(iterations=20_000)
    assert search.done == 20_000 and search.tree.used[0] <= search.capacity
    search.advance(search.choices()[0].action)
    trees = search.tree, search.spare
    assert trees[1] and sum(array.nbytes for tree in trees for array in tree) <= 2**20


@pytest.mark.parametrize("name", SMALL)
def test_players_play_whole_games(name: str) -> None:
    players = [player("uct(iterations=30,seed=3)"), player("random(seed=4)")]
    match = hg.Match(name)
    while not match.outcome:
        before = match.turns
        choice = players[match.to_move].choose(match)
        assert match.turns == before
        match.play(choice)
    assert match.outcome


def test_a_player_goes_on_in_the_middle_of_a_turn() -> None:
    match = hg.Match("root_bound(side=3)")
    match.play("a1 c3 e3 c5")
    assert player("uct(iterations=50)").choose(match) in match.legal()


def test_the_same_name_chooses_the_same_move() -> None:
    match = hg.Match("hexbo(side=5)")
    names = ["uct(iterations=300,seed=7)", "level(2,seed=3)", "greedy(seed=1)", "random(seed=2)"]
    for name in names:
        assert player(name).choose(match) == player(name).choose(match)


@pytest.mark.parametrize("name", ["uct(iterations=1)", "uct(iterations=0)", "uct(seconds=0,threads=2)"])
def test_the_smallest_limits_still_give_a_move(name: str) -> None:
    match = hg.Match("hexbo(side=5)")
    assert player(name).choose(match) in match.legal()


def test_it_passes_when_nothing_raises_its_score() -> None:
    """All trees are planted in two walls that share out the board: more Undergrowth would change nothing."""
    dark = "OOOBMBBBBU"
    rows = ["." * 10] * 4 + [dark.lower(), dark] + ["." * 10] * 4
    match = hg.Match("root_and_thorn", position="/".join(rows))
    assert len(match.legal()) > 5
    assert player("uct(iterations=2000,seed=1)").choose(match) == "pass"
    match.play("pass")
    assert player("uct(iterations=2000,seed=1)").choose(match) == "pass"


@pytest.mark.parametrize("knobs", [Knobs(rave=300), Knobs(candidates=3), Knobs(prior_weight=1.0, unvisited=0.5)])
def test_every_knob_gives_chances_and_the_same_tree_again(knobs: Knobs) -> None:
    rules = hg.make("root_bound(side=3)")
    first, second = (Search(rules, rules.start(), knobs, seed=3, memory=8) for _ in range(2))
    for search in (first, second):
        search.run(iterations=3000)
    assert told(first) == told(second)
    assert {choice.action for choice in first.choices()} == set(rules.legal(rules.start()))
    for choice in first.choices():
        assert choice.visits == 0 or sum(choice.values) == pytest.approx(1, abs=0.05)


def test_priors_lead_where_habits_were_good() -> None:
    """In Root and Thorn an Oak clears most: what did well in random games is looked at more."""
    rules = hg.make("root_and_thorn")
    search = Search(rules, rules.start(), Knobs(prior_weight=2.0, unvisited=0.5, prior_sharpness=20.0), memory=32)
    search.run(iterations=5000)
    tree, children = search.tree, search.children(0)
    assert float(tree.prior[children.start : children.stop].sum()) == pytest.approx(1, abs=0.001)
    assert tree.action_count.sum() > 5000


def test_a_player_that_overlooks_moves_loses_to_one_that_does_not() -> None:
    seats = [player("uct(iterations=150,seed=1)"), player("uct(iterations=150,visibility=0.05,seed=1)")]
    won = 0
    for game in range(6):
        match = hg.Match("root_bound(side=3)")
        while not match.outcome:
            match.play(seats[(match.to_move + game) % 2].choose(match))
        won += match.outcome.winners == (game % 2,)
    assert won >= 4


def test_a_search_that_was_shrunk_goes_on_as_if_it_had_not_been() -> None:
    rules = hg.make("root_bound(side=3)")
    shrunk, other = (Search(rules, rules.start(), Knobs(), memory=16) for _ in range(2))
    for _ in range(3):
        for search in (shrunk, other):
            search.run(iterations=300)
        kept = shrunk.shrink()
        assert kept < 200_000 < sum(array.nbytes for array in other.tree) and kept > 63 * shrunk.tree.used[0]
        assert shrunk.choices() == other.choices()
        action = other.choices()[0].action
        shrunk.advance(action)
        shrunk.shrink()
        other.advance(action)
    assert shrunk.tree.used[0] == other.tree.used[0] > 1


def test_a_player_that_sees_nothing_plays_anything() -> None:
    match = hg.Match("root_and_thorn")
    turns = {player(f"uct(iterations=150,visibility=0,seed={seed})").choose(match) for seed in range(8)}
    assert len(turns) > 3, "not the best, which it does not see either"


def test_it_resigns_only_hopeless_games() -> None:
    match = hg.Match("root_down")
    hopeful = player("uct(iterations=500,seed=1)")
    hopeful.choose(match)
    hopeful.choose(match)
    assert not hopeful.resigns
    hopeful.chances += [0.001, 0.002]
    assert hopeful.resigns


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("stockfish", "there are random, greedy, level, best, uct"),
        ("uct(speed=3)", "it has seed, iterations"),
        ("uct(iterations=many)", "a number like"),
        ("uct(iterations=-1)", "a number like"),
        ("random(seed=1,seed=2)", "each name once"),
    ],
)
def test_bad_players(name: str, words: str) -> None:
    with pytest.raises(hg.BadOption, match=words):
        player(name)


def test_levels_that_are_not_there() -> None:
    with pytest.raises(hg.BadOption, match="has no level 99"):
        player("level(99)").choose(hg.Match("root_down"))


def test_nothing_to_choose_when_the_game_is_over() -> None:
    match = hg.Match("root_down")
    match.resign(0)
    with pytest.raises(hg.HedgerowError):
        player("random").choose(match)
