"""Whatever is sent to any route, the server does not fail: what OpenAPI describes, what it does not, every form."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import schemathesis
from fuzzing import (
    FIELDS,
    FLAT,
    SEED,
    Target,
    besiege,
    chance_of,
    check,
    nasty,
    nasty_json,
    nasty_object,
    number_of,
    spoilt,
)
from hypothesis import HealthCheck, given, seed, settings, strategies
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance
from wire import BOUND, Answer, answers, exchange

from hedgerow.serve.process.app import create
from hedgerow.serve.settings import Settings

QUIET = list(HealthCheck)
ENDS_SESSIONS = ("/sign-out", "/account/delete", "/account/sessions", "/account/bot", "/account/password")
"""Asked by nobody in particular: whoever asked would not be known any more."""
RENEWED = 200
"""After how many cases somebody else is asking."""
GOES_ON = ("/api/stream", "/analysis/stream")
"""Answers that do not end by themselves."""


# --- what is described ------------------------------------------------------------------------------------------------


def try_out(operation: Any, target: Target, examples: int) -> None:
    """Sends what the description allows, and what it does not; half of it about a game that there is."""
    anonymous = any(path in operation.path for path in ENDS_SESSIONS)
    headers = {} if anonymous else {"Cookie": target.people[0].cookie}
    strategy = operation.as_strategy() | operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)

    @seed(SEED)
    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=QUIET)
    @given(case=strategy, real=strategies.booleans())
    def never_fails(case: schemathesis.Case, real: bool) -> None:
        if case.path == "/api/stream":
            case.query = {**(case.query or {}), "wait": False}
        if real and "game" in (case.path_parameters or {}):
            case.path_parameters["game"] = target.games[0]
        answer = case.call(headers=headers, timeout=BOUND)
        check(Answer(answer.status_code, {name.lower(): "" for name in answer.headers}, answer.content), case.path)
        if case.meta is None or case.meta.generation.mode is GenerationMode.POSITIVE:
            case.validate_response(answer, checks=[content_type_conformance, response_schema_conformance])

    never_fails()


def test_nothing_that_is_described_makes_the_server_fail(target: Target) -> None:
    found: Any = schemathesis.openapi.from_url(f"http://127.0.0.1:{target.port}/openapi.json")
    operations = [operation.ok() for operation in found.get_all_operations()]
    assert len(operations) > 70
    examples = max(2, number_of("described") // len(operations))
    faults, before = [], 0.0
    for number, operation in enumerate(operations):
        if number == len(operations) // 5:
            before = target.memory
        try:
            try_out(operation, target, examples)
        except Exception as error:
            faults.append(f"{operation.label}: {error}")
    target.check_answers()
    print(
        f"{examples} cases of each of {len(operations)}: {len(faults)} faults, grown by {target.memory - before:.0f} MB"
    )
    assert not faults, "\n".join(faults[:8])
    assert target.memory - before < FLAT


# --- what is not described --------------------------------------------------------------------------------------------


def routes_of(routes: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Method and path of every route, pages too."""
    for route in routes:
        if hasattr(route, "original_router"):
            yield from routes_of(route.original_router.routes)
        elif methods := getattr(route, "methods", None):
            yield from ((method, route.path) for method in sorted(methods))
        elif path := getattr(route, "path", None):
            yield "GET", f"{path}/board.js"


ROUTES = sorted(set(routes_of(create(Settings(data=Path("/nowhere"))).routes)))


