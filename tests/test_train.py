"""Training: it learns, goes on after a kill, and what it writes plays; needs PyTorch, the extra `train`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hedgerow as hg

REQUIRED = bool(os.environ.get("HEDGEROW_REQUIRE_SERVICES"))
if not REQUIRED:
    pytest.importorskip("torch", reason="training needs PyTorch; hint: pip install -e '.[train]'")
    pytest.importorskip("onnx", reason="training needs ONNX; hint: pip install -e '.[train]'")
import onnx  # noqa: E402
import torch  # noqa: E402

from hedgerow.learn import checkpoint, reading  # noqa: E402
from hedgerow.learn import duel as duel_module  # noqa: E402
from hedgerow.learn import training as training_module  # noqa: E402
from hedgerow.learn.duel import duel  # noqa: E402
from hedgerow.learn.eighths import quantise  # noqa: E402
from hedgerow.learn.export import export  # noqa: E402
from hedgerow.learn.gumbel import halving  # noqa: E402
from hedgerow.learn.lessons import Turner  # noqa: E402
from hedgerow.learn.network import Network, shape_for  # noqa: E402
from hedgerow.learn.replay import Batch  # noqa: E402
from hedgerow.learn.schedule import WARM, rate  # noqa: E402
from hedgerow.learn.training import CPU, Training  # noqa: E402
from hedgerow.search.grid import Grid  # noqa: E402
from hedgerow.search.networks import Network as Played  # noqa: E402
from hedgerow.search.networks import network_for  # noqa: E402
from hedgerow.terminal.train import make_folder, table, tell_of_the_package  # noqa: E402

SMALL = replace(CPU, games=16, batch=64, threads=1, match_every=0, save_every=1)
BOARDS = ("hexbo(side=5)", "root_bound(side=3)", "tanbo(size=9)", "root_down", "root_and_thorn")


def reached(rules: Any, count: int) -> Any:
    """Positions after a few random actions."""
    states = rules.fast.new(count)
    for ply in range(5):
        rules.fast.play(states, rules.fast.pick(states, ply))
    return states


def positions(rules: Any, count: int = 6) -> np.ndarray:
    """What a network sees of some positions, (n, features, H, W)."""
    grid = Grid(rules)
    seen: np.ndarray = rules.fast.show(reached(rules, count), grid.cells, grid.size, grid.planes)
    return seen.reshape(count, grid.features, grid.height, grid.width)


def lively(rules: Any) -> Network:
    """A network whose blocks do something, as none of a new one do."""
    torch.manual_seed(1)
    network = Network(shape_for(rules, channels=16, blocks=4))
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += 0.05 * torch.randn_like(parameter)
    return network


@pytest.mark.parametrize("name", [*BOARDS, "hexbo(side=5,players=3)", "hexbo(side=5,players=6)"])
def test_the_file_says_what_pytorch_says(name: str, tmp_path: Path) -> None:
    rules: Any = hg.make(name)
    network, seen = lively(rules), positions(rules)
    export(network, checkpoint.Progress([name], network.shape.as_dict()), tmp_path / "n.onnx")
    policy, win, owners, score = Played((tmp_path / "n.onnx").read_bytes()).evaluate(seen, "owners", "score")
    with torch.no_grad():
        answer = network(torch.from_numpy(seen))
    assert np.abs(policy - answer.policy.numpy()).max() < 1e-4
    assert np.abs(win - torch.softmax(answer.win, 1).numpy()).max() < 1e-4
    assert np.abs(owners - torch.softmax(answer.owners, 1).flatten(2).numpy()).max() < 1e-4
    assert np.abs(score - answer.score.numpy()).max() < 1e-4


def state(network: Network) -> dict[str, Any]:
    """Every weight that a network uses: kernels without the corners they lack, extras only where there are some."""
    weights = dict(network.state_dict())
    kernels = {f"{name}.weight": each.kernel() for name, each in network.named_modules() if hasattr(each, "kernel")}
    unused = () if network.shape.extras else ("extras.weight", "extras.bias")
    return {name: value for name, value in (weights | kernels).items() if name not in unused}


@pytest.mark.parametrize("name", BOARDS)
def test_a_network_read_back_from_its_file_is_the_same(name: str, tmp_path: Path) -> None:
    network = lively(hg.make(name))
    progress = checkpoint.Progress([name], network.shape.as_dict(), 7.5, 2, 900, 80, 7, 30, curve=[(7.0, 21.5)])
    export(network, progress, tmp_path / "n.onnx")
    found = reading.read((tmp_path / "n.onnx").read_bytes(), "it")
    mine, theirs = state(network), state(found.network)
    assert mine.keys() == theirs.keys() and all(torch.equal(mine[each], theirs[each]) for each in mine)
    assert found.progress == replace(progress, elo=21.5, before=900, begun=30)


@pytest.mark.parametrize("name", ["hexbo(side=5)", "root_down"])
def test_weights_read_back_from_8_bit_numbers_are_off_by_half_a_step_at_most(name: str, tmp_path: Path) -> None:
    rules: Any = hg.make(name)
    network = lively(rules)
    export(network, checkpoint.Progress([name], network.shape.as_dict()), tmp_path / "exact.onnx")
    quantise([rules], tmp_path / "exact.onnx", tmp_path / "n.onnx")
    content = (tmp_path / "n.onnx").read_bytes()
    found = state(reading.read(content, "it").network)
    for each, weight in state(network).items():
        steps = weight.flatten(1).abs().amax(1) / 127 if weight.ndim == 4 else torch.ones(())
        near = (found[each] - weight).abs() <= 0.51 * steps.view(-1, *[1] * (weight.ndim - 1)) + 1e-6
        assert near.all() if weight.ndim == 4 else (found[each] - weight).abs().max() < 0.01, each
    assert any("quantized" in tensor.name for tensor in onnx.load_from_string(content).graph.initializer)


@pytest.mark.parametrize("name", ["hexbo(side=5)", "hexbo(side=5,players=3)", "root_down", "root_and_thorn"])
def test_a_network_read_back_from_8_bit_numbers_answers_as_they_do(name: str) -> None:
    rules: Any = hg.make(name)
    seen, played, found = positions(rules, 32), network_for(rules), reading.shipped(rules)
    assert played is not None and json.loads(json.dumps(found.progress.told())) == played.told
    policy, win = played.evaluate(seen)
    with torch.no_grad():
        read = [each.numpy() for each in found.network.evaluate(torch.from_numpy(seen))]
    places, legal = Grid(rules).places, rules.fast.legal(reached(rules, 32))
    off = (read[0] - policy)[:, places][legal]
    assert np.abs(read[1] - win).mean() < 0.03
    assert np.sqrt((off**2).mean()) < 0.2 * policy[:, places][legal].std()


@pytest.mark.parametrize("name", BOARDS)
def test_turned_positions_are_those_of_the_turned_board(name: str) -> None:
    """What the tables of symmetries make of a position is what the kernels show of the turned one."""
    rules: Any = hg.make(name)
    grid, states = Grid(rules), rules.fast.new(1)
    for ply in range(6):
        rules.fast.play(states, rules.fast.pick(states, 3 + ply))
    seen = rules.fast.show(states, grid.cells, grid.size, grid.planes).reshape(-1)
    legal, position = rules.fast.legal(states)[0], rules.fast.unpack(states)
    for symmetry in rules.symmetries:
        there = rules.fast.pack(rules.turned(position, symmetry))
        shown = rules.fast.show(there, grid.cells, grid.size, grid.planes).reshape(-1)
        assert (seen[grid.turned_features(rules, symmetry)] == shown).all()
        answers, turned = np.zeros(grid.answers, bool), np.zeros(grid.answers, bool)
        answers[grid.places[legal]] = True
        turned[grid.places[rules.fast.legal(there)[0]]] = True
        assert (answers[grid.turned_answers(rules, symmetry)] == turned).all()


def test_the_turner_turns_everything_alike() -> None:
    rules: Any = hg.make("hexbo(side=5)")
    grid, seen = Grid(rules), positions(rules)
    flat = torch.from_numpy(seen).flatten(1)
    legal = flat.view(len(flat), grid.features, grid.size)[:, grid.own].float()
    batch = Batch(flat, legal, legal, legal.long(), legal, legal)
    turned = Turner(rules, grid, "cpu")(batch)
    planes = turned.seen.view(len(flat), grid.features, grid.size)[:, grid.own].float()
    assert (turned.policy == planes).all() and (turned.owners == planes.long()).all()
    assert (turned.seen != flat).any()


def test_candidates_are_halved() -> None:
    table = halving(8, 24)
    rounds = [0] * 8 + [1] * 4 + [2] * 4 + [3, 3, 4, 4, 5, 5, 6, 6]  # eight candidates, then four, then two
    assert table[8].tolist() == rounds and table[1].tolist() == list(range(24))


def test_training_learns_and_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stops after so many steps, not after a while: a busy machine takes longer, and learns the same."""
    rules: Any = hg.make("rootbound(side=3)")
    training = Training([rules], replace(SMALL, games=32, match_games=64), tmp_path)
    fresh = training._new(training.network.shape)

    def enough(progress: checkpoint.Progress) -> None:
        training.stopped = progress.steps >= 150

    monkeypatch.setattr(training_module, "TOLD_EVERY", 0.0)
    training.run(1e6, enough)
    won, played = duel(rules, training.mean, fresh, training.recipe, 1, 5)
    assert 150 <= training.progress.steps < 160 and training.progress.losses["owners"] > 0
    assert won >= 0.6 * played
    monkeypatch.setattr(duel_module, "ITERATIONS", 1)  # nearly any turn
    training.match()
    ((_, won, played),) = training.progress.search
    assert played == training.recipe.search_games and won > played / 2
    assert f"{won:g} of {played} games won" in "".join(table(training.progress, 0.0, 1.0).columns[1].cells)
    told = checkpoint.Progress.of(json.loads(json.dumps(training.progress.told())))
    assert told.search == training.progress.search and told.curve == training.progress.curve
    again = Training([rules], SMALL, tmp_path, resume=True)
    assert again.progress.evaluations == training.progress.evaluations
    for mine, theirs in zip(again.mean.parameters(), training.mean.parameters()):
        assert torch.equal(mine, theirs)


