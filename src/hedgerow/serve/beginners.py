"""Where newcomers begin: a small board of every game, how it is played there, and what comes after."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from hedgerow.game import Rules
from hedgerow.serve.lessons import lesson_of
from hedgerow.serve.starting import levels

MIDDLE = {
    "hexbo": "C3 E1 F9 A4 G5 E3 D7 G7 F4 J8 C7 D3 B1 H9 E4 C6",
    "root_bound": "f4 d7 f7 h1 g4 e7 f1 pass i1 h3 a1 e8 b3 c7 i2 g1 e3 f2 d6 g7 a3 i3 g6 h5",
    "root_and_thorn": "Mg2 Mf6 Ug1 Uf5 Uf2 Ue5 Ug3 Ud5 Ue2 Uc5 Ud2 Ub5 Uf3 Bd5 Ue3 Ub6",
    "tanbo": "H9 H1 J8 B9 J7 J1 G8 A9 B3 B7 B4 C7 C2 G1 D2 H3 B5 C6 B6 H4 A2 A7",
    "root_down": "c2-a4 f7-h5 d2-c2 e7-f7 b2-b1 g7-g6 c1-b2 f7-g7 b1-c1 d7-f7 c2-b3 c7-b8 e2-c2 f8-d6",
    "rootbound": "b5 c1 b2 b4 d7 f6 f7 d2 d8 h3 f5 a3 c6 c2 g7 g2 f2 i2 d3 g3 h6 e5 g4 a1 e2",
}
"""By game, in the order of the home page: turns that two machines played on the board for a first game."""

SIZES = ("side", "size")
"""The options that make a board small or large."""


class Onward(NamedTuple):
    """What may be played after a game against the machine: its level, the next one, and the full board."""

    level: int | None = None
    higher: int | None = None
    full: str | None = None


def board_for(game: str) -> str:
    """The rules of a first game.

    >>> board_for("tanbo"), board_for("root_down")
    ('tanbo(size=9)', 'root_down')
    """
    return lesson_of(game).play


def onward(rules: Rules[Any], players: Iterable[str | None]) -> Onward:
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


def full_board(rules: Rules[Any]) -> str | None:
    """The same game on its usual board, if this is a smaller one."""
    usual = {option.name: option.default for option in rules.game.options}
    other = {name: value for name, value in rules.options.items() if value != usual[name]}
    kept = [f"{name}={value}" for name, value in other.items() if name not in SIZES]
    if len(kept) == len(other):
        return None
    return f"{rules.game.name}({','.join(kept)})" if kept else rules.game.name
