"""Where newcomers begin: a small board of every game, how it is played there, and what comes after."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from hedgerow.game import Rules
from hedgerow.game.rules import P
from hedgerow.games import game, games
from hedgerow.lessons import lesson_of
from hedgerow.serve.play.new_games import levels

SIZES = ("side", "size")
"""The options that make a board small or large."""


class Onward(NamedTuple):
    """What may be played after a game against the machine: its level, the next one, and the full board."""

    level: int | None = None
    higher: int | None = None
    full: str | None = None


def in_order() -> list[str]:
    """The names of all games in the order of the home page.

    >>> in_order()[:2]
    ['hexbo', 'root_bound']
    """
    return sorted(games(), key=lambda name: game(name).measured.order)


def board_for(name: str) -> str:
    """The rules of a first game.

    >>> board_for("tanbo"), board_for("root_down")
    ('tanbo(size=9)', 'root_down')
    """
    return lesson_of(name).play


def onward(rules: Rules[P], players: Iterable[str | None]) -> Onward:
    """What comes after a game; `players` are those of the machines' seats.

    >>> from hedgerow.games import make
    >>> onward(make("hexbo(side=5)"), [None, "level(1)"])
    Onward(level=1, higher=2, full='hexbo')
    """
    machines = {player for player in players if player}
    if len(machines) != 1 or not (name := machines.pop()).startswith("level("):
        return Onward()
    level = int(name.removeprefix("level(").removesuffix(")"))
    return Onward(level, level + 1 if level < levels(rules.game.name) else None, full_board(rules))


def full_board(rules: Rules[P]) -> str | None:
    """The same game on its usual board, if this is a smaller one."""
    usual = {option.name: option.default for option in rules.game.options}
    other = {name: value for name, value in rules.options.items() if value != usual[name]}
    kept = [f"{name}={value}" for name, value in other.items() if name not in SIZES]
    if len(kept) == len(other):
        return None
    return f"{rules.game.name}({','.join(kept)})" if kept else rules.game.name
