"""Players with a network: they find what is forced, play every game, and do without where the file is no good."""

from __future__ import annotations

import importlib.resources
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hedgerow as hg
from hedgerow.kernels import news
from hedgerow.search import networks
from hedgerow.search.analysis import analyse
from hedgerow.search.arena import arena
from hedgerow.search.grid import Grid
from hedgerow.search.levels import knobs_for
from hedgerow.search.naming import StandIn, player
from hedgerow.search.net import NetSearch
from hedgerow.search.networks import file_for, network_for
from hedgerow.search.players import AlphaBetaPlayer, NetPlayer, SearchPlayer
from hedgerow.search.tree import UNIT
from hedgerow.search.uct import Search
from test_forced import sharp

COMPILES_FOR = "hexbo(side=5)"
GAMES = (
    "hexbo",
    "hexbo(players=3)",
    "hexbo(players=6)",
    "tanbo",
    "root_bound",
    "rootbound",
    "root_down",
    "root_and_thorn",
)
SHIPPED = (
    *GAMES,
    *(f"hexbo(side=5{players})" for players in ("", ",players=3", ",players=6")),
    "tanbo(size=9)",
    *(f"root_bound(side={side})" for side in ("4", "9", "6,centerless=yes")),
    *(f"rootbound(side={side})" for side in (5, 9)),
)
MEGABYTES = 3
PLAYED = ("hexbo(side=5)", "root_bound(side=3)", "root_down")
"""One of each kind: every board costs the compiling of its kernels."""


def content(name: str) -> bytes:
    """The file of the network that plays these rules."""
    rules = hg.make(name)
    return importlib.resources.files(f"hedgerow.games.{rules.game.name}").joinpath(file_for(rules.players)).read_bytes()


def network_of(name: str) -> tuple[Any, Any]:
    """Rules, and the network that plays them."""
    rules = hg.make(name)
    found = network_for(rules)
    assert found is not None
    return rules, found


@pytest.mark.parametrize("name", SHIPPED)
def test_a_network_ships_for_this_board_and_is_small(name: str) -> None:
    rules = hg.make(name)
    network = network_for(rules)
    assert network is not None and name in network.told["boards"]
    counts = [network.told[count] for count in ("seconds", "runs", "evaluations", "positions", "games", "steps")]
    assert all(count > 0 for count in counts), "a training that goes on from here adds to these"
    assert len(content(name)) < MEGABYTES * 2**20


def test_the_document_tells_of_the_networks_what_their_files_do() -> None:
    text = (Path(__file__).parent.parent / "docs" / "networks.md").read_text(encoding="utf-8")
    for name in GAMES:
        network = network_for(hg.make(name))
        assert network is not None
        told = network.told
        row = [
            f"{told['seconds']:.0f}",
            f"{told['evaluations'] / 1e6:.1f} M",
            f"{told['games']:,}",
            f"{told['steps']:,}",
        ]
        row.append(f"{len(content(name)):,}")
        assert f"| {' | '.join(row)} |" in text, name


@pytest.mark.parametrize("name", PLAYED)
def test_it_plays_a_legal_game_against_chance_and_wins(name: str) -> None:
    match, net, other = hg.Match(name), player("net(visits=16)"), player("random(seed=2)")
    while not match.outcome:
        match.play((net if match.to_move == 0 else other).choose(match))
    assert match.outcome.winners == (0,)
    assert net.chances and all(0 <= chance <= 1 for chance in net.chances)


@pytest.mark.parametrize("name", PLAYED)
def test_what_random_games_find_to_be_forced_it_finds_too(name: str) -> None:
    """Forced wins are found and forced losses avoided, with a fifth of the visits of the search beside it."""
    rules, network = network_of(name)
    looked_at = 0
    for seed in range(12):
        for position, winning, losing in sharp(rules, seed):
            search = NetSearch(rules, position, network, memory=8)
            beside = Search(rules, position, knobs_for(rules), seed=1, memory=8)
            search.run(iterations=600)
            beside.run(iterations=3000)
            best, other = (found.choices()[0] for found in (search, beside))
            for found in (best, other):
                assert found.action in winning if winning else found.action not in losing
            assert best.proven == other.proven or other.proven is None or best.proven is None
            looked_at += 1
        if looked_at >= 8:
            break
    assert looked_at


