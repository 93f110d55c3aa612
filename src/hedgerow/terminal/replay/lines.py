"""A game as lines of text: every turn with who played it, and the board after it."""

from __future__ import annotations

from hedgerow import draw
from hedgerow.match import Match
from hedgerow.terminal.replay.story import Story


def tell(match: Match, first: int = 0) -> None:
    """Prints the positions from one on, each below its turn."""
    story = Story(match)
    for turn in range(first, story.last + 1):
        then = story.at(turn)
        print(story.headline(turn))
        print()
        print(draw.text(then.scene()))
        print()
    print(match.prompt)
