"""Every route for every kind of person: who may, and who may not. A route that is in no table here fails."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from argon2 import PasswordHasher
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from serving import running

from hedgerow.serve.people.accounts import Account
from hedgerow.serve.people.sessions import COOKIE
from hedgerow.serve.process.app import create
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import people
from hedgerow.serve.store.schema import now
from push_service import PushService

pytestmark = pytest.mark.anyio

ROLES = ("anonymous", "guest", "other", "banned", "player")
"""Nobody known; a guest; somebody; somebody whose account is banned; and, after them, who sits in the game."""

EVERYBODY = {
    "GET /openapi.json",
    "HEAD /openapi.json",
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
    "GET /api/me",
    "POST /api/guest",
    "POST /api/sign-up",
    "POST /api/sign-in",
    "POST /api/sign-out",
    "GET /api/engine",
    "POST /api/confirm/{token}",
    "POST /api/reset",
    "POST /api/reset/done",
    "GET /api/playable",
    "GET /api/lobby",
    "GET /api/challenges",
    "GET /api/games/{game}/offers",
    "GET /api/your-games",
    "GET /api/your-games/next",
    "GET /api/watch",
    "GET /api/archive",
    "GET /api/archive/dump",
    "GET /api/ratings/leaders",
    "GET /api/ratings/of/{account}",
    "GET /api/ratings/of/{account}/history",
    "POST /api/games",
    "GET /api/games",
    "GET /api/games/{game}",
    "POST /api/games/{game}/join",
    "GET /api/games/{game}/why-not",
    "GET /api/games/{game}/analysis",
    "GET /api/games/{game}/analysis/stream",
    "GET /api/games/{game}/record",
    "POST /api/positions",
    "POST /api/positions/why-not",
    "POST /api/positions/draft",
    "POST /api/positions/record",
    "POST /api/positions/record/text",
    "GET /api/positions/picture",
    "POST /api/positions/analysis/stream",
    "POST /api/positions/analysis/graph",
    "GET /analysis",
    "GET /analysis/{rules}",
    "POST /analysis/record",
    "POST /analysis/think",
    "GET /print/{what}.pdf",
    "GET /replay/{packed}",
    "GET /lobby",
    "GET /live",
    "GET /worker.js",
    "GET /new",
    "GET /your-games/next",
    "GET /games/{game}/small.svg",
    "POST /pair",
    "POST /api/pair",
    "GET /your-games",
    "GET /archive",
    "GET /leaders",
    "GET /miniatures/{name}",
    "GET /settings",
    "POST /settings",
    "GET /people/{number}",
    "GET /rules",
    "GET /rules/{name}",
    "GET /learn/{name}",
    "GET /board.css",
    "GET /",
    "POST /games",
    "GET /games/{game}",
    "GET /games/{game}/code.svg",
    "POST /games/{game}/join",
    "POST /games/{game}/analysis",
    "GET /sign-up",
    "POST /sign-up",
    "GET /sign-in",
    "POST /sign-in",
    "POST /sign-out",
    "GET /reset",
    "POST /reset",
    "GET /reset/{token}",
    "POST /reset/{token}",
    "GET /confirm/{token}",
    "POST /confirm/{token}",
    "GET /signup/{token}",
    "POST /signup/{token}",
    "GET /unsubscribe/{key}",
    "POST /unsubscribe/{key}",
    "POST /api/commands",
    "GET /mail",
    "POST /mail",
    "GET /mail/{name}",
}
"""Whether it works is another question; nobody is refused for who they are."""

KNOWN = {
    "GET /api/stream",
    "GET /api/bell",
    "GET /api/account/push",
    "PUT /api/account/push",
    "DELETE /api/account/push",
    "GET /api/account/sessions",
    "DELETE /api/account/sessions/{session}",
    "DELETE /api/account/sessions",
    "POST /api/account/delete",
    "GET /api/notices",
    "POST /api/notices/read",
    "GET /api/mutes",
    "PUT /api/mutes/{account_id}",
    "DELETE /api/mutes/{account_id}",
    "POST /api/chat/{message}/report",
    "GET /api/games/{game}/note",
    "GET /api/games/{game}/plan",
    "PUT /api/games/{game}/note",
    "POST /games/{game}/note",
    "POST /games/{game}/mutes/{account_id}",
    "POST /games/{game}/chat/{message}/report",
}
"""Guests and people; 401 for others."""

PEOPLE = {"POST /api/account/password", "GET /api/account/mail", "PUT /api/account/mail", "POST /account/mail"}
PEOPLE |= {"GET /api/account/tokens", "POST /api/account/tokens", "DELETE /api/account/tokens/{number}"}
PEOPLE |= {"POST /api/account/bot"}
PEOPLE |= {f"{method} /api/account/mail-word" for method in ("GET", "POST", "DELETE")}
PEOPLE |= {"GET /api/account/vacation", "PUT /api/account/vacation"}
"""People with a password; 403 for guests."""

PLAYERS = {
    "POST /api/games/{game}/turns",
    "POST /api/games/{game}/resign",
    "POST /api/games/{game}/again",
    "GET /api/games/{game}/turning-point",
    "POST /api/games/{game}/cancel",
    "POST /api/games/{game}/welcome",
    "POST /api/games/{game}/offers/{kind}",
    "POST /api/games/{game}/offers/{kind}/agree",
    "POST /api/games/{game}/offers/{kind}/decline",
    "PUT /api/games/{game}/plan",
    "POST /api/games/{game}/plan/position",
    "POST /api/games/{game}/plan/why-not",
    "POST /api/games/{game}/chat",
    "POST /games/{game}/chat",
    "POST /games/{game}/plan",
    "POST /games/{game}/offers/{kind}",
    "POST /games/{game}/again",
    "POST /games/{game}/welcome",
    "POST /games/{game}/turning-point",
}
"""Those who sit in the game; 403 for others."""

INSIDE = {"GET /api/games/{game}/chat", "POST /api/games/{game}/take-over", "POST /games/{game}/take-over"}
"""What only players see, or may not be done in such a game: 403 for everybody else, known or not."""

PAGES = {
    "GET /account",
    "GET /notices",
    "POST /notices/read",
    "POST /account/password",
    "POST /account/sessions/{session}/end",
    "POST /account/tokens",
    "POST /account/tokens/{number}/end",
    "POST /account/mail-word",
    "POST /account/mail-word/end",
    "POST /account/vacation",
    "POST /account/bot",
    "POST /account/delete",
}
"""Pages that send those who are not known to sign in."""

PLAYERS_PAGES = {"POST /games/{game}/play", "POST /games/{game}/resign", "POST /games/{game}/cancel"}
"""Forms of a game's page: what others send changes nothing in the game."""

