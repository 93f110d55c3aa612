"""The games, by name. A folder here with a GAME in it is a game; nothing else needs to know of it."""

from __future__ import annotations

import pkgutil
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from typing import Any

from hedgerow.game import Game, Rules, UnknownGame, split_name


def games() -> tuple[str, ...]:
    """The names of all games, sorted.

    >>> games()
    ('hexbo', 'root_and_thorn', 'root_bound', 'root_down', 'rootbound', 'tanbo')
    """
    return _found(tuple(__path__))


@lru_cache
def _found(folders: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(m.name for m in pkgutil.iter_modules(folders) if m.ispkg and not m.name.startswith("_")))


def game(name: str) -> Game:
    """The game of that name.

    >>> game("tanbo").title
    'Tanbo'
    """
    if name not in games():
        near = get_close_matches(name, games(), 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(games())}"
        raise UnknownGame(f"no game {name[:40]!r}; hint: {hint}")
    found: Game = import_module(f"{__name__}.{name}").GAME
    return found


def make(name: str) -> Rules[Any]:
    """The rules of a game with its options settled; the same name gives the same object.

    >>> make("hexbo(players=2, side=5)").name
    'hexbo(side=5)'
    """
    title, options = split_name(name)
    found = game(title)
    return _kept(found.spelled(found.settle(options)))


@lru_cache(maxsize=256)
def _kept(canonical: str) -> Rules[Any]:
    title, options = split_name(canonical)
    found = game(title)
    return found.rules(found, found.settle(options))
