"""Root Bound measured: how it is searched, and its levels (docs/search.md, docs/levels.md)."""

from __future__ import annotations

from hedgerow.game import Measured

MEASURED = Measured(
    net_boards=(
        *("root_bound", "root_bound(centerless=yes)"),
        *(f"root_bound(side={side})" for side in (4, 5, 6, 8, 9, 10)),
        *(f"root_bound(side={side},centerless=yes)" for side in (4, 5, 6, 8, 9)),
    ),
    knobs={"rave": 300, "explore": 0.1, "candidates": 2},
    ladder=(
        "uct(iterations=150,visibility=0.15)",
        "uct(iterations=150,visibility=0.29)",
        "uct(iterations=150,visibility=0.53)",
        "uct(iterations=150,visibility=0.98)",
        "uct(iterations=270)",
        "uct(iterations=440)",
        "uct(iterations=760)",
        "uct(iterations=1500)",
        "uct(iterations=3400)",
        "uct(iterations=9000)",
        "uct(iterations=25000)",
        "uct(iterations=70000)",
    ),
    net_levels={"root_bound": ("net(visits=1500)",)},
    endings={"passes": "count"},
    tally=("Pieces", "Claimed points"),
    order=2,
)
