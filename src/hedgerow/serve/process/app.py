"""The application: every route, the errors as JSON, and the server that lives as long as it does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Depends, FastAPI
from starlette.types import ASGIApp

from hedgerow import __version__
from hedgerow.serve import inputs
from hedgerow.serve.api import routes as api
from hedgerow.serve.api.guard import guard
from hedgerow.serve.play.views import looks
from hedgerow.serve.post.office import Office
from hedgerow.serve.process.door import Door
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
from hedgerow.serve.web import errors, pages
from hedgerow.serve.web import routes as web


class Application(FastAPI):
    """A FastAPI application inside the `Door`, so that even its error pages pass through it."""

    public_url: str | None = None

    def build_middleware_stack(self) -> ASGIApp:
        """Everything that a request goes through, the door first."""
        return Door(super().build_middleware_stack(), self.public_url)


def create(settings: Settings, server: Server | None = None) -> FastAPI:
    """The application with these settings; its server, one already started or its own, stops with its lifespan."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.server = server or await Server.start(settings)
        office = Office()
        try:
            office = app.state.office = await Office.opened(app.state.server)
            yield
        finally:
            await office.close()
            await app.state.server.stop()

    app = Application(
        title="Hedgerow",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        dependencies=[Depends(guard), Depends(looks.notice)],
        responses=errors.RESPONSES,
    )
    app.public_url = settings.public_url
    app.add_middleware(inputs.TextDoor)
    errors.install(app)
    for part in web.ROUTERS:
        app.include_router(part, dependencies=[Depends(pages.greet)])
    for part in api.ROUTERS:
        app.include_router(part)
    app.mount("/static", pages.static)
    return app
