"""Headers of every response, and refusals written before a request reaches the application."""

from __future__ import annotations

from http import HTTPStatus

import msgspec
from starlette.responses import JSONResponse

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""For every answer, whatever it says."""
PRIVATE = {"Cache-Control": "no-store"}
"""For every answer that does not say itself how long it keeps: it may depend on who asks."""


def refusal(status: int, code: str, message: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """A no in the usual shape."""
    return JSONResponse({"code": code, "message": message}, status, headers)


def written(status: int, code: str, message: str, **headers: str) -> bytes:
    """The same as it goes over a connection, which ends after it."""
    body = msgspec.json.encode({"code": code, "message": message})
    told = HEADERS | PRIVATE | {"Content-Type": "application/json", "Content-Length": str(len(body))} | headers
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *(f"{name}: {value}" for name, value in told.items())]
    return "\r\n".join((*lines, "Connection: close", "", "")).encode() + body
