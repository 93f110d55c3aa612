"""Lanes of games that play themselves: while the device evaluates one lane, the processor works on another."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from torch import Tensor

from hedgerow.game import Rules
from hedgerow.learn.gumbel import Forest, News, Plan, Wires, begin, halving, step
from hedgerow.learn.network import Network, compiled
from hedgerow.search.grid import Grid


class Evaluator:
    """One or two networks on the device, for batches of one size; on a GPU a captured graph in bfloat16."""

    def __init__(self, networks: list[Network], grid: Grid, games: int, device: str) -> None:
        self.cuda = device.startswith("cuda")
        self.functions = [compiled(network.evaluate) if self.cuda else network.evaluate for network in networks]
        self.shape = (games, grid.features, grid.height, grid.width)
        self.seen = torch.zeros(self.shape, dtype=torch.uint8, device=device)
        self.side = torch.zeros(games, dtype=torch.uint8, device=device)
        self.graph: Any = None
        if self.cuda:
            self._capture()

    def _capture(self) -> None:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self._answer()
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.logits, self.values = self._answer()

    @torch.no_grad()
    def _answer(self) -> tuple[Tensor, Tensor]:
        answers = [evaluate(self.seen) for evaluate in self.functions]
        if len(answers) == 1:
            return answers[0]
        (one, first), (two, second) = answers
        which = (self.side == 0)[:, None]
        return torch.where(which, one, two), torch.where(which, first, second)

    def run(self) -> None:
        """Answers what lies in `seen`; on a GPU this returns before it is done."""
        if self.graph is not None:
            self.graph.replay()
        else:
            self.logits, self.values = self._answer()


class Lane:
    """Some games of one board, and the memory that they need."""

    def __init__(
        self,
        rules: Rules[Any],
        networks: list[Network],
        *,
        games: int,
        simulations: int,
        candidates: int,
        first: int,
        stride: int,
        seed: int,
        device: str,
        noise: float = 1.0,
        opening: float = 0.25,
    ) -> None:
        self.rules, self.fast, self.grid, self.games = rules, rules.fast, Grid(rules), games
        self.start = self.fast.new()
        grid, turns = self.grid, halving(candidates, simulations)
        numbers = (candidates, noise, 1.0, opening, stride)
        self.plan = Plan(grid.cells, grid.places, grid.own, grid.planes, turns, *numbers)
        self.forest = _forest(rules, games, simulations + 1)
        self.pinned, self.wires = _wires(grid, games, rules.players, device)
        self.news = _news(grid, games, rules.players)
        self.evaluator = Evaluator(networks, grid, games, device)
        self.ready: Any = None
        begin(self.fast.boards, self.start, self.plan, self.forest, self.wires, self.news, np.uint64(seed), first)

    def ask(self) -> None:
        """Sends the positions shown to the device; on a GPU the answers come later."""
        evaluator, (seen, logits, values, side) = self.evaluator, self.pinned
        evaluator.seen.copy_(seen.view(evaluator.shape), non_blocking=True)
        evaluator.side.copy_(side, non_blocking=True)
        evaluator.run()
        logits.copy_(evaluator.logits, non_blocking=True)
        values.copy_(evaluator.values, non_blocking=True)
        if evaluator.cuda:
            self.ready = torch.cuda.Event()
            self.ready.record()

    def work(self, pool: ThreadPoolExecutor, threads: int) -> News:
        """Waits for the answers and carries all games on; what happened."""
        if self.ready is not None:
            self.ready.synchronize()
        bounds = np.linspace(0, self.games, threads + 1).astype(int).tolist()
        whole = self.fast.boards, self.start, self.plan, self.forest, self.wires, self.news
        list(pool.map(lambda low, high: step(*whole, low, high), bounds[:-1], bounds[1:]))
        return self.news


def _forest(rules: Rules[Any], games: int, nodes: int) -> Forest:
    rows, actions, players = games * nodes, rules.actions.size, rules.players
    return Forest(
        states=rules.fast.new(1).repeat(rows).view(np.recarray),
        used=np.ones(games, np.int32),
        parent=np.full(rows, -1, np.int32),
        visits=np.zeros(rows, np.int32),
        value=np.zeros((rows, players), np.float32),
        raw=np.zeros((rows, players), np.float32),
        edges=np.zeros(rows, np.int32),
        action=np.zeros((rows, actions), np.int16),
        logit=np.zeros((rows, actions), np.float32),
        child=np.zeros((rows, actions), np.int16),
        noise=np.zeros((games, actions), np.float32),
        leaf=np.zeros(games, np.int32),
        done=np.zeros(games, np.int32),
        word=np.zeros(games, np.uint64),
        number=np.zeros(games, np.int64),
    )


def _wires(grid: Grid, games: int, players: int, device: str) -> tuple[tuple[Tensor, ...], Wires]:
    """Memory that the device can reach by itself, as tensors and as arrays."""
    shapes = ((grid.features, grid.size), torch.uint8), ((grid.answers,), torch.float32), ((players,), torch.float32)
    tensors = [torch.zeros((games, *shape), dtype=kind) for shape, kind in (*shapes, ((), torch.uint8))]
    if device.startswith("cuda"):
        tensors = [tensor.pin_memory() for tensor in tensors]
    return tuple(tensors), Wires(*(tensor.numpy() for tensor in tensors))


def _news(grid: Grid, games: int, players: int) -> News:
    return News(
        moved=np.zeros(games, np.uint8),
        seen=np.zeros((games, grid.features, grid.size), np.uint8),
        policy=np.zeros((games, grid.answers), np.float32),
        seat=np.zeros(games, np.int8),
        number=np.zeros(games, np.int64),
        ended=np.zeros(games, np.uint8),
        end_number=np.zeros(games, np.int64),
        end_value=np.zeros((games, players), np.float32),
        end_score=np.zeros((games, players), np.float32),
        end_owners=np.zeros((games, grid.size), np.int8),
    )
