"""A game in a list, as it was rendered before if nothing that its row shows has changed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import lru_cache
from types import SimpleNamespace

from markupsafe import Markup

from hedgerow.serve.play.views.lists import ChallengeView, WatchView, YoursView
from hedgerow.serve.web.pages import templates
from hedgerow.serve.web.texts import language
from hedgerow.serve.web.wording import whole

SHOWN: Mapping[str, tuple[str, ...]] = {
    "own": ("id", "rules", "seats", "bots", "state", "your_turn", "left"),
    "waits": (
        *("id", "rules", "by", "by_bot", "rated", "clock", "base_ms", "increment_ms"),
        *("yours", "invited", "asked"),
    ),
    "watched": ("id", "rules", "seats", "bots", "watchers"),
}
"""What the macros of `marks.html` show of a game."""


def row(macro: str, game: YoursView | ChallengeView | WatchView) -> Markup:
    """A game as a macro of `marks.html` shows it."""
    values = [getattr(game, name) for name in SHOWN[macro]]
    if macro == "own" and values[-1] is not None:
        values[-1] = whole(values[-1])
    return _row(macro, language(), tuple(tuple(value) if type(value) is list else value for value in values))


@lru_cache(maxsize=4096)
def _row(macro: str, _language: str, values: tuple[Hashable, ...]) -> Markup:
    found: Markup = getattr(templates.get_template("marks.html").module, macro)(
        SimpleNamespace(**dict(zip(SHOWN[macro], values)))
    )
    return found
