"""Health checks and metrics, for operators and their monitoring."""

from __future__ import annotations

import contextlib
import time

from fastapi import Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel

from hedgerow.game import HedgerowError
from hedgerow.serve.api.asking import ServerHere
from hedgerow.serve.api.routing import Router
from hedgerow.serve.people.mail import Post
from hedgerow.serve.server import Server
from hedgerow.serve.store import inbox

router = Router(tags=["health"])


class Health(BaseModel):
    """One word."""

    status: str


@router.get("/healthz")
async def health() -> Health:
    """The process answers."""
    return Health(status="ok")


@router.get("/readyz", responses={503: {"model": Health}})
async def ready(response: Response, server: ServerHere) -> Health:
    """Something small could be stored just now, and the server is not about to stop."""
    trouble = await server.store.trouble()
    if trouble or server.stopping:
        response.status_code = 503
        response.headers["Retry-After"] = "2"
        return Health(status=f"the database: {trouble}" if trouble else "stopping")
    return Health(status="ready")


Row = tuple[str, str, str, float]


async def _of_mail(server: Server, post: Post) -> list[Row]:
    """Counts of letters that come in and go out."""
    counts, boards = post.counts, server.letters.pictures.drawn
    rows: list[Row] = [
        ("hedgerow_letters_received_total", "counter", "Letters that came in.", counts.received),
        ("hedgerow_letters_obeyed_total", "counter", "Letters whose commands were carried out.", counts.obeyed),
        ("hedgerow_letters_refused_total", "counter", "Letters with a command that was not.", counts.refused),
        ("hedgerow_letters_ignored_total", "counter", "Letters that machines have sent.", counts.ignored),
        ("hedgerow_letters_answered_total", "counter", "Letters that were answered.", counts.answered),
        ("hedgerow_letters_put_off_total", "counter", "Tries that failed and are repeated.", counts.put_off),
        ("hedgerow_letters_given_up_total", "counter", "Letters that were given up.", counts.given_up),
        ("hedgerow_letters_settled_total", "counter", "Letters that are done.", counts.settled),
        (
            "hedgerow_letters_seconds_total",
            "counter",
            "Seconds until they were, all together.",
            round(counts.settled_seconds, 3),
        ),
        ("hedgerow_mails_sent_total", "counter", "Mails handed over.", post.sent),
        (
            "hedgerow_mails_seconds_total",
            "counter",
            "Seconds until they were, all together.",
            round(counts.sent_seconds, 3),
        ),
        ("hedgerow_mails_failed_total", "counter", "Mails that were not taken.", post.failed),
        ("hedgerow_mails_set_aside_total", "counter", "Mails that cannot be sent.", post.set_aside),
        ("hedgerow_boards_drawn_total", "counter", "Pictures of boards in mails.", boards.pictures),
        ("hedgerow_boards_seconds_total", "counter", "CPU time of drawing them.", round(boards.seconds, 3)),
    ]
    with contextlib.suppress(HedgerowError):  # the database is away, and all else is told all the same
        waiting = await server.store.together(inbox.waiting)
        rows.append(("hedgerow_letters_waiting", "gauge", "Letters that are not done.", waiting))
    return rows


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(server: ServerHere) -> PlainTextResponse:
    """Counts, as Prometheus reads them."""
    writer, engines = server.store.writer, server.engines
    rows = [
        ("hedgerow_turns_stored_total", "counter", "Turns stored since the start.", writer.turns),
        ("hedgerow_batches_total", "counter", "Transactions that stored them.", writer.batches),
        ("hedgerow_turns_refused_total", "counter", "Turns that the rules refused.", server.games.refused),
        ("hedgerow_sockets", "gauge", "Open websockets.", server.sockets),
        ("hedgerow_games_in_memory", "gauge", "Games replayed and kept.", server.games.in_memory),
        ("hedgerow_engine_queue", "gauge", "Games that wait for a machine's turn.", engines.waiting if engines else 0),
        ("hedgerow_engine_turns_total", "counter", "Turns that machines played.", engines.played if engines else 0),
        *(await _of_mail(server, server.post) if server.post else ()),
        ("process_cpu_seconds_total", "counter", "CPU time of this process.", round(time.process_time(), 3)),
    ]
    lines = [f"# HELP {name} {about}\n# TYPE {name} {kind}\n{name} {value}\n" for name, kind, about, value in rows]
    return PlainTextResponse("".join(lines), media_type="text/plain; version=0.0.4")
