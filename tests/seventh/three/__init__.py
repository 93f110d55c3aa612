"""Three: stones on nine squares, and three in a line win. A game from outside the package, as small as can be."""

from __future__ import annotations

from hedgerow.game import Game, Measured, later
from hedgerow.games.three.view import Three

GAME = Game(
    name="three",
    title="Three",
    designer="unknown (it is very old)",
    about="Stones on nine squares: three in a line win.",
    options=(),
    rules=Three,
    kernels=later("hedgerow.games.three.rules"),
    measured=Measured(
        ladder=("uct(iterations=20,visibility=0.3)", "uct(iterations=100)"),
        endings={"line": "three in a line", "full": "full board"},
        order=7,
    ),
)
