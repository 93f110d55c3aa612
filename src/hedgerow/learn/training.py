"""Training: lanes of self-play, lessons between their steps, checkpoints, and matches against what was kept before."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import torch

from hedgerow.game import BadOption, Rules
from hedgerow.learn.checkpoint import Progress, load, save
from hedgerow.learn.duel import against_search, duel
from hedgerow.learn.lessons import LOSSES, Learner, Lessons
from hedgerow.learn.network import Network, shape_for
from hedgerow.learn.reading import Beginning
from hedgerow.learn.replay import Replay
from hedgerow.learn.schedule import rate
from hedgerow.learn.selfplay import Lane

TOLD_EVERY = 4.0
"""Seconds between two looks at how far it has come."""


@dataclass(frozen=True)
class Recipe:
    """How to train; the defaults are for a large GPU."""

    games: int = 4096
    """Games side by side on each board."""
    simulations: int = 32
    candidates: int = 16
    batch: int = 2048
    reuse: float = 2.0
    """How often a position is learned from, on average."""
    window: int = 256
    """How many of the latest moves of each game are kept to learn from."""
    rate: float = 1e-3
    average: float = 0.996
    """How much of the running mean of the weights stays in a step of learning."""
    channels: int = 64
    blocks: int = 6
    lanes: int = 2
    seed: int = 0
    threads: int = 0
    """Of the processor; 0: one a core."""
    device: str = "cuda"
    save_every: float = 30.0
    match_every: float = 120.0
    """Seconds between matches against the last kept network; 0: none."""
    match_games: int = 256
    search_games: int = 32
    """How many games it then plays against random games."""


CPU = Recipe(
    games=64,
    simulations=16,
    candidates=8,
    batch=128,
    window=128,
    rate=3e-3,
    average=0.97,
    channels=16,
    blocks=2,
    lanes=1,
    device="cpu",
    match_games=32,
    search_games=8,
)
"""For a processor alone: small boards."""


@dataclass
class Board:
    """One board that is played on: its lanes, its positions and its lessons."""

    rules: Rules[Any]
    lanes: list[Lane]
    replay: Replay
    lessons: Lessons
    owed: float = 0.0
    """Positions still to be learned from."""
    ended: int = 0
    moves: int = field(default=0)

    @property
    def ready(self) -> bool:
        """There is enough to begin with."""
        return self.replay.count >= 2 * self.lessons.size and self.ended >= sum(lane.games for lane in self.lanes) // 8


class Training:
    """Trains one network on some boards of a game."""

    def __init__(
        self,
        boards: list[Rules[Any]],
        recipe: Recipe,
        folder: Path,
        resume: bool = False,
        beginning: Beginning | None = None,
    ) -> None:
        self.recipe, self.folder = recipe, folder
        torch.manual_seed(recipe.seed)
        if recipe.device == "cuda":
            torch.backends.cudnn.benchmark = True
        shape = shape_for(boards[0], channels=recipe.channels, blocks=recipe.blocks)
        if any(shape_for(rules, channels=recipe.channels, blocks=recipe.blocks) != shape for rules in boards):
            raise BadOption("these boards cannot share a network; hint: one game, and as many players on every board")
        self.network, self.mean, self.player, self.kept = (self._new(shape) for _ in range(4))
        self.mean.load_state_dict(self.network.state_dict())
        if recipe.device == "cuda":
            self.player, self.kept = (n.for_play() for n in (self.player, self.kept))
        self.learner = Learner(self.network, self.mean, recipe.rate, recipe.average)
        self.progress = Progress([rules.name for rules in boards], shape.as_dict())
        if resume:
            self.progress = load(folder, self.learner, self.progress)
        elif beginning:
            self.progress = beginning.progress.joined(self.progress, "the finished network")
            for network in (self.network, self.mean):
                network.load_state_dict(beginning.network.state_dict())
        self.learned = 0
        """Evaluations of the runs before this one."""
        self.publish(self.player)
        self.publish(self.kept)
        self.threads = recipe.threads or os.cpu_count() or 1
        if recipe.device == "cpu":
            torch.set_num_threads(1)  # its threads would wait for each other by spinning, while games are played
        self.boards = [self._board(rules) for rules in boards]
        self.stopped = False

    def _new(self, shape: Any) -> Network:
        return Network(shape).to(self.recipe.device)

    def _board(self, rules: Rules[Any]) -> Board:
        recipe, each = self.recipe, self.recipe.games // self.recipe.lanes
        lanes = [
            Lane(
                rules,
                [self.player],
                games=each,
                simulations=recipe.simulations,
                candidates=recipe.candidates,
                first=lane * each,
                stride=recipe.games,
                seed=recipe.seed + self.progress.runs,
                device=recipe.device,
            )
            for lane in range(recipe.lanes)
        ]
        replay = Replay(lanes[0].grid, rules.players, recipe.games * recipe.window, recipe.device)
        return Board(rules, lanes, replay, Lessons(rules, self.network, replay, self.learner, recipe.batch))

    @torch.no_grad()
    def publish(self, network: Network) -> None:
        """Gives a network that plays the mean of the weights."""
        network.take_weights(self.mean)

    def run(self, seconds: float, tell: Callable[[Progress], None] = lambda progress: None) -> None:
        """Trains for so long; a checkpoint is written now and then, and at the end."""
        begun = saved = told = matched = time.monotonic()
        sys.setswitchinterval(2e-4)  # threads come back from kernels thousands of times a second
        self.progress.runs += 1
        self.learned = self.progress.evaluations
        if self.progress.begun:
            self._set_rate(0.0)  # a new optimiser's first steps must not undo what the network knows already
        with ThreadPoolExecutor(self.threads) as pool:
            turns = [
                (board, lane)
                for number in range(self.recipe.lanes)
                for board in self.boards
                for lane in board.lanes[number : number + 1]
            ]
            for _, lane in turns:
                lane.ask()
            for board, lane in cycle(turns):
                self._turn(board, lane, pool)
                now = time.monotonic()
                if now - told > TOLD_EVERY:
                    self._count(now - told, (now - begun) / seconds)
                    told = now
                    tell(self.progress)
                if self.recipe.match_every and now - matched > self.recipe.match_every:
                    self.match()
                    matched = time.monotonic()
                if now - saved > self.recipe.save_every:
                    save(self.folder, self.learner, self.progress)
                    saved = now
                if self.stopped or now - begun > seconds:
                    break
        self._count(max(1e-3, time.monotonic() - told), 1.0)
        tell(self.progress)
        save(self.folder, self.learner, self.progress)

    def _turn(self, board: Board, lane: Lane, pool: ThreadPoolExecutor) -> None:
        """One step of a lane, and the lessons that its new positions are worth."""
        news = lane.work(pool, self.threads)
        lane.ask()
        self.progress.evaluations += lane.games
        ended = int(news.ended.sum())
        board.ended += ended
        self.progress.games += ended
        new = board.replay.take(news)
        self.progress.positions += new
        board.owed += new * self.recipe.reuse
        if not board.ready:
            board.owed = 0.0
        if board.owed >= board.lessons.size:
            while board.owed >= board.lessons.size:
                board.owed -= board.lessons.size
                board.lessons.step()
                self.progress.steps += 1
            self.publish(self.player)

    def _count(self, seconds: float, share: float) -> None:
        """Brings the progress up to date, and the rate of learning."""
        progress, losses, steps = self.progress, torch.zeros(len(LOSSES)), 0
        for board in self.boards:
            losses += board.lessons.losses.cpu()
            steps += board.lessons.steps
            board.lessons.losses.zero_()
            board.lessons.steps = 0
        if steps:
            progress.losses = dict(zip(LOSSES, (round(float(x), 4) for x in losses / steps)))
        progress.tick(seconds)
        self._set_rate(share)

    def _set_rate(self, share: float) -> None:
        """The rate of learning when a share of the run has passed."""
        steps = self.progress.steps - self.progress.begun
        self.learner.set_rate(rate(self.recipe.rate, share, steps, self.learned))

    def match(self) -> None:
        """Plays against the last kept network and random games on the first board; what won is kept, the Elo rises."""
        rules, threads, seed = self.boards[0].rules, self.threads, self.progress.steps
        won, played = duel(rules, self.player, self.kept, self.recipe, threads, seed)
        self.progress.rate(won, played)
        self.progress.search.append(
            (round(self.progress.seconds, 1), *against_search(rules, self.player, self.recipe, threads, seed))
        )
        if won > played / 2:
            self.publish(self.kept)
