"""The event stream of an account, as lines of JSON (NDJSON), and the bell of its open pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Protocol

from fastapi import Request
from fastapi.responses import StreamingResponse
from starlette.types import Send

from hedgerow.serve.api.asking import Known, ServerHere
from hedgerow.serve.api.routing import Router
from hedgerow.serve.api.shortcut import stream_connection
from hedgerow.serve.people.accounts import digest
from hedgerow.serve.people.limits import address_of
from hedgerow.serve.people.sessions import token_of
from hedgerow.serve.server import Server

router = Router(prefix="/api", tags=["bots"])

NDJSON = "application/x-ndjson"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""Neither a cache nor a proxy keeps a line back."""


class Line(Protocol):
    """What is told until somebody leaves: a `Stream` or a `Bell`."""

    hang_up: Callable[[], None]

    def lines(self, wait: bool = True) -> AsyncIterator[bytes]:
        """What is told; unless nobody will `wait`, for as long as it goes."""

    def end(self) -> None:
        """The session is over."""

    def close(self) -> None:
        """Nobody listens any more."""


class StreamAnswer(StreamingResponse):
    """The response: lines until the stream ends or the client disconnects."""

    media_type = NDJSON

    def __init__(self, line: Line, wait: bool) -> None:
        super().__init__(line.lines(wait), headers=HEADERS)
        self.line = line
        self.leave: Callable[[], None] = lambda: None

    async def stream_response(self, send: Send) -> None:
        try:
            await super().stream_response(send)
        finally:
            self.leave()
            self.line.close()


class BellAnswer(StreamAnswer):
    """The same as server-sent events."""

    media_type = "text/event-stream"


def opened(request: Request, server: Server, answer: StreamAnswer, stop: Callable[[], None]) -> StreamAnswer:
    """A line that is counted, and ends with its session; `stop` ends it with the server."""
    left = server.connections.join(digest(token_of(request) or ""), answer.line.end)
    protocol = stream_connection(request.scope)
    if protocol:
        protocol.when_stopping, answer.line.hang_up = stop, protocol.hang_up
    counted = answer.leave

    def leave() -> None:
        left()
        counted()
        if protocol:
            protocol.when_stopping = None

    answer.leave = leave
    return answer


@router.get(
    "/stream",
    status_code=200,
    response_class=StreamAnswer,
    responses={200: {"description": "lines of JSON", "content": {NDJSON: {"schema": {"type": "string"}}}}},
)
async def listen(request: Request, server: ServerHere, account: Known, wait: bool = True) -> StreamingResponse:
    """What concerns you, as lines of JSON: first everything pending, then what happens, and a sign of life every 7 s.

    `challenge`, `challenge_gone`, `game_began`, `your_turn`, `game_over`; `ready` after what was pending, `alive`, and
    `bye` at the end. With `wait=false` it ends after `ready`. docs/bots.md has every field.
    """
    gone = server.connections.come(address_of(request))
    stream = server.streams.open(account.id)
    try:
        await stream.begin()
    except BaseException:
        stream.close()
        gone()
        raise
    answer = StreamAnswer(stream, wait)
    answer.leave = gone
    return opened(request, server, answer, lambda: stream.end("stopping"))


@router.get("/bell", include_in_schema=False, response_class=BellAnswer)
async def bell(request: Request, server: ServerHere, account: Known, wait: bool = True) -> StreamingResponse:
    """Says that something may be new for you, and not what; for pages, which look it up."""
    gone = server.connections.come(address_of(request))
    line = server.bells.open(account.id)
    answer = BellAnswer(line, wait)
    answer.leave = gone
    return opened(request, server, answer, line.stop)
