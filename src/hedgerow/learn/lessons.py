"""Learning from positions: the loss, and one step of AdamW, which on a GPU is a captured graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, huber_loss

from hedgerow.game import Rules
from hedgerow.learn.network import Network, compiled
from hedgerow.learn.replay import Batch, Replay
from hedgerow.search.grid import Grid

LOSSES = ("policy", "win", "owners", "score")
WEIGHTS = (1.0, 1.0, 0.5, 0.1)


class Turner:
    """Turns and mirrors positions at random: the rules are the same on the turned board."""

    def __init__(self, rules: Rules[Any], grid: Grid, device: str) -> None:
        def table(rows: list[np.ndarray]) -> Tensor:
            return torch.from_numpy(np.stack(rows)).to(device)

        self.features = table([grid.turned_features(rules, s) for s in rules.symmetries])
        self.answers = table([grid.turned_answers(rules, s) for s in rules.symmetries])
        self.points = table([grid.turned_points(s) for s in rules.symmetries])

    def __call__(self, batch: Batch) -> Batch:
        which = (torch.rand(len(batch.seen), device=batch.seen.device) * len(self.points)).long()
        which = which.clamp_(0, len(self.points) - 1)
        return batch._replace(
            seen=batch.seen.gather(1, self.features[which]),
            policy=batch.policy.gather(1, self.answers[which]),
            owners=batch.owners.gather(1, self.points[which]),
        )


class Lessons:
    """The steps of learning on one board."""

    def __init__(self, rules: Rules[Any], network: Network, replay: Replay, learner: Learner, size: int) -> None:
        self.network, self.replay, self.learner, self.size = network, replay, learner, size
        self.grid, device = Grid(rules), replay.device
        self.turner = Turner(rules, self.grid, device)
        self.owned, self.scored = rules.fast.owned, has_scores(rules)
        self.root = float(np.sqrt(len(rules.board)))
        self.losses = torch.zeros(len(LOSSES), device=device)
        """Sums since they were last looked at."""
        self.steps = 0
        self.graph: Any = None
        self.cuda = device.startswith("cuda")
        self.answer = compiled(network) if self.cuda else network

    def step(self) -> None:
        """Learns from one batch."""
        if self.cuda and self.graph is None:
            self._capture()
        if self.graph is not None:
            self.graph.replay()
        else:
            self._step()
        self.steps += 1

    def _capture(self) -> None:
        """What the steps to warm up learned is forgotten, so that they leave no trace."""
        kept = self.learner.state()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self._step()
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self._step()
        self.learner.load(kept)
        self.losses.zero_()

    def _step(self) -> None:
        batch = self.turner(self.replay.sample(self.size))
        with torch.autocast("cuda" if self.cuda else "cpu", torch.bfloat16, enabled=self.cuda, cache_enabled=False):
            losses = self._losses(batch)
        total = sum(weight * loss for weight, loss in zip(WEIGHTS, losses))
        self.learner.learn(total)
        self.losses += torch.stack([loss.detach() for loss in losses])

    def _losses(self, batch: Batch) -> tuple[Tensor, ...]:
        """Policy, win, owners, score; 0 where the game has no such thing."""
        grid, players = self.grid, self.replay.players
        image = batch.seen.view(-1, grid.features, grid.height, grid.width)
        answer = self.answer(image)
        legal = image[:, grid.own : grid.own + grid.planes].flatten(1) > 0
        if grid.extras:
            legal = torch.cat([legal, image[:, grid.own + grid.planes].flatten(1).amax(1, keepdim=True) > 0], 1)
        logits = answer.policy.float().masked_fill(~legal, -1e4)
        known = batch.known / batch.known.sum().clamp_min(1)
        policy = -(batch.policy * torch.log_softmax(logits, 1)).sum(1).mean()
        win = -((batch.win * torch.log_softmax(answer.win.float(), 1)).sum(1) * known).sum()
        owners = score = torch.zeros((), device=image.device)
        if self.owned:
            board = (image[:, -1] > 0).flatten(1).float()
            each = cross_entropy(answer.owners.float().flatten(2), batch.owners.clamp(0, players), reduction="none")
            owners = ((each * board).sum(1) / board.sum(1) * known).sum()
        if self.scored:
            lead = batch.lead / self.root
            score = (huber_loss(answer.score.float(), lead, reduction="none") * known).sum()
        return policy, win, owners, score


def has_scores(rules: Rules[Any]) -> bool:
    """The game is decided by scores, or has some."""
    states = rules.fast.new(1)
    rules.fast.finish(states, 0)
    outcome = rules.outcome(rules.fast.unpack(states))
    return outcome is not None and outcome.scores is not None


class Learner:
    """The weights of a network, their optimiser, and their running mean, which plays and is kept."""

    def __init__(self, network: Network, mean: Network, rate: float, average: float) -> None:
        self.network, self.mean, self.average = network, mean, average
        device = next(network.parameters()).device
        self.rate = torch.tensor(rate, device=device)
        capturable = device.type == "cuda"
        lr: Any = self.rate if capturable else rate
        self.optimiser = torch.optim.AdamW(
            network.parameters(), lr=lr, weight_decay=0.01, capturable=capturable, foreach=True
        )

    def learn(self, loss: Tensor) -> None:
        """One step down."""
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0, foreach=True)
        self.optimiser.step()
        with torch.no_grad():
            torch._foreach_lerp_(list(self.mean.parameters()), list(self.network.parameters()), 1 - self.average)

    def set_rate(self, rate: float) -> None:
        """Changes how far a step goes."""
        self.rate.fill_(rate)
        for group in self.optimiser.param_groups:
            if not isinstance(group["lr"], Tensor):
                group["lr"] = rate

    def state(self) -> dict[str, Any]:
        """All that a later run needs to go on, as copies."""
        known = [self.optimiser.state.get(parameter) or {} for parameter in self.network.parameters()]
        optimiser = [{name: value.clone() for name, value in each.items()} for each in known]
        weights = {name: value.clone() for name, value in self.network.state_dict().items()}
        mean = {name: value.clone() for name, value in self.mean.state_dict().items()}
        return {"network": weights, "mean": mean, "optimiser": optimiser}

    @torch.no_grad()
    def load(self, state: dict[str, Any]) -> None:
        """Goes on from such a state; the memory of weights stays where it is, because captured graphs read it."""
        self.network.load_state_dict(state["network"])
        self.mean.load_state_dict(state["mean"])
        for parameter, values in zip(self.network.parameters(), state["optimiser"]):
            known = self.optimiser.state[parameter]
            for name in known:
                known[name].zero_()
            for name, value in values.items():
                if name in known:
                    known[name].copy_(value)
                else:
                    there = self.optimiser.defaults["capturable"] or name != "step"
                    known[name] = value.to(parameter.device) if there else value
