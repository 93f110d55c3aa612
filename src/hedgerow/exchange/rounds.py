"""Moves as Abstract Play spells them: Root Bound as we do, Tanbo by column letters and row numbers from the bottom.

Its Root Bound is ours on side 7, with two differences: White's first and Black's second turn may be one piece, which
is refused here, and neither piece of Black's second turn may touch Black's first, which is refused when a report is
written. Its Tanbo begins with a stone on every second point, on boards that we have not: such a game can be looked at
and reported, but it has no record.
"""

from __future__ import annotations

import re
from typing import Any

from hedgerow.game import BadRecord, HedgerowError, UnreadableMove
from hedgerow.games import game, make
from hedgerow.games.tanbo.view import Tanbo
from hedgerow.match import Match

GAMES = ("Root Bound", "Tanbo")
SIZES = (7, 11, 15, 19)
"""How many lines a board of Tanbo has there; the first is what a game without variants has."""


class CrowdedTanbo(Tanbo):
    """Tanbo as Abstract Play sets it up: a stone on every second point, Black in the corners."""

    def __init__(self, size: int) -> None:
        super().__init__(game("tanbo"), {"size": size})
        self.name = f"Tanbo on {size} lines as Abstract Play begins it"

    def seeds(self) -> tuple[tuple[int, ...], ...]:
        every = [(row, column) for row in range(0, self.size, 2) for column in range(0, self.size, 2)]
        return tuple(
            tuple(row * self.size + column for row, column in every if (row + column) // 2 % 2 == seat)
            for seat in range(2)
        )


def begin(name: str, variants: list[str], position: Any) -> Match:
    """The match before its first move; raises BadRecord for what there is not here."""
    if name == "Root Bound":
        if variants:
            raise BadRecord(f"no variant {variants[0]!r:.40} of Root Bound; hint: reports of it have none")
        return Match(make("root_bound"))
    if position is not None and not isinstance(position, str):
        raise BadRecord(f"cannot read the starting position {position!r:.40}; hint: it is text")
    size = _size(variants)
    if position is None:
        if size not in SIZES:
            raise BadRecord(f"no Tanbo on {size} lines; hint: Abstract Play has {', '.join(map(str, SIZES))}")
        return Match(CrowdedTanbo(size))
    try:
        return Match(make(f"tanbo(size={size})"), position=position)
    except HedgerowError as error:
        raise BadRecord(f"the starting position: {error}") from error


def _size(variants: list[str]) -> int:
    """The size that variants say: one like `size-11` or `11x11 board`."""
    numbers = [re.search(r"\d{1,3}", variant) for variant in variants]
    if len(variants) > 1 or (variants and not numbers[0]):
        raise BadRecord(f"cannot read the variants {', '.join(variants)[:60]!r} of Tanbo; hint: one, like size-11")
    return int(numbers[0][0]) if variants and numbers[0] else SIZES[0]


def play(match: Match, move: str) -> None:
    """Plays a turn as a report spells it."""
    if isinstance(match.rules, Tanbo):
        match.play(_tanbo_point(match.rules, move))
        return
    match.play(move.replace(",", " "))
    if match.mid_turn:
        match.play("done")


def _tanbo_point(rules: Tanbo, move: str) -> str:
    """The name of a point from a column's letter and a row's number, counted from the bottom."""
    found = re.fullmatch(r"([a-z])(\d{1,2})", move)
    column, row = (ord(found[1]) - ord("a"), rules.size - int(found[2])) if found else (-1, -1)
    if not (0 <= column < rules.size and 0 <= row < rules.size):
        raise UnreadableMove(
            f"no point {move!r:.20}; hint: columns are a to {chr(96 + rules.size)}, rows from the bottom"
        )
    return rules.board.names[row * rules.size + column]


def named(match: Match) -> tuple[str, list[str], str]:
    """The game, its variants and its starting position, empty for the usual one; refuses what has no report."""
    rules = match.rules
    if isinstance(rules, Tanbo):
        variants = [f"size-{rules.size}"] if rules.size != SIZES[0] else []
        return "Tanbo", variants, "" if isinstance(rules, CrowdedTanbo) else rules.write(match.begin)
    if rules.game.name != "root_bound":
        raise HedgerowError(f"no report can tell {rules.game.title}; hint: {' and '.join(GAMES)} have reports")
    if rules.name != "root_bound":
        raise HedgerowError(f"no report can tell {rules.name}; hint: Abstract Play has Root Bound on side 7 alone")
    if match.begin != rules.start():
        raise HedgerowError("no report can tell a game from a position; hint: it begins with an empty board")
    _check_spring(match)
    return "Root Bound", [], ""


def _check_spring(match: Match) -> None:
    """Refuses a second turn of Black that Abstract Play does not allow."""
    if len(match.turns) < 3:
        return
    board = match.rules.board
    around = {board.names[near] for near in board.neighbours[board.point[match.turns[0]]]}
    if touching := [point for point in match.turns[2].split() if point in around]:
        raise HedgerowError(
            f"no report can tell turn 3: {touching[0]} touches {match.turns[0]}; hint: on Abstract Play it may not"
        )


def moves(match: Match) -> list[str]:
    """Every finished turn as a report spells it: two pieces in the order of their names, which is the one it knows."""
    if isinstance(match.rules, Tanbo):
        return [_tanbo_move(match.rules, turn) for turn in match.turns]
    finished = match.turns[:-1] if match.rules.mid_turn(match.plain) else match.turns
    return [",".join(sorted(word for word in turn.split() if word != "done")) for turn in finished]


def _tanbo_move(rules: Tanbo, turn: str) -> str:
    row, column = divmod(rules.board.point[turn], rules.size)
    return f"{chr(ord('a') + column)}{rules.size - row}"


def score(match: Match, seat: int) -> float | None:
    """A score as Abstract Play counts it, with half a point for whoever passed first; None where there is none."""
    outcome = match.outcome
    if outcome is None or not outcome.scores:
        return None
    passes = [number for number, turn in enumerate(match.turns) if turn == "pass"]
    return outcome.scores[seat] + (0.5 if passes and passes[0] % 2 == seat else 0)
