"""What reaches people wherever they are: the live line of every page, and the worker that shows push messages."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from fastapi.responses import HTMLResponse, Response

from hedgerow.serve.api.routing import Router
from hedgerow.serve.web.pages import STATIC, elsewhere, page

router = Router(include_in_schema=False)

WORKER = (STATIC / "worker.js").read_text(encoding="utf-8")


@router.get("/live")
async def live(at: Annotated[str, Query(max_length=200)] = "/") -> HTMLResponse:
    """What calls for the reader, who looks at the page with that path."""
    elsewhere(at)
    return await page("live_now.html")


@router.get("/worker.js")
async def worker() -> Response:
    """The service worker, where it may answer for every page."""
    return Response(WORKER, media_type="text/javascript", headers={"Cache-Control": "no-cache"})
