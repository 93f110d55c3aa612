"""The same on PostgreSQL: several workers are killed under load, and the database itself goes and comes back."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from pathlib import Path

import pytest
from places import redis_url
from private_postgres import PrivatePostgres, private_postgres
from serving import _do
from test_engines import thinking
from test_games import people, stored
from test_kill import MATCHES, RULES, check_all_is_there, load_until_killed

from hedgerow.serve.play.clocks import Control
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
from hedgerow.tools.serve_bench import prepared, random_game, server_process

__all__ = ["private_postgres", "redis_url"]

KILLS = int(os.environ.get("HEDGEROW_KILLS", "1"))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to find the workers")
@pytest.mark.parametrize("number", range(KILLS))
def test_no_acknowledged_turn_is_lost(tmp_path: Path, postgres: str, redis_url: str, number: int) -> None:
    places = ("--database", postgres, "--redis", redis_url, "--workers", "2", "--engines", "0", "--no-limits")
    with server_process(str(tmp_path), *places) as (process, port):
        games = prepared(port, RULES, MATCHES)
        workers = thinking(process.pid)
        assert len(workers) == 2

        def kill_everything() -> None:
            process.kill()
            for worker in workers:
                os.kill(worker, signal.SIGKILL)

        after = random.Random(number).randrange(2 * MATCHES, 20 * MATCHES)
        acknowledged = asyncio.run(load_until_killed(port, games, kill_everything, after))
    assert sum(acknowledged) >= after
    with server_process(str(tmp_path), *places) as (_, port):
        # the opponent, at another worker, may have answered a turn whose acknowledgement was cut off
        check_all_is_there(port, games, acknowledged, ahead=2)


async def played_through(server: Server, game: str, accounts: list[int], seed: int) -> list[str]:
    """Plays a whole game as a patient client does: what is refused for the moment is sent again."""
    done = []
    for number, (seat, text) in enumerate(random_game(RULES, seed)[:25]):
        await asyncio.sleep(0.02)
        while True:
            try:
                played = await server.games.play(game, accounts[seat], number, text)
                done.append(played.turn.text)
                break
            except Refused as refused:
                assert refused.code == "later"
                await asyncio.sleep(0.05)
    return done


async def begun(server: Server) -> tuple[list[str], list[int], dict[str, list[int | None]]]:
    """Games to play, who plays them, and the versions that those who listen to each are told."""
    accounts = await people(server, 2)
    seats = [{"account": account} for account in accounts]
    games = [(await server.games.create(RULES, accounts[0], seats, Control(), False)).id for _ in range(8)]
    heard: dict[str, list[int | None]] = {game: [] for game in games}
    for game in games:
        server.bus.subscribe(game, lambda message, game=game: heard[game].append(message.version), version=0)  # type: ignore[misc]
    return games, accounts, heard


async def check_everything(
    server: Server, games: list[str], done: list[list[str]], heard: dict[str, list[int | None]]
) -> None:
    """All that was played is stored, and everybody was told everything, once and in order."""
    for seed, (game, texts) in enumerate(zip(games, done)):
        wanted = [text for _, text in random_game(RULES, seed)[:25]]
        assert texts == wanted == await stored(server, game)
        assert heard[game] == list(range(1, 26))


@pytest.mark.anyio
async def test_lines_to_the_database_are_cut(postgres: str) -> None:
    server = await Server.start(Settings(data=Path("/nowhere"), database=postgres, engines=0))
    games, accounts, heard = await begun(server)
    playing = asyncio.gather(*(played_through(server, game, accounts, seed) for seed, game in enumerate(games)))
    name, cuts = postgres.rsplit("/", 1)[1], 0
    while not playing.done():
        await _do(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
        server.games.forget(random.choice(games))
        cuts += 1
        await asyncio.sleep(0.15)
    assert cuts > 1
    await check_everything(server, games, await playing, heard)
    await server.stop()


@pytest.mark.anyio
async def test_the_database_crashes_and_comes_back(private_postgres: PrivatePostgres) -> None:
    server = await Server.start(Settings(data=Path("/nowhere"), database=private_postgres.url, engines=0))
    games, accounts, heard = await begun(server)
    playing = asyncio.gather(*(played_through(server, game, accounts, seed) for seed, game in enumerate(games)))
    for _ in range(2):
        await asyncio.sleep(0.15)
        assert not playing.done()
        await asyncio.to_thread(private_postgres.crash)
        await asyncio.sleep(0.3)
        await asyncio.to_thread(private_postgres.start)
    await check_everything(server, games, await playing, heard)
    await server.stop()
