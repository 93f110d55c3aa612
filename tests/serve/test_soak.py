"""While the server is attacked, killed and out of disk, people play on: nothing is lost, and memory comes back.

`HEDGEROW_SOAK` is for how many seconds, `HEDGEROW_SOAK_GAMES` how many games, `HEDGEROW_SOAK_KILL` every how many
seconds it is killed. How long a turn takes is only asserted in a long one: a short one says little about it.
"""

from __future__ import annotations

import asyncio
import os
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from attacks import LINES
from soaking import Keeper, Soak, full, small_disk

SECONDS = float(os.environ.get("HEDGEROW_SOAK", "12"))
GAMES = int(os.environ.get("HEDGEROW_SOAK_GAMES", "50"))
KILL = float(os.environ.get("HEDGEROW_SOAK_KILL", "6"))
LONG = SECONDS >= 300
TURNS_PER_S = 60 if LONG else 25
LIMIT_MS = 250
"""What 99 of 100 turns of ordinary people take at most while the server is attacked."""
RETURNS = 64
"""How many MB more than before a server may have some time after it was attacked."""
PATIENCE = 120.0
"""How many seconds everybody may take to come back."""
REST = 60.0
"""How many seconds it has to give memory back."""


@pytest.fixture
def many_files() -> Iterator[None]:
    """Both ends of every line are ours."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def killed_now_and_then(soak: Soak, until: float) -> None:
    """Kill, start, again and again; between two kills everybody is back for a while, however slow the machine is."""
    begun, keeper = time.monotonic(), soak.keeper
    while True:
        await keeper.everybody(PATIENCE)
        await asyncio.sleep(max(KILL / 4, begun + KILL - time.monotonic()))
        if soak.over or time.monotonic() > until:
            return
        begun = time.monotonic()
        await keeper.kill()
        await keeper.start()


async def siege(soak: Soak, disk: Path | None) -> None:
    """All acts in turn, with kills in between."""
    attacks = list(LINES)
    share = SECONDS / (len(attacks) + 2)
    for table in soak.tables:
        table.begin()
    await soak.keeper.everybody(PATIENCE)
    killing = asyncio.create_task(killed_now_and_then(soak, time.monotonic() + SECONDS - 2 * share))
    try:
        with soak.during("calm"):
            await asyncio.sleep(share)
        for kind in attacks:
            with soak.during(kind):
                await soak.attacked(kind, share)
    except BaseException:
        soak.over = True  # nobody is left who would start a server after the last one was killed
        await asyncio.gather(killing, return_exceptions=True)
        raise
    await killing
    await soak.keeper.everybody(PATIENCE)
    if disk is None:
        print("the disk was not filled: mounting one needs root")
    else:
        await run_out_of_disk(soak, disk, share)


async def run_out_of_disk(soak: Soak, disk: Path, seconds: float) -> None:
    """Nothing can be stored for a while, and then it can again."""
    with soak.during("full disk"), full(disk):
        await asyncio.sleep(seconds)
    with soak.during("room again") as act:
        end = time.monotonic() + 30
        while len(act.times) < 5 and time.monotonic() < end:
            await asyncio.sleep(0.1)
        assert len(act.times) >= 5, "nobody could play when there was room again"


async def memory_returns(soak: Soak) -> None:
    """All attacks at once on a server that lives on; then it has as much memory as before."""
    await soak.keeper.kill()
    await soak.keeper.start()
    with soak.during("before"):
        await soak.keeper.everybody(PATIENCE)
        if LONG:
            await asyncio.sleep(30)  # until it has what it needs for so many games
        else:
            await soak.attacked(",".join(LINES), 2)  # what a first crowd leaves is most of what few games need
    before = soak.keeper.memory
    with soak.during("all at once"):
        await soak.attacked(",".join(LINES), 60 if LONG else 3)
    with soak.during("after"):
        end = time.monotonic() + REST
        while soak.keeper.memory > before + RETURNS and time.monotonic() < end:
            await asyncio.sleep(0.5)
    assert soak.keeper.memory <= before + RETURNS, f"{before:.0f} MB before, {soak.keeper.memory:.0f} MB after"


async def soaked(folder: Path, disk: Path | None) -> None:
    keeper = Keeper(disk or folder, "--engines", "0")
    await keeper.start()
    soak = Soak(keeper, GAMES, GAMES / TURNS_PER_S)
    try:
        await asyncio.to_thread(soak.prepare)
        watching = asyncio.create_task(soak.watch())
        await siege(soak, disk)
        await memory_returns(soak)
        soak.over = True
        await watching
        await keeper.kill()
        await keeper.start()
        lost = await asyncio.to_thread(soak.lost)
        print(f"lost: {len(lost)}")
        assert not lost, "\n".join(lost[:10])
        assert sum(table.acknowledged for table in soak.tables) > GAMES
        if LONG:
            slow = [act.row() for act in soak.acts if act.name in LINES and not act.quantile(0.99) < LIMIT_MS]
            assert not slow, "\n".join(slow)
    finally:
        soak.over = True
        print(soak.report())
        await keeper.kill()


@pytest.mark.usefixtures("many_files")
def test_nothing_is_lost_in_a_siege() -> None:
    with tempfile.TemporaryDirectory() as folder, small_disk(Path(folder) / "disk", 600 if LONG else 64) as disk:
        asyncio.run(soaked(Path(folder), disk))
