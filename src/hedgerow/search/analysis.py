"""What the engine thinks of a position: its best turns, where it looks, and who will own what.

>>> from hedgerow.match import Match
>>> found = analyse(Match("root_down"), iterations=300)
>>> found.iterations, found.lines[0].turn in Match("root_down").legal()
(300, True)
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

from hedgerow.game import BadOption, HedgerowError, Rules
from hedgerow.match import Match
from hedgerow.search.findings import NETWORK, SEARCH, Analysis, Line
from hedgerow.search.levels import knobs_for
from hedgerow.search.net import NetSearch
from hedgerow.search.networks import Network, network_for
from hedgerow.search.outlook import Outlook, outlook
from hedgerow.search.tree import DRAW
from hedgerow.search.uct import Choice, Search, rank

BLINK = 0.05
"""How long a search is left alone before it is asked whether to stop, in seconds."""
BRIEF = 0.001
LEAST = 2
"""How often at least it looks, although compiling took all the time: a network's first visit knows no turns yet."""
WIDE = 0.2
"""An analysis explores at least so much: people ask about other turns than the best, and proofs need all of them."""
MAX_LINE_TURNS = 12
"""How many actions of a variation are followed."""


def analyse(game: Match | Rules[Any], position: Any = None, **how: Any) -> Analysis:
    """The last of the snapshots; `how` is as for `snapshots`, with 1 second where no limit is given."""
    if how.get("seconds") is None and how.get("iterations") is None:
        how["seconds"] = 1.0
    *_, last = snapshots(game, position, **{"every": None, **how})
    return last


def snapshots(
    game: Match | Rules[Any],
    position: Any = None,
    *,
    seconds: float | None = None,
    iterations: int | None = None,
    every: float | None = 0.25,
    lines: int = 5,
    threads: int = 1,
    seed: int = 0,
    memory: int = 256,
    engine: str | None = None,
    stop: threading.Event | None = None,
) -> Iterator[Analysis]:
    """An Analysis every so many seconds, each better than the last, until a limit, a proof, or `stop`.

    Without limits it goes on until it is stopped. The last one is the final word; with every=None it is the only one.
    The game's network speaks where it knows the board, unless another `engine` is asked for; then iterations are visits
    of its search.
    """
    rules, position = settled(game, position)
    search = wide_search(rules, position, engine, seed=seed, threads=threads, memory=memory)
    view, begun = View(search, position, lines), time.monotonic()
    told = begun
    while True:
        now = time.monotonic()
        left = None if seconds is None else begun + seconds - now
        more = None if iterations is None else max(iterations, LEAST) - search.done
        late = left is not None and left <= 0 and search.done >= LEAST
        ended = late or (more is not None and more <= 0) or search.tree.proven[0] != 0
        ended = ended or (stop is not None and stop.is_set())
        if ended or (every is not None and now - told >= every):
            yield view.snapshot(now - begun)
            told = time.monotonic()
        if ended:
            return
        search.run(iterations=more, seconds=BLINK if left is None else max(BRIEF, min(BLINK, left)))


def wide_search(
    rules: Rules[Any], position: Any, engine: str | None = None, *, seed: int = 0, threads: int = 1, memory: int = 256
) -> Search:
    """A search by the engine that speaks about these rules; without a network it looks further around than a player."""
    if network := speaker(rules, engine):
        return NetSearch(rules, position, network, threads=threads, memory=memory)
    knobs = knobs_for(rules)
    wide = knobs._replace(explore=max(WIDE, knobs.explore))
    return Search(rules, position, wide, seed=seed, threads=threads, memory=memory)


def speaker(rules: Rules[Any], engine: str | None = None) -> Network | None:
    """The network that speaks about these rules: the one that knows them, or whichever plays if asked for."""
    if engine not in (None, NETWORK, SEARCH):
        raise BadOption(f"no engine {engine[:40]!r}; hint: {NETWORK} or {SEARCH}")
    network = None if engine == SEARCH else network_for(rules)
    if engine == NETWORK and network is None:
        raise BadOption(f"there is no network for {rules.name}; hint: ask {SEARCH}")
    return network if network and (engine == NETWORK or network.knows(rules)) else None


def settled(game: Match | Rules[Any], position: Any) -> tuple[Rules[Any], Any]:
    """The rules, and the position asked for: that of the match, or the start."""
    rules = game.rules if isinstance(game, Match) else game
    if position is None:
        position = game.plain if isinstance(game, Match) else rules.start()
    if rules.outcome(position):
        raise HedgerowError("the game is over; hint: analyse a position before its end")
    return rules, position


