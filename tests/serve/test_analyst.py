"""What the engine thinks of a game: who may ask when, better and better, after the machines' turns, and not unread."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from places import redis_url, until
from serving import listening, running

import hedgerow as hg
from hedgerow.serve.engine import analyst as analysts
from hedgerow.serve.engine.analyses import before_end
from hedgerow.serve.engine.analyst import Analyst, Asked
from hedgerow.serve.engine.engines import Engines
from hedgerow.serve.engine.jobs import Jobs
from hedgerow.serve.process.app import create
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
from hedgerow.serve.turnstile import Turnstile

__all__ = ["redis_url"]

pytestmark = pytest.mark.anyio

RULES = "root_bound(side=3)"


@pytest.fixture(scope="module", autouse=True)
def quiet() -> Iterator[None]:
    """No process prepares games that nobody plays here, and the one that studies need not wait for other programs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Engines, "wake", lambda self: None)
        patch.setattr(analysts, "NICE", 0)
        yield


@pytest.fixture(scope="module")
async def here(tmp_path_factory: pytest.TempPathFactory, quiet: None) -> AsyncIterator[tuple[str, Server]]:
    settings = Settings(data=tmp_path_factory.mktemp("data"), engines=1)
    app = create(settings)
    async with listening(app, settings) as port:
        yield f"http://127.0.0.1:{port}", app.state.server


async def between(ann: httpx.AsyncClient, bo: httpx.AsyncClient, **how: Any) -> str:
    """A game of two people with a few turns played."""
    asked = {"rules": RULES, "opponent": "friend", **how}
    game: str = (await ann.post("/api/games", json=asked)).json()["id"]
    assert (await bo.post(f"/api/games/{game}/join")).status_code == 200
    match = hg.Match(asked["rules"])
    for number in range(4):
        text = match.legal()[0]
        match.play(text)
        while match.rules.mid_turn(match.plain):
            text += f" {match.legal()[-1]}"
            match.play(match.legal()[-1])
        answer = await (ann, bo)[number % 2].post(f"/api/games/{game}/turns", json={"number": number, "text": text})
        assert answer.status_code == 201, answer.text
    return game


async def test_a_finished_game_is_thought_about(here: tuple[str, Server]) -> None:
    url, server = here
    async with (
        httpx.AsyncClient(base_url=url, timeout=300) as ann,
        httpx.AsyncClient(base_url=url, timeout=300) as bo,
        httpx.AsyncClient(base_url=url, timeout=300) as stranger,
    ):
        game = await between(ann, bo)
        where = f"/api/games/{game}/analysis"
        for client in (ann, bo, stranger):
            refused = await client.get(where)
            assert refused.status_code == 409 and "hint: ask when the game is over" in refused.json()["message"]
        await ann.post(f"/api/games/{game}/resign")
        told = (await stranger.get(where, params={"seconds": 0.5})).json()
        assert (told["turn"], told["turns"], told["to_move"]) == (4, 4, 0) and told["iterations"] > 50
        best = told["lines"][0]
        assert best["turn"] == best["variation"][0] and abs(sum(best["values"]) - 1) < 0.01 and best["lead"] is not None
        assert told["engine"] == "search" and told["policy"] is None and best["prior"] is None
        assert max(told["heat"].values()) == 1 and len(told["scores"]) == 2 and len(told["owners"]) > 10
        earlier = (await ann.get(where, params={"turn": 1, "seconds": 0.25, "lines": 2})).json()
        assert earlier["turn"] == 1 and earlier["to_move"] == 1 and len(earlier["lines"]) == 2
        hg.Match(RULES, position=earlier["position"]).play(earlier["lines"][0]["turn"])
        beyond = await ann.get(where, params={"turn": 5})
        assert beyond.status_code == 422 and "the game has 4 turns; hint: 0 to 4" in beyond.json()["message"]
        assert (await ann.get("/api/engine")).json()["analyses"] == 0
        stream = f"{where}/stream"
        async with stranger.stream("GET", stream, params={"seconds": 1, "every": 0.25}) as lines:
            assert lines.headers["content-type"] == "application/x-ndjson"
            found = [line async for line in found_in(lines)]
        counts = [line["iterations"] for line in found]
        assert counts == sorted(set(counts))
        assert found[-1]["proven"] is not None or (len(counts) == 4 and found[-1]["seconds"] == 1)
        assert server.analyst and not server.analyst.asked


