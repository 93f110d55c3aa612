"""Networks in 8-bit numbers: a quarter of the size, and two to three times as fast on a processor.

What range each layer's numbers have is measured on positions of games that the network plays with itself.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static

from hedgerow.game import Rules
from hedgerow.search.grid import Grid
from hedgerow.search.networks import Network

GAMES = 16
"""Games that are played side by side to measure on."""
EVERY = 5
"""Each so many plies their positions are taken."""
HEADS = 4
"""How many of the last convolutions belong to heads."""


class Positions(CalibrationDataReader):
    """Positions, batch by batch, as the quantiser asks for them."""

    def __init__(self, batches: list[np.ndarray]) -> None:
        self.left = iter(batches)

    def get_next(self) -> dict[str, np.ndarray] | None:
        batch = next(self.left, None)
        return None if batch is None else {"seen": batch}


def played(rules: Rules[Any], network: Network, seed: int) -> Iterator[np.ndarray]:
    """Positions of games whose actions are drawn from the network's policy: u1 (n, features, H, W)."""
    grid, fast, chance = Grid(rules), rules.fast, np.random.default_rng(seed)
    states, ply = fast.new(GAMES), 0
    while len(states := states[states.over == 0]):
        seen = fast.show(states, grid.cells, grid.size, grid.planes)
        image = seen.reshape(len(states), grid.features, grid.height, grid.width)
        if ply % EVERY == 0:
            yield image
        logits = network.evaluate(image)[0][:, grid.places]
        logits = np.where(fast.legal(states), logits, -np.inf) + chance.gumbel(size=logits.shape)
        fast.play(states, logits.argmax(1))
        ply += 1


def quantise(boards: list[Rules[Any]], source: Path, target: Path, seed: int = 0) -> None:
    """Writes the network of one file to another in 8-bit numbers; the first layer and the heads stay as they are."""
    network = Network(source.read_bytes())
    layers = [node.name for node in onnx.load(source).graph.node if node.op_type == "Conv"]
    batches = [batch for rules in boards for batch in played(rules, network, seed)]
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "network.onnx"
        logging.disable(logging.WARNING)  # its advice on preparing files is not for whoever trains
        try:
            quantize_static(
                source,
                written,
                Positions(batches),
                quant_format=QuantFormat.QDQ,
                op_types_to_quantize=["Conv"],
                nodes_to_exclude=[layers[0], *layers[-HEADS:]],
                per_channel=True,
                activation_type=QuantType.QUInt8,
                weight_type=QuantType.QInt8,
                calibrate_method=CalibrationMethod.MinMax,
            )
        finally:
            logging.disable(logging.NOTSET)
        target.write_bytes(written.read_bytes())