SOCKETS = {"WS /api/games/{game}/socket"}
"""Tested over real sockets, in test_doors and test_sockets."""

BODIES: dict[str, dict[str, Any]] = {
    "POST /api/commands": {"text": "help"},
    "POST /api/sign-up": {"name": "x", "password": "long enough"},
    "POST /api/sign-in": {"name": "nobody here", "password": "wrong"},
    "POST /api/reset": {"who": "nobody here"},
    "POST /api/reset/done": {"token": "none", "password": "long enough"},
    "POST /api/account/password": {"old": "wrong", "new": "long enough"},
    "POST /api/account/delete": {"password": "wrong"},
    "POST /api/account/tokens": {"name": "a bot"},
    "POST /api/account/mail-word": {},
    "PUT /api/account/vacation": {"days": 0},
    "PUT /api/account/push": PushService("https://push.example.org").subscription(),
    "POST /api/pair": {"length": "short"},
    "POST /api/games": {"rules": "hexbo(side=5)"},
    "POST /api/games/{game}/turns": {"number": 0, "text": "A1"},
    "POST /api/games/{game}/again": {"turn": 0},
    "PUT /api/games/{game}/plan": {"lines": []},
    "POST /api/games/{game}/plan/position": {"turn": 0},
    "POST /api/games/{game}/plan/why-not": {"turn": 0},
    "PUT /api/games/{game}/note": {"text": "mine"},
    "POST /api/games/{game}/chat": {"text": "hello"},
    "POST /api/games/{game}/welcome": {"welcome": True},
    "PUT /api/mutes/{account_id}": {"kind": "mute"},
    "POST /api/chat/{message}/report": {"reason": "rude"},
}
QUERIES = {"GET /api/games/{game}/why-not": {"text": "A1"}, "GET /api/ratings/leaders": {"game": "hexbo"}}
QUERIES |= {"POST /api/games/{game}/plan/why-not": {"pressed": "A1"}}
QUERIES |= {"GET /api/ratings/of/{account}/history": {"game": "hexbo"}}
PLACES = {"session": "0" * 16, "token": "none", "key": "none", "kind": "draw", "message": "99"}
PLACES |= {"account": "1", "account_id": "2", "number": "1", "name": "tanbo", "rules": "tanbo"}
PLACES |= {"what": "score", "packed": "none"}
QUERIES |= {f"GET /api/{line}": {"wait": "false"} for line in ("stream", "bell")}
QUERIES |= {"GET /print/{what}.pdf": {"rules": "tanbo"}}