async def found_in(lines: httpx.Response) -> AsyncIterator[dict[str, Any]]:
    """What a stream tells, once the machine is ready."""
    async for line in lines.aiter_lines():
        if (told := json.loads(line)) != {"preparing": True}:
            yield told


async def test_it_stops_when_nobody_reads(here: tuple[str, Server]) -> None:
    url, server = here
    async with httpx.AsyncClient(base_url=url, timeout=300) as ann, httpx.AsyncClient(base_url=url, timeout=300) as bo:
        game = await between(ann, bo)
        await ann.post(f"/api/games/{game}/resign")
        analyst = server.analyst
        assert analyst is not None
        async with ann.stream("GET", f"/api/games/{game}/analysis/stream", params={"seconds": 60}) as lines:
            assert (await anext(found_in(lines)))["lines"]
            assert len(analyst.asked) == 1
        await until(lambda: not analyst.asked)  # though most of the minute is left
        with pytest.raises(httpx.ReadTimeout):
            await ann.get(f"/api/games/{game}/analysis", params={"seconds": 5}, timeout=0.4)
        await until(lambda: not analyst.asked and not analyst.gate.full)
        assert await analyst._done(analysts.studies_open) == 0


async def test_who_asks_anew_is_not_told_more_of_the_old(here: tuple[str, Server]) -> None:
    url, _ = here
    async with httpx.AsyncClient(base_url=url, timeout=300) as ann, httpx.AsyncClient(base_url=url, timeout=300) as bo:
        game = await between(ann, bo)
        await ann.post(f"/api/games/{game}/resign")
        where = f"/api/games/{game}/analysis"
        async with ann.stream("GET", f"{where}/stream", params={"seconds": 60}) as lines:
            each = found_in(lines)
            await anext(each)
            assert (await ann.get(where, params={"turn": 0, "seconds": 0.25})).json()["turn"] == 0
            left = [line async for line in each]
        assert len(left) < 20 and left[-1]["seconds"] < 10


async def test_never_a_rated_game_that_goes_on(here: tuple[str, Server]) -> None:
    url, _ = here
    async with (
        httpx.AsyncClient(base_url=url, timeout=300) as ann,
        httpx.AsyncClient(base_url=url, timeout=300) as bo,
        httpx.AsyncClient(base_url=url, timeout=300) as stranger,
    ):
        for client, name in ((ann, "Ann"), (bo, "Bo")):
            await client.post("/api/sign-up", json={"name": name, "password": "under the hedge"})
        rated = await between(ann, bo, rules="root_down", rated=True)
        for client in (ann, bo, stranger):
            for path in ("analysis", "analysis/stream", "analysis?turn=0"):
                refused = await client.get(f"/api/games/{rated}/{path}")
                assert refused.status_code == 409 and refused.json()["code"] == "not_over", path
                assert "rated games that go on; hint:" in refused.json()["message"]
        friendly = await between(ann, bo, rules="root_down")  # the same turns, and so the same position
        await bo.post(f"/api/games/{friendly}/resign")
        where = f"/api/games/{friendly}/analysis"
        refused = await ann.get(where)
        assert refused.status_code == 409 and "stands in a rated game that goes on" in refused.json()["message"]
        assert (await ann.get(where, params={"turn": 2, "seconds": 0.25})).status_code == 200
        await ann.post(f"/api/games/{rated}/resign")
        for game in (friendly, rated):
            assert (await bo.get(f"/api/games/{game}/analysis", params={"seconds": 0.25})).status_code == 200


def mistaken() -> None:
    """Work with a mistake in it."""
    raise KeyError("a mistake of ours")


