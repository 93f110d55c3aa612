"""A game's machines: seeded by the game, kept from turn to turn, and what a server plays is what the arena plays."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

import hedgerow as hg
from hedgerow.match import Match
from hedgerow.search import players
from hedgerow.search.bout import Bout, play_bout
from hedgerow.search.levels import ladder_for
from hedgerow.search.naming import StandIn
from hedgerow.search.players import SearchPlayer
from hedgerow.search.uct import Choice
from hedgerow.serve.engine import compiler, engines, pool, seats
from hedgerow.serve.engine.engines import Engines
from hedgerow.serve.engine.seats import seed_of, think
from hedgerow.serve.play.clocks import Control
from hedgerow.serve.play.games import Games
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import queries

BOARDS = ("hexbo(side=5)", "tanbo(size=9)", "root_bound(side=5)", "rootbound(side=5)", "root_down", "root_and_thorn")
OPPONENT = "random(seed=11)"


@pytest.fixture(autouse=True)
def nobody_sits_here() -> Iterator[None]:
    """Every test begins and ends with an empty process."""
    seats._seated.clear()
    yield
    seats._seated.clear()


def arena_turns(rules: str, level: str, game: str, secret: str = "") -> list[str]:
    """A game of the arena: a level with the seed that the server's game gives it, against random play."""
    played = play_bout(Bout(1, rules, (0, 1), (level, OPPONENT), (seed_of(game, 0, secret=secret), 0), ""))
    assert played is not None and not played.faults
    return list(hg.read(played.record).turns)


def served_turns(rules: str, level: str, game: str, forget: int = 0, longest: int = 500) -> list[str]:
    """The same as an engine process plays it; with `forget`, it loses its players after so many of its turns."""
    match, opponent, asked = Match(rules), hg.player(OPPONENT), 0
    while not match.outcome and len(match.turns) < longest:
        if match.to_move == 1:
            match.play_turn(opponent.choose(match))
            continue
        asked += 1
        if forget and asked % forget == 0:
            seats._seated.clear()
        match.play_turn(think(game, match.record(), level))
    return list(match.turns)


