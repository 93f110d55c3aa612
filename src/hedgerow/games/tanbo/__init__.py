"""Tanbo: roots grow over a square board and die where they cannot grow."""

from __future__ import annotations

from hedgerow.game import Game, Option, later
from hedgerow.games.tanbo.measured import MEASURED
from hedgerow.games.tanbo.view import Tanbo

GAME = Game(
    name="tanbo",
    title="Tanbo",
    designer="Mark Steere",
    about="Roots grow over a square board, stone by stone; a root that cannot grow dies, and the last player wins.",
    options=(Option("size", (19, 13, 9), "how many lines the board has each way"),),
    rules=Tanbo,
    kernels=later("hedgerow.games._growth.kernels"),
    measured=MEASURED,
    aim="Be the last player with a root on the board.",
)