async def test_a_mistake_is_not_taken_for_a_lost_study() -> None:
    analyst = Analyst(Turnstile(1))
    try:
        with pytest.raises(KeyError, match="a mistake of ours"):
            await analyst._done(mistaken)
        with pytest.raises(Refused, match="was restarted"):
            await analyst._done(analysts.go_on, "nobody knows this", 0.1, 0.1, True)
    finally:
        await analyst.stop()


# --- any position -----------------------------------------------------------------------------------------------------


async def lines_of(client: httpx.AsyncClient, place: str, status: int = 200, **body: Any) -> list[dict[str, Any]]:
    """What a stream about a position tells, or how it is refused."""
    params = {"seconds": 0.5, "every": 0.25} if place == "stream" else None
    async with client.stream("POST", f"/api/positions/analysis/{place}", params=params, json=body) as lines:
        assert lines.status_code == status
        return [line async for line in found_in(lines)]


async def test_any_position_is_thought_about(here: tuple[str, Server]) -> None:
    url, server = here
    async with httpx.AsyncClient(base_url=url, timeout=300) as ann:
        found = await lines_of(ann, "stream", rules="root_down", turns="c2-a4")
        assert found[-1]["engine"] == "network" and 0.9 < sum(found[-1]["policy"].values()) < 1.01
        assert all(0 <= line["prior"] <= 1 for line in found[-1]["lines"])
        best = found[-1]["lines"][0]
        assert [point for points in best["points"] for point in points] == best["turn"].split("-")
        assert found[-1]["turn"] == 1 and found[-1]["to_move"] == 1 and found[-1]["iterations"] > found[0]["iterations"]
        over = await lines_of(ann, "stream", 409, rules="root_and_thorn", turns="Me3 Me8 pass pass")
        assert "the game is over; hint:" in over[0]["message"]
        assert (await lines_of(ann, "stream", 422, rules="hexbo", turns="A1 A1"))[0]["code"] == "illegal"
        assert server.analyst and not server.analyst.asked


async def test_how_a_game_went(here: tuple[str, Server]) -> None:
    url, server = here
    turns = "c2-a4 f7-h5 d2-c2 e7-f7"
    async with httpx.AsyncClient(base_url=url, timeout=300) as ann:
        *found, last = await lines_of(ann, "graph", rules="root_down", turns=turns)
        assert [chance["turn"] for chance in found] == [0, 1, 2, 3, 4]
        assert [chance["played"] for chance in found] == [*turns.split(), None]
        match = hg.Match("root_down")
        for chance in found:
            assert abs(sum(chance["values"]) - 1) < 0.01 and chance["best"] in match.legal()
            match.play(chance["played"]) if chance["played"] else None
        assert all(point["better"] != point["played"] for point in last["turning"])
        *found, last = await lines_of(ann, "graph", rules="root_and_thorn", turns="Me3 Me8 pass pass")
        assert (found[-1]["values"], found[-1]["best"]) == ([0.5, 0.5], None)
        assert server.analyst and not server.analyst.asked and not server.analyst.gate.full


async def test_no_position_of_a_rated_game_that_goes_on(here: tuple[str, Server]) -> None:
    url, _ = here
    async with httpx.AsyncClient(base_url=url, timeout=300) as ann, httpx.AsyncClient(base_url=url, timeout=300) as bo:
        for client, name in ((ann, "Cleo"), (bo, "Dan")):
            await client.post("/api/sign-up", json={"name": name, "password": "under the hedge"})
        game = await between(ann, bo, rules="root_down", rated=True)
        played = (await ann.get(f"/api/games/{game}")).json()["turns"]
        match = hg.Match("root_down")
        match.play(" ".join(played))
        line = {"rules": "root_down", "turns": " ".join(played)}
        longer = {"rules": "root_down", "turns": " ".join([*played, match.legal()[0]])}
        after = hg.Match("root_down")
        after.play(longer["turns"])
        ahead = {"rules": "root_down", "position": after.position()}
        behind = {"rules": "root_down", "turns": " ".join(played[:-1])}
        each = [("graph", line), ("graph", longer), *(("stream", body) for body in (line, longer, ahead, behind))]
        for place, body in each:
            async with httpx.AsyncClient(base_url=url, timeout=300) as nobody:
                refused = await lines_of(nobody, place, 409, **body)
            assert refused == await lines_of(ann, place, 409, **body)
            assert "stands in a rated game that goes on, or is a turn away from one; hint:" in refused[0]["message"]
        by_text = {"rules": "root_down", "position": match.position()}
        assert (await lines_of(bo, "stream", 409, **by_text))[0]["code"] == "not_over"
        other_options = {"rules": "root_down(repetition=0)", "turns": " ".join(played)}
        assert (await lines_of(bo, "stream", 409, **other_options))[0]["code"] == "not_over"
        page = await ann.post("/analysis/think", data=line)
        assert page.status_code == 409 and "stands in a rated game that goes on" in page.text
        await bo.post(f"/api/games/{game}/resign")
        assert (await lines_of(ann, "stream", **line))[-1]["lines"]


