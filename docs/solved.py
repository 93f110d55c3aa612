"""Solves whole boards and the ends of random games, and prints what it finds as the tables of solved.md.

python docs/solved.py boards "rootbound(side=3)" --score
python docs/solved.py firsts "rootbound(side=3)"
python docs/solved.py late tanbo:size=9

Times are of this process's own work, so that whatever else the machine does hardly counts. What was compiled is not.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from statistics import median
from typing import Any

import hedgerow as hg
from hedgerow.search.solve import Solution, Solver, solve

BOARDS = ("rootbound(side=3)", "root_bound(side=3)", "root_bound(side=3,tie_pass=final)")
MEMORY = 1024
"""For a whole board, in MB."""

LATE = ("hexbo(side=5)", "tanbo(size=9)", "root_bound", "rootbound", "root_down", "root_and_thorn")
LONG = ("root_down",)
"""Games that can go on for long, so that short proofs are looked for first."""
GAMES = 8
PLAYS = 5_000_000
"""For one late position."""


def told(rules: Any, found: Solution) -> str:
    """Who wins, and by how much if that was asked for."""
    winner = "a draw" if found.winner < 0 else f"{rules.seats[found.winner]} wins"
    return winner if found.margin is None or found.winner < 0 else f"{winner} by {abs(found.margin)}"


def row(*cells: object) -> None:
    print("|", " | ".join(map(str, cells)), "|", flush=True)


def millions(plays: int) -> str:
    return f"{plays / 1e6:.1f} M"


def new_solver(rules: Any, score: bool) -> Solver:
    """With its kernels compiled."""
    solve(rules, by_score=score, plays=1, memory=1)
    return Solver(rules, by_score=score, memory=MEMORY)


def boards(names: list[str], score: bool) -> None:
    """The value of the start, and a perfect first turn."""
    for rules in map(hg.make, names):
        solver, begun = new_solver(rules, score), time.process_time()
        found = solver.solve(rules.start())
        spent = time.process_time() - begun
        row(f"`{rules.name}`", told(rules, found), found.turn, millions(found.plays), f"{spent:.0f} s")


def firsts(names: list[str], score: bool) -> None:
    """The value of every first action; of those that are alike on a turned or mirrored board, one."""
    for rules in map(hg.make, names):
        start, solver = rules.start(), new_solver(rules, score)
        for action in rules.legal(start):
            if all(rules.actions.turned(action, symmetry) >= action for symmetry in rules.symmetries):
                found = solver.solve(rules.play(start, action))
                row(f"`{rules.name}`", rules.spell(start, action), told(rules, found), found.turn)


def game(rules: Any, seed: int) -> list[Any]:
    """The positions at which the turns of a random game begin, the last first; nobody passes without need."""
    fast, states, begun, plies = rules.fast, rules.fast.new(), [], 0
    while not states[0].over:
        position = fast.unpack(states)
        if not rules.mid_turn(position):
            begun.append(position)
        fast.play(states, fast.pick(states, 1000 * seed + plies))
        plies += 1
    return begun[::-1]


def solved(rules: Any, positions: list[Any]) -> Iterator[Solution]:
    """What is found of these positions, as far as each can be solved."""
    for position in positions:
        found = solve(rules, position, deepening=rules.game.name in LONG, plays=PLAYS, memory=128)
        if not found:
            return
        yield found


def late(names: list[str]) -> None:
    """How many turns before the end of random games the winner is known, going back from the end."""
    for rules in map(hg.make, names):
        solve(rules, plays=1, memory=1)
        games = [game(rules, seed) for seed in range(GAMES)]
        begun = time.process_time()
        turns = sorted(len(list(solved(rules, positions))) for positions in games)
        spent = time.process_time() - begun
        length = median(map(len, games))
        row(f"`{rules.name}`", f"{length:g}", turns[0], f"{median(turns):g}", turns[-1], f"{spent / GAMES:.0f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("boards", "firsts", "late"))
    parser.add_argument("names", nargs="*", help="games; all of the table where none is named")
    parser.add_argument("--score", action="store_true", help="by how much, too")
    asked = parser.parse_intermixed_args()
    if asked.what == "late":
        late(asked.names or list(LATE))
    else:
        {"boards": boards, "firsts": firsts}[asked.what](asked.names or list(BOARDS), asked.score)


if __name__ == "__main__":
    main()
