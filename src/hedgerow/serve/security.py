"""At the door: the session's cookie or a token, where a request comes from, how big it is, what a page may load."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hedgerow.serve.accounts import LASTS, is_access

COOKIE = "hedgerow"
LARGEST = 64 * 1024
"""How many bytes a request may have."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def set_session(response: Response, token: str, secure: bool) -> None:
    """The cookie: no script reads it, and no other site's form sends it."""
    response.set_cookie(COOKIE, token, max_age=LASTS // 1000, httponly=True, samesite="lax", secure=secure)


def drop_session(response: Response) -> None:
    """The browser forgets the session."""
    response.delete_cookie(COOKIE)


def bearer_of(headers: Headers) -> str | None:
    """What a program shows instead of a cookie, even if it is no token of ours; None where it shows nothing."""
    scheme, _, shown = headers.get("authorization", "").partition(" ")
    return shown.strip() if scheme.lower() == "bearer" else None


def token_of(connection: HTTPConnection) -> str | None:
    """The session's token, or the access token; whoever shows a token is not known by a cookie."""
    if (shown := bearer_of(connection.headers)) is not None:
        return shown if is_access(shown) else None
    cookie = connection.cookies.get(COOKIE)
    return None if cookie and is_access(cookie) else cookie


def from_here(headers: Headers, public_url: str | None) -> bool:
    """The request comes from a page of ours, or from a program that is no browser.

    A token is in no browser, and its cookie is not looked at; so it does not matter where such a request comes from.
    """
    if bearer_of(headers) is not None:
        return True
    origin = headers.get("origin")
    if origin is None:
        return headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
    host = urlsplit(origin).netloc
    return bool(host) and host in (headers.get("host"), urlsplit(public_url or "").netloc or None)


class Door:
    """Wraps the application: refuses what comes from elsewhere or is too big, and adds the headers to every answer."""

    def __init__(self, app: ASGIApp, public_url: str | None = None) -> None:
        self.app = app
        self.public_url = public_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        headers = Headers(scope=scope)
        if scope["method"] not in ("GET", "HEAD", "OPTIONS") and not from_here(headers, self.public_url):
            refusal = _refusal(403, "forbidden", "this request comes from another site; hint: use the pages here")
            await refusal(scope, receive, send_with_headers)
        elif _announced(headers) > LARGEST:
            refusal = _refusal(413, "too_big", f"the request is too big; hint: at most {LARGEST} bytes")
            await refusal(scope, receive, send_with_headers)
        else:
            await self.app(scope, _limited(receive), send_with_headers)


def _announced(headers: Headers) -> int:
    length = headers.get("content-length", "0")
    return int(length) if length.isdecimal() else LARGEST + 1


def _limited(receive: Receive) -> Receive:
    """What is sent without saying how much it will be is cut off where it is too much."""
    got = 0

    async def limited() -> Message:
        nonlocal got
        message = await receive()
        got += len(message.get("body", b""))
        return message if got <= LARGEST else {"type": "http.disconnect"}

    return limited


def _refusal(status: int, code: str, message: str) -> JSONResponse:
    return JSONResponse({"code": code, "message": message}, status)
