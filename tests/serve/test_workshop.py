"""The workshop: long work is done elsewhere, never too much of it, and by whoever is alive; players notice nothing."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator

import pytest
from fastapi import FastAPI
from flood import RULES, long_line, measured
from serving import Visit

from hedgerow.serve.people.limits import Busy, TooMany
from hedgerow.serve.play import replays, workshop
from hedgerow.serve.play.replays import SentGame
from hedgerow.serve.play.workshop import Payer, Workshop
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.web import beginners

pytestmark = pytest.mark.anyio

ANN, BO, NOBODY = Payer(1, "192.0.2.1"), Payer(2, "192.0.2.2"), Payer(None, "192.0.2.3")


@pytest.fixture
async def shop() -> AsyncIterator[Workshop]:
    made = Workshop(processes=1)
    yield made
    made.stop()


async def test_what_is_refused_there_is_refused_here(shop: Workshop) -> None:
    assert b'"to_move":1' in await shop.do(ANN, replays.look, SentGame("hexbo(side=5)", None, "A2"))
    with pytest.raises(Refused) as refused:
        await shop.do(ANN, replays.look, SentGame("hexbo(side=5)", None, "A2 A2"))
    assert refused.value.code == "illegal" and refused.value.reason and refused.value.reason.points == ("A2",)
    with pytest.raises(ZeroDivisionError):
        await shop.do(ANN, divmod, 1, 0)
    assert await shop.do(ANN, divmod, 7, 2) == (3, 1)


async def test_only_so_much_waits(shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workshop, "MOST", 6)
    monkeypatch.setattr(workshop, "MOST_EACH", 3)
    waiting = [asyncio.create_task(shop.do(payer, time.sleep, 0.2)) for payer in (ANN, ANN, ANN, BO, BO, BO)]
    await asyncio.sleep(0)
    with pytest.raises(TooMany, match="before you are answered; hint: try again in 1 second"):
        await shop.do(ANN, os.getpid)
    with pytest.raises(Busy) as refused:
        await shop.do(NOBODY, os.getpid)
    assert refused.value.code == "later" and refused.value.after > 0
    await asyncio.gather(*waiting)
    assert await shop.do(ANN, os.getpid) != os.getpid() and not shop._here and not shop._all


async def test_work_is_paid_for_in_seconds(shop: Workshop) -> None:
    shop.accounts.charge("1", 31)
    with pytest.raises(TooMany, match="too much work for you; hint: try again in"):
        await shop.do(ANN, os.getpid)
    assert await shop.do(BO, os.getpid)
    shop.addresses.charge(BO.address, 100)
    for payer in (BO, Payer(3, BO.address), Payer(None, BO.address)):
        with pytest.raises(TooMany, match="for your address"):
            await shop.do(payer, os.getpid)
    before = shop.addresses._of(NOBODY.address, time.monotonic())
    await shop.do(NOBODY, replays.look, SentGame("tanbo", None, long_line(turns=60)))
    assert shop.addresses._of(NOBODY.address, time.monotonic()) < before
    shop.limited = False
    assert await shop.do(ANN, os.getpid) and await shop.do(BO, os.getpid)


def test_one_address_cannot_have_the_workshop_for_itself() -> None:
    shop = Workshop()
    assert shop.accounts.rate < shop.addresses.rate < workshop.PROCESSES, "else its budget would never end"


async def test_a_process_that_dies_is_replaced(shop: Workshop) -> None:
    first = await shop.do(ANN, os.getpid)
    long = asyncio.create_task(shop.do(ANN, time.sleep, 1))
    await asyncio.sleep(0.2)
    os.kill(first, signal.SIGKILL)
    await long
    assert await shop.do(ANN, os.getpid) != first
    with pytest.raises(Busy):
        await shop.do(ANN, os._exit, 1)
    assert await shop.do(ANN, os.getpid)


async def test_what_takes_too_long_is_given_up(shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    await shop.do(ANN, os.getpid)
    monkeypatch.setattr(workshop, "MAX_SECONDS", 0.3)
    with pytest.raises(Refused, match="takes longer"):
        await shop.do(ANN, time.sleep, 60)
    monkeypatch.setattr(workshop, "MAX_SECONDS", 30)
    assert await shop.do(BO, os.getpid)


async def test_whoever_asks_too_much_is_told_when_to_come_again(visit: Visit, app: FastAPI) -> None:
    server: Server = app.state.server
    asked = {"rules": RULES, "turns": "A2"}
    async with visit() as ann, visit() as bo:
        game = (await ann.post("/api/games", json={"rules": "hexbo(side=5)", "opponent": "friend"})).json()["id"]
        await bo.post(f"/api/games/{game}/join")
        here = server.address((await ann.get("/api/me")).json()["account"]["id"])
        server.workshop.addresses.charge(here, 100)
        for place in ("", "/why-not", "/record/text"):
            answer = await ann.post(f"/api/positions{place}", json=asked)
            assert answer.status_code == 429 and int(answer.headers["retry-after"]) > 0, place
        for place in ("/api/positions/picture", "/analysis"):
            assert (await ann.get(place, params=asked)).status_code == 429, place
        assert (await ann.post("/api/positions/record", json={"text": "x"})).status_code == 429
        turn = await ann.post(f"/api/games/{game}/turns", json={"number": 0, "text": "A1"})
        assert turn.status_code == 201, "whoever plays goes on"
        server.workshop.addresses.charge(here, -200)
        server.workshop._all = workshop.MOST
        answer = await ann.post("/api/positions", json=asked)
        assert answer.status_code == 503 and int(answer.headers["retry-after"]) > 0
        server.workshop._all = 0


async def test_many_who_ask_at_once_are_answered_or_sent_away(visit: Visit) -> None:
    asked = {"rules": RULES, "turns": long_line()}
    async with visit() as ann:

        async def status() -> int:
            return (await ann.post("/api/positions", json=asked)).status_code

        found = await asyncio.gather(*(status() for _ in range(60)))
    assert {200, 429} == set(found) and found.count(200) >= 10


def test_players_play_on_in_a_flood() -> None:
    found = measured(8, 1.0)
    assert found["turns"] > 3 and set(found["flood"]) <= {200, 429, 503}


def test_the_processes_start_light() -> None:
    """Nobody waits for a database or a web framework that a replay does not need."""
    code = (
        "import sys; from hedgerow.serve.play import plan_trees, replays, symmetry, workshop\n"
        "print({'sqlalchemy', 'alembic', 'fastapi', 'numba', 'numpy'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
    assert beginners.board_for("hexbo") == replays.FIRST
