"""Checks of a running server from outside, as a browser sees it: health, headers, cookies, TLS, websockets."""

from __future__ import annotations

import http.client
import json
import re
import ssl
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.cookies import SimpleCookie
from urllib.parse import urlsplit

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from hedgerow.game import HedgerowError
from hedgerow.serve.api.answers import HEADERS
from hedgerow.serve.people.sessions import COOKIE
from hedgerow.serve.process.check.finding import Finding, fault, fine, warning

PATIENCE = 10.0
SOON = 14
"""In so many days a certificate should have been renewed."""


@dataclass(frozen=True)
class Answer:
    """What a server said."""

    status: int
    headers: dict[str, str]
    text: str


class Site:
    """A server by its address."""

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port, parts = None, None, urlsplit("")
        if not host:
            raise HedgerowError(f"cannot read the address {url!r:.80}; hint: like https://play.example.org")
        self.tls, self.host = parts.scheme == "https", host
        self.port = port or (443 if self.tls else 80)
        self.path = parts.path.rstrip("/")
        self.days: float | None = None
        """How long its certificate holds."""

    def ask(self, method: str, path: str, cookie: str = "", tls: bool | None = None) -> Answer:
        """Asks once, and follows nothing."""
        if self.tls if tls is None else tls:
            context = ssl.create_default_context()
            line: http.client.HTTPConnection = http.client.HTTPSConnection(
                self.host, self.port, timeout=PATIENCE, context=context
            )
        else:
            port = self.port if tls is None else 80
            line = http.client.HTTPConnection(self.host, port, timeout=PATIENCE)
        try:
            headers = {"Accept": "text/html, application/json"} | ({"Cookie": cookie} if cookie else {})
            if method != "GET":
                headers["Content-Type"] = "application/json"
            line.request(method, self.path + path, "{}" if method != "GET" else None, headers)
            if isinstance(line.sock, ssl.SSLSocket) and (certificate := line.sock.getpeercert()):
                self.days = (ssl.cert_time_to_seconds(str(certificate["notAfter"])) - time.time()) / 86_400
            got = line.getresponse()
            return Answer(
                got.status, {k.lower(): v for k, v in got.getheaders()}, got.read().decode("utf-8", "replace")
            )
        finally:
            line.close()


def look(url: str, guest: bool = False) -> list[Finding]:
    """What there is to say about a running server."""
    site = Site(url)
    try:
        found = [_health(site)]
        for one in (_headers, _secure, _static, _socket):
            found += list(one(site))
        return found + (list(_cookies(site)) if guest else [])
    except ssl.SSLError as error:
        return [
            fault("server", f"TLS does not hold: {error.reason or error}; hint: look at the certificate of the proxy")
        ]
    except (OSError, http.client.HTTPException) as error:
        return [
            fault("server", f"{site.host} does not answer: {error or type(error).__name__}; hint: is it running there?")
        ]


def _health(site: Site) -> Finding:
    if (alive := site.ask("GET", "/healthz")).status != 200 or '"ok"' not in alive.text:
        return fault(
            "server", f"/healthz was answered {alive.status}; hint: is it a Hedgerow, and does the proxy reach it?"
        )
    ready = site.ask("GET", "/readyz")
    if ready.status != 200:
        return fault("server", f"it is not ready: {ready.text[:120]}; hint: its log says more")
    return fine("server", "it answers and is ready")


def _headers(site: Site) -> Iterator[Finding]:
    answer = site.ask("GET", "/")
    missing = [name for name, value in HEADERS.items() if answer.headers.get(name.lower()) != value]
    if answer.status != 200:
        yield fault("server", f"the first page was answered {answer.status}; hint: does --public-url fit the address?")
    elif missing:
        yield fault("server", f"pages come without {', '.join(missing)}; hint: does the proxy take headers away?")
    else:
        yield fine("server", "pages come with their security headers")


def _secure(site: Site) -> Iterator[Finding]:
    """Who comes without TLS is sent to where there is some, and the certificate holds for a while."""
    if not site.tls:
        if site.host not in ("127.0.0.1", "::1", "localhost"):
            yield warning("server", "people come without HTTPS; hint: let a proxy speak it, and set --public-url")
        return
    if site.days is not None and site.days < SOON:
        yield warning("server", f"the certificate holds for {site.days:.0f} more days; hint: is it renewed by itself?")
    if "strict-transport-security" not in site.ask("GET", "/healthz").headers:
        yield warning("server", "no Strict-Transport-Security; hint: let the proxy add it")
    if site.port == 443:
        try:
            unencrypted = site.ask("GET", "/", tls=False)
        except (OSError, http.client.HTTPException):
            return
        if not unencrypted.headers.get("location", "").startswith("https://"):
            yield fault("server", "it answers without TLS, too; hint: let the proxy send people on to https://")


def _static(site: Site) -> Iterator[Finding]:
    names = re.findall(r'(?:src|href)="(/static/[^"]+)"', site.ask("GET", "/").text)
    for name in names[:1]:
        answer = site.ask("GET", name.removeprefix(site.path))
        if answer.status != 200:
            yield fault("server", f"{name} was answered {answer.status}; hint: does the proxy pass everything on?")
        elif not answer.headers.keys() & {"cache-control", "etag", "last-modified"}:
            yield warning("server", "browsers cannot keep scripts and styles; hint: does the proxy take headers away?")
        else:
            yield fine("server", "browsers can keep scripts and styles")


def _socket(site: Site) -> Iterator[Finding]:
    """A socket to a game that does not exist is opened, says so, and is closed."""
    host = f"[{site.host}]" if ":" in site.host else site.host
    url = f"{'wss' if site.tls else 'ws'}://{host}:{site.port}{site.path}/api/games/nowhere/socket"
    try:
        with connect(url, open_timeout=PATIENCE, close_timeout=2) as line:
            said = json.loads(line.recv(PATIENCE))
        if said.get("code") == "not_found":
            yield fine("server", "websockets work")
            return
        problem = f"something unexpected: {str(said)[:80]}"
    except (WebSocketException, OSError, ValueError) as error:
        problem = str(error) or type(error).__name__
    yield fault("server", f"websockets do not work: {problem}; hint: the proxy must pass Upgrade and Connection on")


def _cookies(site: Site) -> Iterator[Finding]:
    """Comes in as a guest, looks at the cookie, and goes for good."""
    answer = site.ask("POST", "/api/guest")
    found = SimpleCookie(answer.headers.get("set-cookie", ""))
    if COOKIE not in found:
        yield warning(
            "server", f"guests are not let in ({answer.status}), so the cookie could not be seen; hint: sign in"
        )
        return
    cookie = found[COOKIE]
    site.ask("POST", "/api/account/delete", f"{COOKIE}={cookie.value}")
    wanted = {"HttpOnly": bool(cookie["httponly"]), "SameSite": cookie["samesite"].lower() in ("lax", "strict")}
    if site.tls:
        wanted["Secure"] = bool(cookie["secure"])
    if missing := [name for name, there in wanted.items() if not there]:
        yield fault(
            "server", f"the session's cookie lacks {', '.join(missing)}; hint: start with --public-url https://..."
        )
    else:
        yield fine("server", "the session's cookie is safe")
