"""Conditional turns as a tree: built from lines, each checked by the rules, and listed as lines again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hedgerow.match import Match
from hedgerow.serve.refusals import Refused

LARGEST = 200
"""How many turns a plan may have in all."""
DEEPEST = 40
"""How many turns a line of it may have."""

Tree = dict[str, "Tree"]
"""Every turn that is thought of, and the tree that follows it."""


def settled(lines: Iterable[Sequence[str]]) -> list[list[str]]:
    """Lines without those that come again; raises Refused where it is too much, before anything is judged."""
    distinct = {tuple(tuple(text.lower().split()) for text in line): list(line) for line in lines}.values()
    for line in distinct:
        if not 2 <= len(line) <= DEEPEST:
            raise Refused("bad_request", f"a line of {len(line)} turns; hint: 2 to {DEEPEST}, theirs and yours")
    if (turns := sum(map(len, distinct))) > LARGEST:
        raise Refused("bad_request", f"a plan of {turns} turns; hint: at most {LARGEST}, those of all lines together")
    return list(distinct)


def grow(rules: str, position: str, seat: int, lines: Sequence[Sequence[str]]) -> Tree:
    """The tree of these lines, every turn checked by the rules and spelled as they spell it; for the workshop.

    A line begins with the next turn of the game, whoever's it is, and ends with one of the planner's.
    """
    tree: Tree = {}
    for line in lines:
        _add(Match(rules, position=position), seat, tree, line)
    return tree


def _add(match: Match, seat: int, tree: Tree, line: Sequence[str]) -> None:
    """Adds one line to the tree."""
    mine = False
    for text in line:
        if match.outcome:
            raise Refused("illegal", f"{text!r:.42} comes after the end of the game; hint: make the line shorter")
        mine = match.to_move == seat
        match.play_turn(text)
        spelled = match.turns[-1]
        if mine and tree and spelled not in tree:
            other = next(iter(tree))
            raise Refused(
                "bad_request", f"both {other!r} and {spelled!r} as your turn; hint: one answer to each of theirs"
            )
        tree = tree.setdefault(spelled, {})
    if not mine:
        raise Refused("bad_request", f"the line ends with {line[-1]!r:.42}, not a turn of yours; hint: add your answer")


def lines_of(tree: Tree) -> list[list[str]]:
    """The lines of a tree, one for every end.

    >>> lines_of({"a1": {"b2": {}}, "a2": {"b3": {"a4": {"b5": {}}}}})
    [['a1', 'b2'], ['a2', 'b3', 'a4', 'b5']]
    """
    return [[turn, *rest] for turn, after in tree.items() for rest in lines_of(after) or [[]]]
