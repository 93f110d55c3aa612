"""Root Down measured: how it is searched, and its levels (docs/search.md, docs/levels.md)."""

from __future__ import annotations

from hedgerow.game import Measured

MEASURED = Measured(
    player="alphabeta",
    ladder=(
        "alphabeta(plays=1000,visibility=0.1)",
        "alphabeta(plays=1000,visibility=0.2)",
        "alphabeta(plays=1000,visibility=0.32)",
        "alphabeta(plays=1000,visibility=0.5)",
        "alphabeta(plays=1000,visibility=0.75)",
        "alphabeta(plays=4000)",
        "alphabeta(plays=22000)",
        "alphabeta(plays=61000)",
        "alphabeta(plays=240000)",
        "alphabeta(plays=1500000)",
        "alphabeta(plays=9000000)",
    ),
    endings={"stuck": "no move left", "repetition": "repetition", "quiet": "no capture for long"},
    tally=("Captured pieces", "Activated kickers"),
    order=5,
)
