"""Root and Thorn measured: how it is searched, and its levels (docs/search.md, docs/levels.md)."""

from __future__ import annotations

from hedgerow.game import Measured

MEASURED = Measured(
    net_boards=("root_and_thorn",),
    knobs={"rave": 300, "explore": 0.2, "candidates": 2},
    ladder=(
        "uct(iterations=150,visibility=0.2)",
        "uct(iterations=150,visibility=0.41)",
        "uct(iterations=160)",
        "uct(iterations=580)",
        "uct(iterations=2600)",
        "uct(iterations=14000)",
        "uct(iterations=70000)",
    ),
    net_levels={"root_and_thorn": ("net(visits=600)",)},
    endings={"passes": "count"},
    tally=("Tokens", "Claimed spaces"),
    order=3,
)