# --- the server and the arena -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
async def engine_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    """A server whose engine has loaded what the test plays."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "NICE", 0)
        patch.setattr(compiler, "COMPILER_NICE", 0)
        patch.setattr(engines, "first_boards", lambda: ["hexbo(side=5)", "root_bound(side=3)", "root_down"])
        server = await Server.start(Settings(data=tmp_path_factory.mktemp("data"), engines=1))
        machines = server.engines
        assert isinstance(machines, Engines)
        ready = machines.pool.engines[0].ready
        wanted = {(board, "level(1)") for board in machines.pool.boards}
        await machines.pool.compiler.wait(600, lambda: wanted <= ready)
        yield server
        await server.stop()


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("rules", "level"), [("hexbo(side=5)", 1), ("hexbo(side=5)", 2), ("root_bound(side=3)", 3), ("root_down", 1)]
)
async def test_a_server_plays_what_the_arena_plays(engine_server: Server, rules: str, level: int) -> None:
    games, (me, _) = engine_server.games, await engine_server.accounts.guest()
    seats: list[dict[str, Any]] = [{"player": f"level({level})"}, {"account": me.id}]
    game = (await games.create(rules, me.id, seats, Control(), private=False)).id
    async with engine_server.store.read() as connection:
        secret = await queries.installation(connection)
    assert secret and seed_of(game, 0, secret=secret) != seed_of(game, 0)
    expected, match = arena_turns(rules, f"level({level})", game, secret), Match(rules)
    for number, text in enumerate(expected):
        if match.to_move == 1:
            await games.play(game, me.id, number, text)
        await stored(games, game, number)
        match.play_turn((await games.get(game)).turns[number])
        assert list(match.turns) == expected[: number + 1]
    assert (await games.get(game)).over


async def stored(games: Games, game: str, number: int) -> None:
    """Returns when turn `number` of a game is stored."""
    end = time.monotonic() + 60
    while (games.version(game) or 0) <= number:
        assert time.monotonic() < end, "the machine did not answer"
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("rules", BOARDS)
def test_every_game_is_served_as_the_arena_plays_it_whatever_is_forgotten(rules: str) -> None:
    weak = [level for level, name in enumerate(ladder_for(hg.make(rules)), 1) if "visibility" in name]
    for level in (weak[0], weak[-1], weak[-1] + 1):
        name, game = f"level({level})", f"{rules} {level}"
        expected = arena_turns(rules, name, game)
        assert served_turns(rules, name, game) == expected
        seats._seated.clear()
        assert served_turns(rules, name, game, forget=5) == expected, "found again after a crash"


def test_two_games_of_a_level_differ() -> None:
    for rules in BOARDS:
        record = Match(rules).record()
        assert len({think(f"game {n}", record, "level(1)") for n in range(8)}) > 1, rules
    assert len({seed_of("a", 0), seed_of("a", 1), seed_of("b", 0), seed_of("a", 0, 5)}) == 4


# --- the weakest levels -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [board for board in BOARDS if board != "root_down"])
def test_levels_overlook_as_much_as_their_names_say(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: list[tuple[int, float]] = []
    seen = SearchPlayer._seen

    def noted(self: SearchPlayer, choices: list[Choice]) -> Choice:
        found, count = seen(self, choices), sum(choice.visits > 0 for choice in choices)
        chance = self.visibility + (1 - self.visibility) ** count / count  # where it sees nothing, it plays anything
        chosen.append((choices.index(found), chance))
        return found

    monkeypatch.setattr(SearchPlayer, "_seen", noted)
    for level, name in enumerate(ladder_for(hg.make(rules)), 1):
        if "visibility" in name:
            chosen.clear()
            for game in range(6):
                served_turns(rules, f"level({level})", f"{rules} {game}")
            best, expected = sum(rank == 0 for rank, _ in chosen), sum(chance for _, chance in chosen)
            spread = sum(chance * (1 - chance) for _, chance in chosen) ** 0.5
            assert abs(best - expected) < 3 * spread + 1 and len({rank for rank, _ in chosen}) > 1, (level, best)


def test_root_downs_levels_overlook_as_much_as_their_names_say(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[tuple[int, int]] = []
    look_ahead = players.look_ahead

    def noted(rules: Any, position: Any, *, only: list[int], **how: Any) -> Any:
        looked.append((len(only), len(rules.legal(position))))
        return look_ahead(rules, position, only=only, **how)

    monkeypatch.setattr(players, "look_ahead", noted)
    for level, name in enumerate(ladder_for(hg.make("root_down")), 1):
        if "visibility" in name:
            looked.clear()
            for game in range(6):
                served_turns("root_down", f"level({level})", f"root_down {game}", longest=60)
            share = sum(only for only, _ in looked) / sum(legal for _, legal in looked)
            assert (
                abs(share - float(name.partition("visibility=")[2].rstrip(")"))) < 0.12
                and len({only for only, _ in looked}) > 2
            ), (level, share)


# --- kept, and let go -------------------------------------------------------------------------------------------------


def player_at(game: str, seat: int = 0) -> SearchPlayer:
    """The player that sits there, behind its level."""
    found = seats._seated[game, seat].player
    inner = found.inner if isinstance(found, StandIn) else found
    assert isinstance(inner, SearchPlayer)
    return inner


def test_a_player_that_thinks_by_the_clock_is_kept_with_its_tree() -> None:
    match, name = Match("hexbo(side=5)"), "uct(seconds=0.05)"
    match.play_turn(think("g", match.record(), name))
    player = player_at("g")
    search = player.search
    assert search is not None and search.tree.visits[0] > 1 and search.spare is None
    match.play_turn(match.legal()[0])
    done = search.done
    think("g", match.record(), name)
    assert player_at("g") is player and player.search is search and search.done > done


def test_the_same_turn_is_answered_alike_and_a_take_back_begins_before_it() -> None:
    match = Match("hexbo(side=5)")
    opponent, records = hg.player(OPPONENT), []
    for _ in range(4):
        records.append(match.record())
        match.play_turn(think("g", match.record(), "level(2)"))
        match.play_turn(opponent.choose(match))
    done = player_at("g").search
    last = think("g", records[-1], "level(2)")
    assert think("g", records[-1], "level(2)") == last and player_at("g").search is done, "nothing is thought twice"
    again = [think("g", record, "level(2)") for record in records[1:]]
    assert again == list(match.turns[2::2]), "after a takeback it is where it was"


def test_a_strong_player_begins_afresh_where_catching_up_would_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    choose = SearchPlayer.choose

    def noted(self: SearchPlayer, match: Match) -> str:
        asked.append(len(match.turns))
        self.iterations = 50
        return choose(self, match)

    monkeypatch.setattr(SearchPlayer, "choose", noted)
    match = Match("hexbo(side=5)")
    for turn in arena_turns("hexbo(side=5)", "random(seed=3)", "x")[:6]:
        match.play_turn(turn)
    think("weak", match.record(), "level(3)")
    assert asked == [0, 2, 4, 6]
    asked.clear()
    think("strong", match.record(), "level(8)")
    assert asked == [6] and f"seed={seed_of('strong', 0, 6)}" in player_at("strong").name


def test_as_many_are_kept_as_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    record = Match("root_down").record()
    monkeypatch.setattr(seats, "MOST_PLAYERS", 3)
    for game in "abcda":
        think(game, record, "level(1)")
    assert [game for game, _ in seats.seated_players()] == ["c", "d", "a"]
    monkeypatch.setattr(seats, "MOST_PLAYERS", 200)
    record = Match("hexbo(side=5)").record()
    for game in "efgh":
        think(game, record, "uct(iterations=500)")
    assert seats._seated["h", 0].bytes > 1000 and len(seats.seated_players()) == 7
    monkeypatch.setattr(seats, "MOST_BYTES", seats._seated["h", 0].bytes)
    think("h", record, "uct(iterations=500)")
    assert seats.seated_players() == [("h", 0)], "the oldest go until the rest has room"
    think("c", record, "level(1)")
    seats.let_go("h")
    assert ("h", 0) not in seats.seated_players()
    monkeypatch.setattr(seats, "WARM_SECONDS", -1.0)
    seats.let_cold_go()
    assert seats.seated_players() == []
