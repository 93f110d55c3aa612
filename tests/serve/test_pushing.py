"""Push messages: encrypted for one browser and signed by one key, sent nowhere they must not go, and ended in time."""

from __future__ import annotations

import asyncio
import base64
import json
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from fastapi import FastAPI
from places import until
from serving import Visit, running
from sqlalchemy import func, select

from hedgerow.serve.people import push
from hedgerow.serve.settings import Settings
from hedgerow.serve.store.schema import push_subscriptions
from push_service import PushService, push_service

pytestmark = pytest.mark.anyio
DAYS = {"kind": "days", "days": 3}


def client_of(app: FastAPI) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here.test")


async def named(client: httpx.AsyncClient, name: str) -> None:
    assert (await client.post("/api/sign-up", json={"name": name, "password": "under the hedge"})).status_code == 200


async def challenge(client: httpx.AsyncClient, name: str) -> str:
    asked = {"rules": "hexbo(side=5)", "opponent": "named", "name": name, "clock": DAYS}
    made = await client.post("/api/games", json=asked)
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


async def count(app: FastAPI) -> int:
    async with app.state.server.store.read() as connection:
        return int((await connection.execute(select(func.count()).select_from(push_subscriptions))).scalar_one())


async def came(service: PushService, number: int) -> None:
    await until(lambda: len(service.came) >= number)


def raw(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def signed(headers: dict[str, str], key: str) -> dict[str, Any]:
    """What a message says it is, if it is signed with that key."""
    parts = dict(part.strip().split("=", 1) for part in headers["authorization"].removeprefix("vapid ").split(","))
    assert parts["k"].rstrip("=") == key
    head, claims, signature = parts["t"].split(".")
    both = raw(signature)
    known = utils.encode_dss_signature(int.from_bytes(both[:32], "big"), int.from_bytes(both[32:], "big"))
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), raw(key))
    public.verify(known, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    told: dict[str, Any] = json.loads(raw(claims))
    return told


async def test_a_notice_is_pushed_to_whoever_asked_for_it(settings: Settings) -> None:
    """A challenge, then a turn; not before it is asked for, not after the session has ended; one key over restarts."""
    settings = replace(settings, push_private=True, mail_from="play@example.org")
    with push_service() as service:
        async with running(settings) as app, client_of(app) as ann, client_of(app) as bo:
            await named(ann, "Ann")
            await named(bo, "Bo")
            await challenge(ann, "Bo")
            found = (await bo.get("/api/account/push")).json()
            assert not found["on"]
            assert (await bo.put("/api/account/push", json=service.subscription())).status_code == 204
            assert (await bo.get("/api/account/push")).json() == {"key": found["key"], "on": True}
            game = await challenge(ann, "Bo")
            await came(service, 1)
            assert service.read() == {"kind": "asked", "text": "Hexbo: Ann challenges you.", "game": game}
            headers = service.came[0][0]
            claims = signed(headers, found["key"])
            assert claims["aud"] == service.url and claims["sub"] == "mailto:play@example.org"
            assert headers["content-encoding"] == "aes128gcm" and int(headers["ttl"]) > 0
            assert b"Ann" not in service.came[0][1]
            await bo.post(f"/api/games/{game}/join")
            await ann.post(f"/api/games/{game}/turns", json={"number": 0, "text": "A1"})
            await until(lambda: service.read()["kind"] == "turn")  # a message that was not answered in time comes twice
            assert service.read() == {"kind": "turn", "text": "Hexbo: it is your turn.", "game": game}
            assert await count(app) == 1
            await bo.post("/api/sign-out")
            assert await count(app) == 0
        async with running(settings) as app, client_of(app) as ann:
            await named(ann, "Cy")
            assert (await ann.get("/api/account/push")).json() == {"key": found["key"], "on": False}


async def test_a_browser_that_is_gone_is_forgotten_and_one_that_is_busy_is_not(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(push, "PAUSE", 0.01)
    with push_service() as service:
        async with running(replace(settings, push_private=True)) as app, client_of(app) as ann, client_of(app) as bo:
            await named(ann, "Ann")
            await named(bo, "Bo")
            await bo.put("/api/account/push", json=service.subscription())
            service.answers = [503, 429]
            await challenge(ann, "Bo")
            await came(service, 3)
            assert {service.read(number)["kind"] for number in range(3)} == {"asked"} and await count(app) == 1
            service.answers = [302]
            await challenge(ann, "Bo")
            await came(service, 4)
            service.answers = [410]
            game = await challenge(ann, "Bo")
            await came(service, 5)
            assert service.read()["game"] == game, "nobody was sent elsewhere"

            async def forgotten() -> bool:
                return await count(app) == 0

            await until(forgotten)
            await bo.put("/api/account/push", json=service.subscription())
            assert await count(app) == 1
            assert (await bo.delete("/api/account/push")).status_code == 204
            assert await count(app) == 0


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://push.example.org/1",
        "https://127.0.0.1/1",
        "https://[::1]/1",
        "https://[::ffff:10.0.0.1]/1",
        "https://169.254.169.254/latest",
        "https://10.0.0.1/1",
        "https://localhost/1",
        "https://intranet/1",
        "https://db.internal/1",
        "https://push.example.org:5432/1",
        "https://user@push.example.org/1",
        "https://[::1",
        "file:///etc/passwd",
        "",
    ],
)
async def test_no_message_goes_into_the_private_network(visit: Visit, app: FastAPI, endpoint: str) -> None:
    async with visit() as ann:
        await ann.post("/api/guest")
        asked = PushService().subscription() | {"endpoint": endpoint}
        refused = await ann.put("/api/account/push", json=asked)
        assert refused.status_code == 422 and refused.json()["code"] == "bad_request", refused.text
        assert await count(app) == 0


async def test_a_name_that_leads_into_the_private_network_is_found_out(
    visit: Visit, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A public name, and at the moment of sending it is one of ours."""
    asked_for: list[str] = []

    async def ours(host: str, port: int) -> list[str]:
        asked_for.append(host)
        return ["127.0.0.1", "10.0.0.7"]

    monkeypatch.setattr(push, "resolved", ours)
    monkeypatch.setattr(push, "TRIES", 1)
    with push_service() as service:
        async with visit() as ann, visit() as bo:
            await named(ann, "Ann")
            await named(bo, "Bo")
            asked = service.subscription() | {"endpoint": "https://push.example.org/1"}
            assert (await bo.put("/api/account/push", json=asked)).status_code == 204
            await challenge(ann, "Bo")
            await until(lambda: bool(asked_for))
            await asyncio.gather(*app.state.server.push._sending)
            assert asked_for == [urlsplit(asked["endpoint"]).hostname] and not service.came and await count(app) == 1


@pytest.mark.parametrize("wrong", [{"p256dh": "AAAA"}, {"auth": "AAAA"}, {"p256dh": "B" * 87}, {"p256dh": "é"}])
async def test_keys_that_are_none_are_refused(visit: Visit, wrong: dict[str, str]) -> None:
    async with visit() as ann:
        await ann.post("/api/guest")
        asked = PushService().subscription() | {"endpoint": "https://push.example.org/1"}
        refused = await ann.put("/api/account/push", json=asked | {"keys": asked["keys"] | wrong})
        assert refused.status_code == 422
