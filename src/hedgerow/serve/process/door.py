"""The door: refuses what comes from elsewhere, is too big or is ambiguous, and adds the headers to every answer.

It is outside of everything else, so that no answer is without them, and no websocket ends without a word.
"""

from __future__ import annotations

import contextlib
import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hedgerow.serve.api.answers import HEADERS, PRIVATE, refusal
from hedgerow.serve.people.sessions import from_here

LARGEST = 64 * 1024
"""How many bytes a request may have."""
STATIC = "/static/"
"""Below it is the same for everybody."""
ANYWHERE = "/unsubscribe/"
"""Below it a key in the path is all that counts: a mail program on another site's page may ask, too (RFC 8058)."""
HOST = re.compile(r"[\w.~-]*(:\d*)?|\[[\da-fA-F:.]+(%[\w.~-]+)?\](:\d*)?", re.ASCII)
FAILED = 1011
"""The code of a close after a mistake of ours."""
CLOSED = {
    1000: (404, "not_found", "there is no such websocket; hint: is the link complete?"),
    1007: (422, "bad_request", "cannot read what was asked for; hint: `since` is a number"),
    1013: (503, "later", "there is no room just now; hint: try again in a moment"),
    FAILED: (500, "failed", "something went wrong here; hint: try again later"),
}
"""What it means when a websocket is closed before it is open."""
NOT_FOR_YOU = (403, "forbidden", "this websocket is not for you; hint: use the pages here")


class Door:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, public_url: str | None = None) -> None:
        self.app = app
        self.public_url = public_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._request(scope, receive, _with_headers(send, scope["path"]))
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, _with_headers(send, scope["path"]))
        else:
            await self.app(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if objection := self._objection(scope, headers):
            await objection(scope, receive, send)
            return
        if "transfer-encoding" in headers or headers.get("content-length", "0") != "0":
            body = await _whole(receive)
            if body is None:  # whoever asked is gone
                return
            if len(body) > LARGEST:
                await too_big()(scope, receive, send)
                return
            receive = _again(body, receive)
        await self.app(scope, receive, send)

    def _objection(self, scope: Scope, headers: Headers) -> JSONResponse | None:
        """Why a request is not let in."""
        hosts = headers.getlist("host")
        if len(hosts) > 1 or (not hosts and scope.get("http_version") == "1.1"):
            return ambiguous(f"{len(hosts)} hosts; hint: say once which one is meant")
        if hosts and not HOST.fullmatch(hosts[0]):
            return ambiguous(f"no host {hosts[0]!r:.42}; hint: like play.example.org:8000")
        if [coding.strip().lower() for coding in headers.getlist("transfer-encoding")] not in ([], ["chunked"]):
            return ambiguous("an unknown transfer coding; hint: chunked, or say how long it is")
        reading = scope["method"] in ("GET", "HEAD", "OPTIONS")
        if not (reading or scope["path"].startswith(ANYWHERE) or from_here(headers, self.public_url)):
            return refusal(403, "forbidden", "this request comes from another site; hint: use the pages here")
        length = headers.get("content-length", "0")
        return too_big() if not length.isdecimal() or len(length) > 9 or int(length) > LARGEST else None

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The application's websocket; what it refuses is answered in words, and its mistakes close it."""
        opened = ended = False

        async def tell(message: Message) -> None:
            nonlocal opened, ended
            opened = opened or message["type"] == "websocket.accept"
            ended = ended or message["type"] in ("websocket.close", "websocket.http.response.start")
            if message["type"] == "websocket.close" and not opened:
                await _deny(scope, send, message)
            else:
                await send(message)

        try:
            await self.app(scope, receive, tell)
        except Exception:
            with contextlib.suppress(OSError, RuntimeError):  # it is gone already
                if not ended:
                    await tell({"type": "websocket.close", "code": FAILED})
            raise


def ambiguous(message: str) -> JSONResponse:
    """A proxy might read it in another way than we do, so nothing more is taken from this connection."""
    return refusal(400, "bad_request", message, {"Connection": "close"})


def too_big() -> JSONResponse:
    """More than anybody needs to say; the rest of it is not read."""
    message = f"the request is too big; hint: at most {LARGEST} bytes"
    return refusal(413, "too_big", message, {"Connection": "close"})


def _with_headers(send: Send, path: str) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            headers = MutableHeaders(scope=message)
            public = path.startswith(STATIC) and message["status"] < 400
            for name, value in (HEADERS if public else HEADERS | PRIVATE).items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers


async def _whole(receive: Receive) -> bytes | None:
    """All of a request, or as much as is too much; None where its sender has gone."""
    body = b""
    while len(body) <= LARGEST:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    return body


def _again(body: bytes, receive: Receive) -> Receive:
    """A request that was read is there to be read once more."""
    read = False

    async def again() -> Message:
        nonlocal read
        if read:
            return await receive()
        read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def _deny(scope: Scope, send: Send, close: Message) -> None:
    """A websocket that was never open has no code of a close: it gets an answer, where the server can give one."""
    if "websocket.http.response" not in (scope.get("extensions") or {}):
        await send(close)
        return
    answer = refusal(*CLOSED.get(close.get("code", 1000), NOT_FOR_YOU))
    headers = [*answer.raw_headers]
    await send({"type": "websocket.http.response.start", "status": answer.status_code, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": bytes(answer.body)})