def test_the_curve_falls_when_a_match_is_lost_and_goes_on_from_who_was_kept() -> None:
    progress = checkpoint.Progress(["rootbound"], {})
    for won in (75, 25, 50):
        progress.rate(won, 100)
    assert [elo for _, elo in progress.curve] == [190.8, 0.0, 190.8] and round(progress.elo, 1) == 190.8


def test_a_damaged_or_missing_checkpoint_is_said_in_a_line(tmp_path: Path) -> None:
    rules = hg.make("rootbound(side=3)")
    with pytest.raises(hg.HedgerowError, match=r"there is no training.pt in .*; hint: train without --resume first"):
        Training([rules], SMALL, tmp_path, resume=True)
    (tmp_path / checkpoint.FILE).write_bytes(b"PK\3\4 nothing")
    with pytest.raises(hg.HedgerowError, match=r"cannot read .*; hint: it is damaged"):
        Training([rules], SMALL, tmp_path, resume=True)


def test_a_training_goes_on_from_a_finished_network(tmp_path: Path) -> None:
    rules: Any = hg.make("rootbound(side=3)")
    network = lively(rules)
    progress = checkpoint.Progress(["rootbound"], network.shape.as_dict(), 60.0, 2, 90_000, 8_000, 700, 3_000)
    export(network, progress, tmp_path / "n.onnx")
    beginning = reading.read((tmp_path / "n.onnx").read_bytes(), "it")
    recipe = replace(SMALL, channels=16, blocks=4)
    training = Training([rules], recipe, tmp_path / "on", beginning=beginning)
    for each in (training.network, training.mean, training.player):
        assert all(torch.equal(mine, theirs) for mine, theirs in zip(state(each).values(), state(network).values()))
    assert training.progress.boards == ["rootbound", "rootbound(side=3)"]
    training.run(1.0)
    told = checkpoint.read(tmp_path / "on")["progress"]
    assert told["runs"] == 3 and told["begun"] == 3_000
    assert told["evaluations"] > 90_000 and told["games"] >= 700 and told["seconds"] > 60
    with pytest.raises(hg.HedgerowError, match=r"another shape \(channels 16, not 8\); hint: the same game"):
        Training([rules], replace(recipe, channels=8), tmp_path / "new", beginning=beginning)