def test_a_tree_is_carried_on_from_turn_to_turn() -> None:
    rules, network = network_of("hexbo(side=5)")
    search = NetSearch(rules, rules.start(), network, memory=8)
    search.run(iterations=200)
    best = search.choices()[0]
    assert sum(choice.visits for choice in search.choices()) >= 190
    search.advance(best.action)
    assert int(search.tree.visits[0]) == best.visits
    search.run(iterations=50)
    assert int(search.tree.visits[0]) >= best.visits + 50


def test_the_same_visits_give_the_same_choice_every_time() -> None:
    match = hg.Match("hexbo(side=5)")
    assert player("net(visits=64)").choose(match) == player("net(visits=64)").choose(match)


def test_threads_share_a_tree_and_every_visit_is_counted_once() -> None:
    rules, network = network_of("hexbo(side=5)")
    search = NetSearch(rules, rules.start(), network, threads=4, memory=8)
    for _ in range(3):
        search.run(iterations=100)
    tree = search.tree
    assert search.done == 300 == int(tree.visits[0])
    used = int(tree.used[0])
    assert not (tree.children[:used] == -2).any(), "no leaf is left waiting"
    for choice in search.choices():
        assert choice.visits == 0 or sum(choice.values) == pytest.approx(1, abs=0.01)
    search.run(seconds=0.05)
    assert int(tree.visits[0]) == search.done > 300


def test_it_stays_within_its_memory() -> None:
    rules, network = network_of("hexbo(side=5)")
    search = NetSearch(rules, rules.start(), network, memory=1)
    search.run(iterations=1200)
    assert int(search.tree.visits[0]) == 1200, "where the tree is full, leaves are judged all the same"
    assert search.tree.used[0] <= search.capacity
    search.advance(search.choices()[0].action)
    trees = search.tree, search.spare
    assert trees[1] and sum(array.nbytes for tree in trees for array in tree) <= 2**20


ROUNDING = 1e-4


def walked(rules: Any, seed: int, plies: int) -> Any:
    """The position after so many random actions."""
    states = rules.fast.new(1)
    for ply in range(plies):
        rules.fast.play(states, rules.fast.pick(states, 100 * seed + ply))
    return rules.fast.unpack(states)


def first_thoughts(rules: Any, network: Any, position: Any) -> tuple[Any, list[float]]:
    """What the network says of a position: policy, owners and lead; and each seat's chance to win."""
    search = NetSearch(rules, position, network, memory=4)
    search.run(iterations=1)
    return search.judged(), [float(value) / UNIT for value in search.tree.value[: rules.players]]


@pytest.mark.parametrize("name", [*PLAYED, "root_and_thorn"])
@pytest.mark.parametrize("plies", [0, 1, 4, 7])
def test_a_turned_position_gets_the_turned_answer_within_rounding(name: str, plies: int) -> None:
    """Also where it is symmetric itself, as the start is in most games: there equal actions are equally likely."""
    rules, network = network_of(name)
    position = walked(rules, 7, plies)
    straight, chances = first_thoughts(rules, network, position)
    assert sum(straight.policy.values()) == pytest.approx(1, abs=ROUNDING)
    for symmetry in rules.symmetries:
        turned, others = first_thoughts(rules, network, rules.turned(position, symmetry))
        back = {action: turned.policy[rules.actions.turned(action, symmetry)] for action in straight.policy}
        assert len(turned.policy) == len(back) and back == pytest.approx(straight.policy, abs=ROUNDING)
        assert others == pytest.approx(chances, abs=ROUNDING)
        assert np.abs(turned.owners[:, list(symmetry.points)] - straight.owners).max() < ROUNDING
        assert turned.lead == pytest.approx(straight.lead, abs=100 * ROUNDING)


