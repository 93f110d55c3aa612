"""Hexbo compiled: the family's kernels, made for its own boards."""

from __future__ import annotations

from hedgerow.games._growth.kernels import kernels

__all__ = ["kernels"]
