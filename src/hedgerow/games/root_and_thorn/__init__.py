"""Root and Thorn: two forests spread their undergrowth and sprout trees over it."""

from __future__ import annotations

from hedgerow.game import Game, Option, later
from hedgerow.games.root_and_thorn.measured import MEASURED
from hedgerow.games.root_and_thorn.view import RootAndThorn

GAME = Game(
    name="root_and_thorn",
    title="Root and Thorn",
    designer="unknown (the rule sheet names nobody)",
    about="Two forests spread undergrowth from their Maple and sprout trees that clear the land around them.",
    options=(Option("removed", ("return", "discard"), "what becomes of Undergrowth that leaves the board"),),
    rules=RootAndThorn,
    kernels=later("hedgerow.games.root_and_thorn.rules"),
    measured=MEASURED,
    aim="Own more spaces than your opponent when both have passed: "
    "those of your tokens, and those that you alone enclose.",
)
