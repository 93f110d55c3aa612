"""Memory after a crowd: its garbage is found when it has gone, and not while people play."""

from __future__ import annotations

import gc
import sqlite3
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_store import turn, with_games

from hedgerow.serve.memory import CROWD, QUIET, Memory
from hedgerow.serve.store import open_store, sqlite


class Guest:
    """Somebody who leaves something behind that refers to itself."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture
def patient() -> Iterator[None]:
    """Python does not look for garbage by itself."""
    gc.disable()
    yield
    gc.enable()


def test_garbage_is_found_when_a_crowd_has_gone(patient: None) -> None:
    memory, left = Memory(), weakref.ref(Guest())
    assert not memory.consider(CROWD, 0) and left()
    assert not memory.consider(0, QUIET + 1) and left()  # those who are left still play
    assert memory.consider(0, QUIET + 1) and left() is None
    assert not memory.consider(0, QUIET + 1)  # once is enough
    assert not memory.consider(CROWD - 1, QUIET + 1) and not memory.consider(0, QUIET + 1)


@pytest.mark.anyio
async def test_batches_of_all_sizes_share_a_few_statements(tmp_path: Path) -> None:
    store = await open_store(tmp_path)
    names = [f"g{number}" for number in range(70)]
    await with_games(store, *names)
    sqlite.insert_of.cache_clear()
    turns = sqlite.SqliteTurns(tmp_path / "hedgerow.db")
    for number, size in enumerate(range(1, 71)):
        done = await turns([turn(name, number - names.index(name)) for name in names[: number + 1]])
        assert done == [True] * size
    assert sqlite.insert_of.cache_info().currsize == 8  # 1, 2, 4, ... 128
    await turns.close()
    with sqlite3.connect(tmp_path / "hedgerow.db") as file:
        assert file.execute("SELECT count(*) FROM turns").fetchone() == (sum(range(1, 71)),)
    file.close()
    await store.close()
