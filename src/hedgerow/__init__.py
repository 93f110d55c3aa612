"""Hedgerow: the home of the root games. The public names; everything else may change.

>>> import hedgerow as hg
>>> hg.games()
('hexbo', 'root_and_thorn', 'root_bound', 'root_down', 'rootbound', 'tanbo')
"""

from hedgerow.game import (
    BadOption,
    BadRecord,
    HedgerowError,
    IllegalMove,
    Outcome,
    Reason,
    Rules,
    UnknownGame,
    UnreadableMove,
)
from hedgerow.games import games, make
from hedgerow.match import Match, read
from hedgerow.search import player
from hedgerow.search.playouts import playouts

__version__ = "0.1.0"

__all__ = [
    "BadOption",
    "BadRecord",
    "HedgerowError",
    "IllegalMove",
    "Match",
    "Outcome",
    "Reason",
    "Rules",
    "UnknownGame",
    "UnreadableMove",
    "games",
    "make",
    "player",
    "playouts",
    "read",
]
