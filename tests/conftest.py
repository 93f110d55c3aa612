"""Who compiles when: tests of one variant stay in one worker, and what needs a server or a browser comes after them.

So every kernel is compiled once, by whoever tests it, and no page waits for a compiler that has the machine to itself.
"""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

collect_ignore = ["seventh"]  # a game's folder, which is imported as part of the package where it is put
LATER = {"serve": 1, "page": 2}

# A shell lets the jobs in its background ignore Ctrl-C, and what they start inherits that; programs under test hear it.
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=room)
    for item in items:
        parameters = getattr(item, "callspec", None)
        name = parameters.params.get("name") if parameters else None
        name = name or getattr(getattr(item, "module", None), "COMPILES_FOR", None)
        if isinstance(name, str) and not room(item):
            item.add_marker(pytest.mark.xdist_group(name))


def room(item: pytest.Item) -> int:
    """In which order tests come, which `--no-loadscope-reorder` keeps."""
    return LATER.get(item.path.parent.name, 0)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """What tests that wait run on; for all of them, so that fixtures of any scope may wait, too."""
    return "asyncio"


@pytest.fixture
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the terminal remembers is this test's alone, and nothing outside says how it looks."""
    monkeypatch.setenv("HEDGEROW_STATE", str(tmp_path / "state"))
    for name in ("NO_COLOR", "HEDGEROW_PLAIN"):
        monkeypatch.delenv(name, raising=False)
