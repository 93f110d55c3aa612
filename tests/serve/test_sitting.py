"""Who sits at a game, on its page: shapes, ratings and what a game did to them, and those who are out."""

from __future__ import annotations

import re

import httpx
import pytest
from serving import Visit, first_turns, seen

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
        assert "waiting for a player" in seats(seen((await ann.get(where)).text))[1]
        await bo.post(f"/api{where}/join")
        before = seats(seen((await ann.get(where)).text))
        assert "Ann (you) 1500 ?" in before[0] and "Bo 1500 ?" in before[1]
        await first_turns(made.json()["id"], ann, bo)
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


async def test_pages_that_are_alike_are_each_filled_for_their_own_reader(visit: Visit) -> None:
    note, pages = "\ue000=id\ue001 & <b>", []
    async with visit() as ann, visit() as bo, visit() as cy, visit() as di:
        for client, name in ((ann, "Ann"), (bo, "Bo"), (cy, "Cy"), (di, "Di")):
            await named(client, name)
        for one, other in ((ann, bo), (cy, di)):
            game = (await one.post("/api/games", json={"rules": "hexbo(side=5)", "opponent": "friend"})).json()["id"]
            await other.post(f"/api/games/{game}/join")
            pages.append((game, one, other))
        await cy.put(f"/api/games/{pages[1][0]}/note", json={"text": note})
        found = {
            (game, each): (await reader.get(f"/games/{game}")).text
            for game, *who in pages
            for each, reader in enumerate(who)
        }
    (first, *_), (second, *_) = pages
    assert first not in found[second, 0] + found[second, 1] and second not in found[first, 0] + found[first, 1]
    assert "Cy (you)" in seats(seen(found[second, 0]))[0] and "Di (you)" in seats(seen(found[second, 1]))[1]
    assert not any(name in page for page in (found[first, 0], found[first, 1]) for name in ("Cy", "Di"))
    assert "\ue000=id\ue001 &amp; &lt;b&gt;</textarea>" in found[second, 0], "what fills a page is not looked through"
    assert not any("\ue000" in page for key, page in found.items() if key != (second, 0))


async def test_a_row_of_a_list_is_rendered_anew_when_what_it_shows_has_changed(visit: Visit) -> None:
    async with visit() as ann, visit() as bo:
        await named(ann, "Ann")
        made = await ann.post("/api/games", json={"rules": "hexbo(side=5)", "opponent": "friend"})
        assert "Ann · open seat" in seen((await ann.get("/")).text) and "Ann ·" not in seen((await bo.get("/")).text)
        await bo.post(f"/api/games/{made.json()['id']}/join")
        mine, theirs = seen((await ann.get("/")).text), seen((await bo.get("/")).text)
        assert "Your turn." in mine and "Their turn." in theirs and "open seat" not in mine + theirs
        await ann.post(f"/api/games/{made.json()['id']}/turns", json={"number": 0, "text": "B3"})
        mine, theirs = seen((await ann.get("/")).text), seen((await bo.get("/")).text)
        assert "Their turn." in mine and "Your turn." in theirs