class View:
    """Looks into a search of a position, from time to time."""

    def __init__(self, search: Search, position: Any, lines: int) -> None:
        self.search, self.rules, self.position, self.lines = search, search.rules, position, lines
        self.after: dict[int, Any] = {}
        """The positions after the actions looked at so far."""

    def snapshot(self, seconds: float) -> Analysis:
        """All that is known now."""
        search, rules = self.search, self.rules
        turns = self.turns()
        best = self.best(turns)
        ways = [self.follow(turns[node], node) for node in best]
        seen = outlook(search, self.position, ways[0] if ways else ())
        return Analysis(
            game=rules.name,
            position=rules.write(self.position),
            to_move=self.position.to_move,
            iterations=search.done,
            nodes=int(search.tree.used[0]),
            seconds=round(seconds, 3),
            proven=None if search.tree.proven[0] == 0 else winner_of(int(search.tree.proven[0])),
            lines=tuple(self.line(node, way, seen) for node, way in zip(best, ways)),
            heat=self.heat(turns),
            scores=seen.scores,
            owners=seen.owners,
            engine=NETWORK if isinstance(search, NetSearch) else SEARCH,
            lead=seen.lead,
            policy=self.policy(seen.policy),
        )

    # --- turns --------------------------------------------------------------------------------------------------------

    def turns(self) -> dict[int, tuple[int, ...]]:
        """The node that every turn looked at leads to, and its actions; the best first.

        A turn of two actions goes by its first and then by its second, as a player chooses it.
        """
        tree, mover, found = self.search.tree, self.position.to_move, dict[int, tuple[int, ...]]()
        for child in self.best_first(self.looked_at(0), mover):
            action, node = int(tree.action[child]), int(tree.alias[child])
            more = self.looked_at(node) if self.goes_on(action) else []
            for second in self.best_first(more, mover):
                found.setdefault(int(tree.alias[second]), (action, int(tree.action[second])))
            if not more:
                found.setdefault(node, (action,))
        return found

    def best(self, turns: dict[int, tuple[int, ...]]) -> list[int]:
        """The nodes of the best turns: of those that begin alike only the best."""
        firsts: dict[int, int] = {}
        for node, actions in turns.items():
            firsts.setdefault(actions[0], node)
        return list(firsts.values())[: self.lines]

    def looked_at(self, node: int) -> list[int]:
        """The children of a node that were visited."""
        tree = self.search.tree
        return [child for child in self.search.children(node) if tree.visits[tree.alias[child]]]

    def best_first(self, nodes: list[int], mover: int) -> list[int]:
        return sorted(nodes, key=lambda node: rank(self.search.choice(node), mover), reverse=True)

    def goes_on(self, action: int) -> bool:
        """The turn is not over after this action."""
        if action not in self.after:
            self.after[action] = self.rules.play(self.position, action)
        return self.rules.mid_turn(self.after[action]) and not self.rules.outcome(self.after[action])

    def follow(self, actions: tuple[int, ...], node: int) -> tuple[int, ...]:
        """The actions of a turn and those expected after the node that it leads to."""
        tree, position = self.search.tree, self.position
        for action in actions:
            position = self.rules.play(position, action)
        while len(actions) < MAX_LINE_TURNS and (children := self.looked_at(node)):
            best = self.best_first(children, position.to_move)[0]
            actions += (int(tree.action[best]),)
            position, node = self.rules.play(position, actions[-1]), int(tree.alias[best])
        return actions

    def line(self, node: int, actions: tuple[int, ...], seen: Outlook | None = None) -> Line:
        """What is known of the turn that leads to a node, and of the actions that begin with it."""
        choice: Choice = self.search.choice(node)
        turns, values = self.spelled(actions), choice.values
        if choice.proven is not None and choice.proven >= 0:
            values = tuple(float(seat == choice.proven) for seat in range(self.rules.players))
        lead = round(choice.lead, 2) if seen and seen.scores is not None else None
        prior = round(seen.policy.get(actions[0], 0.0), 4) if seen and seen.policy else None
        chances = tuple(round(value, 4) for value in values)
        return Line(turns[0], choice.visits, chances, lead, choice.proven, turns, prior)

    def spelled(self, actions: tuple[int, ...]) -> tuple[str, ...]:
        """Actions as text, those of a turn joined by a space."""
        turns, position, unfinished = list[str](), self.position, False
        for action in actions:
            word = self.rules.spell(position, action)
            position = self.rules.play(position, action)
            turns[len(turns) - unfinished :] = [f"{turns[-1]} {word}" if unfinished else word]
            unfinished = self.rules.mid_turn(position)
        return tuple(turns)

    # --- points -------------------------------------------------------------------------------------------------------

    def heat(self, turns: dict[int, tuple[int, ...]]) -> dict[str, float]:
        """How often each point was part of a turn that was looked at, in shares of the most."""
        visits: dict[str, int] = {}
        for node, actions in turns.items():
            for name in {name for action in actions for name in self.rules.clicks(self.position, action)}:
                visits[name] = visits.get(name, 0) + int(self.search.tree.visits[node])
        points = {name: count for name, count in visits.items() if name in self.rules.board.point}
        most = max(points.values(), default=1)
        return {name: round(points[name] / most, 4) for name in sorted(points)}

    def policy(self, priors: dict[int, float] | None) -> dict[str, float] | None:
        """How likely each point is to be the one that is pressed last for the next action."""
        if priors is None:
            return None
        found: dict[str, float] = {}
        for action, chance in priors.items():
            *_, name = self.rules.clicks(self.position, action)
            if name in self.rules.board.point:
                found[name] = found.get(name, 0.0) + chance
        return {name: round(chance, 4) for name, chance in found.items() if chance >= 0.0001}


def winner_of(proven: int) -> int:
    """The seat that a proof of the tree is for, -1 for a draw."""
    return -1 if proven == DRAW else proven - 1
