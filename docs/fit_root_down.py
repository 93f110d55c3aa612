"""Fits the network that judges Root Down's positions (games/root_down/evaluation.py) to games of alpha-beta against itself.

python docs/fit_root_down.py play GAMES.npz --seconds 600 --seed 1    as often as wanted, several at a time
python docs/fit_root_down.py fit GAMES.npz [GAMES.npz ...]            writes evaluation.npz; needs hedgerow[train]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import hedgerow as hg
from hedgerow.games.root_down import evaluation
from hedgerow.games.root_down.beside import NOT_A, NOT_H, RANK
from hedgerow.kernels.bits import ONE
from hedgerow.search.alphabeta import WON, Limit, Look, table_for

VARIANTS = tuple(hg.make(name) for name in ("root_down", "root_down(activating_roots=own)"))
RARE = 0.2  # how many games are of the second variant
OPENING, RANDOM = (2, 11), 0.03  # random plies to begin with, and turns at random later
BY_CHANCE, DECIDED = 32_000, 30_000  # among values: no search was asked; the game was as good as over
SEARCHED = 0.7  # how much the search's opinion counts, beside who won
NO_INPUT = evaluation.INPUTS
BATCH, EPOCHS, RATE = 8192, 50, 3e-3


def play(out: Path, seconds: float, seed: int, plays: int) -> None:
    """Plays games for a while and keeps their actions, what the search thought before each, and who won."""
    chance, games, begun, told = np.random.default_rng(seed), [], time.monotonic(), 0.0
    while (spent := time.monotonic() - begun) < seconds:
        games.append(one_game(chance, plays))
        if spent > told + 20:
            told = spent
            keep(out, games)
            print(f"{len(games):,} games, {spent:.0f} of {seconds:.0f} s", flush=True)
    keep(out, games)


def one_game(chance: np.random.Generator, plays: int) -> tuple[int, list[int], list[int], int]:
    """(variant, actions, values, winner)"""
    variant = int(chance.random() < RARE)
    rules, table = VARIANTS[variant], table_for(plays)
    match, opening = hg.Match(rules), int(chance.integers(*OPENING))
    actions: list[int] = []
    values: list[int] = []
    while not match.outcome:
        legal = rules.legal(match.plain)
        if len(actions) < opening or chance.random() < RANDOM:
            action, value = int(chance.choice(legal)), BY_CHANCE
        else:
            found = Look(
                rules, match.plain, list(legal), table, int(chance.integers(1 << 30)), Limit(None, plays)
            ).run()
            action, value = found.action, found.value if abs(found.value) < WON // 2 else DECIDED
        actions.append(action)
        values.append(value)
        match.play(rules.spell(match.plain, action))
    return variant, actions, values, match.outcome.winners[0]


def keep(out: Path, games: list[tuple[int, list[int], list[int], int]]) -> None:
    variants, actions, values, winners = zip(*games, strict=True)
    np.savez_compressed(
        out,
        lengths=np.array([len(of) for of in actions], np.uint16),
        variants=np.array(variants, np.uint8),
        winners=np.array(winners, np.int8),
        actions=np.concatenate(actions).astype(np.uint16),
        values=np.concatenate(values).astype(np.int16),
    )


def examples(files: list[Path]) -> dict[str, np.ndarray]:
    """Every position that a search was asked about: its inputs, the mover's choices, the value, whether the mover won."""
    parts = [positions(dict(np.load(file)), variant) for file in files for variant in range(len(VARIANTS))]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def positions(games: dict[str, np.ndarray], variant: int) -> dict[str, np.ndarray]:
    """The positions of one variant's games, all games a ply at a time."""
    fast, lengths = VARIANTS[variant].fast, games["lengths"].astype(int)
    starts = np.cumsum(lengths) - lengths
    order = np.flatnonzero(games["variants"] == variant)
    order = order[np.argsort(-lengths[order], kind="stable")]
    states, found = fast.new(len(order)), []
    for ply in range(lengths[order].max(initial=0)):
        going = order[lengths[order] > ply]
        rows, values = states[: len(going)].copy(), games["values"][starts[going] + ply]
        asked = np.abs(values) < DECIDED
        mover = rows["to_move"][asked]
        found.append(
            {
                "inputs": inputs(rows[asked], int(fast.boards["foreign"][0])),
                "choices": rows["choices"][asked].astype(np.float32),
                "values": values[asked].astype(np.float32),
                "won": (games["winners"][going][asked] == mover).astype(np.float32),
                "game": going[asked],
            }
        )
        fast.play(rows, games["actions"][starts[going] + ply].astype(np.int64))
        states[: len(going)] = rows
    return {name: np.concatenate([part[name] for part in found]) for name in found[0]}


