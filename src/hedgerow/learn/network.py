"""The network: residual 3 x 3 convolutions over the board, and heads for policy, win, owners and score.

It has no normalisation (residual branches begin at zero) and knows the size of the board only through pooled features,
so that one network plays all boards of a game. On hexagonal boards two corners of every kernel are zero, because those
cells are no neighbours; cells off the board stay zero throughout.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from hedgerow.game import Rules
from hedgerow.search.grid import Grid


@dataclass(frozen=True)
class Shape:
    """What a network is like."""

    features: int
    planes: int
    extras: int
    players: int
    hexagonal: bool
    channels: int = 64
    blocks: int = 6
    head: int = 32

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def shape_for(rules: Rules[Any], **size: int) -> Shape:
    """The shape of a network for these rules."""
    grid = Grid(rules)
    hexagonal = rules.board.kind != "square"
    return Shape(grid.features, grid.planes, grid.extras, rules.players, hexagonal, **size)


class Answer(NamedTuple):
    """What a network says of a batch of positions."""

    policy: Tensor
    """(n, answers): logits, planes of H x W and then the extras."""
    win: Tensor
    """(n, players): logits of who wins, the mover first."""
    owners: Tensor
    """(n, players + 1, H, W): logits of who will own each cell, the mover first, nobody last."""
    score: Tensor
    """(n,): the mover's lead in units of the root of the number of points."""


class Convolution(nn.Conv2d):
    """3 x 3, without the two corners that are no neighbours on a hexagonal board."""

    def __init__(self, inner: int, outer: int, hexagonal: bool) -> None:
        super().__init__(inner, outer, 3, padding=1)
        shape = torch.ones(3, 3)
        if hexagonal:
            shape[0, 2] = shape[2, 0] = 0
        self.register_buffer("neighbours", shape, persistent=False)
        self.hexagonal = hexagonal

    def kernel(self) -> Tensor:
        return self.weight * self.neighbours.to(self.weight.dtype) if self.hexagonal else self.weight

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.conv2d(x, self.kernel(), self.bias, padding=1)


def pooled(x: Tensor, cells: Tensor) -> Tensor:
    """(n, 3 * channels): the mean over the board, the mean weighed by its size, and the most."""
    mean = x.sum((2, 3)) / cells
    return torch.cat([mean, mean * (cells.sqrt() / 10 - 1), x.amax((2, 3))], 1)


class Block(nn.Module):
    """A residual block; every other one tells all cells what was seen on the whole board."""

    def __init__(self, channels: int, hexagonal: bool, pools: bool) -> None:
        super().__init__()
        self.first = Convolution(channels, channels, hexagonal)
        self.second = Convolution(channels, channels, hexagonal)
        self.pool = nn.Linear(3 * channels, channels) if pools else None
        nn.init.zeros_(self.second.weight)
        nn.init.zeros_(self.second.bias)

    def forward(self, x: Tensor, mask: Tensor, cells: Tensor, masked: bool) -> Tensor:
        h = torch.relu(self.first(torch.relu(x)))
        h = h * mask if masked else h
        if self.pool is not None:
            h = h + self.pool(pooled(h, cells))[:, :, None, None]
            h = h * mask if masked else h
        h = self.second(h)
        return x + (h * mask if masked else h)


def compiled(function: Any) -> Any:
    """The same, compiled for each size of its input; more than twice as fast on a GPU."""
    torch._dynamo.config.recompile_limit = 64
    return torch.compile(function, dynamic=False)


class Network(nn.Module):
    """Positions as `show` shows them in, an Answer out."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape, c, h = shape, shape.channels, shape.head
        self.stem = Convolution(shape.features, c, shape.hexagonal)
        self.blocks = nn.ModuleList(Block(c, shape.hexagonal, number % 2 == 1) for number in range(shape.blocks))
        self.policy_in, self.value_in = nn.Conv2d(c, h, 1), nn.Conv2d(c, h, 1)
        self.policy_pool = nn.Linear(3 * h, h)
        self.policy_out = nn.Conv2d(h, shape.planes, 1)
        self.extras = nn.Linear(3 * h, max(1, shape.extras))
        self.value_hidden = nn.Linear(3 * h, 64)
        self.win, self.score = nn.Linear(64, shape.players), nn.Linear(64, 1)
        self.owners = nn.Conv2d(h, shape.players + 1, 1)

    def trunk(self, seen: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """What all heads look at, the mask of the board, and how many points it has."""
        x = seen.to(self.stem.weight.dtype) * (1 / 255)
        if x.is_cuda:
            x = x.contiguous(memory_format=torch.channels_last)
        mask, masked = x[:, -1:], self.shape.hexagonal
        cells = mask.sum((2, 3))
        x = self.stem(x)
        x = x * mask if masked else x
        for block in self.blocks:
            x = block(x, mask, cells, masked)
        return torch.relu(x), mask, cells

    def forward(self, seen: Tensor) -> Answer:
        """seen: u1 (n, features, H, W)."""
        x, mask, cells = self.trunk(seen)
        p, v = torch.relu(self.policy_in(x)) * mask, torch.relu(self.value_in(x)) * mask
        whole = pooled(p, cells)
        p = torch.relu(p + self.policy_pool(whole)[:, :, None, None])
        policy = self.policy_out(p).flatten(1)
        if self.shape.extras:
            policy = torch.cat([policy, self.extras(whole)[:, : self.shape.extras]], 1)
        hidden = torch.relu(self.value_hidden(pooled(v, cells)))
        return Answer(policy, self.win(hidden), self.owners(v), self.score(hidden)[:, 0])

    def evaluate(self, seen: Tensor) -> tuple[Tensor, Tensor]:
        """What a search asks for: f4 policy logits, and each seat's chance to win, the mover's first."""
        answer = self(seen)
        return answer.policy.float(), torch.softmax(answer.win.float(), 1)

    def for_play(self) -> Network:
        """The same in bfloat16 and laid out as a GPU likes it best; kernels are held without the corners they lack."""
        played = self.to(torch.bfloat16).to(memory_format=torch.channels_last)
        for module in played.modules():
            if isinstance(module, Convolution):
                module.hexagonal = False
        return played

    @torch.no_grad()
    def take_weights(self, other: Network) -> None:
        """Copies the weights of another network of the same shape to where these lie."""
        for mine, theirs in zip(self.modules(), other.modules()):
            if isinstance(mine, Convolution) and isinstance(theirs, Convolution):
                mine.weight.copy_(theirs.kernel())
        inside = {id(m.weight) for m in self.modules() if isinstance(m, Convolution)}
        pairs = [(p, q) for p, q in zip(self.parameters(), other.parameters()) if id(p) not in inside]
        torch._foreach_copy_([p for p, _ in pairs], [q for _, q in pairs])
