"""Root Down: kickers that stand by roots move, take root where they land, and kick what is around them."""

from __future__ import annotations

from hedgerow.game import Game, Option, later
from hedgerow.games.root_down.measured import MEASURED
from hedgerow.games.root_down.setups import read_setup
from hedgerow.games.root_down.view import RootDown

GAME = Game(
    name="root_down",
    title="Root Down",
    designer="Martin Grider",
    about="Kickers activated by roots move, put their own root down and kick every piece around them.",
    options=(
        Option("activating_roots", ("any", "own"), "whose roots activate a kicker"),
        Option("repetition", (3, 0), "which occurrence of a position ends the game; 0 for none"),
        Option(
            "setup",
            ("standard",),
            "the pieces at the start",
            read=read_setup,
            free="eight ranks from 8 to 1 joined by /, with RKD for South, rkd for North and digits for empty squares",
        ),
    ),
    rules=RootDown,
    kernels=later("hedgerow.games.root_down.rules"),
    measured=MEASURED,
    aim="Have more captured pieces and activated kickers than your opponent when the game ends.",
)
