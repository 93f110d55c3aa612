"""The protocol: what a game is, what its rules offer, and the errors everything shares.

A `Game` is a name with options; with the options settled it becomes `Rules`. Rules judge positions, which are values:
`play` returns a new one. An action is a number, the smallest choice (a ply); a turn is a run of actions by one player.
"""

from hedgerow.game.errors import (
    BadOption,
    BadRecord,
    HedgerowError,
    IllegalMove,
    Reason,
    UnknownGame,
    UnreadableMove,
    listed,
)
from hedgerow.game.measured import Measured
from hedgerow.game.options import Game, Option, Value, later, split_name
from hedgerow.game.positions import Actions, Outcome, Piece, Position, outcome_of_scores, stones, turned_board
from hedgerow.game.rules import Fast, Rules

__all__ = [
    "Actions",
    "BadOption",
    "BadRecord",
    "Fast",
    "Game",
    "HedgerowError",
    "IllegalMove",
    "Measured",
    "Option",
    "Outcome",
    "Piece",
    "Position",
    "Reason",
    "Rules",
    "UnknownGame",
    "UnreadableMove",
    "Value",
    "later",
    "listed",
    "outcome_of_scores",
    "split_name",
    "stones",
    "turned_board",
]
