"""What is known of whoever asks: the session's cookie or a token, and which page a request comes from."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import Response

from hedgerow.serve.people.accounts import LASTS, is_access

COOKIE = "hedgerow"


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
    try:
        host = urlsplit(origin).netloc
    except ValueError:  # like http://[
        return False
    return bool(host) and host in (headers.get("host"), urlsplit(public_url or "").netloc or None)
