"""Matches of a network that learns: both sides play every seat in turn, from openings of a few random actions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch

from hedgerow.game import HedgerowError, Rules
from hedgerow.learn.network import Network
from hedgerow.learn.selfplay import Lane
from hedgerow.match import Match
from hedgerow.search.openings import random_openings
from hedgerow.search.players import NetPlayer, Player, SearchPlayer
from hedgerow.search.uct import Search

VISITS, ITERATIONS = 32, 1000
"""How long the network and random games think about an action when they play each other."""
OPENING = 2


def duel(rules: Rules[Any], one: Network, two: Network, how: Any, threads: int, seed: int) -> tuple[float, int]:
    """What the first network won, and how many games were played; each game is counted once, whatever its length.

    In game g seat s is played by network (s + g) & 1, so that each has either seat in half of the games.
    """
    games = how.match_games
    lane = Lane(
        rules,
        [one, two],
        games=games,
        simulations=16,
        candidates=8,
        first=0,
        stride=games,
        seed=seed,
        device=how.device,
        noise=0.0,
        opening=1.0,
    )
    won, over = np.zeros(games), np.zeros(games, bool)
    with ThreadPoolExecutor(threads) as pool:
        while not over.all():
            lane.ask()
            news = lane.work(pool, threads)
            for game in np.flatnonzero(news.ended & ~over):
                seats = [seat for seat in range(rules.players) if (seat + game) & 1 == 0]
                won[game] = news.end_value[game, seats].sum()
                over[game] = True
    return float(won.sum()), games


class Learning:
    """A network that learns, asked as the finished ones are."""

    def __init__(self, network: Network, device: str) -> None:
        self.network, self.device = network, device

    @torch.no_grad()
    def evaluate(self, seen: np.ndarray, *more: str) -> tuple[np.ndarray, ...]:
        if more:
            raise HedgerowError(f"a network that learns is not asked for {more[0]}; hint: export it first")
        return tuple(each.cpu().numpy() for each in self.network.evaluate(torch.from_numpy(seen).to(self.device)))


class LearningPlayer(NetPlayer):
    """Plays with a network that learns."""

    def __init__(self, network: Learning) -> None:
        super().__init__("the network", visits=VISITS)
        self.network = network

    def searching(self, rules: Rules[Any], position: Any) -> Search:
        return self.asking(self.network, rules, position)


def against_search(rules: Rules[Any], network: Network, how: Any, threads: int, seed: int) -> tuple[float, int]:
    """What a network won against a search by random games, and how many games were played, several side by side."""
    asked, openings = Learning(network, how.device), random_openings(rules, OPENING, seed)

    def played(game: int) -> float:
        match, others = Match(rules), SearchPlayer("random games", iterations=ITERATIONS, seed=seed + game)
        match.play(openings(game // rules.players))
        sides: tuple[Player, Player] = (LearningPlayer(asked), others)
        while not (outcome := match.outcome):
            match.play_turn(sides[(match.to_move + game) & 1].choose(match))
        winners = outcome.winners or range(rules.players)
        return sum((seat + game) & 1 == 0 for seat in winners) / len(winners)

    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(played, range(how.search_games))), how.search_games
