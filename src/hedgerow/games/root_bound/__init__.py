"""Root Bound: living plants spread, claim ground and wither."""

from __future__ import annotations

from hedgerow.game import BadOption, Game, Option, Value, later
from hedgerow.games.root_bound.measured import MEASURED
from hedgerow.games.root_bound.view import RootBound


def _check(options: dict[str, Value]) -> None:
    if options["centerless"] == "yes" and options["side"] == 10:
        raise BadOption("root_bound cannot have centerless=yes with side=10; hint: a centerless side is 3 to 9")


GAME = Game(
    name="root_bound",
    title="Root Bound",
    designer="Christopher Field",
    about="Plants grow by one or two pieces a turn, claim the ground they enclose, and wither where they are cut off.",
    options=(
        Option("side", (7, 3, 4, 5, 6, 8, 9, 10), "points along a side of the board"),
        Option("centerless", ("no", "yes"), "sides alternate between this many points and one more; side 3 to 9"),
        Option("tie_pass", ("game", "final"), "a tie goes to the first pass of the game, or of the final two"),
    ),
    rules=RootBound,
    kernels=later("hedgerow.games.root_bound.rules"),
    measured=MEASURED,
    aim="Have more pieces and claimed points than your opponent when both have passed.",
    check=_check,
)
