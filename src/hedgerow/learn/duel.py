"""A match between two networks: both play every game's seats in turn, from openings of a few random actions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from hedgerow.game import Rules
from hedgerow.learn.network import Network
from hedgerow.learn.selfplay import Lane


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
