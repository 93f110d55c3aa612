"""Memory after a crowd: its garbage is found when it has gone, and not while people play."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from places import until
from serving import listening
from test_store import turn, with_games
from wire import handshake

from hedgerow.serve.memory import CROWD, QUIET, Memory
from hedgerow.serve.process.app import create
from hedgerow.serve.process.protocol_http import HttpProtocol
from hedgerow.serve.process.protocol_ws import SocketProtocol
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import open_store, sqlite
from hedgerow.tools.serve_bench import Visitor


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
    assert not memory.check(CROWD, 0) and left()
    assert not memory.check(0, QUIET + 1) and left()  # those who are left still play
    assert memory.check(0, QUIET + 1) and left() is None
    assert not memory.check(0, QUIET + 1)  # once is enough
    assert not memory.check(CROWD - 1, QUIET + 1) and not memory.check(0, QUIET + 1)


@pytest.mark.anyio
@pytest.mark.parametrize("asked", ["/healthz", "/api/games/{game}/socket"])
async def test_a_connection_leaves_nothing_behind_that_needs_a_search(
    tmp_path: Path, patient: None, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(data=tmp_path, engines=0)
    made: list[weakref.ref[object]] = []
    for protocol in (HttpProtocol, SocketProtocol):

        def noted(
            self: HttpProtocol, transport: object, before: Callable[..., None] = protocol.connection_made
        ) -> None:
            made.append(weakref.ref(self))
            before(self, transport)

        monkeypatch.setattr(protocol, "connection_made", noted)
    async with listening(create(settings), settings) as port:
        game = await asyncio.to_thread(new_game, port)
        made.clear()
        for _ in range(3):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(handshake(asked.format(game=game)))
            await reader.readuntil(b"\r\n\r\n")
            await asyncio.sleep(0.1)
            writer.transport.abort()
        await until(lambda: not any(line() for line in made))
    assert len(made) >= 3


def new_game(port: int) -> str:
    found: str = Visitor(port).ask("POST", "/api/games", {"rules": "hexbo(side=5)", "opponent": "friend"})["id"]
    return found


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
