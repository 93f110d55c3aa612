"""Takes the pictures of the pages: people and games that are always the same, desk and phone, light and dark.

python docs/screenshots.py [NAME]...        # into docs/pictures/pages; all of them if none is named
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pictures import midgame
from playwright.sync_api import APIRequestContext, Browser, Page, Playwright, expect, sync_playwright
from shrink import shrunk

import hedgerow as hg
from hedgerow.serve.web.miniatures import middle
from hedgerow.tools.serve_bench import server_process

FOLDER = Path(__file__).parent / "pictures" / "pages"
PEOPLE = ("Ann", "Bo", "Cleo", "Dan", "Eve", "Finn")
PASSWORD = "a hedge of hawthorn"
DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
WAYS: dict[str, dict[str, Any]] = {
    "desk": DESK,
    "dark": DESK | {"color_scheme": "dark"},
    "grey": DESK,
    "phone": PHONE,
    "phone-dark": PHONE | {"color_scheme": "dark"},
    "phone-grey": PHONE,
}
ALL = tuple(WAYS)
WAYS |= {"lying": PHONE | {"viewport": {"width": 740, "height": 360}}}
GROVE = "Mg2 Mf6 Ug1 Uf5 Uf2 Ue5 Ug3 Ud5 Ue2 Uc5 Ud2 Ub5 Uf3 Bd5 Ue3 Ub6"
"""Turns of Root and Thorn after which a Birch or an Oak may grow on f3."""


# --- what there is to see ---------------------------------------------------------------------------------------------


class House:
    """A server with people in it, and what they have done."""

    def __init__(self, playwright: Playwright, here: str) -> None:
        self.here = here
        self.people: dict[str, APIRequestContext] = {}
        self.numbers: dict[str, int] = {}
        for name in PEOPLE:
            self.people[name] = playwright.request.new_context(base_url=here)
            self.numbers[name] = self.ask(name, "/api/sign-up", name=name, password=PASSWORD)["id"]

    def ask(self, who: str, path: str, **body: Any) -> Any:
        """What the server answers somebody."""
        answer = self.people[who].post(path, data=body)
        assert answer.ok, f"{path}: {answer.text()}"
        return answer.json()

    def begin(self, rules: str, *others: str, first: str = "Ann", **how: Any) -> str:
        """A game of somebody with others: its name."""
        asked: dict[str, Any] = {"rules": rules, "opponent": "friend", **how}
        if len(others) > 1:
            asked["seats"] = [{"who": "me"}, *({"who": "anyone"} for _ in others)]
        game: str = self.ask(first, "/api/games", **asked)["id"]
        for other in others:
            self.ask(other, f"/api/games/{game}/join")
        return game

    def play(self, game: str, match: hg.Match, *players: str) -> str:
        """Plays what was played in a match, everybody their own turns: where it is."""
        again = hg.Match(match.rules)
        for number, turn in enumerate(match.turns):
            self.ask(players[again.to_move], f"/api/games/{game}/turns", number=number, text=turn)
            again.play(turn)
        return f"/games/{game}"

    def shown(self, match: hg.Match, *players: str, **how: Any) -> str:
        """A game as far as it was played in a match."""
        whole = hg.Match(match.rules)
        for turn in match.turns[: len(match.turns) - match.rules.mid_turn(match.plain)]:
            whole.play(turn)
        return self.play(self.begin(match.rules.name, *players[1:], first=players[0], **how), whole, *players)


def history(house: House) -> str:
    """Rated games, so that there is something to tell of Ann: her page."""
    for number, other in enumerate(("Bo", "Cleo", "Bo", "Dan", "Cleo", "Eve", "Bo", "Dan")):
        match = midgame("hexbo", 24, number)
        where = house.shown(match, "Ann", other, rated=True, clock={"kind": "days", "days": 3})
        house.ask("Ann" if number in (1, 4) else other, f"/api{where}/resign")
    return f"/people/{house.numbers['Ann']}"


def grove(house: House) -> str:
    """A game of Root and Thorn in which two kinds of trees may grow on one point."""
    match = hg.Match("root_and_thorn")
    match.play(GROVE)
    return house.shown(match, "Ann", "Dan")


def awaited(house: House) -> str:
    """A game by correspondence that waits for Bo."""
    return house.shown(hg.Match("hexbo(side=5)"), "Bo", "Ann", clock={"kind": "days", "days": 3})


def open_games(house: House) -> str:
    """Challenges in the lobby."""
    for name, rules, clock in (
        ("Bo", "hexbo", {"kind": "live", "minutes": 10, "increment": 5}),
        ("Cleo", "root_bound", {"kind": "days", "days": 3}),
        ("Dan", "tanbo", {"kind": "none"}),
        ("Eve", "hexbo(players=3)", {"kind": "days", "days": 2}),
    ):
        house.ask(name, "/api/games", rules=rules, opponent="lobby", clock=clock)
    return "/lobby"


def ended(house: House) -> str:
    """A game of territory that is over."""
    return house.shown(midgame("root_bound(side=5)", 200, 2), "Ann", "Bo")


# --- what is done before the picture ----------------------------------------------------------------------------------


def settled(page: Page) -> None:
    """The page is there, and nothing on it is still on its way."""
    expect(page.locator("main svg, main h1").first).to_be_visible()
    page.wait_for_load_state("networkidle")


def mine(page: Page) -> None:
    """It is our turn, and the board says so."""
    expect(page.locator("root-board .may").first).to_be_attached()


def refuse(page: Page) -> None:
    """Presses a point that is refused."""
    mine(page)
    page.locator("root-board .point:not(.may):not(:has(.piece))").first.click()
    expect(page.locator("#said")).not_to_be_empty()


def choose(page: Page) -> None:
    """Begins a turn of two presses."""
    mine(page)
    page.locator("root-board .may").first.click()
    expect(page.locator("root-board .pressed")).to_be_attached()


def pick(page: Page) -> None:
    """Presses a point where one chooses what to place."""
    mine(page)
    page.locator('root-board [data-point="f3"]').click()
    expect(page.locator("root-board .choices")).to_be_visible()


def plan(page: Page) -> None:
    """Plays on the board what they may play next, and an answer."""
    page.get_by_role("button", name="Plan ahead").click()
    for name in ("A1", "A4"):
        page.locator(f'root-board .may[data-point="{name}"]').click()
        expect(page.locator("#plan-tree [aria-current]")).to_contain_text(name)
    expect(page.locator("#plan-kept")).to_have_class("good")


def think(page: Page) -> None:
    """Lets the machine draw how the game went, and think about the position."""
    page.locator("#went").click()
    expect(page.locator("#falls li").first).to_be_visible()
    page.locator("#think").check()
    expect(page.locator("#lines tbody tr").first).to_be_visible()
    page.evaluate("scrollTo(0, 0)")


@dataclass(frozen=True)
class Shot:
    """One page: where it is, who looks, what is done before the picture, and in which ways it is taken."""

    where: Callable[[House], str]
    ways: tuple[str, ...] = ("desk", "phone")
    who: str | None = "Ann"
    then: Callable[[Page], None] = settled
    looks: dict[str, str] = field(default_factory=dict)


SHOTS = {
    "home": Shot(lambda house: "/", ALL, who=None),
    "play": Shot(lambda house: house.shown(middle("hexbo"), "Ann", "Bo"), ALL, then=mine),
    "refused": Shot(lambda house: house.shown(middle("hexbo"), "Ann", "Bo"), then=refuse),
    "root_bound": Shot(lambda house: house.shown(midgame("root_bound", 59, 6), "Ann", "Cleo"), ("desk", "phone-dark")),
    "six": Shot(lambda house: house.shown(midgame("hexbo(players=6)", 150, 5), *PEOPLE), ("desk", "grey", "phone")),
    "root_down": Shot(lambda house: house.shown(middle("root_down"), "Ann", "Bo"), ("dark", "phone"), then=choose),
    "root_and_thorn": Shot(lambda house: house.shown(middle("root_and_thorn"), "Ann", "Dan"), ("desk",)),
    "rootbound": Shot(
        lambda house: house.shown(middle("rootbound"), "Bo", "Ann"), ("desk",), looks={"look": "pencil"}
    ),
    "tanbo": Shot(lambda house: house.shown(midgame("tanbo", 110, 4), "Ann", "Eve"), ("phone",)),
    "choice": Shot(grove, ("desk", "phone", "lying"), then=pick),
    "plan": Shot(awaited, ("desk", "phone"), then=plan),
    "new": Shot(lambda house: "/new", ("desk", "phone")),
    "result": Shot(ended, ("desk", "phone")),
    "lesson": Shot(lambda house: "/learn/root_bound?step=3", ("desk", "phone-dark"), who=None),
    "rules": Shot(lambda house: "/rules/hexbo", ("desk", "phone"), who=None),
    "lobby": Shot(open_games, ("desk", "phone-dark")),
    "person": Shot(history, ("desk", "phone")),
    "analysis": Shot(
        lambda house: f"/analysis?turn=12&game={ended(house).removeprefix('/games/')}",
        ("desk", "dark", "phone"),
        then=think,
    ),
    "settings": Shot(lambda house: "/settings", ("desk", "phone-dark")),
}


# --- taking them ------------------------------------------------------------------------------------------------------


def take(browser: Browser, house: House, name: str, shot: Shot, where: str) -> None:
    """All pictures of one page."""
    desk = browser.new_page()
    for way in shot.ways:
        context = browser.new_context(base_url=house.here, reduced_motion="reduce", **WAYS[way])
        cookies = (
            {one["name"]: one["value"] for one in house.people[shot.who].storage_state()["cookies"]} if shot.who else {}
        )
        if shot.looks:
            cookies["looks"] = ".".join(f"{key}={chosen}" for key, chosen in shot.looks.items())
        context.add_cookies([{"name": key, "value": value, "url": house.here} for key, value in cookies.items()])
        page = context.new_page()
        if way.endswith("grey"):
            kind = {"type": "achromatopsia"}
            context.new_cdp_session(page).send("Emulation.setEmulatedVisionDeficiency", kind)
        page.goto(where)
        shot.then(page)
        (FOLDER / f"{name}-{way}.png").write_bytes(shrunk(desk, page.screenshot()))
        context.close()
    desk.context.close()


def main() -> None:
    wanted = sys.argv[1:] or list(SHOTS)
    if unknown := set(wanted) - set(SHOTS):
        sys.exit(f"no page {', '.join(sorted(unknown))}; hint: there are {', '.join(SHOTS)}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    chromium = os.environ.get("HEDGEROW_CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        sys.exit("no Chromium here; hint: apt install chromium, or set HEDGEROW_CHROMIUM to where it is")
    expect.set_options(timeout=60_000)
    with (
        tempfile.TemporaryDirectory() as data,
        server_process(data, "--engines", "1", "--no-limits") as (_, port),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        house = House(playwright, f"http://127.0.0.1:{port}")
        for name in wanted:
            take(browser, house, name, SHOTS[name], SHOTS[name].where(house))
            print(name, flush=True)
        browser.close()


if __name__ == "__main__":
    main()
