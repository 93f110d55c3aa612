"""A trained network as an ONNX file, written node by node, so that nothing is in it that a player does not need.

In: `seen` u1 (n, features, H, W), any board of the game. Out: `policy` (n, answers), logits; `win` (n, players),
chances, the mover's first; `owners` (n, players + 1, H * W), chances, nobody last; `score` (n,), the mover's lead.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from hedgerow.learn.checkpoint import Progress
from hedgerow.learn.network import Block, Convolution, Network

OPSET = 17


class Graph:
    """Nodes and weights as they come."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self.layers: dict[str, Any] = {}
        """The layer behind each node that has one."""
        self.count = 0

    def weight(self, value: Any, kind: Any = np.float32) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(np.asarray(value, kind)), name))
        return name

    def add(self, kind: str, *inputs: str, out: str = "", **attributes: Any) -> str:
        """One node; the name of what it gives."""
        self.count += 1
        name = out or f"x{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=f"n{self.count}_{kind}", **attributes))
        return name

    def convolution(self, x: str, layer: Any) -> str:
        kernel = layer.kernel() if isinstance(layer, Convolution) else layer.weight
        side = kernel.shape[-1] // 2
        weight, bias = self.weight(kernel.detach().float().cpu()), self.weight(layer.bias.detach().float().cpu())
        found = self.add("Conv", x, weight, bias, kernel_shape=list(kernel.shape[2:]), pads=[side] * 4)
        self.layers[self.nodes[-1].name] = layer
        return found

    def linear(self, x: str, layer: Any, out: str = "") -> str:
        weight, bias = (self.weight(value.detach().float().cpu()) for value in (layer.weight, layer.bias))
        found = self.add("Gemm", x, weight, bias, out=out, transB=1)
        self.layers[self.nodes[-1].name] = layer
        return found


class Writer:
    """Writes a network into a graph."""

    def __init__(self, network: Network) -> None:
        self.network, self.shape, self.graph = network, network.shape, Graph()
        self.masked = self.shape.hexagonal

    def mask(self, x: str) -> str:
        return self.graph.add("Mul", x, self.board) if self.masked else x

    def pooled(self, x: str) -> str:
        """As the network does it: (n, 3 * channels)."""
        g = self.graph
        whole = g.add("ReduceSum", x, self.last_two, keepdims=0)
        mean = g.add("Div", whole, self.cells)
        most = g.add("ReduceMax", x, axes=[2, 3], keepdims=0)
        return g.add("Concat", mean, g.add("Mul", mean, self.scale), most, axis=1)

    def spread(self, x: str, y: str) -> str:
        """Adds numbers of the whole board, (n, channels), to every cell."""
        return self.graph.add("Add", x, self.graph.add("Unsqueeze", y, self.last_two))

    def write(self) -> None:
        g, network = self.graph, self.network
        self.last_two = g.weight([2, 3], np.int64)
        x = g.add("Mul", g.add("Cast", "seen", to=TensorProto.FLOAT), g.weight(1 / 255))
        first, last = (g.weight([at], np.int64) for at in (self.shape.features - 1, self.shape.features))
        self.board = g.add("Slice", x, first, last, g.weight([1], np.int64))
        self.cells = g.add("ReduceSum", self.board, self.last_two, keepdims=0)
        root = g.add("Mul", g.add("Sqrt", self.cells), g.weight(0.1))
        self.scale = g.add("Sub", root, g.weight(1.0))
        x = self.mask(g.convolution(x, network.stem))
        for block in network.blocks:
            x = self.block(x, block)
        self.heads(g.add("Relu", x))

    def block(self, x: str, block: Block) -> str:
        g = self.graph
        h = self.mask(g.add("Relu", g.convolution(g.add("Relu", x), block.first)))
        if block.pool is not None:
            h = self.mask(self.spread(h, g.linear(self.pooled(h), block.pool)))
        return g.add("Add", x, self.mask(g.convolution(h, block.second)))

    def heads(self, x: str) -> None:
        g, network = self.graph, self.network
        p, v = (self.mask(g.add("Relu", g.convolution(x, layer))) for layer in (network.policy_in, network.value_in))
        whole = self.pooled(p)
        p = g.add("Relu", self.spread(p, g.linear(whole, network.policy_pool)))
        extras = [g.linear(whole, network.extras)] if self.shape.extras else []
        g.add("Concat", g.add("Flatten", g.convolution(p, network.policy_out)), *extras, axis=1, out="policy")
        hidden = g.add("Relu", g.linear(self.pooled(v), network.value_hidden))
        g.add("Softmax", g.linear(hidden, network.win), axis=1, out="win")
        g.add("Squeeze", g.linear(hidden, network.score), g.weight([1], np.int64), out="score")
        flat = g.add("Reshape", g.convolution(v, network.owners), g.weight([0, 0, -1], np.int64))
        g.add("Softmax", flat, axis=1, out="owners")


def model_of(network: Network, progress: Progress) -> Any:
    """The network as an ONNX model, with a note of how it came to be."""
    writer, shape = Writer(network), network.shape
    writer.write()
    seen = helper.make_tensor_value_info("seen", TensorProto.UINT8, ["n", shape.features, "height", "width"])
    outputs: dict[str, list[Any]] = {"policy": ["n", "answers"], "win": ["n", shape.players], "score": ["n"]}
    outputs |= {"owners": ["n", shape.players + 1, "cells"]}
    out = [helper.make_tensor_value_info(name, TensorProto.FLOAT, size) for name, size in outputs.items()]
    graph = helper.make_graph(writer.graph.nodes, "hedgerow", [seen], out, writer.graph.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    helper.set_model_props(model, {"hedgerow": json.dumps(progress.told())})
    onnx.checker.check_model(model)
    return model


def export(network: Network, progress: Progress, path: Path) -> None:
    """Writes the network to a file."""
    path.write_bytes(model_of(network, progress).SerializeToString())
