"""Players by name: `random`, `greedy`, `uct(seconds=1)`, `level(3)`.

>>> player("random(seed=4)").name
'random(seed=4)'
"""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from hedgerow.game import BadOption, Rules, split_name
from hedgerow.kernels.news import say_once
from hedgerow.match import Match
from hedgerow.search.alphabeta import WON, look_ahead, table_for
from hedgerow.search.knobs import Knobs
from hedgerow.search.leaves import Weights
from hedgerow.search.levels import knobs_for, level_for
from hedgerow.search.net import NetSearch
from hedgerow.search.networks import Asked, network_for
from hedgerow.search.uct import Choice, Search

ENOUGH = 20
"""Visits that a choice needs for an opinion about it."""
HOPELESS = 0.02
"""Below this chance to win, twice in a row, a player would resign."""
ITERATIONS_A_SECOND, PLAYS_A_SECOND, VISITS_A_SECOND = 50_000, 1_000_000, 1_500
"""What UCT, alpha-beta and a search with a network do about, on one core."""
PLAYOUTS_A_VISIT = ITERATIONS_A_SECOND // VISITS_A_SECOND
"""How many random games stand in for one answer of a network that is not there."""


class Player(ABC):
    """Somebody who chooses turns; it may remember a match from one turn to the next."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.seconds: float | None = None
        """How long it may think about a turn; None: as long as it takes."""
        self.chances: list[float] = []
        """Its chance to win as it saw it at each of its choices, where it has an opinion."""

    def __repr__(self) -> str:
        return f"<Player {self.name}>"

    def choose(self, match: Match) -> str:
        """The text of the rest of the current turn, ready for `match.play`; the match is untouched.

        >>> m = Match("root_down")
        >>> player("uct(iterations=200,seed=1)").choose(m) in m.legal()
        True
        """
        rules, position, words = match.rules, match.plain, []
        if match.outcome:
            raise BadOption("the game is over; hint: there is nothing to choose")
        self.begin(match)
        while True:
            legal = rules.legal(position)
            action = legal[0] if len(legal) == 1 else self.action(rules, position)
            words.append(rules.spell(position, action))
            position = rules.play(position, action)
            self.played(action)
            if not rules.mid_turn(position) or rules.outcome(position):
                return " ".join(words)

    @property
    def resigns(self) -> bool:
        """It thinks its game hopeless, and with two players would resign."""
        return len(self.chances) > 1 and max(self.chances[-2:]) < HOPELESS

    def begin(self, match: Match) -> None:
        """A choice begins here; most players need not know."""
        return

    @abstractmethod
    def action(self, rules: Rules[Any], position: Any) -> int:
        """The action to play where there is a choice."""

    def played(self, action: int) -> None:
        """This action is played; most players need not know."""
        return

    def share(self, rules: Rules[Any]) -> float | None:
        """How many of a turn's seconds are for one of its actions."""
        return self.seconds and self.seconds / rules.actions.longest_turn

    def effort(self, rules: Rules[Any]) -> float:
        """About how many seconds it thinks about a turn on one core; the same on every machine."""
        return 0.0

    def shrink(self) -> int:
        """Gives back the memory that it needs only while it thinks; returns how many bytes it keeps meanwhile."""
        return 0


class RandomPlayer(Player):
    """Any legal action but a pass or a done, as long as there is another."""

    def __init__(self, name: str, seed: int | None = None) -> None:
        super().__init__(name)
        self.chance = random.Random(seed)

    def action(self, rules: Rules[Any], position: Any) -> int:
        legal = rules.legal(position)
        ordinary = [action for action in legal if action < rules.actions.extra(0)]
        return self.chance.choice(ordinary or legal)


