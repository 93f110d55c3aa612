"""Self-play of many games side by side: a small Gumbel search of each, in step with a network.

Every game always waits for exactly one evaluation. `step` takes the answers, carries every search on until it needs
the next one, and shows the network those positions; where a search is complete, the game moves on. Of the root's
actions those with the highest prior plus Gumbel noise are candidates, halved again and again (sequential halving);
below the root the choice follows the improved policy. Danihelka et al., Policy improvement by planning with Gumbel.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from hedgerow.kernels import chance
from hedgerow.kernels.cache import kernel
from hedgerow.kernels.dispatch import count, extra, nth, owners, play, result
from hedgerow.kernels.sight import show


class Forest(NamedTuple):
    """One tree per game, in slots of as many nodes as a search has simulations and one more; (games * nodes, ...)."""

    states: np.ndarray
    used: np.ndarray
    """(games,): nodes in use."""
    parent: np.ndarray
    visits: np.ndarray
    value: np.ndarray
    """(.., players): the sum of all values found below, by seat."""
    raw: np.ndarray
    """(.., players): what the network said."""
    edges: np.ndarray
    """How many actions a node has; 0 before it is expanded, and when the game is over."""
    action: np.ndarray
    """(.., actions)"""
    logit: np.ndarray
    child: np.ndarray
    noise: np.ndarray
    """(games, actions): Gumbel noise of the root's actions."""
    leaf: np.ndarray
    """(games,): the node that waits for an answer."""
    done: np.ndarray
    """(games,): simulations so far."""
    word: np.ndarray
    """(games,): random numbers."""
    number: np.ndarray
    """(games,): the number of the game that is being played."""


class Wires(NamedTuple):
    """What goes to the network and comes from it; (games, ...)."""

    seen: np.ndarray
    """u1 (.., features, cells)"""
    logits: np.ndarray
    """f4 (.., answers)"""
    values: np.ndarray
    """f4 (.., players): chances to win, the mover's first."""
    side: np.ndarray
    """u1: which of two networks is to answer."""


class News(NamedTuple):
    """What happened in a step; (games, ...)."""

    moved: np.ndarray
    """u1: a search was complete and its action was played; the next four tell of it."""
    seen: np.ndarray
    policy: np.ndarray
    seat: np.ndarray
    number: np.ndarray
    ended: np.ndarray
    """u1: a game came to its end; the rest tells of it."""
    end_number: np.ndarray
    end_value: np.ndarray
    end_score: np.ndarray
    end_owners: np.ndarray
    """i1 (.., cells): -1 where nobody owns, and off the board."""


class Plan(NamedTuple):
    """How to search, and what the board is like."""

    cells: np.ndarray
    places: np.ndarray
    own: int
    planes: int
    turns: np.ndarray
    """i4 (candidates + 1, simulations): how often the next action of the root has been tried, by sequential halving."""
    candidates: int
    noise: float
    scale: float
    """The weight of values against priors."""
    opening: float
    """The share of games that begin with a few random actions."""
    stride: int
    """From the number of a game to that of the next one in its place."""


VISIT_OFFSET = np.float32(50)
OPENING_PLIES = 6