@pytest.mark.parametrize("damage", [lambda whole: b"", lambda whole: whole[:-500], lambda whole: b"PK\3\4 nothing"])
def test_a_damaged_network_is_said_in_a_line(damage: Any, tmp_path: Path) -> None:
    network = lively(hg.make("rootbound(side=3)"))
    export(network, checkpoint.Progress(["rootbound"], network.shape.as_dict()), tmp_path / "n.onnx")
    with pytest.raises(hg.HedgerowError, match=r"^cannot read the network; hint: it is damaged[^\n]*$"):
        reading.read(damage((tmp_path / "n.onnx").read_bytes()), "the network")


def test_a_game_without_a_network_is_said_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "file_for", lambda players: "no_network.onnx")
    for name, called in (("hexbo", "hexbo"), ("hexbo(players=3)", "hexbo for 3")):
        with pytest.raises(hg.HedgerowError, match=rf"^the package has no network of {called}; hint: [^\n]*$"):
            reading.shipped(hg.make(name))


def test_the_rate_rises_falls_and_is_lower_for_those_who_know_more() -> None:
    warm = [rate(1.0, 0.0, steps, 0) for steps in (0, WARM // 2, WARM, 10 * WARM)]
    assert warm == sorted(warm) and warm[0] < 0.01 and warm[2] == warm[3] == 1.0
    falling = [rate(1.0, share, WARM, 0) for share in (0.0, 0.3, 0.6, 1.0, 1.2)]
    assert falling[:4] == sorted(falling[:4], reverse=True) and falling[3] == falling[4] == pytest.approx(0.05)
    assert rate(1.0, 0.0, WARM, 600_000_000) == pytest.approx(0.5)


def test_boards_that_differ_in_players_cannot_share(tmp_path: Path) -> None:
    with pytest.raises(hg.BadOption, match="cannot share a network"):
        Training([hg.make("hexbo(side=5)"), hg.make("hexbo(side=5,players=3)")], SMALL, tmp_path)


def test_the_command_trains_and_a_kill_leaves_a_checkpoint(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hedgerow", "train", "rootbound:side=3", "--out", str(tmp_path / "n")]
    small = ["--games", "16", "--threads", "1", "--match-every", "0"]
    running = subprocess.Popen([*command, "--minutes", "20", *small], stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "n").exists() and running.poll() is None:  # from then on it stops gently
        time.sleep(0.1)
    running.send_signal(signal.SIGTERM)
    _, said = running.communicate(timeout=100)
    assert running.returncode == 0 and "the network is" in said
    before = checkpoint.read(tmp_path / "n")["progress"]["evaluations"]
    assert Played((tmp_path / "n" / "network.onnx").read_bytes()).plays(hg.make("rootbound(side=3)"))
    refused = subprocess.run([*command, *small], capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and "hint: --resume" in refused.stderr
    subprocess.run([*command, "--minutes", "0.05", "--resume", *small], check=True, capture_output=True)
    assert checkpoint.read(tmp_path / "n")["progress"]["evaluations"] > before


def test_the_command_goes_on_from_the_packages_network(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hedgerow", "train", "rootbound:side=3", "--minutes", "0.02", "--games", "8"]
    small = ["--threads", "1", "--match-every", "0", "--simulations", "4", "--out", str(tmp_path / "on")]

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*command, *small, *more], capture_output=True, text=True, check=False, timeout=200)

    went_on = run("--from-package")
    assert went_on.returncode == 0 and "--from-package" not in went_on.stderr
    before = network_for(hg.make("rootbound"))
    told = Played((tmp_path / "on" / "network.onnx").read_bytes()).told
    assert before is not None and told["shape"] == before.told["shape"]
    assert told["evaluations"] > before.told["evaluations"] and told["runs"] == before.told["runs"] + 1
    (tmp_path / "on" / "network.onnx").unlink()
    assert run("--resume", "--minutes", "0").returncode == 0  # on the processor too, whatever the checkpoint's shape
    assert Played((tmp_path / "on" / "network.onnx").read_bytes()).told == told
    nothing = run("--minutes", "0")
    assert nothing.returncode == 2 and "nothing is learned in 0 minutes; hint: --resume" in " ".join(
        nothing.stderr.split()
    )
    both = run("--from-package", "--resume")
    assert both.returncode == 2 and "two beginnings; hint: --resume" in " ".join(both.stderr.split())


def test_whoever_begins_anew_is_told_of_the_packages_network(capsys: pytest.CaptureFixture[str]) -> None:
    rules = hg.make("rootbound(side=3)")
    known = network_for(rules)
    assert known is not None
    for channels, told in ((64, 1), (16, 0)):
        tell_of_the_package(rules, checkpoint.Progress([rules.name], known.told["shape"] | {"channels": channels}))
        assert (
            " ".join(capsys.readouterr().err.split()).count("hint: --from-package goes on from the package's") == told
        )


def test_a_folder_that_cannot_be_made_is_said_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(hg.BadOption, match=r"^cannot keep a network in .*; hint: give a folder that can be written$"):
        make_folder(tmp_path / "file" / "n")
