"""Conditional turns as a tree: built from lines, each checked by the rules, listed as lines again, and looked at."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence

from hedgerow.game import IllegalMove
from hedgerow.match import Match
from hedgerow.serve.inputs import one_line
from hedgerow.serve.play.replays import SentGame, position_seen
from hedgerow.serve.refusals import Refused

LARGEST = 200
"""How many turns a plan may have in all."""
DEEPEST = 40
"""How many turns a line of it may have."""

ANY = "*"
"""Instead of theirs: whatever the others play until it is one's turn, with a number until it is that turn's."""

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
        match = Match(rules, position=position)
        if line[0].startswith(ANY):
            _add_any(match, tree, line)
        else:
            _add(match, seat, tree, line)
    if len(tree) > 1 and any(turn.startswith(ANY) for turn in tree):
        raise Refused("bad_request", f"{ANY} beside other turns; hint: one turn for whatever they play, or conditions")
    return tree


def _add_any(match: Match, tree: Tree, line: Sequence[str]) -> None:
    """Adds a turn for whatever the others play; whether it is legal then, nobody knows yet."""
    number = line[0].removeprefix(ANY)
    if len(line) != 2 or (number and not number.isdecimal()):
        raise Refused("bad_request", f"the line {' '.join(line)!r:.42}; hint: {ANY}, then one turn of yours")
    with contextlib.suppress(IllegalMove):
        match.play_turn(line[1])
    tree[line[0]] = {one_line(line[1]): {}}


def after(tree: Tree | None, kind: str, text: str, others: bool) -> Tree | None:
    """What of a plan lies ahead when something has happened, of the `others` or of the planner; None where it ends.

    >>> after({"a1": {"b2": {}}}, "turn", "a1", True), after({"*": {"b2": {}}}, "turn", "a9", True)
    ({'b2': {}}, {'*': {'b2': {}}})
    """
    if tree and next(iter(tree)).startswith(ANY):
        return tree if others and kind in ("turn", "resign", "flag") else None
    return tree.get(text) if tree and kind == "turn" else None


def next_turn(tree: Tree, number: int) -> str | None:
    """What is played now that it is the planner's turn, and turn `number`.

    >>> next_turn({"b2": {}}, 3), next_turn({"*4": {"b2": {}}}, 4), next_turn({"*4": {"b2": {}}}, 6)
    ('b2', 'b2', None)
    """
    first: str = next(iter(tree))
    if not first.startswith(ANY):
        return first
    wanted = first.removeprefix(ANY)
    return next(iter(tree[first])) if not wanted or int(wanted) == number else None


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


# --- looking ----------------------------------------------------------------------------------------------------------


def look(line: SentGame) -> bytes:
    """The position after turns that are thought of, as a `PositionView` in JSON; for the workshop."""
    match = line.match()
    if len(match.turns) > DEEPEST:
        raise Refused("bad_request", f"a line has at most {DEEPEST} turns; hint: plan on when some of them are played")
    return position_seen(match)


def movers(rules: str, position: str, seat: int, lines: Sequence[Sequence[str]]) -> list[list[int | None]]:
    """Whose turns the lines of a seat's plan are, None for whatever the others play; for the workshop.

    >>> movers("tanbo(size=9)", Match("tanbo(size=9)").position(), 1, [["A2", "H1"], ["*", "H1"]])
    [[0, 1], [None, 1]]
    """
    return [_movers(Match(rules, position=position), seat, line) for line in lines]


def _movers(match: Match, seat: int, line: Sequence[str]) -> list[int | None]:
    if line[0].startswith(ANY):
        return [None, seat]
    found: list[int | None] = []
    for text in line:
        found.append(match.to_move)
        match.play_turn(text)
    return found
