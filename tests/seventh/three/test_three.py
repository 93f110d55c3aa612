"""Three: its rules, drawn, recorded, counted and searched, with nothing known of it outside this folder."""

from __future__ import annotations

import hedgerow as hg
from hedgerow import draw


def test_a_match_is_played_drawn_and_recorded() -> None:
    match = hg.Match("three")
    match.play("a1 b1 a2 b2")
    assert str(match.why_not("b2")) == "There is already a stone on b2." and match.why_not("c3") is None
    assert 'data-point="c3"' in draw.svg(match.scene(), "hedgerow") and "#" in str(match)
    match.play("a3")
    assert match.outcome is not None and (match.outcome.reason, match.outcome.winners) == ("line", (0,))
    assert hg.read(match.record()).record() == match.record()
    assert hg.Match("three", position="##./OO./... 0").legal() == ["a1", "b1", "c1", "c2", "c3"]


def test_its_kernels_count_and_play_whole_games() -> None:
    fast = hg.make("three").fast
    assert [fast.perft(depth) for depth in (1, 2, 5, 6)] == [9, 72, 15120, 54720]
    played = hg.playouts("three", 2000, seed=1)
    assert {*played.winners.tolist()} == {-1, 0, 1} and played.lengths.max() == 9


def test_every_player_plays_it() -> None:
    for name in ("random(seed=1)", "uct(iterations=200,seed=1)", "level(1)", "level(2)"):
        match, player = hg.Match("three"), hg.player(name)
        while match.outcome is None:
            match.play(player.choose(match))
        assert match.turns


def test_the_search_takes_a_win_and_stops_one() -> None:
    player = hg.player("uct(iterations=500,seed=1)")
    assert player.choose(hg.Match("three", position="##./OO./... 0")) == "c3"
    assert player.choose(hg.Match("three", position="##./O../... 1")) == "c3"
