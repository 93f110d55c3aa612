"""Bells: whoever a game concerns and does not look at it is rung for, nobody else, and an idle page is left alone."""

from __future__ import annotations

import asyncio

import pytest
from places import until
from serving import Visit
from test_lobby import ask, made, person

from hedgerow.serve.play import bells
from hedgerow.serve.play.bells import ALIVE, BYE, RING, Bell
from hedgerow.serve.play.clocks import Control
from hedgerow.serve.server import Server

pytestmark = pytest.mark.anyio

SETTLED = 0.2
"""How many seconds everything that is on its way may take."""


class Heard:
    """What a bell has said."""

    def __init__(self, bell: Bell) -> None:
        self.said: list[bytes] = []
        self.task = asyncio.create_task(self._listen(bell))

    async def _listen(self, bell: Bell) -> None:
        async for line in bell.lines():
            self.said.append(line)
        bell.close()

    async def rung(self) -> None:
        """Until it has rung, and is silent again: two things at once may be one ring or two."""
        await until(lambda: RING in self.said)
        await asyncio.sleep(SETTLED)
        self.said.clear()


async def test_a_bell_rings_for_those_who_do_not_look(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bells, "PAUSE", 0.0)
    ann, bo, cy = [(await server.accounts.guest())[0].id for _ in range(3)]
    heard = {account: Heard(server.bells.open(account)) for account in (ann, bo, cy)}
    for each in heard.values():
        await each.rung()  # as something may have happened before it hung
    rules, clock = "hexbo(side=5)", Control("live", 60_000, 0)
    live = await server.games.create(rules, ann, [{"account": ann}, {"invited": bo}], clock, False)
    await heard[bo].rung()
    await server.games.join(live.id, bo)
    await heard[ann].rung()
    await heard[bo].rung()
    leave = server.spectators.come(live.id, 1)
    await server.games.play(live.id, ann, 0, "A1")  # who looks at the board sees it there
    await asyncio.sleep(SETTLED)
    assert not heard[bo].said
    await server.games.play(live.id, bo, 1, (await server.games.get(live.id)).match.legal()[0])
    await heard[ann].rung()
    assert not heard[bo].said and not heard[cy].said
    leave()
    server.bells.ring([cy])
    await heard[cy].rung()
    for bell in server.bells._open:
        bell.stop()
    await asyncio.gather(*(each.task for each in heard.values()))
    assert heard[cy].said == [ALIVE] and not server.bells._open, "who is not told goodbye comes again"


async def test_an_idle_bell_is_left_alone_and_the_oldest_goes(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bells, "BEAT", 0.02)
    monkeypatch.setattr(server.bells._open, "most", 2)
    (ann,) = [(await server.accounts.guest())[0].id]
    hung = [Heard(server.bells.open(ann)) for _ in range(3)]
    await hung[0].task
    assert hung[0].said[-1] == BYE
    await until(lambda: ALIVE in hung[1].said and ALIVE in hung[2].said)
    assert [each.said.count(RING) for each in hung] == [1, 1, 1]
    for bell in server.bells._open:
        bell.end()
    await asyncio.gather(*(each.task for each in hung))


async def test_a_game_alone_with_the_machine_rings_nobody(server: Server) -> None:
    (ann,) = [(await server.accounts.guest())[0].id]
    heard = Heard(server.bells.open(ann))
    seats = [{"player": "level(1)"}, {"account": ann}]
    live = await server.games.create("hexbo(side=5)", ann, seats, Control(), False)
    await server.games.play(live.id, None, 0, "A1")
    await asyncio.sleep(SETTLED)
    assert heard.said == [RING]
    heard.task.cancel()


async def test_the_line_is_an_event_stream(visit: Visit) -> None:
    async with person(visit, "Ann") as ann, person(visit, "Bo") as bo:
        answer = await ann.get("/api/bell", params={"wait": "false"})
        assert answer.headers["content-type"].startswith("text/event-stream") and answer.content.startswith(RING)
        game = (await made(ann, opponent="named", name="Bo", clock={"kind": "days"}))["id"]
        assert f"challenge:{game}" in (await bo.get("/live")).text
        await ask(bo, game, "join")
        assert f"begun:{game}" in (await ann.get("/live")).text
