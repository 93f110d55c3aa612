"""How a game is expected to end: who will own what, and by how much somebody leads; by a network or by random games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.game import Rules
from hedgerow.search.net import NetSearch
from hedgerow.search.uct import Search

SAMPLES = 100
"""How many random games tell who will own what."""

Owners = dict[str, tuple[float, ...]]


@dataclass(frozen=True)
class Outlook:
    """What an Analysis tells of the end; None where there is no such thing."""

    scores: tuple[float, ...] | None
    lead: float | None
    owners: Owners | None
    policy: dict[int, float] | None
    """How likely a network thinks each action of the position; None without one."""


def outlook(search: Search, position: Any, actions: tuple[int, ...]) -> Outlook:
    """The network's of the position that is searched; by random games, that of the position after some actions."""
    return by_network(search, position) if isinstance(search, NetSearch) else by_games(search, position, actions)


def by_network(search: NetSearch, position: Any) -> Outlook:
    """What the network says of a position at once."""
    rules, judged = search.rules, search.judged()
    owned = rules.owners(position) is not None and rules.fast.owned
    scored = owned and rules.players == 2  # games whose points have owners are the ones that count them
    return Outlook(
        scores=None,
        lead=round(judged.lead, 2) if scored else None,
        owners=by_point(rules, judged.owners) if owned else None,
        policy=judged.policy,
    )


def by_games(search: Search, position: Any, actions: tuple[int, ...]) -> Outlook:
    """How random games after these actions end."""
    rules, states = search.rules, search.root.copy()
    fast = rules.fast
    for action in actions:
        fast.play(states, [action])
    ends = states.repeat(SAMPLES)
    fast.finish(ends, search.seed)
    outcome = rules.outcome(fast.unpack(ends))
    scores = None
    if outcome is not None and outcome.scores is not None:
        _, each = fast.results(ends)
        scores = tuple(round(float(score), 2) for score in each.mean(axis=0))
    return Outlook(scores, None, _owned(rules, ends) if rules.owners(position) is not None else None, None)


def _owned(rules: Rules[Any], ends: Any) -> Owners:
    """How often each seat owned each point in finished games."""
    owned = np.array([rules.owners(rules.fast.unpack(ends, game)) for game in range(len(ends))])
    return by_point(rules, np.array([(owned == seat).mean(axis=0) for seat in range(rules.players)]))


def by_point(rules: Rules[Any], shares: np.ndarray) -> Owners:
    """Shares (players, points) by the names of points."""
    each = shares.T.astype(float).round(4).tolist()
    return {name: tuple(share) for name, share in zip(rules.board.names, each)}
