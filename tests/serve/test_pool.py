"""The engine processes: kernels first, a game's turns to the process that keeps its players, and deaths that repeat."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import hedgerow as hg
from hedgerow.serve import processes
from hedgerow.serve.engine import compiler, pool, seats
from hedgerow.serve.engine.pool import EnginePool

pytestmark = pytest.mark.anyio

RULES = "root_bound(side=3)"


@pytest.fixture
def not_nice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engine processes need not give way to other programs."""
    monkeypatch.setattr(pool, "NICE", 0)
    monkeypatch.setattr(compiler, "COMPILER_NICE", 0)


@contextlib.asynccontextmanager
async def engine_pool(processes: int, *ready: str) -> AsyncIterator[EnginePool]:
    """Engine processes that have loaded the kernels of some rules."""
    made = EnginePool(processes)
    try:
        wanted = {(rules, "level(1)") for rules in ready}
        for rules in ready:
            made.compiled(rules, "level(1)")
        await made.compiler.wait(300, lambda: all(wanted <= one.ready for one in made.engines))
        yield made
    finally:
        made.stop()


async def test_what_is_asked_for_is_compiled_and_loaded(not_nice: None) -> None:
    match = hg.Match(RULES)
    match.play("a1")
    async with engine_pool(1) as engines:
        assert not engines.compiled(RULES)
        assert isinstance(
            match.rules.judge(match.plain, (await engines.thought("g", match.record(), "level(1)")).split()[0]), int
        )
        wanted = {(RULES, "level(1)"), (RULES, "uct")}
        await engines.compiler.wait(120, lambda: wanted <= engines.engines[0].ready)
        assert engines.compiled(RULES)
        text = await engines.thought("g", match.record(), "uct(iterations=50)")
        assert text == hg.player(f"uct(iterations=50,seed={seats.seed_of('g', 1)})").choose(match)


async def test_what_cannot_be_prepared_or_thought_out_stops_nobody(not_nice: None) -> None:
    match = hg.Match(RULES)
    async with engine_pool(1) as engines:
        kernels = engines.compiler
        for _ in range(compiler.MOST_FAILURES):
            assert not kernels.ask(RULES, "nobody(7)") and (RULES, "nobody(7)") in kernels.compiled, "it is tried again"
            while (RULES, "nobody(7)") in kernels.compiled:
                await asyncio.sleep(0.05)
        assert not kernels.ask(RULES, "nobody(7)") and (RULES, "nobody(7)") not in kernels.compiled, "but not for ever"
        engines.engines[0].ready.add((RULES, "level(1)"))
        assert isinstance(
            match.rules.judge(match.plain, (await engines.thought("g", match.record(), "nobody(7)")).split()[0]), int
        )


# --- who thinks -------------------------------------------------------------------------------------------------------


async def kept_by(engines: EnginePool) -> list[list[tuple[str, int]]]:
    """The players that sit in each process."""
    return [await engine.do_once(seats.seated_players) for engine in engines.engines]


async def test_a_game_stays_with_the_process_that_keeps_its_players(not_nice: None) -> None:
    match, later = hg.Match(RULES), hg.Match(RULES)
    later.play_turn("a1")
    later.play_turn("b2 e3")
    async with engine_pool(2, RULES) as engines:
        for record in (match.record(), later.record()):
            for game in "ab":
                await engines.thought(game, record, "level(1)")
        assert sorted(await kept_by(engines)) == [[("a", 0)], [("b", 0)]]
        engines.let_go("a")
        assert sorted(await kept_by(engines)) == [[], [("b", 0)]]


async def test_nobody_waits_long_for_that_process(not_nice: None) -> None:
    match = hg.Match(RULES)
    async with engine_pool(2, RULES) as engines:
        await engines.thought("a", match.record(), "level(1)")
        holder = engines._holders["a"]
        busy = asyncio.create_task(holder.do_once(time.sleep, 4 * pool.AFFINITY_SECONDS))
        await asyncio.sleep(0)
        match.play_turn("a1")
        assert isinstance(
            match.rules.judge(match.plain, (await engines.thought("a", match.record(), "level(1)")).split()[0]), int
        )
        assert not busy.done() and engines._holders["a"] is not holder
        await busy
        assert sorted(await kept_by(engines)) == [[], [("a", 1)]], "the first process has let it go"
        busy = asyncio.create_task(engines._holders["a"].do_once(time.sleep, pool.AFFINITY_SECONDS / 4))
        await asyncio.sleep(0)
        await engines.thought("a", match.record(), "level(1)")
        assert busy.done(), "a moment is waited for"


# --- deaths -----------------------------------------------------------------------------------------------------------


def die(game: str, record: str, name: str, secret: str) -> str:
    """In place of thinking: notes it in a file that is named like the game, and ends the process."""
    with Path(game).open("a") as notes:
        notes.write("died\n")
    os._exit(1)


def die_once(game: str, record: str, name: str, secret: str) -> str:
    """The same, but the second process answers."""
    return "c3" if Path(game).exists() else die(game, record, name, secret)


async def test_processes_that_die_for_one_turn_are_not_started_for_ever(
    not_nice: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    match, notes = hg.Match(RULES), tmp_path / "deaths"
    async with engine_pool(1, RULES) as engines:
        monkeypatch.setattr(seats, "think", die)
        turn = await engines.thought(str(notes), match.record(), "level(2)")
        assert isinstance(match.rules.judge(match.plain, turn.split()[0]), int)
        assert notes.read_text().splitlines() == ["died"] * processes.DEATHS
        said = [record for record in caplog.records if record.levelno >= logging.ERROR]
        assert len(said) == 1 and "3 engine processes died over one turn" in said[0].getMessage()
        monkeypatch.setattr(seats, "think", die_once)
        assert await engines.thought(str(tmp_path / "once"), match.record(), "level(2)") == "c3"
        assert len([record for record in caplog.records if record.levelno >= logging.ERROR]) == 1
