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

from hedgerow.game import BadOption, Rules, split_name
from hedgerow.match import Match
from hedgerow.search.levels import knobs_for, level_for
from hedgerow.search.uct import Choice, Search

HOPELESS = 0.02
"""Below this chance to win, twice in a row, a player would resign."""


class Player(ABC):
    """Somebody who chooses turns; it may remember a match from one turn to the next."""

    def __init__(self, name: str) -> None:
        self.name = name
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
        memory: int = 256,
        reuse: bool = True,
        heat: float = 0.0,
        knobs: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(name)
        asked = 10_000 if iterations is None and seconds is None else iterations
        self.iterations = None if asked is None else max(1, asked)
        self.seconds, self.seed, self.threads, self.memory = seconds, seed, threads, memory
        self.reuse, self.heat, self.knobs = reuse, heat, dict(knobs or {})
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
        settled = knobs_for(match.rules)._replace(**self.knobs)
        memory = self.memory if self.iterations is None else min(self.memory, 2 + self.iterations // 100)
        limits = {"seed": self.seed, "threads": self.threads, "memory": memory}
        self.search = Search(match.rules, match.plain, settled, **limits)
        self.start, self.actions = match.begin, match.actions

    def action(self, rules: Rules[Any], position: Any) -> int:
        search = self.search
        assert search is not None
        seconds = self.seconds and self.seconds / (2 if "done" in rules.actions.extras else 1)
        search.run(iterations=self.iterations, seconds=seconds)
        choices, mover = search.choices(), position.to_move
        self.chances.append(choices[0].values[mover])
        return self._mannered(rules, choices, mover).action

    def _mannered(self, rules: Rules[Any], choices: list[Choice], mover: int) -> Choice:
        """The best choice; a pass if nothing else raises the score; with heat, sometimes the next best."""
        best = self._warm(choices, mover) if self.heat else choices[0]
        passes = [c for c in choices if c.action >= rules.actions.extra(0)]
        if passes and best is not passes[0] and no_worse(passes[0], best, mover):
            return passes[0]
        return best

    def _warm(self, choices: list[Choice], mover: int) -> Choice:
        """A choice by its visits, the hotter the more evenly; never one that is seen to lose."""
        open_choices = [c for c in choices if c.visits and (c.proven is None or c.proven == mover)] or choices[:1]
        weights = [(max(1, c.visits) / max(1, open_choices[0].visits)) ** (1 / self.heat) for c in open_choices]
        return self.chance.choices(open_choices, weights)[0]

    def played(self, action: int) -> None:
        if self.search:
            self.search.advance(action)
            self.actions += (action,)


def no_worse(settled: Choice, best: Choice, mover: int) -> bool:
    """Passing, or being done, is expected to win as often and by as much as the best placement."""
    if chance_of(settled, mover) < chance_of(best, mover):
        return False
    if settled.proven is not None:
        return True
    sign = 1 if mover == 0 else -1
    return best.proven is None and settled.visits >= 20 and sign * settled.lead >= sign * best.lead


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


# --- by name ----------------------------------------------------------------------------------------------------------


class LevelPlayer(SearchPlayer):
    """A level of the ladder of whatever game it plays."""

    def __init__(self, name: str, *, level: int, seed: int = 0) -> None:
        super().__init__(name, seed=seed)
        self.level = level

    def begin(self, match: Match) -> None:
        self.iterations, self.heat = level_for(match.rules, self.level)
        super().begin(match)


def _yes(text: str) -> bool:
    if text not in ("yes", "no"):
        raise ValueError
    return text == "yes"


SEEDED: dict[str, Callable[[str], Any]] = {"seed": int}
LIMITS = SEEDED | {"iterations": int, "seconds": float, "threads": int, "memory": int, "reuse": _yes, "heat": float}
WEIGHTS: dict[str, Callable[[str], Any]] = {
    "explore": float,
    "unvisited": float,
    "rave": float,
    "margin": float,
    "expand": int,
    "pairs": _yes,
}
OPTIONS: dict[str, dict[str, Callable[[str], Any]]] = {
    "random": SEEDED,
    "greedy": SEEDED | {"playouts": int},
    "level": SEEDED | {"level": int},
    "uct": LIMITS | WEIGHTS,
}


def player(text: str) -> Player:
    """The player of that name.

    `random(seed)`, `greedy(playouts, seed)`, `level(1)` to `level(8)`, and `uct(iterations, seconds, seed, threads,
    memory)`: iterations an action, seconds a turn, memory in MB.

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
    if name == "level":
        return LevelPlayer(text, **settled)
    knobs = {key: settled.pop(key) for key in WEIGHTS if key in settled}
    return SearchPlayer(text, **settled, knobs=knobs)


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
