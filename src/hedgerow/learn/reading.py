"""A network read back from its ONNX file, so that a training can go on from what the package ships.

8-bit numbers become what they stand for; all others are exactly what they were when they were written.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from hedgerow.game import HedgerowError, Rules
from hedgerow.learn.checkpoint import Progress
from hedgerow.learn.export import Writer
from hedgerow.learn.network import Network, Shape
from hedgerow.search.networks import file_for


class Beginning(NamedTuple):
    """What a training can go on from without a checkpoint."""

    network: Network
    progress: Progress


def shipped(rules: Rules[Any]) -> Beginning:
    """The network that the package brings with it for a game of as many players."""
    game = rules.game.name if rules.players == 2 else f"{rules.game.name} for {rules.players}"
    place = resources.files(f"hedgerow.games.{rules.game.name}").joinpath(file_for(rules.players))
    if not place.is_file():
        raise HedgerowError(f"the package has no network of {game}; hint: train without --from-package")
    return read(place.read_bytes(), f"the package's network of {game}")


def read(content: bytes, name: str) -> Beginning:
    """The network in an ONNX file of ours, and how far its training had come; an error calls it by the name."""
    try:
        model = onnx.load_from_string(content)
        told = json.loads({each.key: each.value for each in model.metadata_props}["hedgerow"])
        network = Network(Shape(**told["shape"]))
        fill(network, model.graph)
        return Beginning(network, Progress.of(told))
    except Exception as damaged:
        raise HedgerowError(f"cannot read {name}; hint: it is damaged, train without --from-package") from damaged


@torch.no_grad()
def fill(network: Network, graph: Any) -> None:
    """Puts the weights of a graph where the same network, written anew, would have taken them from."""
    writer, values, nodes = Writer(network), constants(graph), {node.name: node for node in graph.node}
    writer.write()
    for name, layer in writer.graph.layers.items():
        weight, bias = (torch.from_numpy(values[value]) for value in nodes[name].input[1:3])
        if (weight.shape, bias.shape) != (layer.weight.shape, layer.bias.shape):
            raise ValueError(f"{name} is of another size")
        layer.weight.copy_(weight)
        layer.bias.copy_(bias)


def constants(graph: Any) -> dict[str, np.ndarray]:
    """All that is given in a graph and not computed, by name; 8-bit numbers as what they stand for."""
    found = {each.name: numpy_helper.to_array(each).copy() for each in graph.initializer}
    for node in graph.node:
        if node.op_type == "DequantizeLinear" and all(name in found for name in node.input):
            numbers, scale, zero = (found[name] for name in node.input)
            channels = (-1, *[1] * (numbers.ndim - 1))
            there = (numbers.astype(np.float64) - zero.reshape(channels)) * scale.reshape(channels)
            found[node.output[0]] = there.astype(np.float32)
    return found
