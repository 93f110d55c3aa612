"""The kinds of players: at random, greedy, by random games, with a network, by alpha-beta; `naming.py` makes them."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from hedgerow.game import BadOption, Rules
from hedgerow.kernels.news import say_once
from hedgerow.match import Match
from hedgerow.search.alphabeta import WON, look_ahead, table_for
from hedgerow.search.knobs import Knobs
from hedgerow.search.leaves import Weights
from hedgerow.search.levels import knobs_for
from hedgerow.search.net import NetSearch
from hedgerow.search.networks import Asked, network_for, network_in
from hedgerow.search.uct import Choice, Search

ENOUGH = 20
"""Visits that a choice needs for an opinion about it."""
HOPELESS = 0.02
"""Below this chance to win, twice in a row, a player would resign."""
ITERATIONS_A_SECOND, PLAYS_A_SECOND, VISITS_A_SECOND = 50_000, 5_000_000, 1_500
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
        >>> SearchPlayer("uct", iterations=200, seed=1).choose(m) in m.legal()
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

    def check(self, rules: Rules[Any]) -> None:
        """Refuses a game that it cannot play; most play all of them."""
        return

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
        self,
        name: str,
        *,
        visits: int | None = None,
        file: str = "",
        weights: Mapping[str, Any] | None = None,
        **limits: Any,
    ) -> None:
        asked = 400 if visits is None and limits.get("seconds") is None else visits
        super().__init__(name, iterations=asked, **limits)
        self.visits, self.weights = self.iterations, dict(weights or {})
        self.own = network_in(file) if file else None
        """A network instead of the package's."""

    def check(self, rules: Rules[Any]) -> None:
        if self.own and not self.own.plays(rules):
            learned = ", ".join(self.own.boards)
            raise BadOption(f"the network of {self.name} does not play {rules.name}; hint: it has learned {learned}")

    def searching(self, rules: Rules[Any], position: Any) -> Search:
        self.check(rules)
        network = self.own or network_for(rules)
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
