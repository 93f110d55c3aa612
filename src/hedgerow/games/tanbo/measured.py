"""Tanbo measured: how it is searched, and its levels (docs/search.md, docs/levels.md)."""

from __future__ import annotations

from hedgerow.game import Measured

MEASURED = Measured(
    player="alphabeta",
    net_boards=("tanbo", "tanbo(size=9)", "tanbo(size=13)"),
    knobs={"rave": 300, "explore": 0.1},
    ladder=(
        "uct(iterations=150,visibility=0.18)",
        "uct(iterations=150,visibility=0.3)",
        "uct(iterations=150,visibility=0.54)",
        "uct(iterations=150,visibility=0.82)",
        "uct(iterations=220)",
        "uct(iterations=490)",
        "uct(iterations=1400)",
        "uct(iterations=3200)",
        "uct(iterations=7500)",
        "uct(iterations=10500)",
    ),
    net_levels={"tanbo": ("net(visits=300)",), "tanbo(size=9)": ("net(visits=400)",)},
    endings={"elimination": "elimination"},
    order=4,
)
