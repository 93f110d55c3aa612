"""A finding of `hedgerow check`: fine, a warning, or a fault."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

Level = Literal["fine", "warning", "fault"]
LEVELS: tuple[Level, ...] = ("fine", "warning", "fault")
"""From good to bad; the number of the worst is the exit code."""

Progress = Callable[[str, int, int], None]
"""Told what is being looked at, how much of it is done, and how much there is."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    area: str
    """rights, database, games, clock, redis, mail, settings, server"""
    level: Level
    text: str


def fine(area: str, text: str) -> Finding:
    """All is well with it."""
    return Finding(area, "fine", text)


def warning(area: str, text: str) -> Finding:
    """It works, and it could be trouble one day."""
    return Finding(area, "warning", text)


def fault(area: str, text: str) -> Finding:
    """It does not work, or somebody can see or lose what is theirs."""
    return Finding(area, "fault", text)


def worst(findings: Iterable[Finding]) -> int:
    """0 where all is fine, 1 with warnings, 2 with faults."""
    return max((LEVELS.index(finding.level) for finding in findings), default=0)
