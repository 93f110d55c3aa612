"""Who sits at a game, on its page: shapes, ratings and what a game did to them, and those who are out."""

from __future__ import annotations

import re

import httpx
import pytest
from serving import Visit, seen

pytestmark = pytest.mark.anyio


async def named(client: httpx.AsyncClient, name: str) -> None:
    await client.post("/api/sign-up", json={"name": name, "password": "under the hedge"})


def seats(page: str) -> list[str]:
    """The words at every seat."""
    found = re.search(r'<ol class="seats".*?</ol>', page, re.DOTALL)
    assert found
    return [" ".join(re.sub(r"<[^>]*>", " ", seat).split()) for seat in found[0].split("<li ")[1:]]


async def test_ratings_stand_beside_the_names_and_move_at_the_end(visit: Visit) -> None:
    async with visit() as ann, visit() as bo:
        await named(ann, "Ann")
        await named(bo, "Bo")
        made = await ann.post("/api/games", json={"rules": "root_down", "opponent": "friend", "rated": True})
        where = f"/games/{made.json()['id']}"
        assert "waiting for somebody" in seats(seen((await ann.get(where)).text))[1]
        await bo.post(f"/api{where}/join")
        before = seats(seen((await ann.get(where)).text))
        assert "Ann (you) 1500 ?" in before[0] and "Bo 1500 ?" in before[1]
        await bo.post(f"/api{where}/resign")
        page = seen((await ann.get(where)).text)  # at once, whoever has or has not rated it yet
        assert "Ann (you) 1605 ? +105" in seats(page)[0] and "won" in seats(page)[0]
        assert "Bo 1395 ? −105" in seats(page)[1]
        friendly = await ann.post("/api/games", json={"rules": "root_down", "opponent": "friend"})
        assert "Ann (you) 1605 ?" in seats(seen((await ann.get(f"/games/{friendly.json()['id']}")).text))[0]


async def test_every_seat_has_its_shape_and_who_is_out_a_place(visit: Visit) -> None:
    async with visit() as ann, visit() as bo, visit() as cy:
        made = await ann.post("/api/games", json={"rules": "hexbo(side=5,players=3)", "opponent": "friend"})
        where = f"/games/{made.json()['id']}"
        for other in (bo, cy):
            await other.post(f"/api{where}/join")
        await bo.post(f"/api{where}/resign")
        page = seen((await ann.get(where)).text)
        assert re.findall(r'<g class="seat-(\d) owner">', page.split("</ol>")[0]) == ["0", "1", "2"]
        assert page.count('<li class="out">') == 1 and "place 3" in seats(page)[1]
        told = (await ann.get(f"/api{where}")).json()
        assert [seat["place"] for seat in told["seats"]] == [None, 3, None]
