"""Text: whatever comes in by any door is kept by both databases alike, or refused; and every export can be restored."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI
from serving import Visit, listening, running
from sqlalchemy import insert, select

from hedgerow.serve import inputs
from hedgerow.serve.process import backup
from hedgerow.serve.process.app import create
from hedgerow.serve.refusals import Refused
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import Store, open_store
from hedgerow.serve.store.schema import letters, metadata

pytestmark = pytest.mark.anyio

RULES = "hexbo(side=5)"
NASTY = ["a\x00b", "a\ud800", "\x1b[31m", "a\nb", "\x85", "ﷺ" * 40, "ΐ" * 20, "😀" * 40, "x" * 3000, "", "\\u0000"]
HUGE = [2**31, 2**63, 2**70, 10**400, -1]
ENDLESS = ("/api/stream",)


def resolved(schema: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    """A schema without references, the first of several."""
    while "$ref" in schema or "anyOf" in schema:
        schema = (
            schema["anyOf"][0] if "anyOf" in schema else whole["components"]["schemas"][schema["$ref"].split("/")[-1]]
        )
    return schema


def usual(schema: dict[str, Any], whole: dict[str, Any]) -> Any:
    """Something that fits a schema."""
    schema = resolved(schema, whole)
    if "default" in schema:
        return schema["default"]
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if schema.get("type") == "object":
        fields = schema.get("properties", {})
        return {name: usual(fields[name], whole) for name in schema.get("required", [])}
    kinds: dict[str, Any] = {"integer": max(1, schema.get("minimum", 1)), "number": 1, "boolean": True, "array": []}
    return kinds.get(schema.get("type", ""), RULES if schema.get("examples") else "under the hedge")


def spoilt(schema: dict[str, Any], whole: dict[str, Any]) -> Iterator[Any]:
    """Values of the right kind that no database should be troubled with."""
    schema = resolved(schema, whole)
    kind = schema.get("type")
    if kind == "string" and "enum" not in schema:
        yield from NASTY
    elif kind in ("integer", "number"):
        yield from HUGE
    elif kind == "array":
        yield from ([wrong] for wrong in spoilt(schema.get("items", {}), whole))
    elif kind == "object":
        for name, field in schema.get("properties", {}).items():
            for wrong in spoilt(field, whole):
                yield {**usual(schema, whole), name: wrong}


def requests(whole: dict[str, Any], game: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every operation of the API, with one thing in it spoilt."""
    for path, operations in whole["paths"].items():
        for method, told in operations.items():
            if path in ENDLESS:
                continue
            parameters = told.get("parameters", [])
            values = {p["name"]: game if p["name"] == "game" else usual(p["schema"], whole) for p in parameters}
            places = [p["name"] for p in parameters if p["in"] == "path"]
            body = told.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")

            def made(values: dict[str, Any], body: Any, path: str = path, places: list[str] = places) -> Any:
                filled = path
                for name in places:
                    text = str(values[name]).encode("utf-8", "surrogatepass")
                    filled = filled.replace(f"{{{name}}}", quote(text, safe="") or "%20")
                pairs = [(n, str(v).encode("utf-8", "surrogatepass")) for n, v in values.items() if n not in places]
                return filled + "?" + "&".join(f"{n}={quote(v)}" for n, v in pairs), body

            for parameter in parameters:
                for wrong in spoilt(parameter["schema"], whole) if parameter["in"] != "header" else ():
                    yield method, *made({**values, parameter["name"]: wrong}, body and usual(body, whole))
            for wrong in spoilt(body, whole) if body else ():
                yield method, *made(values, wrong)


async def test_no_text_and_no_number_makes_either_database_fail(settings: Settings) -> None:
    async with running(replace(settings, limits=False)) as app:
        door = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=door, base_url="http://here.test") as ann:
            assert (await ann.post("/api/sign-up", json={"name": "Ann", "password": "under the hedge"})).is_success
            game = (await ann.post("/api/games", json={"rules": RULES, "opponent": "friend"})).json()["id"]
            cookie, count, failed = {"Cookie": f"hedgerow={ann.cookies['hedgerow']}"}, 0, []
            for method, path, body in requests(app.openapi(), game):
                if any(end in path for end in ("sign-out", "account/delete", "account/sessions")):
                    continue
                content = None if body is None else json.dumps(body)
                kind = {"Content-Type": "application/json"}
                answer = await ann.request(method, path, content=content, headers=cookie | kind)
                count += 1
                if answer.status_code >= 500 and answer.json().get("code") != "later":
                    failed.append((method, path[:100], str(body)[:100], answer.text[:80]))
            assert not failed, f"{len(failed)} of {count}: {failed[:10]}"
            assert count > 500


FORMS = {
    "/sign-up": {"name": "Bo", "password": "under the hedge"},
    "/sign-in": {"name": "Bo", "password": "under the hedge"},
    "/games": {"rules": RULES, "name": "Bo", "opponent": "named"},
    "/account/tokens": {"name": "my bot"},
    "/analysis/read": {"text": "Game: hexbo"},
}


async def test_forms_neither(settings: Settings) -> None:
    async with running(replace(settings, limits=False)) as app:
        door = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=door, base_url="http://here.test") as ann:
            await ann.post("/api/sign-up", json={"name": "Ann", "password": "under the hedge"})
            game = (await ann.post("/api/games", json={"rules": RULES, "opponent": "friend"})).json()["id"]
            more = {
                f"/games/{game}/{what}": {"text": "hm", "lines": "A1"} for what in ("chat", "note", "plan", "turns")
            }
            for path, fields in (FORMS | more).items():
                for name in fields:
                    for wrong in NASTY:
                        sent = {**fields, name: wrong.encode("utf-8", "surrogatepass")}
                        content = "&".join(f"{key}={quote(value)}" for key, value in sent.items())
                        kind = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
                        answer = await ann.post(path, content=content, headers=kind)
                        assert answer.status_code < 500, (path, name, wrong, answer.text)


