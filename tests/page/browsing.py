"""A real browser at a real server: pages as people have them, and nothing may be said on their consoles."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from hedgerow.tools.serve_bench import server_process

CHROMIUM = os.environ.get("HEDGEROW_CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
"""The shell is the same browser without its own windows and buttons, which cost as much as the pages do."""
REQUIRED = os.environ.get("HEDGEROW_REQUIRE_SERVICES") == "1"
HOW = "no Chromium here: apt install chromium-headless-shell (or chromium), or set HEDGEROW_CHROMIUM to where it is"
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
OUTSIDE = "--host-resolver-rules=MAP hedge.test 127.0.0.1"
"""A name for the server that is no loopback address: links to it can be sent to others."""
CALM = 60_000
"""How many milliseconds anything may take on a busy machine before it counts as never."""
COMPILING = 300
"""How many seconds all compilers of a server may take together; nothing that a person sees waits for them."""

Visit = Callable[..., Page]


@pytest.fixture(scope="session")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a server of its own is."""
    with server_process(str(tmp_path_factory.mktemp("page")), "--engines", "1", "--no-limits", "--push-private") as (
        _,
        port,
    ):
        yield f"http://127.0.0.1:{port}"


def await_machine(page: Page, rules: str) -> None:
    """Until the machine's kernels for some rules are compiled, however slow the machine below is."""
    for _ in range(COMPILING):
        if rules in page.request.get("/api/engine").json()["ready"]:
            return
        page.wait_for_timeout(1000)
    pytest.fail(f"no kernels for {rules} after {COMPILING} s")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; for a module, as other tests cannot have loops of their own while it is there."""
    if CHROMIUM is None:
        if REQUIRED:
            pytest.fail(HOW)
        pytest.skip(HOW)
    expect.set_options(timeout=CALM)
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", OUTSIDE])
        yield made
        made.close()


@pytest.fixture
def visit(browser: Browser, here: str) -> Iterator[Visit]:
    """A new visitor with a browser of their own every time it is called; `quiet` words are no errors."""
    errors: list[str] = []

    def visitor(quiet: str = "", **options: Any) -> Page:
        context = browser.new_context(base_url=here, **options)
        context.set_default_timeout(CALM)
        page = context.new_page()

        def note(text: str) -> None:
            if not (quiet and quiet in text):
                errors.append(text)

        page.on("console", lambda said: note(f"{said.text} {said.location}") if said.type == "error" else None)
        page.on("pageerror", lambda error: note(str(error)))
        return page

    yield visitor
    for context in browser.contexts:
        context.close()
    assert not errors, errors


def start(page: Page, rules: str, **more: Any) -> str:
    """Starts a game for whoever looks at the page, and goes to it; where it is."""
    page.context.request.post("/api/guest")
    asked = {"rules": rules, "opponent": "machine", "level": 1, **more}
    made = page.context.request.post("/api/games", data=asked)
    assert made.ok, made.text()
    where = f"/games/{made.json()['id']}"
    page.goto(where)
    return where


def turns(page: Page, where: str) -> list[str]:
    """What has been played, as the server knows it."""
    found: list[str] = page.context.request.get(f"/api{where}").json()["turns"]
    return found


def point(page: Page, name: str) -> Any:
    """A point of the board."""
    return page.locator(f'root-board [data-point="{name}"]')


def tap(page: Page, name: str) -> None:
    """A finger on a point, at the very middle of where it is drawn."""
    box = point(page, name).bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