class Composer:
    """Makes one request of a route: a path, a query, headers and a body, each of them sometimes nasty."""

    def __init__(self, target: Target, chance: random.Random) -> None:
        self.target, self.chance = target, chance
        self.method, self.path = chance.choice(ROUTES)
        if chance.random() < 0.05:
            self.method = chance.choice(("PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "GET", "POST"))

    def request(self) -> bytes:
        """All of it as bytes."""
        sent = self.headers()
        body, kind = self.body() if self.method not in ("GET", "HEAD") or self.chance.random() < 0.03 else (b"", "")
        if kind:
            sent.append(f"Content-Type: {kind}")
        if body and self.chance.random() < 0.2:
            sent.append("Transfer-Encoding: chunked")
            size = self.chance.choice((1, 7, 1000, 40_000))
            parts = [body[at : at + size] for at in range(0, min(len(body), 60 * size), size)]
            body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
        elif body or self.method == "POST":
            sent.append(f"Content-Length: {len(body)}")
        head = "\r\n".join([f"{self.method} {self.filled()} HTTP/1.1", *sent, "Connection: close", "", ""])
        return head.encode("utf-8", "surrogatepass") + body

    def filled(self) -> str:
        """The path with its places filled, and a query."""
        parts = []
        for part in self.path.split("/"):
            parts.append(quote(self.place(part[1:-1]), safe="", errors="surrogatepass") if part[:1] == "{" else part)
        names = self.chance.choices(FIELDS, k=self.chance.choice((0, 0, 0, 1, 2, 5)))
        query = "&".join(f"{name}={quote_plus(nasty(self.chance), errors='surrogatepass')[:4000]}" for name in names)
        return "/".join(parts) + (f"?{query}" if query else "")

    def place(self, name: str) -> str:
        """What stands in a place of a path: mostly what could be there."""
        if self.chance.random() < 0.25:
            return nasty(self.chance)[:2000]
        known = {
            "game": self.target.games,
            "name": ["hexbo", "tanbo", "root_down"],
            "rules": ["hexbo", "root_bound(side=4)"],
        }
        known["kind"] = ["draw", "undo", "abort", "rematch"]
        return self.chance.choice(known.get(name.partition(":")[0], ["1", "2", "3", "board.js"]))

    def headers(self) -> list[str]:
        """Who asks, from where, in which tongue."""
        chance, found = self.chance, ["Host: " + self.chance.choice(("127.0.0.1", "[::1]", "a:b:c", "["))]
        ends = any(path in self.path for path in ENDS_SESSIONS)
        if chance.random() < 0.7 and not ends:
            found.append(f"Cookie: {chance.choice(self.target.people).cookie}")
        values = {
            "Accept": ("text/html", "*/*", "text/html;q=x"),
            "Origin": ("http://127.0.0.1", "http://[", "null", "http://example.org", "//", "http://a:b:c"),
            "Cookie": ("hedgerow=", "hedgerow=a; hedgerow=b", "looks=%00;;;=;", "=" * 500),
            "Accept-Language": ("de", "de;q=2, *;q=-1", "," * 500, "x" * 3000, "\xff"),
            "Authorization": ("Bearer", "Bearer x", "Bearer hedgerow_" + "a" * 40, "Basic AAAA", "\xe9"),
            "Content-Encoding": ("gzip", "br"),
            "Sec-Fetch-Site": ("cross-site", "none", "x"),
            "X-Forwarded-For": ("1.2.3.4", "[", "1.2.3.4, ::1, x", "," * 400, "fe80::1%eth0"),
            "X-Forwarded-Proto": ("https", "javascript", "ws"),
            "Range": ("bytes=0-0", "bytes=9-1", "bytes=-", "bytes=0-0,1-1,2-2,0-999999"),
            "If-None-Match": ('"', "*", "W/"),
            "Expect": ("100-continue", "200-ok"),
        }
        for name in chance.choices(list(values), k=chance.randrange(4)):
            if name != "Cookie" or not ends:
                found.append(f"{name}: {chance.choice(values[name])}")
        return found

    def body(self) -> tuple[bytes, str]:
        """A form, JSON or something else, and what it says it is."""
        chance = self.chance
        pairs = [(chance.choice(FIELDS), nasty(chance)) for _ in range(chance.choice((0, 1, 2, 5, 9, 40)))]
        example = spoilt(chance, self.path.removeprefix("/api")) if chance.random() < 0.6 else None
        if example is not None:
            pairs = [(name, str(value)) for name, value in example.items()]
        form = "&".join(f"{name}={quote_plus(value, errors='surrogatepass')}" for name, value in pairs)
        wanted = "json" if self.path.startswith("/api/") else "form"
        kind = wanted if chance.random() < 0.9 else chance.choice(("form", "json", "bytes", "big", "parts"))
        if kind == "form":
            return form.encode(), "application/x-www-form-urlencoded"
        if kind == "json":
            made = nasty_object(chance) if chance.random() < 0.8 else nasty_json(chance)
            if example is not None:
                made = json.dumps(example)
            return made.encode("utf-8", "surrogatepass"), "application/json"
        if kind == "big":
            return b"text=" + b"x" * chance.choice(
                (65_530, 65_531, 65_532, 70_000, 200_000)
            ), "application/x-www-form-urlencoded"
        if kind == "parts":
            return (
                b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n" + form.encode(),
                "multipart/form-data; boundary=x",
            )
        return chance.randbytes(chance.randrange(300)), chance.choice(
            ("text/plain", "application/json", "", "x/y; charset=\xe9")
        )


def test_nothing_that_is_posted_makes_the_server_fail(target: Target) -> None:
    assert len(ROUTES) > 120 and ("POST", "/games/{game}/plan") in ROUTES and ("POST", "/unsubscribe/{key}") in ROUTES

    async def attempt(number: int) -> None:
        if number % RENEWED == RENEWED - 1:
            await asyncio.to_thread(target.renew)
        composer = Composer(target, chance_of("requests", number))
        request = composer.request()
        quiet = 0.3 if any(path in composer.path for path in GOES_ON) else BOUND
        came = answers(await exchange(target.port, [request], quiet), composer.method == "HEAD")
        about = f"{request[:600]!r}"
        assert came or quiet < BOUND, f"no answer: {about}"
        for answer in came:
            check(answer, about)

    besiege(target, "requests", attempt)
