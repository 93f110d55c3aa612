"""What `hedgerow` says when nobody says what it should do: a small board, and the commands one wants first."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Collection
from itertools import zip_longest

from hedgerow import __version__, draw
from hedgerow.games import game as game_of
from hedgerow.games import games as game_names
from hedgerow.match import Match
from hedgerow.terminal.talk import colourful

GAME, TURNS = "root_bound(side=4)", "d3 d5 c2 c3 g1 e5 b5 f3 b1 f5 a3 e1 b2 g3 d4 c5"
UNBROKEN = "\xa0"
"""A blank at which no line is broken."""
FIRST = (
    ("play", "hedgerow play", "play, against the machine or with others"),
    ("play", "hedgerow play hexbo --lesson", "learn a game step by step"),
    ("games", "hedgerow games", "the games and their options"),
    ("rules", "hedgerow rules tanbo", "read the rules of one"),
    ("replay", "hedgerow replay game.txt", "step through a game"),
    ("analyse", "hedgerow analyse game.txt", "ask the engine about it"),
    ("convert", "hedgerow convert game.txt game.gif", "make a film or a picture of it"),
    ("print", "hedgerow print rootbound", "boards, rules and plates on paper"),
    ("serve", "hedgerow serve", "serve games to browsers"),
    ("", "hedgerow --help", "everything else"),
)
"""A command that it needs, what to type, and what that does; the most useful first."""


def greet(commands: Collection[str]) -> None:
    """Prints the greeting, with those commands that there are."""
    colour = colourful(sys.stdout)
    board = _board(colour)
    titles = [game_of(name).title.replace(" ", UNBROKEN) for name in game_names()]
    words = [
        _bold(f"Hedgerow {__version__}", colour),
        "The home of the root games:",
        "",
        *(line.replace(UNBROKEN, " ") for line in textwrap.wrap(", ".join(titles) + ".", 44)),
    ]
    print()
    for drawn, said in zip_longest(board, ["", *words], fillvalue=""):
        print(f"  {drawn}    {said}".rstrip())
    print()
    shown = [(typed, about) for needs, typed, about in FIRST if not needs or needs in commands]
    longest = max(len(typed) for typed, _ in shown)
    for typed, about in shown:
        print(f"  {_bold(typed, colour)}{' ' * (longest - len(typed) + 2)}{about}")
    print()
    print("  `hedgerow COMMAND --help` tells more about each.")


def _board(colour: bool) -> list[str]:
    """The lines of a small board, all equally wide."""
    match = Match(GAME)
    match.play(TURNS)
    bare, drawn = (draw.text(match.scene(), labels=False, color=shown).split("\n") for shown in (False, colour))
    widest = max(map(len, bare))
    return [line + " " * (widest - len(plain)) for line, plain in zip(drawn, bare)]


def _bold(text: str, colour: bool) -> str:
    return f"\x1b[1m{text}\x1b[0m" if colour else text
