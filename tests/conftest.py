"""Tests of one variant stay in one worker, so that its kernels are compiled once."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        parameters = getattr(item, "callspec", None)
        name = parameters.params.get("name") if parameters else None
        if isinstance(name, str):
            item.add_marker(pytest.mark.xdist_group(name))
