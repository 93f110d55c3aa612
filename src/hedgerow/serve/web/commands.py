"""Play by mail on pages: a box for commands, all of them explained, and a help page for every game."""

from __future__ import annotations

import asyncio
from functools import cache

from fastapi import Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from hedgerow import draw
from hedgerow.games import game as game_of
from hedgerow.games import games as game_names
from hedgerow.lessons import Figure, lesson_of, rules_of
from hedgerow.match import Match
from hedgerow.serve.api.asking import ServerHere, Visitor
from hedgerow.serve.api.routing import Router
from hedgerow.serve.commands import help as helping
from hedgerow.serve.commands.views import MAX_BODY_CHARS, MAX_TEXT_CHARS, AnswerView, answers
from hedgerow.serve.people.limits import address_of
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.web.pages import form_of, page
from hedgerow.serve.web.rules import CLAUSE, block, blocks_of, clauses_of, spans

router = Router(include_in_schema=False)

PICTURE = Markup('<pre class="drawn" tabindex="0" role="img" aria-label="{}">{}</pre>')


@router.get("/mail")
async def by_mail(server: ServerHere) -> HTMLResponse:
    """How to play by mail, with a box that takes the same commands."""
    return await _box(server, "", [])


@router.post("/mail")
async def give(request: Request, server: ServerHere, account: Visitor) -> HTMLResponse:
    """Carries out what stands in the box: the first line is the subject of a mail, the others are its body."""
    said = (await form_of(request)).get("said", "").replace("\r\n", "\n").strip()
    text, _, body = said.partition("\n")
    if len(text) > MAX_TEXT_CHARS or len(body) > MAX_BODY_CHARS:
        raise Refused("bad_request", f"{len(said)} characters are too many; hint: send less at once")
    return await _box(server, said, await answers(server, account, address_of(request), text, body))


async def _box(server: Server, said: str, answered: list[AnswerView]) -> HTMLResponse:
    """The page; what was refused stands in the box again, unless it may hold a password."""
    again = "" if all(answer.ok for answer in answered) else "\n".join(answer.command for answer in answered)
    return await page(
        "commands.html",
        answered=answered,
        address=server.settings.mail_address,
        said=said if again and "***" not in again and "…" not in again else "",
        topics=list(helping.by_topic()),
        games=[game_of(name) for name in game_names()],
        game=None,
    )


@router.get("/mail/{name}")
async def of_game(name: str) -> HTMLResponse:
    """The help page of a game, in the manner of the Hexbo sheet."""
    game = game_of(name) if name in game_names() else None
    if game is None:
        raise Refused("not_found", f"no game {name!r:.42}; hint: there are {', '.join(game_names())}")
    return await page(
        "commands.html",
        game=game,
        games=[game_of(other) for other in game_names()],
        introduction=helping.introduction(game),
        usage=helping.challenge_usage(game),
        options=helping.challenge_options(game),
        how_many=helping.how_many(game),
        turn=helping.example_turn(name),
        setup=await asyncio.to_thread(_setup, name),
        rules=await asyncio.to_thread(_rules, name),
    )


@cache
def _setup(name: str) -> Markup:
    scene = Match(name).scene()
    return PICTURE.format(scene.description, draw.text(scene))


@cache
def _rules(name: str) -> Markup:
    """The rules, with every drawn example in characters below its clause."""
    text, lesson = rules_of(name), lesson_of(name)
    clauses, parts, left_out, letters = clauses_of(text), [], False, iter("ABCDEFGHJKLMNOPQRSTUVWXYZ")
    for part in blocks_of(text):
        left_out = part == f"## {helping.LEFT_OUT}" or (left_out and not part.startswith("## "))
        if left_out:
            continue
        parts.append(block(part, clauses))
        if found := CLAUSE.fullmatch(part):
            parts += [_figure(next(letters, "Z"), figure, clauses) for figure in lesson.drawn_below(found[1])]
    return Markup("\n").join(parts)


def _figure(letter: str, figure: Figure, clauses: frozenset[str]) -> Markup:
    scene = figure.scene.picture()
    caption = Markup("FIGURE {}: {}").format(letter, spans(figure.says, clauses))
    picture = PICTURE.format(scene.description, draw.text(scene))
    return Markup("<figure><figcaption>{}</figcaption>{}</figure>").format(caption, picture)