def routes() -> list[str]:
    """Every way into the application, except files."""
    found = []
    for route in iter_route_contexts(create(Settings(data=Path("unused"))).routes):
        if methods := getattr(route, "methods", None):
            found += [f"{method} {route.path}" for method in methods]
        elif route.path != "/static":
            found.append(f"WS {route.path}")
    return sorted(found)


TABLES = (EVERYBODY, KNOWN, PEOPLE, PLAYERS, INSIDE, PAGES, PLAYERS_PAGES, SOCKETS)


def test_every_route_is_in_one_table() -> None:
    for route in routes():
        assert sum(route in table for table in TABLES) == 1, f"{route}: say who may, in one of the tables above"
    assert set().union(*TABLES) == set(routes())


class World:
    """Somebody of every role, and games between two of them."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        self.server: Server = app.state.server
        self.accounts: dict[str, Account] = {}
        self.tokens: dict[str, str] = {}
        self.server.accounts.hashing.hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)

    async def people(self) -> World:
        for name in ("player", "friend", "other", "banned"):
            self.accounts[name], _ = await self.server.accounts.sign_up(name.title(), "under the hedge", None, None)
        return self

    async def client(self, role: str) -> httpx.AsyncClient:
        """A new browser, with a session that holds whatever was asked before."""
        client = httpx.AsyncClient(transport=httpx.ASGITransport(self.app), base_url="http://here.test")
        if role != "anonymous":
            client.cookies.set(COOKIE, await self.session(role))
        return client

    async def session(self, role: str) -> str:
        token = self.tokens.get(role, "")
        if role == "guest":
            account = await self.server.accounts.of(token)
            if account is None or account.kind != "guest":
                _, self.tokens[role] = await self.server.accounts.guest()
        elif not token or (role != "banned" and await self.server.accounts.of(token) is None):
            async with self.server.store.write() as connection:
                self.tokens[role] = await self.server.accounts._session(connection, self.accounts[role].id)
                if role == "banned":
                    await people.change(connection, self.accounts[role].id, banned=now())
        return self.tokens[role]

    async def game(self, private: bool) -> str:
        asked = {"rules": "hexbo(side=5)", "opponent": "friend", "private": private, "clock": {"kind": "days"}}
        async with await self.client("player") as player, await self.client("friend") as friend:
            made = await player.post("/api/games", json=asked)
            game: str = made.json()["id"]
            assert (await friend.post(f"/api/games/{game}/join")).status_code == 200
        return game

    async def ask(self, route: str, role: str, game: str = "", token: str = "") -> httpx.Response:
        method, path = route.split(" ")
        places = PLACES | {"game": game}
        form = not path.startswith("/api/")
        body = {} if form or method in ("GET", "HEAD", "DELETE") else {"json": BODIES.get(route, {})}
        if form and method == "POST":
            body = {"data": {"number": "0", "text": "A1"}}
        async with await self.client(role) as client:
            if token:
                client.headers["Authorization"] = f"Bearer {token}"
            return await client.request(method, path.format(**places), params=QUERIES.get(route), **body)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    settings = Settings(
        data=tmp_path,
        engines=0,
        limits=False,
        public_url="http://here.test",
        smtp="smtp://127.0.0.1:1",
        mail_from="a@b.test",
    )
    async with running(settings) as app:
        yield await World(app).people()


def right(route: str, role: str, answer: httpx.Response) -> bool:
    """Whether the answer is one that this role should get."""
    status, nobody = answer.status_code, role in ("anonymous", "banned")
    if route in EVERYBODY:
        return status not in (401, 403) or "/sign-in" in route or "/sign-up" in route
    if route in PAGES:
        return answer.headers.get("location") == "/sign-in" if nobody else status != 401
    if route in INSIDE and role != "player":
        return status == 403
    if nobody:
        return status == 401
    if role == "guest" and route in PEOPLE:
        return status == 403
    if role in ("guest", "other") and route in PLAYERS:
        return status == 403
    return status not in (401, 403) or answer.json()["code"] == "wrong_password"


async def test_who_may(world: World) -> None:
    wrong = []
    for route in sorted(set().union(EVERYBODY, KNOWN, PEOPLE, PLAYERS, INSIDE, PAGES)):
        game = await world.game(private=False) if "{game}" in route else ""
        for role in ROLES:
            answer = await world.ask(route, role, game)
            unread = answer.status_code == 422 and route not in EVERYBODY | PAGES
            if answer.status_code >= 500 or unread or not right(route, role, answer):
                wrong.append(f"{route} {role}: {answer.status_code} {answer.text[:120]!r}")
    assert not wrong, "\n" + "\n".join(wrong)


async def test_forms_of_a_game_work_for_its_players_alone(world: World) -> None:
    for route in sorted(PLAYERS_PAGES):
        game = await world.game(private=False)
        for role in ROLES:
            await world.ask(route, role, game)
            async with world.server.games.held(game) as live:
                changed = live.version > 0 or live.over
            assert changed == (role == "player" and not route.endswith("cancel")), (route, role)


async def test_a_private_game_is_nowhere_for_others(world: World) -> None:
    for route in routes():
        if "{game}" in route and not route.startswith("WS"):
            game = await world.game(private=True)
            for role in ROLES:
                answer = await world.ask(route, role, game)
                if role != "player":
                    assert answer.status_code == 404, (route, role, answer.text[:200])
            async with world.server.games.held(game) as live:
                names = " ".join(seat.name for seat in live.seats)
            assert names == "Player Friend"


PROGRAMS = {"GET /openapi.json", "HEAD /openapi.json", "GET /healthz", "GET /readyz", "GET /metrics"}
"""What is there for programs beside the API."""


def opens(route: str, kind: str) -> bool:
    """Whether a token opens a route at all: the API, without the account itself; playing only where it is for that."""
    method, path = route.split(" ")
    if not path.startswith("/api/"):
        return route in PROGRAMS
    at_home = path.startswith("/api/account/") or path in ("/api/sign-up", "/api/sign-in", "/api/sign-out")
    playing = path.startswith("/api/games") and method != "GET" and route != "PUT /api/games/{game}/note"
    return not at_home and (kind != "person" or not playing)


@pytest.mark.parametrize("kind", ["person", "person who plays", "bot"])
async def test_what_a_token_opens(world: World, kind: str) -> None:
    account, _ = await world.server.accounts.sign_up("Robo", "under the hedge", None, None)
    if kind == "bot":
        await world.server.tokens.become_bot(account)
    _, token = await world.server.tokens.make(account.id, "for a test", plays=kind == "person who plays")
    wrong = []
    for route in routes():
        if not route.startswith("WS"):
            game = await world.game(private=False) if "{game}" in route else ""
            answer = await world.ask(route, "anonymous", game, token)
            fits = right(route, "other", answer) if opens(route, kind) else answer.status_code == 403
            if not fits or answer.status_code >= 500 or "set-cookie" in answer.headers:
                wrong.append(f"{route}: {answer.status_code} {answer.text[:120]!r}")
    assert not wrong, "\n" + "\n".join(wrong)
