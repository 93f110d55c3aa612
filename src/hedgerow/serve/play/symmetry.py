"""Whether two positions are the same up to a symmetry of the board, or a turn apart; work for the workshop."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from hedgerow.game import Position, Rules
from hedgerow.game.rules import P
from hedgerow.games import make

PLACED = 2
"""How many new pieces a turn can leave on the board, where pieces are placed."""
MOVED = 12
"""The same where they move, and push others."""

Standing = tuple[str, str]
"""The rules of a game that goes on, and its position as text."""
Pieces = frozenset[tuple[int, int]]

rules_of = lru_cache(maxsize=256)(make)


def helps(name: str, asked: Sequence[str], standing: Sequence[Standing]) -> bool:
    """Whether one of the positions is one that stands in a game, or the first is a turn before or after one.

    >>> from hedgerow.match import Match
    >>> m = Match("tanbo(size=9)"); start = m.position(); m.play("B1 A8 C1"); game = (m.rules.name, m.position())
    >>> helps("tanbo(size=9)", [m.position()], [game]), helps("tanbo(size=9)", [start], [game])
    (True, False)
    """
    keys = {key_of(name, text) for text in asked}
    if any(key_of(*game) in keys for game in standing):
        return True
    rules, position = rules_of(name), parsed(name, asked[0])
    turned = [rules.turned(position, symmetry) for symmetry in rules.symmetries]
    here = [(one, pieces_of(one)) for one in turned]
    return any(near(*game, one, pieces) for game in standing for one, pieces in here)


@lru_cache(maxsize=8192)
def parsed(rules: str, text: str) -> Position:
    """A position from its text."""
    found: Position = rules_of(rules).parse(text)
    return found


@lru_cache(maxsize=8192)
def pieces(rules: str, text: str) -> Pieces:
    """What stands where."""
    return pieces_of(parsed(rules, text))


def pieces_of(position: Position) -> Pieces:
    """The points that are not empty, and what is there."""
    return frozenset((point, piece) for point, piece in enumerate(position.board) if piece)


@lru_cache(maxsize=8192)
def key_of(name: str, text: str) -> tuple[bytes, int]:
    """The same for all mirrored and turned copies of a position: the first of their boards, and who is to move."""
    rules, position = rules_of(name), parsed(name, text)
    return min(rules.turned(position, symmetry).board for symmetry in rules.symmetries), position.to_move


def near(name: str, text: str, asked: Position, asked_pieces: Pieces) -> bool:
    """Whether a position is a turn after one that stands in a game, or a turn before it."""
    rules, stands, there = rules_of(name), parsed(name, text), pieces(name, text)
    if len(stands.board) != len(asked.board):
        return False
    return follows(rules, stands, there, asked, asked_pieces) or follows(rules, asked, asked_pieces, stands, there)


def follows(rules: Rules[P], before: P, had: Pieces, after: P, has: Pieces) -> bool:
    """Whether a turn, or the beginning of one, leads from one position to the other."""
    new = has - had
    if len(new) > (MOVED if rules.actions.directed else PLACED):
        return False
    return leads(rules, before, after, {point for point, _ in new})


def leads(rules: Rules[P], before: P, after: P, new: set[int]) -> bool:
    """The same, by playing what could have put these pieces there."""
    kinds = rules.actions
    for action in rules.legal(before):
        point = kinds.split(action)[1]
        if action < kinds.extra(0) and not kinds.directed and new and point not in new:
            continue
        then = rules.play(before, action)
        if (then.board, then.to_move) == (after.board, after.to_move):
            return True
        if new and rules.mid_turn(then) and leads(rules, then, after, new - {point}):
            return True
    return False
