"""The application: every route, the errors as JSON, and the server that lives as long as it does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Depends, FastAPI
from starlette.types import ASGIApp

from hedgerow import __version__
from hedgerow.serve import (
    account_pages,
    analysis_pages,
    errors,
    game_pages,
    list_pages,
    look_pages,
    looks,
    mail_pages,
    pages,
    rule_pages,
    sockets,
    wire,
)
from hedgerow.serve.api import (
    account,
    again,
    analysis,
    engine,
    health,
    lists,
    lobby,
    mail,
    notices,
    offers,
    people,
    plans,
    play,
    positions,
    ratings,
    stream,
    talk,
    tokens,
)
from hedgerow.serve.door import Door
from hedgerow.serve.guard import guard
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings


class House(FastAPI):
    """An application behind a door: not even its own mistakes are answered without it."""

    public_url: str | None = None

    def build_middleware_stack(self) -> ASGIApp:
        """Everything that a request goes through, the door first."""
        return Door(super().build_middleware_stack(), self.public_url)


def create(settings: Settings, server: Server | None = None) -> FastAPI:
    """The application with these settings; its server, one already started or its own, stops with its lifespan."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.server = server or await Server.start(settings)
        try:
            yield
        finally:
            await app.state.server.stop()

    app = House(
        title="Hedgerow",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        dependencies=[Depends(guard), Depends(looks.notice)],
        responses=errors.RESPONSES,
    )
    app.public_url = settings.public_url
    app.add_middleware(wire.TextDoor)
    errors.install(app)
    for room in (
        health,
        people,
        account,
        tokens,
        stream,
        again,
        analysis,
        engine,
        mail,
        notices,
        lobby,
        offers,
        plans,
        talk,
        lists,
        ratings,
        play,
        positions,
        sockets,
    ):
        app.include_router(room.router)
    for room in (look_pages, list_pages, rule_pages, pages, game_pages, analysis_pages, account_pages, mail_pages):
        app.include_router(room.router, dependencies=[Depends(pages.greet)])
    app.mount("/static", pages.static)
    return app
