"""Root Bound and Rootbound: what holds in every game of either, and figures as data."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hedgerow as hg
from hedgerow.games._bound.plain import BoundPosition
from hedgerow.games._bound.records import news, runs
from walks import walk

GAMES = (
    "root_bound(side=3)",
    "root_bound(side=4,tie_pass=final)",
    "root_bound(side=3,centerless=yes)",
    "root_bound(side=5,centerless=yes)",
    "root_bound",
    "rootbound(side=3)",
    "rootbound(side=4)",
    "rootbound",
)
every_game = pytest.mark.parametrize("name", GAMES)
COLOURS = {"black": 1, "white": 2, "nobody": 0}


def match_at(name: str, black: str = "", white: str = "", to_move: int = 0, words: str = "") -> hg.Match:
    """A match from a position of pieces by point name."""
    rules = hg.make(name)
    board = bytearray(len(rules.board))
    for piece, points in ((1, black), (2, white)):
        for point in points.split():
            board[rules.board.point[point]] = piece
    glyphs = "/".join("".join(".#O"[board[point]] for point in row) for row in rules.board.rows)
    return hg.Match(rules, position=f"{glyphs} {to_move} {words}")


def figures(folder: str) -> list[Any]:
    """The blocks of a figures.txt: each a list of (key, value)."""
    text = Path(__file__).parent.with_name(folder).joinpath("figures.txt").read_text(encoding="utf-8")
    blocks = [[tuple(line.split(": ", 1)) for line in block.splitlines()] for block in text.split("\n\n")[1:]]
    return [pytest.param(block[1:], id=block[0][1]) for block in blocks]


def check_figure(name: str, lines: list[tuple[str, str]]) -> None:
    setting = {key: value for key, value in lines if key in ("black", "white", "to move", "words")}
    match = hg.Match(name)
    if setting:
        match = match_at(name, setting["black"], setting["white"], int(setting["to move"]), setting.get("words", ""))
    for key, value in lines:
        if key == "legal":
            assert set(value.split()) <= set(match.legal())
        elif key == "refused":
            for move, code in (claim.split() for claim in value.split(", ")):
                assert (reason := match.why_not(move)) and reason.code == code, move
        elif key.startswith("after "):
            before = match.cells()
            match.play(key.removeprefix("after "))
            check_claims(match, before, value)


def check_claims(match: hg.Match, before: dict[str, str], told: str) -> None:
    cells, claims, points = match.cells(), match.rules.claims(match.plain), match.rules.board.point
    for part in told.split(" | "):
        word, *names = part.split()
        if word == "gone":
            assert set(names) == set(before) - set(cells)
        elif word == "stays":
            assert set(names) <= set(cells)
        elif word == "score":
            assert match.outcome and match.outcome.scores == tuple(map(int, names))
        else:
            assert all(n not in cells and claims[points[n]] == COLOURS[word] for n in names), part


def turns(rules: Any, seed: int) -> Iterator[BoundPosition]:
    """The positions at which turns of a random game begin, up to the last before the end."""
    for position, action in walk(rules, seed):
        if position.first is None and action is not None:
            yield position


def pieces_of_roots(rules: Any, position: BoundPosition) -> set[tuple[int, int]]:
    if position.turn < rules.claims_from:
        return set()
    survey = rules.survey(position.board)
    roots = [group for group in survey.groups() if survey.is_root(group)]
    return {(point, survey.piece[group]) for group in roots for point in survey.points[group]}


@every_game
def test_claims_and_roots_are_permanent(name: str) -> None:
    rules = hg.make(name)
    for seed in range(5):
        for before, after in pairwise(turns(rules, seed)):
            claims = rules.claims(after)
            for point, piece in enumerate(rules.claims(before)):
                assert not piece or (claims[point] == piece and not after.board[point])
            assert pieces_of_roots(rules, before) <= pieces_of_roots(rules, after)


@every_game
def test_where_one_may_place_only_ever_disappears(name: str) -> None:
    rules = hg.make(name)
    for seed in range(5):
        left: dict[int, set[int]] = {0: set(range(1000)), 1: set(range(1000))}
        for position in turns(rules, seed):
            for seat in (0, 1):
                found = set(rules.placements(replace(position, to_move=seat)))
                assert found <= left[seat]
                left[seat] = found if position.turn == rules.claims_from else left[seat]


@every_game
def test_what_is_removed_becomes_the_removers_and_one_pass_is_enough(name: str) -> None:
    rules, removals = hg.make(name), 0
    for seed in range(8):
        for before, after in pairwise(turns(rules, seed)):
            if before.to_move == after.to_move:
                continue  # a skipped turn lies between
            mover = 1 + before.to_move
            gone = [p for p, piece in enumerate(before.board) if piece and not after.board[p]]
            claims, uncleaned = rules.claims(after), bytearray(after.board)
            for point in gone:
                assert before.board[point] == 3 - mover
                uncleaned[point] = before.board[point]
            survey = rules.survey(bytes(uncleaned))
            regions = {area for p in gone for area in survey.touching[survey.area[p]] if not survey.piece[area]}
            assert all(claims[p] == mover for p in [*gone, *(q for area in regions for q in survey.points[area])])
            assert before.turn < rules.claims_from or rules.cleaned(after.board, 3 - mover) == after.board
            removals += len(gone)
    assert removals


@every_game
def test_the_order_of_two_pieces_does_not_matter(name: str) -> None:
    rules, chance, pairs = hg.make(name), random.Random(name), 0
    for seed in range(6):
        for position in turns(rules, seed):
            if position.turn == 1 or not (firsts := list(rules.placements(position))):
                continue
            x = chance.choice(firsts)
            middle = rules.play(position, x)
            if not rules.mid_turn(middle):
                continue
            y = chance.choice(list(rules.placements(middle)))
            assert y in firsts, "each point of a legal pair is legal alone"
            other = rules.play(position, y)
            assert rules.mid_turn(other) and x in rules.placements(other)
            assert rules.play(middle, y) == rules.play(other, x)
            pairs += 1
    assert pairs > 20


@every_game
def test_no_triangle_and_no_fresh_line_ever_stands(name: str) -> None:
    rules = hg.make(name)
    for position, action in walk(rules, 9):
        assert not any(
            position.board[p] and position.board[p] == position.board[q] == position.board[r]
            for p, corners in enumerate(rules.corners)
            for q, r in corners
        )
        if action is not None and position.first is not None and action != rules.finish:
            assert not rules.line(position, action)


@pytest.mark.parametrize("name", ["root_bound", "root_bound(side=9,centerless=yes)", "rootbound(side=4)"])
def test_odd_positions_are_played_alike(name: str) -> None:
    """Positions that no game comes to, with dead groups of both colours, plain and compiled."""
    rules, chance = hg.make(name), random.Random(name)
    for density in (0.2, 0.4, 0.6, 0.8):
        board = bytearray(len(rules.board))
        for point in chance.sample(range(len(board)), int(density * len(board))):
            board[point] = chance.choice((1, 2))
            board[point] *= not any(board[point] == board[q] == board[r] for q, r in rules.corners[point])
        glyphs = "/".join("".join(".#O"[board[point]] for point in row) for row in rules.board.rows)
        position = rules.parse(f"{glyphs} {chance.choice((0, 1))}")
        states = rules.fast.pack(position)
        for step, action in walk(rules, 1, position):
            assert rules.fast.unpack(states) == step
            assert np.flatnonzero(rules.fast.legal(states)[0]).tolist() == rules.legal(step)
            if action is not None:
                rules.fast.play(states, [action])


@pytest.mark.parametrize("name", ["root_bound(side=3)", "rootbound(side=3)"])
def test_owners_are_what_is_counted(name: str) -> None:
    """Pieces and claimed points are owned; in Root Bound both count, in Rootbound claimed points alone."""
    rules, claimed = hg.make(name), 0
    for seed in range(10):
        *_, (end, _) = walk(rules, seed)
        owners, (_, scores) = rules.owners(end), rules.fast.results(rules.fast.pack(end))
        assert all(owner == piece - 1 for owner, piece in zip(owners, end.board) if piece)
        for seat in (0, 1):
            pieces = end.board.count(1 + seat)
            assert owners.count(seat) == scores[0][seat] + (pieces if rules.game.name == "rootbound" else 0)
            claimed += owners.count(seat) - pieces
    assert claimed > 20


def test_nobody_owns_empty_points_before_regions_are_claimed() -> None:
    rules = hg.make("root_bound(side=3)")
    after = rules.play(rules.start(), rules.board.point["c3"])
    assert [rules.board.names[p] for p, owner in enumerate(rules.owners(after)) if owner == 0] == ["c3"]
    assert rules.owners(after).count(-1) == 18


def test_runs_around_a_point() -> None:
    """The bits of a ring clockwise are 0 1 3 5 4 2."""
    assert runs(0) == [] and [sorted(run) for run in runs(63)] == [[0, 1, 2, 3, 4, 5]]
    assert sorted(runs(0b100101)) == [[2, 0], [5]]
    assert sorted(runs(0b011010)) == [[1, 3], [4]]


def test_news_of_a_piece() -> None:
    assert news(63, 0) == 0, "open space on all sides changes nothing"
    assert news(0b001011, 0b000100) == 0, "the enemy beside it still touches the empty points"
    assert news(0, 0b000110) == 0b000110, "enemies that lost their last empty point here"
    assert news(0b000001, 0b100000) == 64 | 0b100000, "an enemy that touches no empty point around"
    assert news(0b100001, 0) == 64, "two empty points that do not touch"
