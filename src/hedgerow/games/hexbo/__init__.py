"""Hexbo: roots grow over a hexagon and die where they cannot grow."""

from __future__ import annotations

from hedgerow.game import Game, Option, later
from hedgerow.games.hexbo.measured import MEASURED
from hedgerow.games.hexbo.view import Hexbo

GAME = Game(
    name="hexbo",
    title="Hexbo",
    designer="Richard Rognlie, after Mark Steere's Tanbo",
    about="Roots grow over a hexagon, stone by stone; a root that cannot grow dies, and the last player wins.",
    options=(
        Option("side", (10, 5), "how many points a side of the board has"),
        Option(
            "players",
            (2, 3, 6),
            "how many play",
            why="the first stones stand six to a ring, which only 2, 3 or 6 players can share evenly",
        ),
    ),
    rules=Hexbo,
    kernels=later("hedgerow.games._growth.kernels"),
    measured=MEASURED,
    aim="Be the last player with a root on the board.",
)
