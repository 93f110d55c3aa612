"""A seventh game on a real server: against the machine over API and socket, its pages, and by mouse in a browser."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from browsing import Visit, point
from playwright.sync_api import expect
from websockets.sync.client import connect

from hedgerow.tools.serve_bench import Visitor, server_process

pytestmark = pytest.mark.xdist_group("page_seventh")
GAMES = Path(__file__).parents[1] / "seventh"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that finds one game more in a folder of its own."""
    folder: Path = tmp_path_factory.mktemp("seventh")
    shutil.copytree(GAMES, folder / "games", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "cache").mkdir(mode=0o700)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEDGEROW_GAMES", str(folder / "games"))
        patch.setenv("HEDGEROW_CACHE", str(folder / "cache"))
        with server_process(str(folder / "data"), "--engines", "1", "--no-limits") as (_, port):
            yield f"http://127.0.0.1:{port}"


def until_mine(person: Visitor, game: str) -> dict[str, Any]:
    """The game when it is our turn again, or over."""
    for _ in range(3000):
        told: dict[str, Any] = person.ask("GET", f"/api/games/{game}?picture=false")
        if told["state"] == "over" or told["to_move"] == told["you"]:
            return told
        time.sleep(0.02)
    pytest.fail("the machine did not answer")


def test_it_is_played_against_the_machine_over_the_api_and_the_socket(here: str) -> None:
    port = int(here.rsplit(":", 1)[1])
    person = Visitor(port)
    person.ask("POST", "/api/guest")
    asked = {"rules": "three", "opponent": "machine", "level": 2}
    game = person.ask("POST", "/api/games", asked)["id"]
    told = person.ask("POST", f"/api/games/{game}/turns", {"number": 0, "text": "b2"})
    told = until_mine(person, game)
    headers = {"Cookie": person.cookie, "Origin": here}
    with connect(f"ws://127.0.0.1:{port}/api/games/{game}/socket", additional_headers=headers) as socket:
        while told["state"] != "over":
            text = told["legal"][0]["text"]
            socket.send(f'{{"type":"turn","number":{told["version"]},"text":"{text}"}}')
            while f'"version":{told["version"] + 1}' not in str(socket.recv(timeout=60)):
                pass
            told = until_mine(person, game)
    assert told["outcome"]["reason"] in ("line", "full") and len(told["turns"]) >= 5
    assert "Game: three" in httpx.get(f"{here}/api/games/{game}/record", headers=headers).text


@pytest.mark.parametrize("path", ["/", "/rules", "/rules/three", "/leaders", "/archive", "/analysis/three", "/lobby"])
def test_its_pages_tell_of_it(here: str, path: str) -> None:
    page = httpx.get(f"{here}{path}", timeout=60)
    assert page.status_code == 200 and "Three" in page.text


def test_its_rules_page_has_its_clauses_and_no_lesson(here: str) -> None:
    page = httpx.get(f"{here}/rules/three", timeout=60).text
    assert 'id="r2.1"' in page and "/learn/three" not in page
    assert httpx.get(f"{here}/learn/three").status_code == 404


def test_it_is_played_in_a_browser(visit: Visit) -> None:
    page = visit()
    page.goto("/")
    page.get_by_role("button", name="Play Three", exact=True).click()
    expect(page.locator("#prompt")).to_have_text("Place a stone on an empty square.")
    for turn in range(5):
        over, free = page.locator("#result h2:visible"), page.locator("root-board .may")
        expect(over.or_(free).first).to_be_visible()
        if over.count():
            break
        name = free.first.get_attribute("data-point")
        assert name
        point(page, name).click()
        expect(page.locator("#turns li").nth(2 * turn).first).to_be_attached()
        expect(over.or_(page.locator("#turns li").nth(2 * turn + 1)).first).to_be_attached()
    expect(page.locator("#result h2:visible")).to_be_visible()
    expect(page.locator("#result .reason")).to_contain_text("line")
