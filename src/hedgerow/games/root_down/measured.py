"""Root Down measured: how it is searched, and its levels (docs/search.md, docs/levels.md)."""

from __future__ import annotations

from hedgerow.game import Measured

MEASURED = Measured(
    player="alphabeta",
    ladder=(
        "alphabeta(plays=1000,visibility=0.1)",
        "alphabeta(plays=1000,visibility=0.22)",
        "alphabeta(plays=1000,visibility=0.4)",
        "alphabeta(plays=1000,visibility=0.74)",
        "alphabeta(plays=4000)",
        "alphabeta(plays=22000)",
        "alphabeta(plays=61000)",
        "alphabeta(plays=240000)",
        "alphabeta(plays=1500000)",
        "alphabeta(plays=9000000)",
    ),
    endings={"stuck": "no move left", "repetition": "repetition", "quiet": "no capture for long"},
    order=5,
)
