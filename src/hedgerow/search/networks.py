"""The networks that games bring with them: ONNX files in their folders, run by ONNX Runtime on the processor."""

from __future__ import annotations

import json
import threading
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from hedgerow.game import BadOption, Rules, split_name
from hedgerow.kernels.news import say
from hedgerow.search.grid import Grid


def file_for(players: int) -> str:
    """The name of a network's file, in the folder of its game.

    >>> file_for(2), file_for(3)
    ('network.onnx', 'network_3.onnx')
    """
    return "network.onnx" if players == 2 else f"network_{players}.onnx"


class Answers(NamedTuple):
    """What a network says of some positions."""

    policy: np.ndarray
    """f4 (n, answers): logits."""
    win: np.ndarray
    """f4 (n, players): chances, the mover's first."""


class Asked(Protocol):
    """What a search asks about positions."""

    def evaluate(self, seen: np.ndarray, *more: str) -> Any:
        """u1 (n, features, H, W) in; policy and win out, and whatever else is asked for."""


class Network:
    """A network that plays some boards of a game."""

    def __init__(self, content: bytes) -> None:
        import onnxruntime  # it takes a moment, and most of what people do needs no network

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        self.told: dict[str, Any] = json.loads(self.session.get_modelmeta().custom_metadata_map["hedgerow"])
        self.boards: list[str] = self.told["boards"]
        """The names of the rules that it was trained on."""
        self.sees = tuple(self.told["shape"][each] for each in ("features", "players", "hexagonal"))

    def plays(self, rules: Rules[Any]) -> bool:
        """It was trained for this game, and sees these boards as it has learned to."""
        ours = all(split_name(board)[0] == rules.game.name for board in self.boards)
        return ours and self.sees == (Grid(rules).features, rules.players, rules.board.kind != "square")

    def knows(self, rules: Rules[Any]) -> bool:
        """It was trained on this very board, or plays it better than search all the same."""
        return self.plays(rules) and rules.name in (*self.boards, *rules.game.measured.net_boards)

    def evaluate(self, seen: np.ndarray, *more: str) -> Any:
        """u1 (n, features, H, W) in; policy and win out, and whatever else is asked for."""
        return self.session.run(["policy", "win", *more], {"seen": seen})


_LOCK = threading.Lock()


def network_for(rules: Rules[Any]) -> Network | None:
    """The network that plays these rules; None, and a word to whoever watches, where there is none that works."""
    with _LOCK:
        found = _shipped(rules.game.name, file_for(rules.players))
    return found if found and found.plays(rules) else None


@lru_cache(maxsize=8)
def network_in(file: str) -> Network:
    """The network in a file of one's own, as `hedgerow train` writes it."""
    try:
        return Network(Path(file).expanduser().read_bytes())
    except OSError as error:
        raise BadOption(
            f"cannot open the network {file!r} ({error.strerror}); hint: file=FOLDER/network.onnx"
        ) from None
    except ImportError:
        raise BadOption("onnxruntime is not installed, so no network plays; hint: pip install onnxruntime") from None
    except Exception:
        raise BadOption(f"{file!r} is not a network of ours, or damaged; hint: hedgerow train writes them") from None


@lru_cache
def _shipped(name: str, file: str) -> Network | None:
    place = resources.files(f"hedgerow.games.{name}").joinpath(file)
    if not place.is_file():
        return None
    try:
        return Network(place.read_bytes())
    except ImportError:
        say("onnxruntime is not installed, so no network plays; hint: pip install onnxruntime")
    except Exception as wrong:
        line = str(wrong).strip().split("\n")[0]
        say(f"the network of {name} cannot be read ({line[:80]}); hint: install hedgerow anew")
    return None
