"""Perft counts kept as data: plain and compiled rules must both count the same sequences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hedgerow as hg

FILES = sorted((Path(hg.__file__).parent / "games").glob("*/perft.txt"))


def rows() -> list[tuple[str, int, int]]:
    lines = [line.split() for file in FILES for line in file.read_text(encoding="utf-8").splitlines()]
    return [(name, int(depth), int(count)) for name, depth, count in (line for line in lines if line)]


def perft(rules: Any, position: Any, depth: int) -> int:
    legal = rules.legal(position)
    if depth <= 1:
        return len(legal) if depth else 1
    return sum(perft(rules, rules.play(position, action), depth - 1) for action in legal)


def test_every_game_has_counts() -> None:
    assert {file.parent.name for file in FILES} == set(hg.games())


@pytest.mark.parametrize(("name", "depth", "count"), rows())
def test_counts(name: str, depth: int, count: int) -> None:
    rules = hg.make(name)
    assert rules.name == name, "the data uses canonical names"
    assert rules.fast.perft(depth) == count
    if count < 30_000:
        assert perft(rules, rules.start(), depth) == count
