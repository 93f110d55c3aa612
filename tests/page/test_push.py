"""Push messages in a real browser with its service worker, from the button to the notification.

A headless Chromium has no maker's push service to subscribe to, so the page is given a subscription to ours. What the
server sends there is decrypted and handed to the browser, as a push service does, by the browser's own protocol. Nor
has it a place to show notifications: what the worker asks it to show is noted there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from browsing import Visit
from playwright.sync_api import expect

from push_service import PushService, push_service

pytestmark = pytest.mark.xdist_group("page_people")

SUBSCRIBES = """(made) => {
  PushManager.prototype.subscribe = async (asked) => {
    if (!asked.userVisibleOnly || asked.applicationServerKey.length !== 65) throw new Error("not as browsers ask");
    return { toJSON: () => made };
  };
}"""
NOTES = """() => {
  self.shown = [];
  self.registration.showNotification = async (title, { body, data }) => { self.shown.push([title, body, data]); };
}"""


@pytest.fixture
def service() -> Iterator[PushService]:
    with push_service() as made:
        yield made


def test_a_challenge_comes_to_a_browser_that_asked_for_it(visit: Visit, here: str, service: PushService) -> None:
    page, other = visit(permissions=["notifications"]), visit()
    ann, bo = page.context, other.context
    for context, name in ((ann, "Quail"), (bo, "Rook")):
        assert context.request.post("/api/sign-up", data={"name": name, "password": "under the hedge"}).ok
    page.add_init_script(f"({SUBSCRIBES})({json.dumps(service.subscription())})")
    page.goto("/notices")
    button = page.locator("#push button")
    expect(button).to_have_text("Turn notifications on in this browser")
    assert not page.evaluate("navigator.serviceWorker.getRegistrations().then((some) => some.length)")
    protocol = ann.new_cdp_session(page)
    registered: list[str] = []
    protocol.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda told: registered.extend(one["registrationId"] for one in told["registrations"]),
    )
    protocol.send("ServiceWorker.enable")
    button.click()
    expect(page.locator("#push [role=status]")).to_have_text("This browser tells you now, even when no page is open.")
    expect(button).to_have_text("Turn notifications off in this browser")
    asked = {"rules": "tanbo", "opponent": "named", "name": "Quail", "clock": {"kind": "days"}}
    game = bo.request.post("/api/games", data=asked).json()["id"]
    assert service.arrived.acquire(timeout=60)
    told = service.read()
    assert told == {"kind": "asked", "text": "Tanbo: Rook challenges you.", "game": game}
    (worker,) = ann.service_workers
    worker.evaluate(NOTES)
    handed = {"origin": here, "registrationId": registered[-1], "data": json.dumps(told)}
    protocol.send("ServiceWorker.deliverPushMessage", handed)
    while not (shown := worker.evaluate("self.shown")):
        page.wait_for_timeout(50)
    assert shown == [["Hedgerow", "Tanbo: Rook challenges you.", f"/games/{game}"]]
    button.click()
    expect(page.locator("#push [role=status]")).to_have_text("This browser tells you nothing any more.")
    assert not ann.request.get("/api/account/push").json()["on"]
