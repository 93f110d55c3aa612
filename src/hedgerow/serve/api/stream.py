"""The event stream of an account, as lines of JSON (NDJSON), for as long as the client listens."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import Request
from fastapi.responses import StreamingResponse
from starlette.types import Send

from hedgerow.serve.api.asking import Known, ServerHere
from hedgerow.serve.api.routing import Router
from hedgerow.serve.api.shortcut import stream_connection
from hedgerow.serve.people.accounts import digest
from hedgerow.serve.people.limits import address_of
from hedgerow.serve.people.sessions import token_of
from hedgerow.serve.play.streams import Stream

router = Router(prefix="/api", tags=["bots"])

NDJSON = "application/x-ndjson"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""Neither a cache nor a proxy keeps a line back."""


class StreamAnswer(StreamingResponse):
    """The response: lines until the stream ends or the client disconnects."""

    media_type = NDJSON

    def __init__(self, stream: Stream, wait: bool) -> None:
        super().__init__(stream.lines(wait), headers=HEADERS)
        self.stream = stream
        self.leave: Callable[[], None] = lambda: None

    async def stream_response(self, send: Send) -> None:
        try:
            await super().stream_response(send)
        finally:
            self.leave()
            self.stream.close()


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
    left = server.connections.join(digest(token_of(request) or ""), stream.end)
    protocol = stream_connection(request.scope)
    if protocol:
        protocol.when_stopping, stream.hang_up = lambda: stream.end("stopping"), protocol.hang_up

    def leave() -> None:
        left()
        gone()
        if protocol:
            protocol.when_stopping = None

    answer.leave = leave
    return answer
