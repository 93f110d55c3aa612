"""The levels of the machines in words: what each is called, how far it thinks and what it overlooks."""

from __future__ import annotations

import re

from hedgerow.games import game as game_of
from hedgerow.serve.web.texts import _

PLAYS_A_LINE = 25
"""Alpha-beta counts every play of a piece; a line of play has about so many."""


def level(number: int, game: str) -> str:
    """A level of a game's machine, with what it is called and how it plays.

    >>> level(4, "hexbo")
    '4, Shoot: thinks a little ahead, overlooks nothing'
    """
    return f"{number}, {stage(number, game)}"


def stage(number: int, game: str) -> str:
    """The same for whoever knows its number.

    >>> stage(1, "tanbo"), stage(11, "root_down")
    ('Seed: thinks for a moment, overlooks most turns', 'Grove: thinks as far as it can, overlooks nothing')
    """
    player = game_of(game).measured.ladder[number - 1]
    found = {key: float(value) for key, value in re.findall(r"(iterations|plays|visibility)=([\d.]+)", player)}
    lines = found.get("iterations", found.get("plays", 0) / PLAYS_A_LINE)
    return f"{name_of(number)}: {thinks(lines)}, {overlooks(found.get('visibility', 1.0))}"


def name_of(number: int) -> str:
    """What a level is called; the last name is that of all higher ones."""
    names = (
        *(_("Seed"), _("Seedling"), _("Sprout"), _("Shoot"), _("Sapling"), _("Shrub")),
        *(_("Bush"), _("Hedge"), _("Thicket"), _("Tree"), _("Grove"), _("Forest")),
    )
    return names[min(number, len(names)) - 1]


def thinks(lines: float) -> str:
    """How a machine thinks that tries so many lines of play."""
    if lines <= 200:
        return _("thinks for a moment")
    if lines <= 1000:
        return _("thinks a little ahead")
    if lines <= 6000:
        return _("thinks ahead")
    return _("thinks far ahead") if lines <= 30_000 else _("thinks as far as it can")


def overlooks(sees: float) -> str:
    """What a machine overlooks that sees so much of what may be played."""
    if sees >= 1:
        return _("overlooks nothing")
    if sees < 0.25:
        return _("overlooks most turns")
    if sees < 0.45:
        return _("overlooks more than half of all turns")
    if sees < 0.65:
        return _("overlooks every other turn")
    return _("overlooks some turns") if sees < 0.9 else _("overlooks little")
