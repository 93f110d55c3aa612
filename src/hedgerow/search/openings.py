"""How the games of an arena begin: with a few random plies, or from a book."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hedgerow.game import BadOption, BadRecord, HedgerowError, Rules
from hedgerow.match import Match

Openings = Callable[[int], str]
"""The moves of opening number n, separated by spaces."""
ATTEMPTS = 100


def random_openings(rules: Rules[Any], plies: int, seed: int) -> Openings:
    """Openings of so many random plies; the same seed gives the same ones.

    >>> opening = random_openings(Match("tanbo").rules, 4, seed=1)
    >>> len(opening(0).split()), opening(0) == opening(0), opening(0) == opening(1)
    (4, True, False)
    """
    return lambda number: random_opening(rules, plies, random.Random(f"opening {seed} {number}"))


def random_opening(rules: Rules[Any], plies: int, chance: random.Random) -> str:
    """So many random plies after which the game still goes on; passes only where nothing else is legal."""
    for _ in range(ATTEMPTS):
        position = rules.start()
        words: list[str] = []
        while len(words) < plies and not rules.outcome(position):
            legal = rules.legal(position)
            action = chance.choice([one for one in legal if one < rules.actions.extra(0)] or legal)
            words.append(rules.spell(position, action))
            position = rules.play(position, action)
        if not rules.outcome(position):
            return " ".join(words)
    raise BadOption(f"{plies} random plies end a game of {rules.name}; hint: take fewer")


def book_openings(rules: Rules[Any], file: Path) -> Openings:
    """The openings of a file in their order, over and over: one a line, moves separated by spaces, # for comments."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadRecord(f"cannot read the book {str(file)!r}; hint: one opening a line, like c4 d6") from error
    book = [words for number, line in enumerate(lines, 1) if (words := _checked(rules, number, line))]
    if not book:
        raise BadRecord(f"no opening in {str(file)!r}; hint: one opening a line, like c4 d6")
    return lambda number: book[number % len(book)]


def _checked(rules: Rules[Any], number: int, line: str) -> str:
    """The moves of a line; raises BadRecord naming it if they cannot be played."""
    moves, match = line.partition("#")[0].strip(), Match(rules)
    if not moves:
        return ""
    try:
        match.play(moves)
    except HedgerowError as error:
        raise BadRecord(f"line {number}: {error}") from error
    if match.outcome:
        raise BadRecord(f"line {number}: the game is over after this opening; hint: leave something to play")
    return moves