@pytest.mark.parametrize("name", [*PLAYED, "root_and_thorn"])
def test_a_search_of_a_turned_position_is_the_turned_search(name: str) -> None:
    rules, network = network_of(name)
    position = walked(rules, 3, 5)
    for symmetry in (rules.symmetries[1], rules.symmetries[-1]):
        searches = [NetSearch(rules, each, network, memory=4) for each in (position, rules.turned(position, symmetry))]
        for search in searches:
            search.run(iterations=60)
        straight, turned = ({choice.action: choice.visits for choice in search.choices()} for search in searches)
        back = {action: turned[rules.actions.turned(action, symmetry)] for action in straight}
        apart = sum(abs(back[action] - visits) for action, visits in straight.items())
        assert apart <= 6, "sums in another order may round a close decision the other way"


def test_a_network_sees_a_game_one_way_round_from_the_first_position_that_is_not_symmetric() -> None:
    rules, network = network_of("hexbo(side=5)")
    start = rules.start()
    kept = [symmetry for symmetry in rules.symmetries if rules.turned(start, symmetry) == start]
    search = NetSearch(rules, start, network, memory=4)
    seen = [len(search.turns.features)]
    for _ in range(4):
        search.run(iterations=20)
        seen.append(len(search.turns.features))
        search.advance(search.choices()[0].action)
    assert seen[:2] == [12, len(kept)] and len(kept) > 1
    assert seen == sorted(seen, reverse=True) and seen[-1] == 1


@pytest.mark.parametrize("name", [*PLAYED, "root_and_thorn"])
def test_the_answer_to_a_turned_image_is_about_the_one_to_the_image_as_it_lies(name: str) -> None:
    """A network has learned that boards turn: it says about the same either way, so a wrong plane or place shows."""
    rules, network = network_of(name)
    grid, far, astray = Grid(rules), 0.0, 0.0
    for seed in range(8):
        position = walked(rules, seed, 5)
        states = rules.fast.pack(position)
        seen = rules.fast.show(states, grid.cells, grid.size, grid.planes)
        policy, win = network.evaluate(seen.reshape(1, grid.features, grid.height, grid.width))
        found, chances = first_thoughts(rules, network, position)
        legal = rules.fast.legal(states)[0]
        asked = np.array([found.policy.get(action, 0.0) for action in range(rules.actions.size)])
        straight = softmax(policy[0, grid.places], legal)
        assert 0.5 * np.abs(straight - asked).sum() < 0.5, "more than half of it lies elsewhere"
        assert abs(chances[position.to_move] - float(win[0, 0])) < 0.2
        last = rules.symmetries[-1]
        elsewhere = [rules.actions.turned(action, last) for action in range(rules.actions.size)]
        far += np.abs(straight - asked).sum()
        astray += np.abs(straight - asked[elsewhere]).sum()
    assert far < 0.7 * astray


def softmax(logits: np.ndarray, legal: np.ndarray) -> np.ndarray:
    powers = np.exp(np.where(legal, logits, -np.inf) - logits[legal].max())
    return np.asarray(powers / powers.sum())


def test_values_are_those_of_the_seats() -> None:
    """Near the end of games that it plays with itself, the seat that it gives the better chance mostly wins."""
    rules, network = network_of("hexbo(side=5)")
    grid = Grid(rules)
    states = rules.fast.new(24)
    for ply in range(4):
        rules.fast.play(states, rules.fast.pick(states, ply))
    favoured: list[np.ndarray] = []
    while not states.over.all():
        seen = rules.fast.show(states, grid.cells, grid.size, grid.planes)
        policy, win = network.evaluate(seen.reshape(len(states), grid.features, grid.height, grid.width))
        assert np.abs(win.sum(axis=1) - 1).max() < 1e-3
        mover = states.to_move.astype(int)
        favoured.append(np.where(states.over, -1, np.where(win[:, 0] > 0.5, mover, 1 - mover)))
        legal = rules.fast.legal(states)
        actions = np.where(legal, policy[:, grid.places], -np.inf).argmax(axis=1)
        rules.fast.play(states, np.where(states.over, -1, actions))
    winners, _ = rules.fast.results(states)
    late = [[seat for seat in game if seat >= 0][-6:] for game in np.array(favoured).T.tolist()]
    right = [seat == winner for game, winner in zip(late, winners) for seat in game]
    assert len(right) == 6 * len(winners) and np.mean(right) > 0.8


