"""The positions that a network learns from: the latest of one board, on the device, with how their games ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from hedgerow.learn.gumbel import News
from hedgerow.search.grid import Grid

CHUNK = {"cuda": 2048, "cpu": 128}
"""Positions and ends are taken to a device so many at a time."""


class Batch(NamedTuple):
    """Positions to learn from, and what was found there."""

    seen: Tensor
    policy: Tensor
    win: Tensor
    """(n, players): what the end was worth to each seat, the mover first."""
    owners: Tensor
    """i8 (n, cells): the mover is 0, the next seat 1, …, nobody the number of players."""
    lead: Tensor
    """(n,): the mover's score less the best of the others."""
    known: Tensor
    """(n,): 1 where the game has come to its end, else 0."""


class Replay:
    """A ring of positions, and a table of the games that they are from."""

    def __init__(self, grid: Grid, players: int, capacity: int, device: str) -> None:
        self.chunk = CHUNK[device.partition(":")[0]]
        self.capacity = max(1, capacity // self.chunk) * self.chunk
        self.players, self.device, self.grid = players, device, grid
        size = self.capacity

        def zeros(*shape: int, kind: torch.dtype = torch.float32) -> Tensor:
            return torch.zeros(shape, dtype=kind, device=device)

        self.seen = zeros(size, grid.features * grid.size, kind=torch.uint8)
        self.policy = zeros(size, grid.answers, kind=torch.float16)
        self.seat, self.number = zeros(size, kind=torch.int64), zeros(size, kind=torch.int64)
        self.game = zeros(size, kind=torch.int64) - 1
        self.value, self.score = zeros(size, players), zeros(size, players)
        self.owners = zeros(size, grid.size, kind=torch.int8)
        self.filled = zeros(kind=torch.float32)
        """How many positions there are."""
        self.count = 0
        """How many positions there ever were."""
        self.positions, self.ends = (
            Waiting(room, self.chunk, device) for room in (self._position_room(), self._end_room())
        )

    def _position_room(self) -> dict[str, tuple[tuple[int, ...], Any]]:
        grid = self.grid
        return {
            "seen": ((grid.features, grid.size), np.uint8),
            "policy": ((grid.answers,), np.float32),
            "seat": ((), np.int8),
            "number": ((), np.int64),
        }

    def _end_room(self) -> dict[str, tuple[tuple[int, ...], Any]]:
        return {
            "end_number": ((), np.int64),
            "end_value": ((self.players,), np.float32),
            "end_score": ((self.players,), np.float32),
            "end_owners": ((self.grid.size,), np.int8),
        }

    def take(self, news: News) -> int:
        """Takes what happened in a step; returns how many new positions there are to learn from."""
        before = self.count
        for rows in self.ends.full(news, np.flatnonzero(news.ended)):
            self._keep_ends(rows)
        for rows in self.positions.full(news, np.flatnonzero(news.moved)):
            self._keep_ends(self.ends.sent())
            self._keep_positions(rows)
        return self.count - before

    def _keep_positions(self, rows: dict[str, Tensor]) -> None:
        at = self.count % self.capacity
        here = slice(at, at + self.chunk)
        self.seen[here], self.policy[here] = rows["seen"].flatten(1), rows["policy"].to(torch.float16)
        self.seat[here], self.number[here] = rows["seat"].long(), rows["number"]
        self.count += self.chunk
        self.filled.fill_(float(min(self.count, self.capacity)))

    def _keep_ends(self, rows: dict[str, Tensor]) -> None:
        if not len(rows["end_number"]):
            return
        slot = rows["end_number"] % self.capacity
        self.game[slot] = rows["end_number"]
        self.value[slot], self.score[slot] = rows["end_value"], rows["end_score"]
        self.owners[slot] = rows["end_owners"]

    def sample(self, size: int) -> Batch:
        """Random positions; those whose game is not over yet are marked. Nothing here waits for the device."""
        chosen = (torch.rand(size, device=self.device) * self.filled).long().clamp_(0, self.capacity - 1)
        seat, number = self.seat[chosen], self.number[chosen]
        slot = number % self.capacity
        order = (seat[:, None] + torch.arange(self.players, device=self.device)) % self.players
        win, score = self.value[slot].gather(1, order), self.score[slot].gather(1, order)
        owners = self.owners[slot].long()
        relative = torch.where(owners < 0, self.players, (owners - seat[:, None]) % self.players)
        lead = score[:, 0] - score[:, 1:].amax(1)
        known = (self.game[slot] == number).float()
        return Batch(self.seen[chosen], self.policy[chosen].float(), win, relative, lead, known)


class Waiting:
    """Rows that wait on this side until there are enough to be worth the way; two rooms, used in turn."""

    def __init__(self, room: dict[str, tuple[tuple[int, ...], Any]], chunk: int, device: str) -> None:
        self.chunk, self.device, self.cuda = chunk, device, device.startswith("cuda")
        self.rooms = [{name: self._room(*kind) for name, kind in room.items()} for _ in range(2)]
        self.busy: list[Any] = [None, None]
        self.turn, self.used = 0, 0

    def _room(self, shape: tuple[int, ...], kind: Any) -> Tensor:
        room = torch.from_numpy(np.zeros((self.chunk, *shape), kind))
        return room.pin_memory() if self.cuda else room

    def full(self, news: News, rows: np.ndarray) -> Iterator[dict[str, Tensor]]:
        """Takes rows of the news; gives what waited, on the device, every time a room is full."""
        while len(rows):
            fits = min(len(rows), self.chunk - self.used)
            for name, room in self.rooms[self.turn].items():
                room.numpy()[self.used : self.used + fits] = getattr(news, name)[rows[:fits]]
            self.used += fits
            rows = rows[fits:]
            if self.used == self.chunk:
                yield self.sent()

    def sent(self) -> dict[str, Tensor]:
        """The rows that waited, on the device; the other room is free from now on."""
        used, room = self.used, self.rooms[self.turn]
        found = {name: rows[:used].to(self.device, non_blocking=True, copy=True) for name, rows in room.items()}
        if self.cuda:
            self.busy[self.turn] = torch.cuda.Event()
            self.busy[self.turn].record()
        self.turn, self.used = 1 - self.turn, 0
        if self.busy[self.turn] is not None:
            self.busy[self.turn].synchronize()
        return found