async def test_what_is_no_text_stays_outside(visit: Visit) -> None:
    async with visit() as ann:
        for path in ("/api/games/a%00b", "/games/%ff", "/api/games?player=%00", "/api/archive?player=%C3", "/%1b"):
            answer = await ann.get(path)
            assert (answer.status_code, answer.json()["code"]) == (422, "bad_request"), path
            assert "content-security-policy" in answer.headers
        assert (await ann.get("/api/games/%F0%9F%8C%B1")).status_code == 404


async def test_the_socket_neither(tmp_path: Path, postgres: str) -> None:
    import websockets
    from websockets.exceptions import ConnectionClosed, InvalidStatus

    settings = Settings(data=tmp_path, database=postgres, engines=0, limits=False)
    app = create(settings)
    async with listening(app, settings) as port, httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as ann:
        game = (await ann.post("/api/games", json={"rules": RULES, "opponent": "friend"})).json()["id"]
        headers = {"Cookie": f"hedgerow={ann.cookies['hedgerow']}"}
        base = f"ws://127.0.0.1:{port}/api/games"
        async with websockets.connect(f"{base}/{game}/socket", additional_headers=headers) as line:
            await line.recv()
            for wrong in NASTY:
                for kind in ({"type": "chat", "room": "players"}, {"type": "turn", "number": 0}):
                    await line.send(json.dumps({**kind, "text": wrong}))
            for number in HUGE[:3]:
                await line.send(json.dumps({"type": "turn", "number": number, "text": "A1", "thought": number}))
            await line.send('{"type": "ping"}')
            while json.loads(await line.recv())["type"] != "pong":
                pass
        for path in ("a%00b", "%ff", f"{game[:-1]}%1f"):
            with pytest.raises((InvalidStatus, ConnectionClosed)) as caught:
                async with websockets.connect(f"{base}/{path}/socket", additional_headers=headers) as line:
                    await line.recv()
            assert "500" not in str(caught.value) and "1011" not in str(caught.value)


# --- what is kept can be taken home and brought back ------------------------------------------------------------------

KEPT = ["Zoë", "straße", "ﬁn", "Ωmega", "日本語の名前", "ΐΐΐΐΐΐ", "e\u0301e\u0301", "a'b.c-d_e"]
SAID = [
    "😀😀 well played",
    "a\u200db",
    "\u202eabc",
    "ﷺ" * 10,
    "'; DROP TABLE games; --",
    "\\u0000",
    "%00",
    "\t two\n lines ",
]


async def with_texts(app: FastAPI) -> None:
    """Everything that people may write, written as oddly as they are allowed to."""
    for number, name in enumerate(KEPT):
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here.test") as ann:
            await ann.post("/api/sign-up", json={"name": name, "password": "😀 under the \t hedge"})
            game = (await ann.post("/api/games", json={"rules": RULES, "opponent": "friend"})).json()["id"]
            for text in SAID[number % 3 :: 3]:
                await ann.post(f"/api/games/{game}/chat", json={"text": text})
                assert (await ann.put(f"/api/games/{game}/note", json={"text": text})).is_success
                await ann.post("/api/account/tokens", json={"name": text})


async def with_letters(app: FastAPI) -> None:
    """Mails as they came, with every byte there is; and one that is done."""
    async with app.state.server.store.write() as connection:
        for number, raw in enumerate((bytes(range(256)), b"", None)):
            row = {"digest": str(number), "received": 1, "sender": "", "recipient": "play@example.org", "tries": 0}
            await connection.execute(insert(letters).values(**row, raw=raw))


async def everything(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    async with store.read() as connection:
        return {
            table.name: [tuple(row) for row in await connection.execute(select(table).order_by(*table.primary_key))]
            for table in metadata.sorted_tables
        }


@pytest.mark.parametrize("way", ["sqlite to postgres", "postgres to sqlite"])
async def test_every_export_can_be_restored_into_the_other(tmp_path: Path, postgres: str, way: str) -> None:
    places: list[Settings] = [
        Settings(data=tmp_path / "one", engines=0, limits=False),
        Settings(data=tmp_path / "two", database=postgres, engines=0, limits=False),
    ]
    here, there = places if way.startswith("sqlite") else reversed(places)
    async with running(here) as app:
        await with_texts(app)
        await with_letters(app)
    out = io.StringIO()
    store = await open_store(here.data, here.database)
    await backup.export(store, out)
    before = await everything(store)
    await store.close()
    store = await open_store(there.data, there.database)
    await backup.bring_back(store, iter(out.getvalue().encode().decode().splitlines(keepends=True)))
    assert await everything(store) == before
    assert len(before["accounts"]) == len(KEPT) and len(before["chat"]) > 5 and len(before["notes"]) > 5
    await store.close()


def test_one_place_for_text() -> None:
    assert inputs.line("a 'b' 😀") and inputs.lines("a\n\tb")
    for check, wrong in (
        (inputs.line, "a\nb"),
        (inputs.line, "\u2028"),
        (inputs.lines, "\x1b"),
        (inputs.line, "\ud800"),
    ):
        with pytest.raises(ValueError, match=r"U\+"):
            check(wrong)
    with pytest.raises(Refused, match=r"U\+0000.*hint:"):
        inputs.fields({"name": "a\x00"})
