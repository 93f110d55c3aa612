"""Paper from the pages: boards, leaflets, positions and plates as PDF, and the replay that a plate's code opens."""

from __future__ import annotations

import re
from collections import OrderedDict
from hashlib import blake2s
from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, Field

from hedgerow import __version__
from hedgerow.games import make
from hedgerow.paper.packed import unpacked
from hedgerow.serve.api.asking import ServerHere, Visitor, payer_of
from hedgerow.serve.api.routing import Router
from hedgerow.serve.links import shared
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.play import printing, replays
from hedgerow.serve.play.replays import MAX_TURNS_CHARS, SentGame
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.web import analysis

router = Router(include_in_schema=False)

KITS = ("kit", "leaflet", "board", "pencil", "pieces", "score")
OF_GAMES = ("position", "plate")
LETTER = frozenset(["US", "CA", "MX", "PH", "CL", "CO", "VE", "GT", "CR", "PA", "PR"])
"""Where people print on Letter."""
KEPT = 48
"""How many kits are kept, which many people ask for; a kit is some 50 kB."""
HOUR = 3600


class Wanted(BaseModel):
    """What a link asks for: a kit of rules, or a game that is kept here, or a line, or a packed record."""

    rules: str = Field(default="", max_length=200)
    paper: str = Field(default="", max_length=10)
    spacing: str = Field(default="", max_length=20)
    boards: int | None = Field(default=None, ge=1, le=6)
    game: str = Field(default="", max_length=64)
    record: str = Field(default="", max_length=MAX_TURNS_CHARS)
    position: str = Field(default="", max_length=2_000)
    turns: str = Field(default="", max_length=MAX_TURNS_CHARS)
    turn: int | None = Field(default=None, ge=0, le=100_000)


_kits: OrderedDict[str, bytes] = OrderedDict()


@router.get("/print/{what}.pdf")
async def show(
    what: str, request: Request, server: ServerHere, account: Visitor, wanted: Annotated[Wanted, Query()]
) -> Response:
    """A PDF: a part of a game's kit, a position or a plate."""
    paper = wanted.paper or usual_paper(request.headers.get("accept-language", ""))
    if what in KITS:
        return await kit(what, paper, request, server, account, wanted)
    if what not in OF_GAMES:
        raise Refused("not_found", f"nothing to print is called {what!r:.40}; hint: {', '.join((*KITS, *OF_GAMES))}")
    source = await source_of(server, account, wanted)
    place = shared(request, "", server.settings) if what == "plate" else None
    tag = tag_of(what, repr(source), wanted.turn, paper, place)
    if same(request, tag):
        return Response(status_code=304, headers=headers(tag))
    payer = payer_of(request, account)
    if what == "plate":
        pdf = await server.workshop.do(payer, printing.plate, source, wanted.turn, paper, place)
    else:
        pdf = await server.workshop.do(payer, printing.position, source, wanted.turn, paper)
    return Response(pdf, media_type="application/pdf", headers=headers(tag) | named(f"hedgerow-{what}"))


async def kit(
    part: str, paper: str, request: Request, server: Server, account: Account | None, wanted: Wanted
) -> Response:
    """Part of a game's kit, which is kept, because it is the same for everybody."""
    rules = make(wanted.rules)
    tag = tag_of(part, rules.name, paper.lower(), wanted.spacing, wanted.boards)
    told = headers(tag, public=True) | named(f"{rules.name}-{part}")
    if same(request, tag):
        return Response(status_code=304, headers=told)
    if tag not in _kits:
        payer, asked = payer_of(request, account), (wanted.spacing or None, wanted.boards)
        _kits[tag] = await server.workshop.do(payer, printing.kit, rules.name, part, paper, *asked)
        while len(_kits) > KEPT:
            _kits.popitem(last=False)
    _kits.move_to_end(tag)
    return Response(_kits[tag], media_type="application/pdf", headers=told)


async def source_of(server: Server, account: Account | None, wanted: Wanted) -> SentGame | str:
    """The game that is meant: one that is kept here, as its record, or one that was sent."""
    if wanted.game:
        known = await server.games.look(wanted.game)
        known.check_visible(account.id if account else None)
        return known.named_match().record()
    if wanted.record:
        return unpacked(wanted.record)
    return SentGame(wanted.rules, wanted.position.strip() or None, wanted.turns)


@router.get("/replay/{packed}")
async def replay(packed: str, request: Request, server: ServerHere, account: Visitor) -> HTMLResponse:
    """The game that the address holds, on the analysis board, from its start: what a plate's code opens."""
    record = unpacked(packed[:MAX_TURNS_CHARS])
    return await analysis.shown(
        server, await analysis.laid(server, request, account, replays.record_study, record, None)
    )


# --- headers ----------------------------------------------------------------------------------------------------------


def usual_paper(languages: str) -> str:
    """What people print on where somebody's browser is at home.

    >>> usual_paper("en-US,en;q=0.9"), usual_paper("de-DE"), usual_paper("")
    ('letter', 'a4', 'a4')
    """
    first = languages.split(",")[0].split(";")[0].strip()
    return "letter" if first.rpartition("-")[2].upper() in LETTER and "-" in first else "a4"


def tag_of(*asked: object) -> str:
    """The ETag of what is drawn from this: the same words give the same PDF."""
    return f'"{blake2s(repr((__version__, asked)).encode(), digest_size=12).hexdigest()}"'


def same(request: Request, tag: str) -> bool:
    """Whoever asks has it already."""
    return tag in request.headers.get("if-none-match", "")


def headers(tag: str, public: bool = False) -> dict[str, str]:
    """How long a PDF may be kept, and by whom."""
    kept = f"public, max-age={HOUR}" if public else "private, no-cache"
    return {"ETag": tag, "Cache-Control": kept, "Vary": "Accept-Language"}


def named(name: str) -> dict[str, str]:
    """What it is called when it is saved."""
    return {"Content-Disposition": f'inline; filename="{re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:80]}.pdf"'}
