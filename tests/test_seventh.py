"""A seventh game from a folder outside the package: every tool knows it, and the contract holds it like the others."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GAMES = Path(__file__).parent / "seventh"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the game's folder, and a cache for its kernels."""
    made = tmp_path_factory.mktemp("seventh")
    shutil.copytree(GAMES, made / "games", ignore=shutil.ignore_patterns("__pycache__"))
    (made / "cache").mkdir(mode=0o700)
    return made


def run(*command: str, games: str, cache: Path) -> subprocess.CompletedProcess[str]:
    """What a command says where those folders hold games."""
    told = {"HEDGEROW_GAMES": games, "HEDGEROW_CACHE": str(cache)}
    python = [sys.executable, "-m", *command]
    return subprocess.run(python, capture_output=True, text=True, cwd=ROOT, env=os.environ | told, timeout=600)


def test_its_own_tests_and_the_contract_hold(folder: Path) -> None:
    own = str(folder / "games" / "three" / "test_three.py")
    options = ("-n0", "-p", "no:cacheprovider", "-k", "three")
    done = run("pytest", *options, own, "tests/test_contract.py", games=str(folder / "games"), cache=folder / "cache")
    assert done.returncode == 0, done.stdout
    assert int(done.stdout.split(" passed")[0].split()[-1]) > 15, done.stdout


def test_the_command_line_knows_it(folder: Path) -> None:
    there = {"games": str(folder / "games"), "cache": folder / "cache"}
    assert "Three" in run("hedgerow", "games", **there).stdout  # type: ignore[arg-type]
    assert run("hedgerow", "rules", "three", **there).stdout.startswith("# Three")  # type: ignore[arg-type]
    wrong = run("hedgerow", "perft", "three:side=3", "1", **there)  # type: ignore[arg-type]
    assert "three has no option 'side'; hint: it has none" in wrong.stderr


def test_folders_that_cannot_be_meant_are_refused(tmp_path: Path) -> None:
    away = run("hedgerow", "games", games=str(tmp_path / "nowhere"), cache=tmp_path)
    assert away.returncode and "there is no folder" in away.stderr and "HEDGEROW_GAMES" in away.stderr
    (tmp_path / "hexbo").mkdir()
    (tmp_path / "hexbo" / "__init__.py").touch()
    twice = run("hedgerow", "games", games=str(tmp_path), cache=tmp_path)
    assert twice.returncode and "two games are called 'hexbo'; hint: " in twice.stderr