class SearchPlayer(Player):
    """Chooses by searching, for so many iterations an action or so many seconds a turn."""

    def __init__(
        self,
        name: str,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        seed: int = 0,
        threads: int = 1,
        memory: int = 512,
        reuse: bool = True,
        visibility: float = 1.0,
        knobs: Mapping[str, Any] | None = None,
        tuned: bool = True,
    ) -> None:
        super().__init__(name)
        self.tuned = tuned
        asked = 10_000 if iterations is None and seconds is None else iterations
        self.iterations = None if asked is None else max(1, asked)
        self.seconds, self.seed, self.threads, self.memory = seconds, seed, threads, memory
        self.reuse, self.visibility, self.knobs = reuse, visibility, dict(knobs or {})
        self.search: Search | None = None
        self.start: Any = None
        self.actions: tuple[int, ...] = ()
        self.chance = random.Random(seed)

    def begin(self, match: Match) -> None:
        known = len(self.actions)
        follows = self.reuse and self.search and self.search.rules is match.rules and match.begin == self.start
        if follows and match.actions[:known] == self.actions and -1 not in match.actions:
            for action in match.actions[known:]:
                self.played(action)
            return
        self.search = self.searching(match.rules, match.plain)
        self.start, self.actions = match.begin, match.actions

    def searching(self, rules: Rules[Any], position: Any) -> Search:
        """A new search of a position."""
        settled = (knobs_for(rules) if self.tuned else Knobs())._replace(**self.knobs)
        memory = self.memory if self.iterations is None else min(self.memory, 2 + self.iterations // 100)
        return Search(rules, position, settled, seed=self.seed, threads=self.threads, memory=memory)

    def action(self, rules: Rules[Any], position: Any) -> int:
        search = self.search
        assert search is not None
        search.run(iterations=self.iterations, seconds=self.share(rules))
        choices, mover = search.choices(), position.to_move
        self.chances.append(choices[0].values[mover])
        return self._mannered(rules, choices, mover).action

    def _mannered(self, rules: Rules[Any], choices: list[Choice], mover: int) -> Choice:
        """The best choice that it sees; a pass where nothing else would change anything, and no draw too early."""
        best = self._seen(choices)
        passes = [c for c in choices if c.action >= rules.actions.extra(0)]
        others = [c for c in choices if c.action < rules.actions.extra(0)]
        if passes and best is not passes[0] and settles(passes[0], best, mover):
            return passes[0]
        if passes and best is passes[0] and best.proven == -1 and others and hopeful(others[0], mover):
            return others[0]
        return best

    def _seen(self, choices: list[Choice]) -> Choice:
        """The best choice, or for a weak player the best of those it happens to see: people overlook moves.

        Where it sees none at all, it plays any that it has looked at.
        """
        if self.visibility >= 1:
            return choices[0]
        looked_at = [choice for choice in choices if choice.visits] or choices
        seen = next((choice for choice in looked_at if self.chance.random() < self.visibility), None)
        return seen or self.chance.choice(looked_at)

    def played(self, action: int) -> None:
        if self.search:
            self.search.advance(action)
            self.actions += (action,)

    def effort(self, rules: Rules[Any]) -> float:
        if self.iterations is None:
            return self.seconds or 0.0
        return self.iterations / ITERATIONS_A_SECOND * rules.actions.longest_turn

    def shrink(self) -> int:
        return self.search.shrink() if self.search else 0


class NetPlayer(SearchPlayer):
    """Searches with the game's network, for so many visits an action or so many seconds a turn; `uct` without one."""

    def __init__(
        self, name: str, *, visits: int | None = None, weights: Mapping[str, Any] | None = None, **limits: Any
    ) -> None:
        asked = 400 if visits is None and limits.get("seconds") is None else visits
        super().__init__(name, iterations=asked, **limits)
        self.visits, self.weights = self.iterations, dict(weights or {})

    def searching(self, rules: Rules[Any], position: Any) -> Search:
        network = network_for(rules)
        if network is None:
            say_once(f"there is no network for {rules.name}; random games judge instead")
            self.iterations = None if self.visits is None else PLAYOUTS_A_VISIT * self.visits
            return super().searching(rules, position)
        return self.asking(network, rules, position)

    def asking(self, network: Asked, rules: Rules[Any], position: Any) -> NetSearch:
        """A search that asks this network."""
        self.iterations = self.visits
        needed = self.memory if self.visits is None else 4 + self.visits * rules.actions.size // 2000  # every child
        memory = min(self.memory, needed)
        weights = Weights(**self.weights)
        return NetSearch(rules, position, network, threads=self.threads, memory=memory, weights=weights)

    def effort(self, rules: Rules[Any]) -> float:
        if self.visits is None:
            return self.seconds or 0.0
        return self.visits / VISITS_A_SECOND * rules.actions.longest_turn


def settles(passing: Choice, best: Choice, mover: int) -> bool:
    """Passing, or being done, gives up nothing: the game is decided either way, or all that is left changes nothing."""
    if passing.proven is not None and best.proven is not None:
        return chance_of(passing, mover) >= chance_of(best, mover)
    if min(passing.visits, best.visits) < ENOUGH:
        return False
    sign, gain = (1 if mover == 0 else -1), chance_of(best, mover) - chance_of(passing, mover)
    more = sign * (best.lead - passing.lead)
    decided = not HOPELESS < chance_of(best, mover) < 1 - HOPELESS
    return gain <= 0 and more <= 0 if decided else abs(gain) < 1e-9 and abs(more) < 1e-9


def hopeful(choice: Choice, mover: int) -> bool:
    """There is still something to play for, so that a sure draw can wait."""
    return choice.proven is None and choice.visits >= ENOUGH and chance_of(choice, mover) > 0.4


def chance_of(choice: Choice, mover: int) -> float:
    """A seat's chance to win, certain where it is proven; a draw is half a win."""
    if choice.proven is None:
        return choice.values[mover]
    return 0.5 if choice.proven == -1 else float(choice.proven == mover)


class GreedyPlayer(Player):
    """Looks one action ahead: a few random games after each, and how they went counts."""

    def __init__(self, name: str, *, playouts: int = 4, seed: int = 0) -> None:
        super().__init__(name)
        self.playouts, self.seed = playouts, seed

    def action(self, rules: Rules[Any], position: Any) -> int:
        legal, mover = rules.legal(position), position.to_move
        states = rules.fast.pack(position).repeat(len(legal) * self.playouts)
        rules.fast.play(states, [action for action in legal for _ in range(self.playouts)])
        rules.fast.finish(states, self.seed)
        winners, scores = rules.fast.results(states)
        worth = (winners == mover) + 0.01 * (2 * scores[:, mover] - scores.sum(axis=1))
        totals = worth.reshape(len(legal), self.playouts).sum(axis=1)
        return legal[int(totals.argmax())]


class AlphaBetaPlayer(Player):
    """Looks at every line as deep as its time or its number of plays allows; for games whose scores tell."""

    def __init__(
        self,
        name: str,
        *,
        seconds: float | None = None,
        plays: int | None = None,
        threads: int = 1,
        memory: int = 64,
        visibility: float = 1.0,
        seed: int = 0,
    ) -> None:
        super().__init__(name)
        self.plays = 100_000 if seconds is None and plays is None else plays
        self.seconds, self.threads, self.memory, self.visibility = seconds, max(1, threads), memory, visibility
        self.chance = random.Random(seed)
        self.table: np.ndarray | None = None
        """What it knows of positions; kept from turn to turn where it thinks by the clock."""
        self.rules: Rules[Any] | None = None

    def action(self, rules: Rules[Any], position: Any) -> int:
        legal, chance = rules.legal(position), self.chance
        seen = [action for action in legal if self.visibility >= 1 or chance.random() < self.visibility] or [
            chance.choice(legal)
        ]
        found = look_ahead(
            rules,
            position,
            seconds=self.share(rules),
            plays=self.plays,
            only=seen,
            seed=chance.getrandbits(32),
            threads=self.threads,
            table=self._table(rules),
        )
        self.chances.append(0.0 if found.value < -WON // 2 else 1.0 if found.value > WON // 2 else 0.5)
        return found.action

    def _table(self, rules: Rules[Any]) -> np.ndarray:
        if self.table is None or self.rules is not rules or self.plays is not None:
            self.rules, self.table = rules, table_for(self.plays, self.memory)
        return self.table

    def effort(self, rules: Rules[Any]) -> float:
        if self.plays is None:
            return self.seconds or 0.0
        return self.plays / PLAYS_A_SECOND * rules.actions.longest_turn

    def shrink(self) -> int:
        self.table = None
        return 0


# --- by name ----------------------------------------------------------------------------------------------------------


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
        kind = "net" if rules.name in measured.net_boards and network_for(rules) else measured.player
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
    | {"visits": int, "seconds": float, "threads": int, "memory": int, "reuse": _yes, "visibility": float}
    | {"explore": float, "reduction": float},
    "alphabeta": SEEDED | {"seconds": float, "plays": int, "threads": int, "memory": int, "visibility": float},
}


def player(text: str) -> Player:
    """The player of that name.

    `random(seed)`, `greedy(playouts, seed)`, `level(1)` and up, and `uct(iterations, seconds, seed, threads,
    memory)`: iterations an action, seconds a turn, memory in MB. `plain` is `uct` without what was learned about each
    game, `net(visits, seconds, threads)` searches with a game's network, `alphabeta(seconds, plays, threads, memory)`
    is another way to think, and `best(seconds, threads)` whichever plays a game best.

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
        if not 0 <= value < 2**53:
            raise ValueError
    except ValueError:
        raise BadOption(f"{name} cannot have {key}={text[:40]!r}; hint: a number like {key}=1") from None
    return value
