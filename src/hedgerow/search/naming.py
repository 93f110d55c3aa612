"""Players by name: `random`, `greedy`, `uct(seconds=1)`, `level(3)`.

>>> player("random(seed=4)").name
'random(seed=4)'
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from hedgerow.game import BadOption, Rules, split_name
from hedgerow.kernels.news import say_once
from hedgerow.match import Match
from hedgerow.search.leaves import Weights
from hedgerow.search.levels import level_for
from hedgerow.search.networks import network_for
from hedgerow.search.players import AlphaBetaPlayer, GreedyPlayer, NetPlayer, Player, RandomPlayer, SearchPlayer


class StandIn(Player):
    """Plays every game as another player does: whose name depends on the game."""

    def __init__(self, name: str, named: Callable[[Rules[Any]], str]) -> None:
        super().__init__(name)
        self.named = named
        self.inner: Player | None = None
        self.rules: Rules[Any] | None = None

    def choose(self, match: Match) -> str:
        return self.playing(match.rules).choose(match)

    def playing(self, rules: Rules[Any]) -> Player:
        """The player that plays these rules; it is kept."""
        if self.inner is None or self.rules is not rules:
            self.rules, self.inner = rules, player(self.named(rules))
            self.inner.chances = self.chances
        if self.seconds is not None:
            self.inner.seconds = self.seconds
        return self.inner

    def effort(self, rules: Rules[Any]) -> float:
        return self.playing(rules).effort(rules)

    def shrink(self) -> int:
        return self.inner.shrink() if self.inner else 0

    def action(self, rules: Rules[Any], position: Any) -> int:
        raise NotImplementedError("a stand-in chooses whole turns")


def level_player(name: str, *, level: int, seed: int = 0) -> StandIn:
    """A level of the ladder of whatever game it plays: the player that stands there.

    Where a network should and there is none that works, whoever stands there on other boards.
    """

    def named(rules: Rules[Any]) -> str:
        wanted = level_for(rules, level)
        if wanted.startswith("net(") and network_for(rules) is None:
            say_once(f"there is no network for {rules.name}; search plays level {level} instead")
            wanted = rules.game.measured.ladder[level - 1]
        return seeded(wanted, seed)

    return StandIn(name, named)


def best_player(name: str, *, seconds: float = 1.0, seed: int = 0, threads: int = 1) -> StandIn:
    """The kind of player that plays a game best."""

    def named(rules: Rules[Any]) -> str:
        measured = rules.game.measured
        kind = measured.player_on.get(rules.name, measured.player)
        if rules.name in measured.net_boards and network_for(rules):
            kind = "net"
        return f"{kind}(seconds={seconds},seed={seed},threads={threads})"

    made = StandIn(name, named)
    made.seconds = seconds
    return made


def _yes(text: str) -> bool:
    if text not in ("yes", "no"):
        raise ValueError
    return text == "yes"


SEEDED: dict[str, Callable[[str], Any]] = {"seed": int}
LIMITS = SEEDED | {
    "iterations": int,
    "seconds": float,
    "threads": int,
    "memory": int,
    "reuse": _yes,
    "visibility": float,
}
WEIGHTS: dict[str, Callable[[str], Any]] = {
    "explore": float,
    "unvisited": float,
    "rave": float,
    "expand": int,
    "candidates": int,
    "prior_weight": float,
    "prior_sharpness": float,
    "pairs": _yes,
}
OPTIONS: dict[str, dict[str, Callable[[str], Any]]] = {
    "random": SEEDED,
    "greedy": SEEDED | {"playouts": int},
    "level": SEEDED | {"level": int},
    "best": SEEDED | {"seconds": float, "threads": int},
    "uct": LIMITS | WEIGHTS,
    "plain": LIMITS | WEIGHTS,
    "net": SEEDED
    | {"visits": int, "seconds": float, "threads": int, "memory": int, "reuse": _yes, "visibility": float, "file": str}
    | {"explore": float, "reduction": float},
    "alphabeta": SEEDED | {"seconds": float, "plays": int, "threads": int, "memory": int, "visibility": float},
}


def player(text: str) -> Player:
    """The player of that name.

    `random(seed)`, `greedy(playouts, seed)`, `level(1)` and up, and `uct(iterations, seconds, seed, threads,
    memory)`: iterations an action, seconds a turn, memory in MB. `plain` is `uct` without what was learned about each
    game, `net(visits, seconds, threads)` searches with a game's network, or with that of a file of one's own,
    `alphabeta(seconds, plays, threads, memory)` is another way to think, and `best(seconds, threads)` whichever plays a
    game best.

    >>> player("uct(iterations=1000,seed=1)")
    <Player uct(iterations=1000,seed=1)>
    """
    name, given = split_name(re.sub(r"^(\s*level\s*[(:]\s*)(\d)", r"\1level=\2", text))
    if name not in OPTIONS:
        raise BadOption(f"no player {name[:40]!r}; hint: there are {', '.join(OPTIONS)}")
    settled = {key: _settle(name, key, value) for key, value in given.items()}
    if name == "random":
        return RandomPlayer(text, **settled)
    if name == "greedy":
        return GreedyPlayer(text, **settled)
    if name == "alphabeta":
        return AlphaBetaPlayer(text, **settled)
    if name == "net":
        weights = {key: settled.pop(key) for key in Weights._fields if key in settled}
        return NetPlayer(text, **settled, weights=weights)
    if name == "level":
        return level_player(text, **settled)
    if name == "best":
        return best_player(text, **settled)
    knobs = {key: settled.pop(key) for key in WEIGHTS if key in settled}
    return SearchPlayer(text, **settled, knobs=knobs, tuned=name == "uct")


def seeded(name: str, seed: int) -> str:
    """The name with a seed, if it has none.

    >>> seeded("random", 7), seeded("level(3)", 7), seeded("uct:seed=1", 7)
    ('random(seed=7)', 'level(3,seed=7)', 'uct:seed=1')
    """
    if re.search(r"\bseed\s*=", name):
        return name
    name = name.strip()
    if name.endswith(")"):
        return f"{name[:-1]},seed={seed})"
    return f"{name},seed={seed}" if ":" in name else f"{name}(seed={seed})"


def _settle(name: str, key: str, text: str) -> Any:
    """The value of one option; numbers may not be negative."""
    if key not in OPTIONS[name]:
        raise BadOption(f"{name} has no option {key[:40]!r}; hint: it has {', '.join(OPTIONS[name])}")
    try:
        value = OPTIONS[name][key](text)
        if not isinstance(value, str) and not 0 <= value < 2**53:
            raise ValueError
    except ValueError:
        raise BadOption(f"{name} cannot have {key}={text[:40]!r}; hint: a number like {key}=1") from None
    return value
