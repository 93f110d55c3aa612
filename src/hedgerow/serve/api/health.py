"""Health checks and metrics, for operators and their monitoring."""

from __future__ import annotations

import time

from fastapi import Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel

from hedgerow.serve.api.asking import ServerHere
from hedgerow.serve.api.routing import Router

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
        (
            "hedgerow_mails_set_aside_total",
            "counter",
            "Mails that cannot be sent.",
            server.post.set_aside if server.post else 0,
        ),
        ("process_cpu_seconds_total", "counter", "CPU time of this process.", round(time.process_time(), 3)),
    ]
    lines = [f"# HELP {name} {about}\n# TYPE {name} {kind}\n{name} {value}\n" for name, kind, about, value in rows]
    return PlainTextResponse("".join(lines), media_type="text/plain; version=0.0.4")
