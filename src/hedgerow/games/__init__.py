"""The games, by name. A folder here with a GAME in it is a game; nothing else needs to know of it.

So is a folder inside those that the environment variable HEDGEROW_GAMES names (separated like those of PATH); it is
imported as if it lay here, as `hedgerow.games.<name>`.
"""

from __future__ import annotations

import os
import pkgutil
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from hedgerow.game import Game, HedgerowError, Rules, UnknownGame, split_name

OTHERS = "HEDGEROW_GAMES"
__path__ += [str(Path(folder).absolute()) for folder in os.environ.get(OTHERS, "").split(os.pathsep) if folder]


def games() -> tuple[str, ...]:
    """The names of all games, sorted.

    >>> games()
    ('hexbo', 'root_and_thorn', 'root_bound', 'root_down', 'rootbound', 'tanbo')
    """
    return _found(tuple(__path__))


@lru_cache
def _found(folders: tuple[str, ...]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for folder in folders:
        if not Path(folder).is_dir():
            raise HedgerowError(f"there is no folder {folder!r}; hint: {OTHERS} names folders that hold games' folders")
        for name in (m.name for m in pkgutil.iter_modules([folder]) if m.ispkg and not m.name.startswith("_")):
            if name in found:
                raise HedgerowError(f"two games are called {name!r}; hint: one is in {found[name]}, one in {folder}")
            found[name] = folder
    return tuple(sorted(found))


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
