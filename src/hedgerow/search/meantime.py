"""A player for the meantime: the plain rules are all it needs, so nobody waits for a compiler; and it ends its games.

>>> m = Match("root_bound(side=4)"); play(m, 0.01, random.Random(1)) in m.legal()
True
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator
from itertools import cycle, islice
from typing import Any

from hedgerow.game import Rules
from hedgerow.match import Match

CANDIDATES = 8
"""Among how many actions it chooses, at most."""
TRIES = 4
"""How many random games each of them should get; where games are long, it chooses among fewer."""
OPEN = 5
"""A game is late when no more than one point in so many is nobody's."""
POINT = 0.01
"""What a point of the score is worth, in games won."""


def play(match: Match, seconds: float, chance: random.Random) -> str:
    """The text of the rest of the current turn, after so many seconds in all."""
    rules, position, words = match.rules, match.plain, []
    share = seconds / rules.actions.longest_turn
    while True:
        action = choose(rules, position, share, chance)
        words.append(rules.spell(position, action))
        position = rules.play(position, action)
        if not rules.mid_turn(position) or rules.outcome(position):
            return " ".join(words)


def choose(rules: Rules[Any], position: Any, seconds: float, chance: random.Random) -> int:
    """Late in a game a pass where nothing raises the score; else, of a few actions, what does best in random games."""
    legal, end = rules.legal(position), time.monotonic() + seconds
    chance.shuffle(legal)
    passing = rules.actions.extra(0)
    if passing in legal and is_late(rules, position):
        promising: Iterable[int] = gains(rules, position, legal)
    else:
        promising = [action for action in legal if action != passing or rules.mid_turn(position)] or legal
    few = list(islice(promising, CANDIDATES))
    if len(few) > 1:
        return best_of(rules, position, few, end, chance)
    return few[0] if few else passing


def is_late(rules: Rules[Any], position: Any) -> bool:
    """Most points have owners, so that a count tells who is ahead."""
    owners = rules.owners(position)
    return owners is not None and owners.count(-1) * OPEN <= len(owners)


def gains(rules: Rules[Any], position: Any, legal: list[int]) -> Iterator[int]:
    """The actions that leave the mover better off than a pass would, if all passed after it."""
    seat = position.to_move
    now = lead_if_all_pass(rules, position, seat)
    for action in legal:
        lead = lead_if_all_pass(rules, rules.play(position, action), seat)
        if now is None or lead is None or lead > now:
            yield action


def lead_if_all_pass(rules: Rules[Any], position: Any, seat: int) -> int | None:
    """By how much a seat would be ahead if everybody passed from here on; None where nobody may."""
    for _ in range(rules.players + 2):
        outcome = rules.outcome(position)
        if outcome is not None:
            return lead_of(outcome.scores, seat)
        if rules.actions.extra(0) not in rules.legal(position):
            return None
        position = rules.play(position, rules.actions.extra(0))
    return None


def lead_of(scores: tuple[int, ...] | None, seat: int) -> int:
    """What a seat has, less what the best of the others has."""
    return 0 if scores is None else scores[seat] - max(scores[:seat] + scores[seat + 1 :])


def best_of(rules: Rules[Any], position: Any, actions: list[int], end: float, chance: random.Random) -> int:
    """The action after which random games went best, as far as there was time for them."""
    begun, seat = time.monotonic(), position.to_move
    finish(rules, rules.play(position, actions[0]), seat, end, chance)  # to see how long a game takes
    affordable = (end - begun) / max(1e-6, time.monotonic() - begun) / TRIES
    went: dict[int, list[float]] = {action: [] for action in actions[: max(2, int(affordable))]}
    for action in cycle(went):
        found = finish(rules, rules.play(position, action), seat, end, chance)
        if found is not None:
            went[action].append(found)
        if time.monotonic() >= end:
            break
    return max(went, key=lambda action: sum(went[action]) / max(1, len(went[action])))


def finish(rules: Rules[Any], position: Any, seat: int, end: float, chance: random.Random) -> float | None:
    """How a random game went for a seat: 1 for a win, and a little for every point; None where time was up before."""
    while not (outcome := rules.outcome(position)):
        if time.monotonic() >= end:
            return None
        legal = rules.legal(position)
        ordinary = [action for action in legal if action < rules.actions.extra(0)]
        position = rules.play(position, chance.choice(ordinary or legal))
    return float(seat in outcome.winners) + POINT * lead_of(outcome.scores, seat)
