"""What results are worth: win rates and Elo with their intervals, and when a match may stop early."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from hedgerow.game import BadOption

Z95 = 1.959963984540054
"""How many standard deviations either side hold 95 % of a normal distribution."""
UNSEEN = 1e-3
"""Counts of zero are taken for this, so that likelihoods stay finite."""


@dataclass(frozen=True)
class Tally:
    """Wins, draws and losses of one player against another.

    >>> tally = Tally(8, 0, 2)
    >>> round(tally.rate, 2), [round(bound, 2) for bound in tally.interval], round(tally.elo)
    (0.8, [0.49, 0.94], 241)
    """

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    @property
    def reversed(self) -> Tally:
        """The same games as the other player sees them."""
        return Tally(self.losses, self.draws, self.wins)

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A win counts one, a draw a half."""
        return self.wins + self.draws / 2

    @property
    def rate(self) -> float:
        """Points a game; a half before the first."""
        return self.points / self.games if self.games else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the rate."""
        return wilson(self.points, self.games)

    @property
    def elo(self) -> float:
        """By how much the first player is stronger."""
        return elo_of(self.rate)

    @property
    def elo_interval(self) -> tuple[float, float]:
        """The 95 % interval of the Elo difference; infinite on a side where nothing bounds it."""
        low, high = self.interval
        return elo_of(low), elo_of(high)

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain data, None for what is infinite."""
        return {
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "rate": self.rate,
            "rate_interval": self.interval,
            "elo": finite(self.elo),
            "elo_interval": [finite(bound) for bound in self.elo_interval],
        }


def finite(number: float) -> float | None:
    """The number, or None for one that JSON cannot write."""
    return number if math.isfinite(number) else None


def wilson(points: float, games: int) -> tuple[float, float]:
    """Wilson's 95 % score interval of a rate.

    >>> [round(bound, 4) for bound in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    if not games:
        return 0.0, 1.0
    rate, spread = points / games, Z95**2 / games
    middle = (rate + spread / 2) / (1 + spread)
    half = math.sqrt(rate * (1 - rate) * spread + spread**2 / 4) / (1 + spread)
    low = 0.0 if points == 0 else middle - half
    high = 1.0 if points == games else middle + half
    return low, high


def elo_of(rate: float) -> float:
    """The Elo difference at which a player scores that rate.

    >>> round(elo_of(0.75), 1), elo_of(1)
    (190.8, inf)
    """
    if rate <= 0 or rate >= 1:
        return -math.inf if rate <= 0 else math.inf
    return -400 * math.log10(1 / rate - 1)


def rate_of(elo: float) -> float:
    """The rate that a player so much stronger is expected to score.

    >>> rate_of(0)
    0.5
    """
    return 1 / (1 + math.pow(10, -elo / 400))


@dataclass(frozen=True)
class Sprt:
    """The sequential test of `elo0` against `elo1`: play until one of them is clear.

    With error rates alpha (elo1 is taken where elo0 is true) and beta (the reverse). It is the generalised test: the
    log-likelihood ratio at the likeliest chances of winning, drawing and losing under each Elo.

    >>> test = Sprt(0, 100)
    >>> test.verdict(Tally(20, 0, 20)), test.verdict(Tally(65, 0, 35)), test.verdict(Tally(20, 0, 30))
    ('', 'elo1', 'elo0')
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -2000 <= self.elo0 < self.elo1 <= 2000:
            raise BadOption(f"cannot test Elo {self.elo0} against {self.elo1}; hint: the lower first, like 0,30")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise BadOption(f"no error rates {self.alpha} and {self.beta}; hint: between 0 and 0.5, like 0.05")

    @property
    def bounds(self) -> tuple[float, float]:
        """The test ends when the ratio leaves these."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, tally: Tally) -> float:
        """The log-likelihood ratio of elo1 against elo0."""
        if not tally.games:
            return 0.0
        counts = [max(count, UNSEEN) for count in (tally.losses, tally.draws, tally.wins)]
        under0, under1 = (likeliest(counts, rate_of(elo)) for elo in (self.elo0, self.elo1))
        return sum(count * math.log(p1 / p0) for count, p0, p1 in zip(counts, under0, under1))

    def verdict(self, tally: Tally) -> str:
        """`elo0` or `elo1` when it is clear, else nothing."""
        low, high = self.bounds
        ratio = self.ratio(tally)
        return "elo0" if ratio <= low else "elo1" if ratio >= high else ""

    def as_dict(self, tally: Tally) -> dict[str, Any]:
        """The test and where it stands as plain data."""
        settings = {"elo0": self.elo0, "elo1": self.elo1, "alpha": self.alpha, "beta": self.beta}
        return settings | {"llr": self.ratio(tally), "bounds": self.bounds, "verdict": self.verdict(tally)}


def likeliest(counts: list[float], rate: float) -> list[float]:
    """The chances of a loss, a draw and a win that make the counts likeliest among those that score `rate`.

    They are count / total / (1 + x * (worth - rate)) for the one x that makes them score `rate`, found by halving.

    >>> [round(chance, 3) for chance in likeliest([10.0, 0.001, 10.0], 0.75)]
    [0.25, 0.0, 0.75]
    """
    total = sum(counts)
    excess = [worth - rate for worth in (0, 0.5, 1)]
    low, high = -1 / (1 - rate), 1 / rate
    for _ in range(60):
        middle = (low + high) / 2
        surplus = sum(count * over / (1 + middle * over) for count, over in zip(counts, excess))
        low, high = (middle, high) if surplus > 0 else (low, middle)
    chances = [count / total / (1 + low * over) for count, over in zip(counts, excess)]
    return [chance / sum(chances) for chance in chances]
