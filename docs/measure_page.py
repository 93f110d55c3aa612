"""Measures the page in a real browser: how soon a board is seen and a click is painted, and whether anything jumps.

python docs/measure_page.py [--json] [--turns 8] [--server http://localhost:8000]

The phone is Chromium's: 390 x 844, touch, and a processor slowed down four times. Nothing here is a test: what comes
out depends on the machine, so leave it alone meanwhile.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, expect, sync_playwright

from hedgerow.tools.serve_bench import server_process

STATIC = Path(__file__).parent.parent / "src" / "hedgerow" / "serve" / "web" / "static"
BOARDS = ("hexbo(side=5)", "hexbo")
DEVICES: dict[str, dict[str, Any]] = {
    "desk": {"viewport": {"width": 1280, "height": 900}},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "has_touch": True,
        "is_mobile": True,
        "device_scale_factor": 3,
    },
}
SLOWER = {"desk": 1, "phone": 4}
VISITS = 7
"""How often a page is opened; the first time only warms the server."""

WATCH = """
const painted = (then) => requestAnimationFrame(() => { const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => then(performance.now()); port2.postMessage(0); });
window.seen = {}; window.clicks = []; window.shifts = [];
const look = () => {
  const wanted = { board: "root-board svg .point", ready: "root-board .may" };
  for (const [name, where] of Object.entries(wanted)) {
    if (!(name in seen) && document.querySelector(where)) { seen[name] = null; painted((at) => { seen[name] = at; }); }
  }
};
new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: true });
new PerformanceObserver((list) => list.getEntries().forEach((one) => shifts.push([one.value, one.hadRecentInput])))
  .observe({ type: "layout-shift", buffered: true });
addEventListener("click", (event) => {
  if (event.target.closest?.("root-board")) painted((at) => clicks.push(at - event.timeStamp));
}, true);
"""


@contextlib.contextmanager
def somewhere(server: str | None) -> Iterator[str]:
    """A server: the one that was named, or one of our own."""
    if server:
        yield server.rstrip("/")
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        server_process(folder, "--engines", "1", "--no-limits") as (_, port),
    ):
        yield f"http://127.0.0.1:{port}"


def begin(page: Page, rules: str) -> str:
    """A game against the gentlest machine: where it is."""
    page.context.request.post("/api/guest")
    made = page.context.request.post("/api/games", data={"rules": rules, "opponent": "machine", "level": 1})
    return f"/games/{made.json()['id']}"


def opened(page: Page, where: str) -> dict[str, float]:
    """Milliseconds from the navigation until the board is painted, and until it may be pressed."""
    found: dict[str, list[float]] = {"board": [], "ready": []}
    for visit in range(VISITS):
        page.goto(where)
        expect(page.locator("root-board .may").first).to_be_visible()
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
        for name, times in found.items():
            if visit:
                times.append(page.evaluate("(name) => window.seen[name]", name))
    return {name: round(statistics.median(times)) for name, times in found.items()}


def played(page: Page, turns: int, finger: bool, session: CDPSession) -> dict[str, Any]:
    """Plays some turns: milliseconds from every press on the board until it is painted, and what was shifted."""
    work = 0.0
    for turn in range(turns):
        before = page.locator("#turns li").count()
        for _ in range(2):  # on a large board the first tap only magnifies
            if page.locator("#turns li").count() > before or not page.locator("root-board .may").count():
                break
            begun = worked(session)
            press(page, turn, finger)
            work += worked(session) - begun
            if not page.locator("root-board.close").count():
                break
        expect(page.locator("#turns li").nth(before + 1)).to_be_attached()
        expect(page.locator("root-board .may").first).to_be_attached()
    clicks, shifts = page.evaluate("window.clicks"), page.evaluate("window.shifts")
    return {
        "presses": len(clicks),
        "paint": round(statistics.median(clicks)),
        "slowest": round(max(clicks)),
        "work": round(work / len(clicks), 1),
        "shift": round(sum(value for value, own in shifts if not own), 4),
        "shift_with_own": round(sum(value for value, own in shifts), 4),
    }


def worked(session: CDPSession) -> float:
    """Milliseconds of processor time that scripts, styles and layout have taken so far, however busy the machine is."""
    found = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return 1000 * float(found["ScriptDuration"] + found["RecalcStyleDuration"] + found["LayoutDuration"])


def press(page: Page, turn: int, finger: bool) -> None:
    """A press in the middle of a marked point, as a hand does it."""
    may = page.locator("root-board .may")
    box = may.nth(turn % may.count()).bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.touchscreen.tap(x, y) if finger else page.mouse.click(x, y)
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))")


def measured(browser: Browser, here: str, device: str, rules: str, turns: int) -> dict[str, Any]:
    """All numbers of one board on one device."""
    context = browser.new_context(base_url=here, **DEVICES[device])
    context.add_init_script(WATCH)
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER[device]})
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    where = begin(page, rules)
    found = {"device": device, "rules": rules, **opened(page, where), **played(page, turns, device == "phone", session)}
    context.close()
    return found


def bytes_sent() -> dict[str, int]:
    """The size of every script and style, gzipped."""
    files = sorted(path for path in STATIC.rglob("*") if path.suffix in (".js", ".css"))
    return {path.name: len(gzip.compress(path.read_bytes(), 9)) for path in files}


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--json", action="store_true", help="one JSON object, for programs")
    asked.add_argument("--turns", type=int, default=8, help="how many turns are played on every board")
    asked.add_argument("--server", help="a server that runs already; one of our own otherwise")
    options = asked.parse_args()
    chromium = os.environ.get("HEDGEROW_CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        sys.exit("no Chromium here; hint: apt install chromium, or set HEDGEROW_CHROMIUM to where it is")
    expect.set_options(timeout=60_000)
    with somewhere(options.server) as here, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        rows = [measured(browser, here, device, rules, options.turns) for device in DEVICES for rules in BOARDS]
        browser.close()
    sizes = bytes_sent()
    if options.json:
        print(json.dumps({"pages": rows, "bytes": sizes, "bytes_in_all": sum(sizes.values())}, indent=1))
        return
    for row in rows:
        print(
            f"{row['device']:5}  {row['rules']:13}  board seen {row['board']:4} ms, ready {row['ready']:4} ms;"
            f" {row['presses']} presses painted in {row['paint']} ms, slowest {row['slowest']} ms"
            f" ({row['work']} ms of work);"
            f" layout shift {row['shift']} ({row['shift_with_own']} with what follows a press)"
        )
    print(f"scripts and styles: {sum(sizes.values()):,} bytes gzipped in {len(sizes)} files")


if __name__ == "__main__":
    main()
