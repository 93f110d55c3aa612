"""What a shell may complete: games with their options, players, formats, themes. Only completion calls these."""

from __future__ import annotations

from collections.abc import Iterator


def formats(incomplete: str) -> Iterator[str]:
    """Formats that games can be converted to."""
    from hedgerow.terminal.convert import NAMES

    yield from (name for name in NAMES if name.startswith(incomplete))


def themes(incomplete: str) -> Iterator[str]:
    """Looks of boards."""
    from hedgerow.draw.themes import THEMES

    yield from (name for name in THEMES if name.startswith(incomplete))


def games(incomplete: str) -> Iterator[tuple[str, str]]:
    """Games; after a colon their options, after an equals sign the values: `hexbo:side=5,players=3`."""
    from hedgerow.games import game as game_of
    from hedgerow.games import games as names

    name, colon, written = incomplete.partition(":")
    if not colon:
        yield from ((found, game_of(found).about) for found in names() if found.startswith(name))
        return
    if name not in names():
        return
    *before, last = written.split(",")
    begun = f"{name}:{''.join(f'{one},' for one in before)}"
    settled = {one.partition("=")[0] for one in before}
    for option in game_of(name).options:
        if option.name not in settled and (option.name.startswith(last) or last.startswith(f"{option.name}=")):
            for value in option.values:
                if f"{option.name}={value}".startswith(last):
                    yield f"{begun}{option.name}={value}", option.about


PLAYERS = {
    "random": "plays at random",
    "greedy": "looks one action ahead",
    "uct:iterations=1000": "searches, so many random games an action",
    "uct:seconds=1": "searches, so many seconds a turn",
    "net:visits=400": "searches with the game's network, so many visits an action",
    "best:seconds=1": "whoever plays the game best, so many seconds a turn",
}
LEVELS = 10


def players(incomplete: str) -> Iterator[tuple[str, str]]:
    """Players, as `arena` and `gtp` take them."""
    levels = {f"level:{level}": f"level {level} of the game's ladder" for level in range(1, LEVELS + 1)}
    yield from ((name, about) for name, about in (levels | PLAYERS).items() if name.startswith(incomplete))