def test_best_takes_the_network_where_it_was_measured_to_be_better() -> None:
    best = player("best(seconds=0.05)")
    assert isinstance(best, StandIn)
    for name in SHIPPED:
        rules = hg.make(name)
        assert isinstance(best.playing(rules), NetPlayer) == (name in rules.game.measured.net_boards)


@pytest.mark.parametrize("game", hg.games())
def test_boards_on_which_a_network_or_another_search_is_better_are_called_by_their_names(game: str) -> None:
    measured = hg.make(game).game.measured
    assert all(hg.make(name).name == name for name in (*measured.net_boards, *measured.player_on))
    for rules in map(hg.make, measured.net_boards):
        network = network_for(rules)
        assert network and network.knows(rules)


def test_the_highest_level_is_the_networks_where_it_was_measured_to_be_better() -> None:
    for name in SHIPPED:
        rules = hg.make(name)
        highest = player(f"level({len(rules.game.measured.ladder)})")
        assert isinstance(highest, StandIn)
        assert isinstance(highest.playing(rules), NetPlayer) == (name in rules.game.measured.net_levels)
        assert set(rules.game.measured.net_levels) <= set(rules.game.measured.net_boards)


# --- analysis ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["hexbo(side=5)", "root_down", "tanbo(size=13)"])
def test_an_analysis_is_the_networks_where_it_knows_the_board_and_says_so(name: str) -> None:
    match = hg.Match(name)
    found, other = analyse(match, iterations=60), analyse(match, iterations=60, engine="search")
    assert (found.engine, found.told_by) == ("network", "by the network, 60 visits")
    assert (other.engine, other.told_by, other.policy) == ("search", "by search, 60 random games", None)
    assert found.policy and sum(found.policy.values()) == pytest.approx(1, abs=0.01)
    assert set(found.policy) <= set(match.rules.board.names)
    assert all(line.prior is not None and 0 <= line.prior <= 1 for line in found.lines)
    assert found.lead is None and found.owners is None, "points of these games have no owners"


def test_a_network_tells_who_will_own_what_and_who_leads_from_either_side() -> None:
    """Each side has closed off a corner of Root Bound; the network has not seen this board, but is asked for."""
    text = "1O1/2OO/5/##2/1#1"
    asked = [hg.Match("root_bound(side=3)", position=f"{text} {seat}") for seat in (0, 1)]
    for match in asked:
        assert analyse(match, iterations=8).engine == "search"
        found = analyse(match, iterations=8, engine="network")
        assert found.owners and set(found.owners) == set(match.rules.board.names) and found.scores is None
        for point, seat in (("a1", 0), ("b1", 0), ("e3", 1)):
            assert found.owners[point][seat] > 0.8, point
        assert found.lead is not None and math.isfinite(found.lead)


def test_an_engine_that_there_is_not_cannot_be_asked() -> None:
    with pytest.raises(hg.BadOption, match="no engine 'oracle'; hint: network or search"):
        analyse(hg.Match("hexbo(side=5)"), iterations=1, engine="oracle")


# --- without a good file ----------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the networks of all games are looked for, empty; nothing was said yet."""
    monkeypatch.setattr(networks.resources, "files", lambda name: tmp_path)
    monkeypatch.setattr(news, "_SAID", set())
    networks._shipped.cache_clear()
    yield tmp_path
    networks._shipped.cache_clear()


FILES = {
    "missing": None,
    "damaged": b"no network",
    "empty": b"",
    "truncated": content("hexbo")[:200_000],
    "another game's": content("root_bound"),
    "another board's": content("tanbo"),
}


