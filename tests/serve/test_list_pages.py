"""Pages with lists: challenges from a player's page, your games by what they wait for, graphs, living miniatures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from serving import first_turns, running

from hedgerow.draw.themes import LOOKS
from hedgerow.games import games
from hedgerow.serve.settings import Settings
from hedgerow.serve.web import miniatures
from hedgerow.serve.web.graphs import rating_graph

DAY = 86_400_000


class Step(NamedTuple):
    at: int
    before: int
    after: int


@pytest.mark.anyio
async def test_a_challenge_from_a_players_page(tmp_path: Path) -> None:
    async with running(Settings(data=tmp_path, engines=0)) as app:
        base: dict[str, Any] = {"transport": httpx.ASGITransport(app), "base_url": "http://here.test"}
        async with httpx.AsyncClient(**base) as ann, httpx.AsyncClient(**base) as bo:
            number = [
                (await one.post("/api/sign-up", json={"name": name, "password": "under the hedge"})).json()["id"]
                for one, name in ((ann, "Ann"), (bo, "Bo"))
            ]
            assert 'value="named"' not in (await ann.get(f"/people/{number[0]}")).text, "nobody challenges themselves"
            page = (await ann.get(f"/people/{number[1]}")).text
            hidden = re.search(r'<input type="hidden" name="name" value="(\w+)">', page)
            assert hidden and 'value="hexbo(players=3)"' in page
            asked = {"name": hidden[1], "rules": "tanbo", "clock": "3 days", "opponent": "named", "rated": "yes"}
            where = (await ann.post("/games", data=asked)).headers["location"]
            assert headings((await ann.get("/your-games")).text) == ["Waiting for a player 1"]
            assert f"{where}/join" in (await bo.get("/lobby")).text
            await bo.post(f"{where}/join")
            assert headings((await ann.get("/your-games")).text) == ["Your turn 1"]
            assert headings((await bo.get("/your-games")).text) == ["Their turn 1"]
            await first_turns(where.rpartition("/")[2], ann, bo)
            await bo.post(f"{where}/resign")
            assert headings((await bo.get("/your-games")).text) == ["Finished 1"]
            assert f'href="{where}"' in (await ann.get(f"/people/{number[1]}")).text


def headings(page: str) -> list[str]:
    """The second headings, as one reads them."""
    return [re.sub(r"<.*?>", "", found) for found in re.findall(r"<h2>(.*?)</h2>", page)]


def test_a_graph_goes_from_the_first_day_to_the_last() -> None:
    graph = rating_graph("Hexbo", [Step(0, 1500, 1605), Step(400 * DAY, 1605, 1550)])
    assert 'points="62.0,' in graph and len(re.findall(r"[\d.]+,[\d.]+", graph)) == 3
    assert ">1970-01-01<" in graph and ">1971-02-05<" in graph and ">1550</text>" in graph
    assert 'aria-label="Hexbo: from 1500 on 1970-01-01 to 1550 on 1971-02-05"' in graph
    assert [int(mark) for mark in re.findall(r'class="mark"[^>]*>(\d+)<', graph)] == [1500, 1550, 1600, 1650]


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", games())
def test_a_miniature_comes_to_its_still_picture(name: str, look: str) -> None:
    living, still = miniatures.living(name, look), miniatures.still(name, look).splitlines()
    assert f"theme-{look}" in still[0]
    assert [living.lines[line] for line in living.frames[-1]] == still[1:-1]
    assert len({tuple(frame) for frame in living.frames}) == len(living.frames) == miniatures.FRAMES
    assert "<style" not in "".join(still)