async def test_who_waits_for_a_compiler_is_told_and_takes_nobodys_place(
    here: tuple[str, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, server = here
    assert server.analyst
    monkeypatch.setattr(server.analyst, "ready", lambda rules: rules != RULES)
    monkeypatch.setattr(analysts, "COMPILING_SECONDS", 0.5)
    async with httpx.AsyncClient(base_url=url, timeout=300) as ann:
        for place in ("stream", "graph"):
            waiting = asyncio.create_task(ann.post(f"/api/positions/analysis/{place}", json={"rules": RULES}))
            await asyncio.sleep(0.1)
            assert not server.analyst.table.full
            first, second = map(json.loads, (await waiting).text.splitlines())
            assert first == {"preparing": True} and "getting ready" in second["message"], place


# --- games against machines -------------------------------------------------------------------------------------------


async def test_running_games_against_the_machine_alone(
    here: tuple[str, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(self: Engines, game: str, record: str, player: str) -> str:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(Engines, "_thought", never)
    url, _ = here
    async with httpx.AsyncClient(base_url=url, timeout=300) as ann, httpx.AsyncClient(base_url=url, timeout=300) as bo:
        game = (await ann.post("/api/games", json={"rules": RULES, "seat": 0, "level": 1})).json()["id"]
        where = f"/api/games/{game}/analysis"
        assert (await ann.get(where, params={"seconds": 0.25})).json()["turn"] == 0
        await bo.post("/api/guest")
        refused = await bo.get(where)
        assert refused.status_code == 403 and refused.json()["code"] == "not_yours"
        opened = (await ann.post("/api/games", json={"rules": RULES, "opponent": "friend"})).json()["id"]
        assert (await ann.get(f"/api/games/{opened}/analysis")).json()["code"] == "not_begun"


async def test_without_engines_nobody_thinks(tmp_path: Path) -> None:
    async with running(Settings(data=tmp_path, engines=0)) as app:
        base: dict[str, Any] = {"transport": httpx.ASGITransport(app), "base_url": "http://here.test"}
        async with httpx.AsyncClient(**base) as ann, httpx.AsyncClient(**base) as bo:
            game = await between(ann, bo)
            await ann.post(f"/api/games/{game}/resign")
            refused = await ann.get(f"/api/games/{game}/analysis")
            assert refused.status_code == 404 and "no engine runs here; hint:" in refused.json()["message"]


async def test_with_redis_a_web_process_thinks_by_itself(postgres: str, redis_url: str) -> None:
    async with running(Settings(data=Path("/nowhere"), database=postgres, redis=redis_url, engines=1)) as app:
        assert isinstance(app.state.server.engines, Jobs)  # the machines' turns are thought about elsewhere
        base: dict[str, Any] = {"transport": httpx.ASGITransport(app), "base_url": "http://here.test"}
        async with httpx.AsyncClient(**base) as ann, httpx.AsyncClient(**base) as bo:
            game = await between(ann, bo)
            await ann.post(f"/api/games/{game}/resign")
            told = (await bo.get(f"/api/games/{game}/analysis", params={"seconds": 0.25})).json()
            assert told["turn"] == 4 and told["lines"]


# --- the analyst itself -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
async def analyst(quiet: None) -> AsyncIterator[Analyst]:
    made = Analyst(Turnstile(1))
    yield made
    await made.stop()


def question(account: int | None, address: str = "192.0.2.1") -> Asked:
    return Asked(RULES, hg.Match(RULES).position(), 3, account, address)


async def test_machines_come_first(analyst: Analyst) -> None:
    order: list[str] = []
    busy, leave = asyncio.Event(), asyncio.Event()

    async def machine(name: str) -> None:
        async with analyst.gate.through(name, "1", ""):
            busy.set()
            order.append(name)
            await leave.wait()

    async def study() -> None:
        async for _ in analyst.study(question(2), 0.25):
            order.append("study")

    tasks = [asyncio.create_task(machine("first"))]
    await busy.wait()
    tasks.append(asyncio.create_task(study()))
    await until(lambda: bool(analyst.gate._waiting))
    tasks.append(asyncio.create_task(machine("second")))
    await until(lambda: len(analyst.gate._waiting) == 2)
    assert analyst.gate.waiting == 1  # who looks at the queue sees the machines' turns
    leave.set()
    await asyncio.gather(*tasks)
    assert order == ["first", "second", "study"]
    assert analyst.gate._accounts.of("2", asyncio.get_running_loop().time()) > 0  # and it is counted


async def test_few_at_a_time_and_the_others_wait(analyst: Analyst, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysts, "FAIR_SECONDS", 0.5)
    monkeypatch.setattr(analyst, "table", Turnstile(1))
    long = analyst.study(question(1), 60, 0.25)
    assert (await anext(long)).seconds == 0.25
    other = asyncio.create_task(anext(analyst.study(question(None), 0.25)))
    await until(lambda: analyst.table.waiting == 1)
    rest = [found.seconds async for found in long]
    assert rest and rest[-1] < 60 and (await other).iterations > 0


async def test_an_evaluation_goes_between_the_slices_of_a_study(analyst: Analyst) -> None:
    study = analyst.study(question(1), 60, 0.25)
    await anext(study)
    found = await analyst.evaluate(question(1), 500)
    assert abs(sum(found.values) - 1) < 0.01 and found.best in hg.Match(RULES).legal()
    assert await analyst.evaluate(question(2), 500) is found  # whoever asks next is told the same at once
    assert (await anext(study)).iterations > 0  # it was not taken for a new question of the same person
    await study.aclose()
    assert not analyst.asked and not analyst.gate.full


async def test_nobody_waits_for_ever(analyst: Analyst, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysts, "PATIENCE_SECONDS", 0.05)
    async with analyst.gate.through("a machine", "1", ""):
        with pytest.raises(Refused, match="the engine is busy; hint:"):
            await anext(analyst.study(question(2), 0.25))
    assert not analyst.asked and not analyst.gate.full


async def test_a_process_that_dies_is_replaced(analyst: Analyst) -> None:
    study = analyst.study(question(1), 60, 0.25)
    await anext(study)
    os.kill(await analyst._done(os.getpid), signal.SIGKILL)
    with pytest.raises(Refused, match="hint: ask again"):
        while True:
            await anext(study)
    assert (await anext(analyst.study(question(1), 0.25))).iterations > 0


# --- which position ---------------------------------------------------------------------------------------------------


def games() -> Iterator[tuple[hg.Match, int]]:
    over = hg.Match("root_bound(side=3)")
    while not over.outcome:
        over.play(over.legal()[0])
    yield over, len(over.turns) - 1
    left = hg.Match("hexbo(side=5,players=3)")
    for text in ("A1", "resign", "E1"):
        left.resign(1) if text == "resign" else left.play(left.legal()[0])
    left.resign(0)
    yield left, 2


def test_the_position_after_a_turn() -> None:
    for match, last in games():
        assert before_end(match, None)[1:] == (last, last)
        for turn in range(last + 1):
            then, left, _ = before_end(match, turn)
            assert left == turn and then.turns == match.turns[:turn] and not then.outcome
        with pytest.raises(Refused, match=f"hint: 0 to {last}"):
            before_end(match, last + 1)
