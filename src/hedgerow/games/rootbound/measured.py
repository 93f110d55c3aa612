"""Rootbound measured: how it is searched, and its levels (docs/search.md, docs/levels.md)."""

from __future__ import annotations

from hedgerow.game import Measured

MEASURED = Measured(
    net_boards=("rootbound", *(f"rootbound(side={side})" for side in (5, 6, 8, 9, 10))),
    knobs={"rave": 300, "explore": 0.1, "candidates": 2},
    ladder=(
        "uct(iterations=150,visibility=0.15)",
        "uct(iterations=150,visibility=0.28)",
        "uct(iterations=150,visibility=0.45)",
        "uct(iterations=150,visibility=0.7)",
        "uct(iterations=200)",
        "uct(iterations=330)",
        "uct(iterations=650)",
        "uct(iterations=1400)",
        "uct(iterations=2600)",
        "uct(iterations=7000)",
        "uct(iterations=19000)",
        "uct(iterations=50000)",
    ),
    net_levels={"rootbound": ("net(visits=1200)",)},
    endings={"stuck": "no move left"},
    tally=("Claimed points",),
    order=6,
)
