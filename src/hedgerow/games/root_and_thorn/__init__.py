"""Root and Thorn: two forests spread their undergrowth and sprout trees over it."""

from __future__ import annotations

from hedgerow.game import Fast, Game, Option
from hedgerow.games.root_and_thorn.view import RootAndThorn


def _kernels(rules: RootAndThorn) -> Fast:
    from hedgerow.games.root_and_thorn.rules import kernels

    return kernels(rules)


GAME = Game(
    name="root_and_thorn",
    title="Root and Thorn",
    designer="unknown (the rule sheet names nobody)",
    about="Two forests spread undergrowth from their Maple and sprout trees that clear the land around them.",
    options=(Option("removed", ("return", "discard"), "what becomes of Undergrowth that leaves the board"),),
    rules=RootAndThorn,
    kernels=_kernels,
)
