"""What a training run leaves behind, written so that a kill at any moment loses nothing that was there before."""

from __future__ import annotations

import json
import math
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from hedgerow.game import HedgerowError

if TYPE_CHECKING:
    from hedgerow.learn.lessons import Learner

FILE = "training.pt"
LOG = "progress.json"
COUNTS = ("runs", "evaluations", "positions", "games", "steps")
"""What the file of a finished network tells in numbers that add up from run to run."""


@dataclass
class Progress:
    """How far a training has come."""

    boards: list[str]
    shape: dict[str, Any]
    seconds: float = 0.0
    runs: int = 0
    evaluations: int = 0
    positions: int = 0
    games: int = 0
    steps: int = 0
    evaluations_a_second: float = 0.0
    losses: dict[str, float] = field(default_factory=dict)
    elo: float = 0.0
    """Of the network that was kept last, above the first that it was matched with."""
    curve: list[tuple[float, float]] = field(default_factory=list)
    """Seconds, and the Elo of the network of then."""
    search: list[tuple[float, float, int]] = field(default_factory=list)
    """Seconds, and how many games were won then of how many against random games."""
    before: int = 0
    """Evaluations at the last tick."""
    begun: int = 0
    """Steps when the optimiser was begun: more than 0 where a training went on from a finished network."""

    def told(self) -> dict[str, Any]:
        """What the file of a finished network tells of how it came to be."""
        counts = {name: getattr(self, name) for name in COUNTS}
        return {
            "boards": self.boards,
            "seconds": round(self.seconds, 1),
            **counts,
            "elo": self.curve,
            "shape": self.shape,
        } | ({"search": self.search} if self.search else {})

    @classmethod
    def of(cls, told: dict[str, Any]) -> Progress:
        """The progress of what a file tells, for a training that goes on from there with a new optimiser."""
        progress = cls(list(told["boards"]), told["shape"], told["seconds"], **{name: told[name] for name in COUNTS})
        progress.before, progress.begun = progress.evaluations, progress.steps
        progress.curve = [(seconds, elo) for seconds, elo in told["elo"]]
        progress.search = [(seconds, won, played) for seconds, won, played in told.get("search", ())]
        progress.elo = progress.curve[-1][1] if progress.curve else 0.0
        return progress

    def joined(self, fresh: Progress, where: str) -> Progress:
        """This, now on the boards of a fresh one too; refused where that is for a network of another shape."""
        other = [
            f"{name} {value}, not {fresh.shape[name]}"
            for name, value in self.shape.items()
            if value != fresh.shape[name]
        ]
        if other:
            hint = "hint: the same game, players, --channels and --blocks, or a new network in another folder"
            raise HedgerowError(f"{where} has another shape ({'; '.join(other)}); {hint}")
        self.boards += [name for name in fresh.boards if name not in self.boards]
        return self

    def tick(self, seconds: float) -> None:
        """So many seconds have passed since the last one."""
        self.seconds += seconds
        self.evaluations_a_second = round((self.evaluations - self.before) / seconds, 1)
        self.before = self.evaluations

    def rate(self, won: float, played: int) -> None:
        """A match against the last kept network, and what its result means; who won is kept."""
        share = min(max(won / played, 0.5 / played), 1 - 0.5 / played)
        now = self.elo - 400 * math.log10(1 / share - 1)
        self.elo = max(self.elo, now)
        self.curve.append((round(self.seconds, 1), round(now, 1)))


def save(folder: Path, learner: Learner, progress: Progress) -> None:
    """Writes a checkpoint beside the old one and then puts it in its place."""
    folder.mkdir(parents=True, exist_ok=True)
    written = folder / f"{FILE}.new"
    state = {name: _on_cpu(value) for name, value in learner.state().items()}
    with written.open("wb") as file:
        torch.save({"progress": asdict(progress), **state}, file)
        file.flush()
        os.fsync(file.fileno())
    written.replace(folder / FILE)
    (folder / LOG).write_text(json.dumps(asdict(progress), indent=1) + "\n", encoding="utf-8")


def _on_cpu(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _on_cpu(inner) for name, inner in value.items()}
    return [_on_cpu(inner) for inner in value] if isinstance(value, list) else value.cpu()


def read(folder: Path) -> dict[str, Any]:
    """The checkpoint of a folder."""
    path = folder / FILE
    try:
        found: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise HedgerowError(f"there is no {FILE} in {str(folder)!r}; hint: train without --resume first") from None
    except Exception as damaged:
        raise HedgerowError(f"cannot read {str(path)!r}; hint: it is damaged, train anew") from damaged
    return found


def load(folder: Path, learner: Learner, fresh: Progress) -> Progress:
    """Puts the weights of a folder's checkpoint into a learner; how far it had come, now on these boards."""
    found = read(folder)
    progress = Progress(**found["progress"]).joined(fresh, f"the network in {str(folder)!r}")
    learner.load(found)
    return progress