def halving(candidates: int, simulations: int) -> np.ndarray:
    """The visits that the next tried action of the root has, for every number of candidates.

    >>> halving(4, 8)[4].tolist()
    [0, 0, 0, 0, 1, 1, 2, 2]
    """
    table = np.zeros((candidates + 1, simulations), np.int32)
    for considered in range(candidates + 1):
        rounds, left, visits = int(np.ceil(np.log2(max(2, considered)))), considered, 0
        sequence: list[int] = []
        while len(sequence) < simulations:
            for _ in range(max(1, simulations // (rounds * max(1, left)))):
                sequence += [visits] * max(1, left)
                visits += 1
            left = max(2, left // 2) if considered > 1 else 1
        table[considered] = sequence[:simulations]
    return table


@kernel
def step(boards, start, plan, forest, wires, news, low, high):
    """Takes the answers for games `low` to `high`, and shows the network the next position of each."""
    for game in range(low, high):
        one_step(boards[0], start, plan, forest, wires, news, game)


@njit
def one_step(board, start, plan, forest, wires, news, game):
    news.moved[game] = news.ended[game] = 0
    absorb(board, plan, forest, wires, game)
    advance(board, start, plan, forest, wires, news, game)


@kernel
def begin(boards, start, plan, forest, wires, news, seed, first):
    """Starts all games; `first` is the number of the first one."""
    for game in range(len(forest.leaf)):
        forest.word[game] = chance.seeded(seed, first + game)
        forest.number[game] = first + game
        new_game(boards[0], start, plan, forest, game)
        wait_at(boards[0], plan, forest, wires, game, 0)


@njit
def nodes_of(forest):
    """How many nodes a game has room for."""
    return len(forest.states) // len(forest.leaf)


@njit
def uniform(forest, game):
    """A random number above 0 and up to 1."""
    forest.word[game] = chance.step(forest.word[game])
    return np.float32(((chance.mix(forest.word[game]) >> np.uint64(40)) + np.uint64(1)) * (1.0 / (1 << 24)))


@njit
def wait_at(board, plan, forest, wires, game, node):
    """Shows the network a node's position and waits for the answer."""
    top = game * nodes_of(forest)
    forest.leaf[game] = node
    mover = np.int64(forest.states[top].to_move)
    wires.side[game] = (mover + game) & 1
    show(board, forest.states[top + node], plan.cells, plan.own, plan.planes, wires.seen[game])


@njit
def absorb(board, plan, forest, wires, game):
    """Gives the waiting node its actions, priors and value."""
    node = game * nodes_of(forest) + forest.leaf[game]
    state, players = forest.states[node], forest.raw.shape[1]
    ordinary, more = count(board, state), extra(board, state)
    total = ordinary + (more >= 0)
    for k in range(total):
        action = nth(board, state, k) if k < ordinary else more
        forest.action[node, k] = action
        forest.logit[node, k] = wires.logits[game, plan.places[action]]
        forest.child[node, k] = -1
    forest.edges[node] = total
    for step in range(players):
        forest.raw[node, (np.int64(state.to_move) + step) % players] = wires.values[game, step]
    if forest.leaf[game] == 0:
        for k in range(total):
            forest.noise[game, k] = -np.log(-np.log(uniform(forest, game) * np.float32(0.999999))) * plan.noise
    else:
        forest.done[game] += 1
    back_up(forest, game, forest.leaf[game], forest.raw[node])


@njit
def back_up(forest, game, node, value):
    """Adds a value to a node and all above it."""
    top, players = game * nodes_of(forest), len(value)
    while node >= 0:
        forest.visits[top + node] += 1
        for seat in range(players):
            forest.value[top + node, seat] += value[seat]
        node = forest.parent[top + node]


@njit
def advance(board, start, plan, forest, wires, news, game):
    """Carries a search on until it needs an answer; plays where it is complete."""
    simulations = plan.turns.shape[1]
    while forest.done[game] < simulations:
        node = descend(board, plan, forest, game)
        at = game * nodes_of(forest) + node
        if not forest.states[at].over:
            wait_at(board, plan, forest, wires, game, node)
            return
        if forest.visits[at] == 0:
            settle(board, forest.states[at], news.end_score[game], forest.raw[at])
        back_up(forest, game, node, forest.raw[at])
        forest.done[game] += 1
    move(board, start, plan, forest, news, game)
    wait_at(board, plan, forest, wires, game, 0)


@njit
def settle(board, state, scores, value):
    """Writes the scores of a finished game and what it was worth to every seat."""
    room = np.zeros(len(value), np.int32)
    winner = result(board, state, room)
    for seat in range(len(value)):
        scores[seat] = room[seat]
        value[seat] = np.float32(1 / len(value)) if winner < 0 else np.float32(winner == seat)


@njit
def descend(board, plan, forest, game):
    """Follows the search down to a node never visited, or to the end of a game; returns it."""
    top = game * nodes_of(forest)
    node = 0
    while True:
        at = top + node
        k = choose_at_root(plan, forest, game, at) if node == 0 else choose_below(plan, forest, at, top)
        child = forest.child[at, k]
        if child < 0:
            child = forest.used[game]
            forest.used[game] += 1
            forest.child[at, k] = child
            new_node(forest, top + child, node)
            forest.states[top + child] = forest.states[at]
            play(board, forest.states[top + child], np.int64(forest.action[at, k]))
            return np.int64(child)
        node = np.int64(child)
        if forest.states[top + node].over:
            return node


@njit
def new_node(forest, at, parent):
    forest.parent[at] = parent
    forest.visits[at] = forest.edges[at] = 0
    forest.value[at] = 0


@njit(fastmath=True)
def weigh(plan, forest, at, top, out):
    """Writes prior plus weighted value of every action of a node; returns the most visits of any.

    An action never tried counts as the mean of what the network said and what the tried ones gave, by their priors.
    """
    mover, total = np.int64(forest.states[at].to_move), np.int64(forest.edges[at])
    peak = forest.logit[at, 0]
    for k in range(1, total):
        peak = max(peak, forest.logit[at, k])
    whole, tried, gained, most, visits = np.float32(0), np.float32(0), np.float32(0), np.int64(0), np.int64(0)
    for k in range(total):
        prior = np.exp(forest.logit[at, k] - peak)
        whole += prior
        child = forest.child[at, k]
        if child >= 0 and forest.visits[top + child]:
            n = np.int64(forest.visits[top + child])
            tried += prior
            gained += prior * forest.value[top + child, mover] / n
            most = max(most, n)
            visits += n
    unknown = forest.raw[at, mover]
    if tried > 0:
        unknown = (unknown + visits * gained / tried) / (1 + visits)
    weight = (VISIT_OFFSET + most) * np.float32(plan.scale)
    for k in range(total):
        child = forest.child[at, k]
        known = child >= 0 and forest.visits[top + child]
        value = forest.value[top + child, mover] / forest.visits[top + child] if known else unknown
        out[k] = forest.logit[at, k] + weight * value
    return most


@njit
def choose_at_root(plan, forest, game, at):
    """The best of the candidates whose turn it is."""
    total, top = np.int64(forest.edges[at]), at
    out = np.empty(total, np.float32)
    weigh(plan, forest, at, top, out)
    wanted = plan.turns[min(plan.candidates, total), forest.done[game]]
    best, found = -1, np.float32(0)
    for k in range(total):
        child = forest.child[at, k]
        visits = forest.visits[top + child] if child >= 0 else 0
        worth = out[k] + forest.noise[game, k]
        if visits == wanted and (best < 0 or worth > found):
            best, found = k, worth
    return max(best, 0)


@njit(fastmath=True)
def choose_below(plan, forest, at, top):
    """The action whose share of the visits lies furthest below what the improved policy gives it."""
    total = np.int64(forest.edges[at])
    out = np.empty(total, np.float32)
    weigh(plan, forest, at, top, out)
    soften(out)
    visits = np.float32(forest.visits[at])  # its own and those of its children
    best, found = 0, np.float32(-1e9)
    for k in range(total):
        child = forest.child[at, k]
        tried = np.float32(forest.visits[top + child]) if child >= 0 else np.float32(0)
        worth = out[k] - tried / visits
        if worth > found:
            best, found = k, worth
    return best


@njit(fastmath=True)
def soften(out):
    """A softmax in place."""
    peak = out[0]
    for k in range(1, len(out)):
        peak = max(peak, out[k])
    whole = np.float32(0)
    for k in range(len(out)):
        out[k] = np.exp(out[k] - peak)
        whole += out[k]
    for k in range(len(out)):
        out[k] /= whole


@njit
def move(board, start, plan, forest, news, game):
    """Tells what the search has found, plays its action, and begins a new game where this one is over."""
    top = game * nodes_of(forest)
    state, total = forest.states[top], np.int64(forest.edges[top])
    out = np.empty(total, np.float32)
    most = weigh(plan, forest, top, top, out)
    best = -1
    for k in range(total):
        child = forest.child[top, k]
        if child >= 0 and forest.visits[top + child] == most:
            worth = out[k] + forest.noise[game, k]
            if best < 0 or worth > out[best] + forest.noise[game, best]:
                best = k
    show(board, state, plan.cells, plan.own, plan.planes, news.seen[game])
    news.moved[game], news.seat[game], news.number[game] = 1, state.to_move, forest.number[game]
    news.policy[game] = 0
    soften(out)
    for k in range(total):
        news.policy[game, plan.places[forest.action[top, k]]] = out[k]
    play(board, state, np.int64(forest.action[top, best]))
    skip_forced(board, state)
    if state.over:
        end_game(board, start, plan, forest, news, game)
    clear(forest, game)


@njit
def skip_forced(board, state):
    """Plays on as long as there is only one action."""
    while not state.over:
        ordinary, more = count(board, state), extra(board, state)
        if ordinary + (more >= 0) > 1:
            return
        play(board, state, np.int64(nth(board, state, 0)) if ordinary else np.int64(more))


@njit
def end_game(board, start, plan, forest, news, game):
    """Tells how a game ended and begins the next one in its place."""
    top = game * nodes_of(forest)
    state = forest.states[top]
    news.ended[game], news.end_number[game] = 1, forest.number[game]
    settle(board, state, news.end_score[game], news.end_value[game])
    room = np.empty(len(plan.cells), np.int8)
    owners(board, state, room)
    news.end_owners[game] = -1
    for point in range(len(room)):
        news.end_owners[game, plan.cells[point]] = room[point]
    forest.number[game] += plan.stride
    new_game(board, start, plan, forest, game)


@njit
def new_game(board, start, plan, forest, game):
    """The start of a game, or a position a few random actions later."""
    top = game * nodes_of(forest)
    forest.states[top] = start[0]
    state = forest.states[top]
    if uniform(forest, game) < plan.opening:
        for _ in range(1 + np.int64(uniform(forest, game) * np.float32(OPENING_PLIES - 0.01))):
            choices = count(board, state)
            if not state.over and choices:
                forest.word[game] = chance.step(forest.word[game])
                play(board, state, np.int64(nth(board, state, chance.below(forest.word[game], choices))))
        if state.over:
            forest.states[top] = start[0]
    skip_forced(board, forest.states[top])
    clear(forest, game)


@njit
def clear(forest, game):
    """An empty tree for the position at its root."""
    forest.used[game], forest.done[game] = 1, 0
    new_node(forest, game * nodes_of(forest), -1)
