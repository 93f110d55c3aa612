"""How boards look, for everybody to choose: a form that works without scripts, and the style sheet of all looks."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from markupsafe import Markup

from hedgerow import draw
from hedgerow.draw.themes import page_style
from hedgerow.match import Match
from hedgerow.serve.api.people import ServerHere
from hedgerow.serve.beginners import MIDDLE
from hedgerow.serve.looks import CHOICES, COOKIE, LASTS, Looks
from hedgerow.serve.pages import form_of, onwards, page
from hedgerow.serve.refusals import Refused

router = APIRouter(include_in_schema=False)

SHOWN = ("rootbound(side=5)", MIDDLE["rootbound"])
"""What the small pictures show."""


@router.get("/board.css")
async def board_style() -> Response:
    """The colours of the boards; the pictures in the pages come without their own, as the policy asks."""
    return Response(page_style(), media_type="text/css", headers={"Cache-Control": "public, max-age=3600"})


@router.get("/settings")
async def settings_page(kept: bool = False) -> HTMLResponse:
    """Every choice, with a picture of each look."""
    return page("settings.html", pictures=await asyncio.to_thread(pictures), choices=CHOICES, kept=kept)


def pictures() -> dict[str, str]:
    """A position in every look."""
    match = Match(SHOWN[0])
    match.play(SHOWN[1])
    return {look: Markup(draw.svg(match.scene(), look, key="settings", styled=False)) for look in CHOICES["look"]}


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
