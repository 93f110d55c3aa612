"""Every page in a real browser: nothing serious for axe by day and by night, on a desk and a phone; nothing jumps."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import PHONE, Visit, point, start
from playwright.sync_api import Page, expect

from hedgerow.games import games
from hedgerow.serve.web.pages import static

pytestmark = pytest.mark.xdist_group("page_look")

LISTS = ("/", "/lobby", "/leaders", "/leaders?ladder=tanbo/2", "/archive", "/your-games", "/notices")
OWN = (
    "/account",
    "/new",
    "/new?rules=hexbo(players=6)",
    "/sign-in",
    "/sign-up",
    "/people/1",
    "/settings",
    "/analysis",
    "/games/nowhere",
)
RULES = ("/rules", *(f"/rules/{name}" for name in games()), "/learn/hexbo", "/learn/root_and_thorn")
MAIL = ("/mail", "/mail/hexbo", "/mail/root_and_thorn")
DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}}
SERIOUS = ("serious", "critical")
SHIFTED = """
window.shifted = [];
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) {
    if (one.hadRecentInput) continue;
    window.shifted.push(...one.sources.map(({ node }) => node?.outerHTML?.slice(0, 90) ?? "text"));
  }
}).observe({ type: "layout-shift", buffered: true });
"""


def signed_in(page: Page, name: str) -> None:
    """Somebody with a name, so that every part of every page is there."""
    asked = {"name": name, "password": "under the hedge"}
    assert page.context.request.post("/api/sign-up", data=asked).ok


def played(page: Page) -> Iterator[str]:
    """The page of a game that is being played, and of one that is over."""
    yield start(page, "hexbo(side=5)")
    over = start(page, "root_bound(side=4)")
    assert page.context.request.post(f"/api{over}/resign").ok
    yield over


def troubles(page: Page, path: str, *only: str) -> list[str]:
    """What axe finds serious on a page as it is now, by all of its rules or by some."""
    asked = {"resultTypes": ["violations"], **({"runOnly": list(only)} if only else {})}
    found = Axe().run(page, options=asked).response["violations"]
    return [
        f"{path}: {one['id']}: {node['html'][:120]}"
        for one in found
        if one["impact"] in SERIOUS
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("wide", [DESK, PHONE], ids=["desk", "phone"])
def test_axe_finds_nothing_serious(visit: Visit, wide: dict[str, Any]) -> None:
    page = visit(quiet="404", bypass_csp=True, **wide)
    signed_in(page, f"Axe {wide['viewport']['width']}")
    found = []
    for path in (*LISTS, *OWN, *RULES, *MAIL, *played(page)):
        page.emulate_media(color_scheme="light")
        page.goto(path)
        expect(page.locator("main")).to_be_visible()
        found += troubles(page, path)
        page.emulate_media(color_scheme="dark")
        found += troubles(page, f"{path} by night", "color-contrast")
    assert not found, "\n".join(found)


@pytest.mark.parametrize("wide", [DESK, PHONE], ids=["desk", "phone"])
def test_nothing_jumps(visit: Visit, wide: dict[str, Any]) -> None:
    page = visit(quiet="404", **wide)
    page.add_init_script(SHIFTED)
    found = {}
    for path in (*LISTS, *OWN, "/rules", "/rules/hexbo", "/learn/hexbo", *MAIL, *played(page)):
        page.goto(path, wait_until="networkidle" if path != "/lobby" else "load")
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        if jumped := page.evaluate("() => window.shifted"):
            found[path] = jumped
    assert not found


def test_scripts_and_styles_are_small() -> None:
    assert static.directory
    files = [path for path in Path(static.directory).iterdir() if path.suffix in (".js", ".css")]
    sizes = {path.name: len(gzip.compress(path.read_bytes())) for path in files}
    assert sum(sizes.values()) < 80_000, sizes


def test_a_game_page_loads_little(visit: Visit) -> None:
    """Every script and style of a game that waits for somebody, which has most parts."""
    page = visit()
    signed_in(page, "Little")
    loaded: dict[str, int] = {}
    page.on(
        "response",
        lambda got: loaded.update(
            {got.url: len(gzip.compress(got.body()))} if ".css" in got.url or ".js" in got.url else {}
        ),
    )
    start(page, "root_and_thorn", opponent="friend")
    page.wait_for_load_state("load")
    assert any(url.endswith("/live.js") for url in loaded)
    assert 10_000 < sum(loaded.values()) < 45_000, loaded


# --- the head of every page -------------------------------------------------------------------------------------------


def test_the_menu_on_a_phone_works_without_scripts(visit: Visit) -> None:
    page = visit(java_script_enabled=False, **PHONE)
    page.goto("/")
    expect(page.locator(".menu").get_by_role("link", name="Archive")).not_to_be_visible()
    page.locator(".menu summary").tap()
    page.locator(".menu").get_by_role("link", name="Archive").tap()
    expect(page.get_by_role("heading", name="Archive")).to_be_visible()


def test_the_content_is_one_key_away(visit: Visit) -> None:
    page = visit()
    page.goto("/leaders")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


TRANSLATED = """
async () => {
  const forms = Array.from({ length: 200 }, (_, n) => (n === 1 ? 0 : n % 10 === 2 ? 1 : 2)).join("");
  const words = document.createElement("script");
  Object.assign(words, { type: "application/json", id: "words" });
  const told = { "": forms, "{seat} won": "{seat} hat gewonnen", "a stone": ["x", "{n} y", "{n} z"] };
  words.textContent = JSON.stringify(told);
  document.head.append(words);
  const { _, _n } = await import("/static/words.js?again");
  const counted = [1, 22, 5, 1002].map((n) => _n("a stone", "stones", n));
  return [_("{seat} won", { seat: "Black" }), _("as it is"), ...counted];
}
"""


def test_scripts_speak_the_language_of_the_page(visit: Visit) -> None:
    page = visit()
    page.goto("/leaders")
    assert page.evaluate(TRANSLATED) == ["Black hat gewonnen", "as it is", "x", "22 y", "5 z", "1002 y"]


# --- what lives -------------------------------------------------------------------------------------------------------


def test_the_miniatures_live_until_they_are_held(visit: Visit) -> None:
    page = visit()
    page.goto("/")
    first = page.locator(".miniature desc").first
    before = first.text_content()
    expect(first).not_to_have_text(before or "")
    page.get_by_role("button", name="Stop the animation").click()
    expect(page.get_by_role("button", name="Animate the boards")).to_be_visible()


def test_the_miniatures_are_still_for_those_who_like_it(visit: Visit) -> None:
    page = visit(reduced_motion="reduce")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/", wait_until="networkidle")
    assert not [url for url in asked if "/miniatures/" in url]
    expect(page.locator(".hold")).to_be_disabled()


def test_the_lobby_shows_who_comes(visit: Visit) -> None:
    ann, bo = visit(), visit()
    bo.goto("/lobby")
    ann.goto("/lobby")
    ann.get_by_label("Game").select_option("tanbo(size=9)")
    ann.get_by_label("Clock").select_option("10+5")
    ann.get_by_role("button", name="Create in the lobby").click()
    expect(ann.locator("root-board svg")).to_be_visible()
    waiting = bo.locator("#open li", has_text="Tanbo, size 9").first
    expect(waiting).to_contain_text("10 minutes, plus 5 seconds a turn")
    waiting.get_by_role("button", name="Play").click()
    expect(bo.locator("root-board svg")).to_be_visible()


def test_what_is_wrong_is_said_beside_the_field(visit: Visit) -> None:
    page = visit(quiet="409")
    signed_in(page, "Wren")
    other = visit(quiet="409")
    other.goto("/sign-up")
    other.get_by_label("Name").fill("wren")
    other.get_by_label("Password").fill("under the hedge")
    other.get_by_role("button", name="Sign up").click()
    expect(other.get_by_label("Name")).to_have_attribute("aria-invalid", "true")
    expect(other.locator("#name-hint")).to_contain_text("is taken, or looks like one that is: choose another.")
    expect(other.get_by_label("Name")).to_have_value("wren")


def test_a_refused_square_says_why_where_a_turn_takes_two_presses(visit: Visit) -> None:
    page = visit()
    said = page.locator("#said")
    start(page, "root_and_thorn")
    point(page, "e9").click()
    expect(said).to_contain_text("Your Maple must stand in your own half")
    start(page, "root_down")
    point(page, "c1").click()
    expect(said).to_contain_text("roots do not move")
    point(page, "b2").click()
    point(page, "b3").click()
    expect(said).to_contain_text("exactly 2 squares")
    expect(said.get_by_role("link")).to_have_attribute("href", "/rules/root_down#r3.4")


def test_after_a_take_back_the_keyboard_is_on_the_board_and_nothing_old_is_said(visit: Visit) -> None:
    page = visit()
    start(page, "hexbo(side=5)")
    point(page, "A1").click()
    expect(page.locator("#turns li")).to_have_count(2)
    point(page, "E5").click()
    expect(page.locator("#said")).to_contain_text("E5 touches no stone of yours")
    page.get_by_role("button", name="Take back").press("Enter")
    expect(page.locator("#turns li")).to_have_count(0)
    expect(page.locator("#said")).to_be_empty()
    expect(point(page, "E5")).to_be_focused()
