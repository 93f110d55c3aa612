"""How boards look, for everybody to choose: a form that works without scripts, and the style sheet of all looks."""

from __future__ import annotations

import asyncio

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from markupsafe import Markup

from hedgerow import draw
from hedgerow.draw.themes import page_style
from hedgerow.serve.api.asking import ServerHere
from hedgerow.serve.api.routing import Router
from hedgerow.serve.play.views.looks import CHOICES, COOKIE, LASTS, Looks
from hedgerow.serve.refusals import Refused
from hedgerow.serve.web.miniatures import middle
from hedgerow.serve.web.pages import form_of, onwards, page

router = Router(include_in_schema=False)

SHOWN = "rootbound"
"""The game whose middle the small pictures show."""


@router.get("/board.css")
async def board_style() -> Response:
    """The colours of the boards; the pictures in the pages come without their own, as the policy asks."""
    return Response(page_style(), media_type="text/css", headers={"Cache-Control": "public, max-age=3600"})


@router.get("/settings")
async def settings_page(kept: bool = False) -> HTMLResponse:
    """Every choice, with a picture of each look."""
    return await page("settings.html", pictures=await asyncio.to_thread(pictures), choices=CHOICES, kept=kept)


def pictures() -> dict[str, str]:
    """A position in every look."""
    scene = middle(SHOWN).scene()
    return {look: Markup(draw.svg(scene, look, key="settings", styled=False)) for look in CHOICES["look"]}


@router.post("/settings")
async def keep(request: Request, server: ServerHere) -> Response:
    """Keeps what was chosen in the reader's cookie."""
    fields = await form_of(request)
    for name, value in fields.items():
        if name in CHOICES and value not in CHOICES[name]:
            raise Refused("bad_request", f"no {name} {value!r:.20}; hint: {', '.join(CHOICES[name])}")
    response = onwards("/settings?kept=yes", server)
    written, secure = Looks.chosen(fields).written(), server.settings.secure
    response.set_cookie(COOKIE, written, max_age=LASTS, samesite="lax", secure=secure, httponly=True)
    return response
