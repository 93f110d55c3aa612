"""Draws the pictures of the README: one game of each kind, played by chance but with some taste.

python docs/pictures.py
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import hedgerow as hg
from hedgerow import draw

PICTURES = {
    "hexbo": ("hexbo", 70, 6),
    "hexbo-six": ("hexbo(players=6)", 150, 5),
    "tanbo": ("tanbo(size=13)", 110, 4),
    "root_bound": ("root_bound", 78, 6),
    "rootbound": ("rootbound", 66, 5),
    "root_bound-centerless": ("root_bound(side=6,centerless=yes)", 60, 4),
    "root_down": ("root_down", 11, 2),
    "root_and_thorn": ("root_and_thorn", 76, 0),
}


def midgame(name: str, plies: int, seed: int) -> hg.Match:
    """A game some way in, its players rather growing than scattering."""
    match, chance = hg.Match(name), Random(seed)
    rules = match.rules
    for _ in range(plies):
        position = match.plain
        actions = [a for a in rules.legal(position) if a < rules.actions.extra(0)] or rules.legal(position)
        if match.outcome:
            break
        own = {p for p, v in enumerate(position.board) if v and rules.pieces[v - 1].seat == position.to_move}
        liking = {
            a: chance.random() + 0.25 * (len(own & set(rules.board.neighbours[rules.actions.split(a)[1]])) == 1)
            for a in actions
        }
        match.play(rules.spell(position, max(actions, key=lambda a: liking[a])))
    return match


def main() -> None:
    folder = Path(__file__).parent / "pictures"
    for file, (name, plies, seed) in PICTURES.items():
        match = midgame(name, plies, seed)
        (folder / f"{file}.svg").write_text(draw.svg(match.scene(), size=640), encoding="utf-8")


if __name__ == "__main__":
    main()
