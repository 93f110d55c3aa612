"""Everything that goes wrong with a request, in one shape: a code for programs and a sentence for people."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError, WebSocketRequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from hedgerow.game import HedgerowError
from hedgerow.serve.refusals import refusal_of
from hedgerow.serve.web.pages import greet, greet_nobody, page

log = logging.getLogger("hedgerow.errors")

CODES = {401: "signed_out", 403: "forbidden", 404: "not_found", 405: "bad_method", 413: "too_big"}

SOON = 2
"""After how many seconds somebody who is told `later` may ask again."""


class RefusalView(BaseModel):
    """Why not: a code for programs, a sentence for people, and for moves what the rules say."""

    code: str
    message: str
    points: list[str] | None = Field(default=None, description="the points of the board that are in the way")
    clause: str | None = Field(default=None, description="of the rules")


AS_JSON = {"application/json": {"schema": {"$ref": "#/components/schemas/RefusalView"}}}
"""Refusals are JSON even where the answer would be plain text."""
RESPONSES: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": RefusalView, "content": AS_JSON},
    503: {"model": RefusalView, "content": AS_JSON},
}
"""What OpenAPI says about refusals, for every route."""

Handler = Callable[[Request, Exception], Awaitable[Response]]


def install(app: FastAPI) -> None:
    """The application answers all of them in this shape."""
    app.add_exception_handler(HedgerowError, forgotten(refused))
    app.add_exception_handler(RequestValidationError, forgotten(unreadable))
    app.add_exception_handler(WebSocketRequestValidationError, unreadable_socket)
    app.add_exception_handler(RecursionError, forgotten(too_deep))
    app.add_exception_handler(HTTPException, forgotten(unfit))
    app.add_exception_handler(Exception, failed)


def forgotten(handler: Handler) -> Handler:
    """The same; afterwards the error lets go of where it was raised.

    A frame that holds its own error, as FastAPI's do, would keep the body in memory until a search for garbage.
    """

    async def handle(request: Request, error: Exception) -> Response:
        answer = await handler(request, error)
        forget(error)
        return answer

    return handle


def forget(error: BaseException) -> None:
    """An error and all that led to it let go of their frames; errors can be their own cause: each is seen once."""
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        if (one := waiting.pop()) is not None and id(one) not in seen:
            seen.add(id(one))
            one.__traceback__ = None
            waiting += one.__cause__, one.__context__


async def refused(request: Request, error: Exception) -> Response:
    """Whatever is refused: a code, a sentence, and what the rules say."""
    assert isinstance(error, HedgerowError)
    refusal = refusal_of(error)
    body: dict[str, object] = {"code": refusal.code, "message": str(refusal)}
    if refusal.reason:
        body |= {"points": list(refusal.reason.points), "clause": refusal.reason.clause}
    after: int | None = getattr(error, "after", SOON if refusal.code == "later" else None)
    headers = {"Retry-After": str(after)} if after is not None else None
    if by_a_person(request):
        answer = await refusal_page(request, refusal.status, str(refusal))
        answer.headers.update(headers or {})
        return answer
    return JSONResponse(body, refusal.status, headers)


def by_a_person(request: Request) -> bool:
    """Somebody looks at a page; programs get JSON."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/")


async def refusal_page(request: Request, status: int, message: str) -> Response:
    """The same as a page."""
    try:
        await greet(request)
        return await page("refused.html", status, message=message)
    except HedgerowError:
        greet_nobody()
        return await page("refused.html", status, message=message)


async def unreadable(request: Request, error: Exception) -> Response:
    """A request that does not fit its description. What was sent is not repeated: it may be a password."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body") or "the body"
    if by_a_person(request):
        return await refusal_page(request, 422, f"{where}: {first['msg']}; hint: perhaps the link is not complete")
    message = f"{where}: {first['msg']}; hint: /openapi.json says what is expected"
    return JSONResponse({"code": "bad_request", "message": message}, 422)


async def unreadable_socket(websocket: WebSocket, error: Exception) -> None:
    """The same of a websocket, before it is open."""
    await websocket.close(1007)


async def too_deep(request: Request, error: Exception) -> Response:
    """Something is nested in itself more often than anybody can follow."""
    log.warning("%s %.80s: nested too deep", request.method, request.url.path)
    message = "the request is nested too deep; hint: /openapi.json says what is expected"
    return JSONResponse({"code": "bad_request", "message": message}, 422)


async def unfit(request: Request, error: Exception) -> Response:
    """No such page, or not in this way."""
    assert isinstance(error, HTTPException)
    if by_a_person(request):
        told = "there is no such page" if error.status_code == 404 else error.detail
        return await refusal_page(request, error.status_code, f"{told}; hint: perhaps the link is not complete")
    message = f"{request.method} {request.url.path!r:.80}: {error.detail}; hint: /openapi.json lists what there is"
    body = {"code": CODES.get(error.status_code, "bad_request"), "message": message}
    return JSONResponse(body, error.status_code, error.headers)


async def failed(request: Request, error: Exception) -> Response:
    """A mistake of ours; it is in the log, and nothing of it in the answer."""
    return JSONResponse({"code": "failed", "message": "something went wrong here; hint: try again later"}, 500)
