"""Getting compiled code ready before it is needed, and a player for the meantime."""

from __future__ import annotations

import random
import threading
import time
from typing import Any

from hedgerow.game import Rules
from hedgerow.kernels.news import say
from hedgerow.match import Match
from hedgerow.search import meantime
from hedgerow.search.naming import StandIn, player
from hedgerow.search.players import AlphaBetaPlayer, GreedyPlayer, NetPlayer, Player, SearchPlayer

QUICK: dict[type[Player], str] = {
    NetPlayer: "net(visits=4,memory=2)",
    SearchPlayer: "uct(iterations=4,memory=1)",
    AlphaBetaPlayer: "alphabeta(plays=1)",
    GreedyPlayer: "greedy(playouts=1)",
}
"""Players that soon have run all the compiled code of their kind."""


def prepare(rules: Rules[Any], name: str) -> None:
    """Compiles what a player of that name will run in this game, or loads it from the cache.

    >>> prepare(Match("tanbo").rules, "random")
    """
    made = settled(rules, name)
    for kind, quick in QUICK.items():
        if type(made) is kind:
            chooser, match = player(quick), Match(rules)
            if isinstance(chooser, NetPlayer) and isinstance(made, NetPlayer):
                chooser.own = made.own
            for _ in range(2):  # the second choice follows the first in its tree
                if not match.outcome:
                    match.play(chooser.choose(match))


def settled(rules: Rules[Any], name: str) -> Player:
    """A player of that name, or whoever it stands for in this game."""
    made = player(name)
    made = player(made.named(rules)) if isinstance(made, StandIn) else made
    made.check(rules)
    return made


class Preparation:
    """A thread that prepares a game, and says on stderr when that is done if it took a while."""

    def __init__(self, rules: Rules[Any], name: str) -> None:
        self.rules, self.name = rules, name
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        begun = time.monotonic()
        prepare(self.rules, self.name)
        if (spent := time.monotonic() - begun) > 1:
            say(f"the kernels of {self.rules.name} are ready after {spent:.0f} s")

    def wait(self, seconds: float = 600) -> bool:
        """Waits at most so long; returns whether all is ready."""
        self.thread.join(seconds)
        return not self.thread.is_alive()


class PlainPlayer(Player):
    """Needs no kernels: the player for the meantime, for whoever wants a Player."""

    def __init__(self, seconds: float) -> None:
        super().__init__("plain")
        self.think = seconds
        self.chance = random.Random(0)

    def action(self, rules: Rules[Any], position: Any) -> int:
        share = self.think / rules.actions.longest_turn
        return meantime.choose(rules, position, share, self.chance)
