"""Rootbound: Root Bound as a pencil-and-paper game."""

from __future__ import annotations

from hedgerow.game import Game, Option, later
from hedgerow.games.rootbound.measured import MEASURED
from hedgerow.games.rootbound.view import Rootbound

GAME = Game(
    name="rootbound",
    title="Rootbound",
    designer="Christopher Field; the pencil-and-paper sheet is Mark's",
    about="An early Root Bound for pencil and paper: nobody passes, and only the points you enclose count.",
    options=(Option("side", (7, 3, 4, 5, 6, 8, 9, 10), "points along a side of the board"),),
    rules=Rootbound,
    kernels=later("hedgerow.games.rootbound.rules"),
    measured=MEASURED,
    aim="Claim more points than your opponent before nobody can place any more.",
)