def inputs(states: np.ndarray, foreign: int) -> np.ndarray:
    """int16 (positions, 16): the numbers of the inputs of each position's pieces, then NO_INPUT."""
    mover, rows = states["to_move"], np.arange(len(states))
    sets = []
    for side in (mover, 1 - mover):
        own, roots, diminished = states["sides"][rows, side], states["roots"], states["diminished"]
        activated = beside(roots & (own | np.uint64(foreign)))
        kickers = own & ~roots & ~diminished
        sets += [own & roots, kickers & ~activated, kickers & activated]
        sets += [own & diminished & ~activated, own & diminished & activated]
    turned = [np.where(mover == 1, words.byteswap(), words) for words in sets]
    bits = np.concatenate(
        [np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little") for words in turned], 1
    )
    numbers = np.where(bits, np.arange(NO_INPUT), NO_INPUT).astype(np.int16)
    return np.sort(numbers, axis=1)[:, :16]


def beside(points: np.ndarray) -> np.ndarray:
    """As the kernel of this name, for arrays."""
    wide = points | (points << ONE & NOT_A) | (points >> ONE & NOT_H)
    return wide | wide << RANK | wide >> RANK


def fit(files: list[Path], out: Path, epochs: int) -> None:
    """Learns from all games but one in twenty, which tell how good it is."""
    import torch

    data = {name: torch.from_numpy(array) for name, array in examples(files).items()}
    opinion = torch.sigmoid(data["values"] / 100)
    target = SEARCHED * opinion + (1 - SEARCHED) * data["won"]
    held_out = data["game"] % 20 == 0
    learned, tested = torch.nonzero(~held_out)[:, 0], torch.nonzero(held_out)[:, 0]
    mirrored = torch.tensor([*(number ^ 7 for number in range(NO_INPUT)), NO_INPUT])
    first = torch.nn.EmbeddingBag(NO_INPUT + 1, evaluation.HIDDEN, mode="sum", padding_idx=NO_INPUT)
    torch.nn.init.normal_(first.weight, std=0.08)
    hidden = torch.nn.Parameter(torch.full((evaluation.HIDDEN,), 0.3))
    last = torch.nn.Linear(evaluation.HIDDEN, 1)
    choice = torch.nn.Parameter(torch.ones(()))
    optimiser = torch.optim.Adam([*first.parameters(), hidden, *last.parameters(), choice], lr=RATE)
    steps = epochs * max(1, len(learned) // BATCH)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps, RATE / 300)
    loss = torch.nn.functional.binary_cross_entropy_with_logits
    most = (evaluation.SHIFTED - 1) / evaluation.UNIT

    def logits(numbers: torch.Tensor, choices: torch.Tensor) -> torch.Tensor:
        return last((first(numbers) + hidden).clamp(0, 1))[:, 0] + choice * choices / 100

    for step in range(steps):
        rows = learned[torch.randint(len(learned), (BATCH,))]
        numbers = data["inputs"][rows].long()
        wrong = loss(logits(mirrored[numbers] if step % 2 else numbers, data["choices"][rows]), target[rows])
        optimiser.zero_grad()
        wrong.backward()
        optimiser.step()
        schedule.step()
        with torch.no_grad():
            first.weight.clamp_(-most, most)
            first.weight[NO_INPUT] = 0
        if step % max(1, steps // 10) == 0 or step == steps - 1:
            with torch.no_grad():
                told = logits(data["inputs"][tested].long(), data["choices"][tested])
            print(
                f"step {step} of {steps}: {loss(told, data['won'][tested]):.4f} for who won, "
                f"{loss(told, opinion[tested]):.4f} for the search's opinion"
            )
    np.savez_compressed(
        out,
        inputs=np.rint(first.weight.detach().numpy()[:NO_INPUT] * evaluation.UNIT).astype(np.int16),
        hidden=np.rint(hidden.detach().numpy() * evaluation.UNIT).astype(np.int32),
        outputs=np.rint(last.weight.detach().numpy()[0] * 100 * evaluation.FINE).astype(np.int32),
        begin=np.int32(round(100 * last.bias.item())),
        choice=np.int32(round(choice.item())),
    )


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("what", choices=("play", "fit"))
    asked.add_argument("files", nargs="+", type=Path)
    asked.add_argument("--seconds", type=float, default=600)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--plays", type=int, default=4000)
    asked.add_argument("--epochs", type=int, default=EPOCHS)
    asked.add_argument("--out", type=Path, default=Path(evaluation.__file__).with_name("evaluation.npz"))
    told = asked.parse_args()
    if told.what == "play":
        play(told.files[0], told.seconds, told.seed, told.plays)
    else:
        fit(told.files, told.out, told.epochs)
