"""Root Down measured: how it is searched, and its levels (docs/search.md, docs/levels.md)."""

from __future__ import annotations

from hedgerow.game import Measured

MEASURED = Measured(
    player="alphabeta",
    ladder=(
        "alphabeta(plays=1000,visibility=0.1)",
        "alphabeta(plays=1000,visibility=0.2)",
        "alphabeta(plays=1000,visibility=0.32)",
        "alphabeta(plays=1000,visibility=0.46)",
        "alphabeta(plays=1000,visibility=0.65)",
        "alphabeta(plays=1000,visibility=0.82)",
        "alphabeta(plays=2000)",
        "alphabeta(plays=10000)",
        "alphabeta(plays=45000)",
        "alphabeta(plays=220000)",
        "alphabeta(plays=1200000)",
        "alphabeta(plays=7000000)",
    ),
    endings={"stuck": "no move left", "repetition": "repetition", "quiet": "no capture for long"},
    tally=("Captured pieces", "Activated kickers"),
    order=5,
)
