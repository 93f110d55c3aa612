"""The figures of Hexbo and Tanbo: every claim about every drawing, by point name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hedgerow as hg
from hedgerow.games._growth.plain import GrowthPlain, GrowthPosition

DIRECTIONS = {
    "hexhex": ("above-left", "above-right", "right", "below-right", "below-left", "left"),
    "square": ("above", "", "right", "", "below", "", "left", ""),
}


def root_at(rules: GrowthPlain, board: bytes, name: str) -> set[str]:
    """The names of the points of the root that has a stone there."""
    return next(root for root in named_roots(rules, board) if name in root)


def named_roots(rules: GrowthPlain, board: bytes) -> list[set[str]]:
    return [named(rules, root) for root in rules.roots(board)]


def named(rules: GrowthPlain, points: list[int]) -> set[str]:
    return {rules.board.names[point] for point in points}


def owned(rules: GrowthPlain, board: bytes, seat: int) -> list[list[int]]:
    return [root for root in rules.roots(board) if board[root[0]] == 1 + seat]


def root_space(rules: GrowthPlain, board: bytes, name: str) -> set[str]:
    """The points where the root with that stone can grow."""
    root, seat = root_at(rules, board, name), board[rules.board.point[name]] - 1
    points = rules.root_space(board, seat)
    return {rules.board.names[p] for p in points if named(rules, rules.friends(board, seat, p)) <= root}


def links(rules: GrowthPlain, root: list[int]) -> int:
    """How many pairs of stones of a root touch: one fewer than stones when it is a tree."""
    return sum(q in root for point in root for q in rules.board.neighbours[point]) // 2


def clumped(rules: GrowthPlain, root: list[int]) -> bool:
    """Three stones of a root touch each other."""
    near = rules.board.neighbours
    return any(q in root and r in root and r in near[q] for p in root for q in near[p] for r in near[p])


# --- figures ----------------------------------------------------------------------------------------------------------


class Figure:
    """A drawing and the claims about it."""

    def __init__(self, block: str) -> None:
        lines = block.strip("\n").splitlines()
        self.claims = dict(line.split(": ", 1) for line in lines if not line.startswith("    "))
        self.name, self.title = self.claims.pop("figure"), self.claims.pop("title")
        self.rules: Any = hg.make(self.claims.pop("rules"))
        rows = "/".join(line.replace(" ", "") for line in lines if line.startswith("    "))
        self.board: bytes = self.rules.read_rows(rows)
        mover, *last = self.claims.pop("last", self.claims.pop("to move", "Black")).split()
        self.to_move = self.rules.seats.index(mover)
        self.last = last[0] if last else ""

    def match(self) -> hg.Match:
        """The figure in play, before its last stone."""
        board = bytearray(self.board)
        if self.last:
            board[self.rules.board.point[self.last]] = 0
        position = GrowthPosition(bytes(board), self.to_move, self.rules._places_together(board))
        return hg.Match(self.rules, position=self.rules.write(position))


def figures() -> dict[str, Figure]:
    found = {}
    for game in ("hexbo", "tanbo"):
        text = (Path(__file__).parent.parent / game / "figures.txt").read_text(encoding="utf-8")
        for block in text.split("\n\n"):
            if not block.startswith("#"):
                figure = Figure(block)
                found[f"{game} {figure.name}"] = figure
    return found


FIGURES = figures()


def other(figure: Figure, name: str) -> Figure:
    return FIGURES[f"{figure.rules.game.name} {name}"]


def claims_start(figure: Figure, claim: str) -> None:
    rules, start = figure.rules, figure.rules.start()
    assert (figure.board, figure.to_move) == (start.board, start.to_move)
    for player, *stones in (part.split() for part in claim.split(", ")):
        code = str(rules.seats.index(player))
        assert {name for name, piece in rules.cells(start).items() if piece == code} == set(stones)


def claims_roots(figure: Figure, claim: str) -> None:
    for player, count in (part.split() for part in claim.split(", ")):
        assert len(owned(figure.rules, figure.board, figure.rules.seats.index(player))) == int(count)


def claims_trees(figure: Figure, claim: str) -> None:
    for root in figure.rules.roots(figure.board):
        assert links(figure.rules, root) == len(root) - 1


def claims_expanded(figure: Figure, claim: str) -> None:
    assert figure.last in root_at(figure.rules, figure.board, claim)


def claims_bounded(figure: Figure, claim: str) -> None:
    bounded = [named(figure.rules, root) for root in figure.rules.bounded_roots(figure.board)]
    stones = [] if claim == "none" else claim.split()
    assert sorted(map(sorted, bounded)) == sorted(sorted(root_at(figure.rules, figure.board, name)) for name in stones)


def claims_removed(figure: Figure, claim: str) -> None:
    match = figure.match()
    match.play(figure.last)
    gone = set().union(*(root_at(figure.rules, figure.board, name) for name in claim.split()))
    assert set(match.cells()) == {name for root in named_roots(figure.rules, figure.board) for name in root} - gone


def claims_after(figure: Figure, claim: str) -> None:
    match = figure.match()
    match.play(figure.last)
    assert match.plain.board == other(figure, claim).board


def claims_only_move(figure: Figure, claim: str) -> None:
    assert figure.match().legal() == [claim]


def claims_free(figure: Figure, claim: str) -> None:
    assert all(root_space(figure.rules, figure.board, name) for name in claim.split())


def claims_legal(figure: Figure, claim: str) -> None:
    assert set(claim.split()) <= set(figure.match().legal())


def claims_code(code: str) -> Callable[[Figure, str], None]:
    def claims(figure: Figure, claim: str) -> None:
        match = figure.match()
        for name in claim.split():
            reason = match.why_not(name)
            assert reason and reason.code == code

    return claims


def claims_touches(figure: Figure, claim: str) -> None:
    board = figure.rules.board
    for name, *where in (part.split() for part in claim.split(", ")):
        friends = figure.rules.friends(figure.board, figure.to_move, board.point[name])
        steps = board.steps[board.point[name]]
        assert {DIRECTIONS[board.kind][steps.index(q)] for q in friends} == set(where)
        reason = figure.match().why_not(name)
        assert set(reason.points if reason else named(figure.rules, friends)) == named(figure.rules, friends)


def claims_root_space(figure: Figure, claim: str) -> None:
    for name, *space in (part.split() for part in claim.split(", ")):
        assert root_space(figure.rules, figure.board, name) == set(space)


def claims_moves_that_bound(figure: Figure, claim: str) -> None:
    rules = figure.rules
    for move, stone, which in (part.split() for part in claim.split(", ")):
        match, root = figure.match(), root_at(rules, figure.board, stone)
        [friend] = named(rules, rules.friends(figure.board, figure.to_move, rules.board.point[move]))
        assert (friend in root) == (which == "itself")
        stones = set(match.cells()) | {move}
        match.play(move)
        assert set(match.cells()) == stones - root - ({move} if which == "itself" else set())


def claims_impossible(figure: Figure, claim: str) -> None:
    rules = figure.rules
    for name, why in (part.split() for part in claim.split(", ")):
        root = next(root for root in rules.roots(figure.board) if rules.board.point[name] in root)
        clump, loop = clumped(rules, root), links(rules, root) >= len(root)
        seedless = not any(rules.start().board[point] == figure.board[root[0]] for point in root)
        assert {"clump": clump, "loop": loop and not clump, "seedless": seedless and not loop}[why], name


def claims_grown_from(figure: Figure, claim: str) -> None:
    before, stone = claim.split()
    assert root_at(figure.rules, other(figure, before).board, stone) <= root_at(figure.rules, figure.board, stone)


def claims_covers(figure: Figure, claim: str) -> None:
    assert set(claim.split()) <= named_roots(figure.rules, figure.board)[0]


def claims_winner(figure: Figure, claim: str) -> None:
    outcome = played(figure).outcome
    assert outcome and (outcome.reason, outcome.scores) == ("elimination", None)
    assert [figure.rules.seats[seat] for seat in outcome.winners] == [claim]


def claims_stones(figure: Figure, claim: str) -> None:
    assert set(played(figure).cells()) == set(claim.split())


def claims_places(figure: Figure, claim: str) -> None:
    match = played(figure)
    places = match.outcome.places if match.outcome else match.rules.placed(match.plain)
    assert places == tuple(int(place) for place in claim.split())


def claims_next(figure: Figure, claim: str) -> None:
    assert figure.rules.seats[played(figure).to_move] == claim


def played(figure: Figure) -> hg.Match:
    """The match after the figure's move `play`, if it has one."""
    match = figure.match()
    if "play" in figure.claims:
        match.play(figure.claims["play"])
    return match


CLAIMS: dict[str, Callable[[Figure, str], None]] = {
    "start": claims_start,
    "roots": claims_roots,
    "trees": claims_trees,
    "expanded": claims_expanded,
    "bounded": claims_bounded,
    "removed": claims_removed,
    "after": claims_after,
    "only move": claims_only_move,
    "free": claims_free,
    "legal": claims_legal,
    "no_neighbour": claims_code("no_neighbour"),
    "several_neighbours": claims_code("several_neighbours"),
    "touches": claims_touches,
    "root space": claims_root_space,
    "moves that bound": claims_moves_that_bound,
    "impossible": claims_impossible,
    "grown from": claims_grown_from,
    "covers": claims_covers,
    "play": lambda figure, move: figure.match().play(move),
    "winner": claims_winner,
    "stones": claims_stones,
    "places": claims_places,
    "next": claims_next,
}


@pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
def test_figures(figure: Figure) -> None:
    assert figure.claims
    for key, claim in figure.claims.items():
        CLAIMS[key](figure, claim)