@pytest.mark.parametrize("wrong", FILES)
def test_without_a_good_file_search_plays_and_that_is_said_once(
    wrong: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if (written := FILES[wrong]) is not None:
        (folder / file_for(2)).write_bytes(written)
    match, chooser = hg.Match("hexbo(side=5)"), player("net(visits=2)")
    for _ in range(2):
        match.play(chooser.choose(match))
    assert type(chooser.search) is Search and analyse(match, iterations=4).engine == "search"
    best, highest = player("best(seconds=0.01)"), player("level(8)")
    assert isinstance(best, StandIn) and isinstance(highest, StandIn)
    assert type(best.playing(match.rules)) is AlphaBetaPlayer and type(highest.playing(match.rules)) is SearchPlayer
    said = capsys.readouterr().err
    assert said.count("there is no network for hexbo(side=5); random games judge instead") == 1
    assert said.count("there is no network for hexbo(side=5); search plays level 8 instead") == 1
    assert said.count("cannot be read") == (wrong in ("damaged", "empty", "truncated"))


@pytest.mark.parametrize("players", [3, 6])
def test_more_players_have_a_network_of_their_own(players: int) -> None:
    match = hg.Match(f"hexbo(side=5,players={players})")
    found = analyse(match, iterations=60)
    assert found.engine == "network"
    for line in found.lines:
        assert len(line.values) == players and sum(line.values) == pytest.approx(1, abs=0.01)
    assert player("net(visits=2)").choose(match) in match.legal()


@pytest.mark.parametrize("players", [3, 6])
def test_without_it_a_value_for_every_seat_comes_from_random_games(players: int, folder: Path) -> None:
    match = hg.Match(f"hexbo(side=5,players={players})")
    assert network_for(match.rules) is None and analyse(match, iterations=50).engine == "search"
    with pytest.raises(hg.BadOption, match=rf"no network for hexbo.side=5,players={players}.; hint: ask search"):
        analyse(match, iterations=1, engine="network")
    assert all(len(line.values) == players for line in analyse(match, iterations=50).lines)
    assert player("net(visits=2)").choose(match) in match.legal()


class FirstComesFirst:
    """Says of every position that whoever is to move wins six times in ten, and the next one three times."""

    def evaluate(self, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        answers = Grid(hg.make("hexbo(side=5,players=3)")).answers
        return np.zeros((len(seen), answers), np.float32), np.tile(np.float32([0.6, 0.3, 0.1]), (len(seen), 1))


def test_a_network_for_three_has_a_value_for_every_seat() -> None:
    """Its answers are told from the mover's side; the tree keeps them by seats."""
    rules: Any = hg.make("hexbo(side=5,players=3)")
    position = rules.play(rules.start(), rules.legal(rules.start())[0])
    assert position.to_move == 1
    search = NetSearch(rules, position, FirstComesFirst(), memory=4)  # type: ignore[arg-type]
    search.run(iterations=1)
    assert [float(v) / UNIT for v in search.tree.value[:3]] == pytest.approx([0.1, 0.6, 0.3], abs=0.001)
    search.run(iterations=9)
    tried = [choice for choice in search.choices() if choice.visits]
    assert len(tried) == 9, "each of them once, as none is likelier than another"
    for choice in tried:  # seat 2 is to move there, then seat 0
        assert choice.values == pytest.approx((0.3, 0.1, 0.6), abs=0.001)


def test_an_option_that_it_has_not_is_refused() -> None:
    with pytest.raises(hg.BadOption, match="net has no option 'iterations'; hint: it has"):
        player("net(iterations=5)")


def test_a_network_of_ones_own_plays_by_its_file(tmp_path: Path) -> None:
    mine = tmp_path / "network.onnx"
    mine.write_bytes(content("hexbo"))
    match = hg.Match("hexbo(side=5)")
    turns = {player(f"net(visits=30,seed=1{file})").choose(match) for file in ("", f",file={mine}")}
    assert len(turns) == 1
    result = arena("hexbo(side=5)", [f"net(visits=4,file={mine})", "random"], games=2)
    assert not result.faults and result.tallies[0, 1].wins == 2


def test_a_network_of_ones_own_that_cannot_play_is_said_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(hg.BadOption, match=r"^cannot open the network .* \(No such file or directory\); hint: file="):
        player(f"net(file={tmp_path}/none.onnx)")
    (tmp_path / "n.onnx").write_bytes(b"nothing")
    with pytest.raises(hg.BadOption, match=r"n.onnx' is not a network of ours, or damaged; hint: hedgerow train"):
        player(f"net(file={tmp_path}/n.onnx)")
    other = str(importlib.resources.files("hedgerow.games.hexbo").joinpath("network.onnx"))
    with pytest.raises(hg.BadOption, match=r"does not play tanbo; hint: it has learned hexbo\(side=5\), hexbo$"):
        arena("tanbo", ["random", f"net(file={other})"], games=2)
