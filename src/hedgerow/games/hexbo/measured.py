"""Hexbo measured: how it is searched, and its levels (docs/search.md, docs/levels.md)."""

from __future__ import annotations

from hedgerow.game import Measured

MEASURED = Measured(
    player_on={"hexbo(side=5)": "alphabeta"},
    net_boards=("hexbo", "hexbo(side=5)", "hexbo(side=5,players=3)", "hexbo(players=3)"),
    knobs={"rave": 300, "explore": 0.1},
    ladder=(
        "uct(iterations=150,visibility=0.26)",
        "uct(iterations=150,visibility=0.5)",
        "uct(iterations=150,visibility=0.94)",
        "uct(iterations=400)",
        "uct(iterations=1400)",
        "uct(iterations=5600)",
        "uct(iterations=22000)",
        "uct(iterations=90000)",
    ),
    net_levels={"hexbo": ("net(visits=1000)",), "hexbo(side=5)": ("net(visits=2000)",)},
    endings={"elimination": "elimination"},
    order=1,
)
