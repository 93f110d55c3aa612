"""A game's own pages: how it plays, its rules with drawn examples, and a lesson to play through step by step."""

from __future__ import annotations

import asyncio
import re
from functools import cache
from typing import Annotated

from fastapi import Query
from fastapi.responses import HTMLResponse
from markupsafe import Markup, escape

from hedgerow import draw
from hedgerow.game import HedgerowError
from hedgerow.games import game as game_of
from hedgerow.games import games as game_names
from hedgerow.lessons import Figure, Lesson, Scene, lesson_of, rules_of
from hedgerow.serve.api.asking import ServerHere
from hedgerow.serve.api.routing import Router
from hedgerow.serve.play import standings
from hedgerow.serve.refusals import Refused
from hedgerow.serve.web import miniatures
from hedgerow.serve.web.pages import look, page, together

router = Router(include_in_schema=False)

BEST = 5
"""How many of the best players a game's page shows."""
CLAUSE = re.compile(r"(\d+(?:\.\d+)?) (.*)", re.DOTALL)
SPANS = re.compile(r"`([^`]+)`|\*([^*]+)\*|\b(\d\.\d)\b")


# --- rules as a page --------------------------------------------------------------------------------------------------


def spans(text: str, clauses: frozenset[str] = frozenset()) -> Markup:
    """Words with code and emphasis; a number that is a clause leads there.

    >>> spans("a *root* of `side=5` by 3.1 & 9.9", frozenset({"3.1"}))
    Markup('a <em>root</em> of <code>side=5</code> by <a href="#r3.1">3.1</a> &amp; 9.9')
    """
    parts, at = [], 0
    for found in SPANS.finditer(text):
        code, strong, clause = found.groups()
        parts.append(escape(text[at : found.start()]))
        at = found.end()
        if code:
            parts.append(Markup("<code>{}</code>").format(code))
        elif strong:
            parts.append(Markup("<em>{}</em>").format(spans(strong, clauses)))
        else:
            parts.append(Markup('<a href="#r{0}">{0}</a>').format(clause) if clause in clauses else escape(clause))
    return Markup("").join([*parts, escape(text[at:])])


def block(text: str, clauses: frozenset[str] = frozenset()) -> Markup:
    """One block of rules: a heading, a list, a table, text to be typed, a clause or a paragraph."""
    lines = text.splitlines()
    if text.startswith("## "):
        return _heading(text[3:], clauses)
    if text.startswith("    "):
        return Markup("<pre><code>{}</code></pre>").format("\n".join(line[4:] for line in lines))
    if text.startswith("- "):
        items = re.split(r"\n- ", text[2:])
        return Markup("<ul>{}</ul>").format(
            Markup("").join(Markup("<li>{}</li>").format(spans(" ".join(i.split()), clauses)) for i in items)
        )
    if text.startswith("|"):
        return _table(lines, clauses)
    if found := CLAUSE.fullmatch(text):
        number, words = found.groups()
        told = spans(" ".join(words.split()), clauses)
        return Markup('<p class="clause" id="r{0}"><a class="number" href="#r{0}">{0}</a> {1}</p>').format(number, told)
    return Markup("<p>{}</p>").format(spans(" ".join(text.split()), clauses))


def _heading(text: str, clauses: frozenset[str]) -> Markup:
    found = CLAUSE.fullmatch(text)
    ident = f"r{found[1]}" if found else text.lower().replace(" ", "-")
    return Markup('<h2 id="{}">{}</h2>').format(ident, spans(text, clauses))


def _table(lines: list[str], clauses: frozenset[str]) -> Markup:
    """A table, which scrolls by itself where the page is narrow."""
    rows = [[spans(cell.strip(), clauses) for cell in line.strip("|").split("|")] for line in lines]
    head = Markup("").join(Markup('<th scope="col">{}</th>').format(cell) for cell in rows[0])
    body = Markup("").join(
        Markup("<tr>{}</tr>").format(Markup("").join(Markup("<td>{}</td>").format(cell) for cell in row))
        for row in rows[2:]
    )
    return Markup(
        '<div class="scrolls" tabindex="0" role="region" aria-label="{}">'
        "<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>"
    ).format(rows[0][0].striptags().capitalize(), head, body)


def blocks_of(text: str) -> list[str]:
    """The blocks of a text, without its title."""
    return [part.strip("\n") for part in text.split("\n\n") if part.strip() and not part.startswith("# ")]


def clauses_of(text: str) -> frozenset[str]:
    """The numbers of all clauses."""
    return frozenset(found[1] for part in blocks_of(text) if (found := CLAUSE.fullmatch(part)))


def drawn(scene: Scene, key: str, liked: str) -> Markup:
    """A position as a picture, in the look that is liked."""
    return Markup(draw.svg(scene.picture(), liked, key=key, styled=False))


@cache
def rules_page(name: str, liked: str) -> Markup:
    """The rules of a game from its first heading on, with every drawn example below its clause."""
    text, lesson = rules_of(name), lesson_of(name)
    clauses, parts = clauses_of(text), []
    for part in blocks_of(text)[1:]:
        parts.append(block(part, clauses))
        if found := CLAUSE.fullmatch(part):
            drawings = enumerate(lesson.drawn_below(found[1]))
            parts += [_figure(figure, f"{name}-{found[1]}-{number}", clauses, liked) for number, figure in drawings]
    return Markup("\n").join(parts)


def _figure(figure: Figure, key: str, clauses: frozenset[str], liked: str) -> Markup:
    caption = spans(figure.says, clauses)
    return Markup("<figure>{}<figcaption>{}</figcaption></figure>").format(drawn(figure.scene, key, liked), caption)


# --- pages ------------------------------------------------------------------------------------------------------------


@router.get("/rules")
async def all_rules() -> HTMLResponse:
    """Every game, with its rules and its lesson."""
    found = [(game_of(name), lesson_of(name)) for name in game_names()]
    boards = await asyncio.to_thread(lambda: {name: Markup(miniatures.still(name, look())) for name in game_names()})
    return await page("rules.html", games=found, boards=boards, game=None)


@router.get("/rules/{name}")
async def rules_of_game(name: str, server: ServerHere) -> HTMLResponse:
    """How a game plays, its rules with drawn examples, and who is best at it."""
    lesson = _lesson(name)
    text = await asyncio.to_thread(rules_page, name, look())
    return await page(
        "rules.html",
        game=game_of(name),
        lesson=lesson,
        board=Markup(await asyncio.to_thread(miniatures.still, name, look())),
        origin=spans(" ".join(blocks_of(rules_of(name))[0].split())),
        text=text,
        has_rulings='id="rulings"' in text,
        best=await together(server, lambda asked: standings.leaders(asked, name, BEST)),
        ladder=standings.ladder_named(name),
    )


@router.get("/learn/{name}")
async def learn(name: str, step: Annotated[int, Query(ge=1, le=99)] = 1) -> HTMLResponse:
    """One step of a lesson; its board is a real one, and the server judges."""
    lesson = _lesson(name)
    if step > len(lesson.steps):
        raise Refused("not_found", f"no step {step} in the lesson of {name}; hint: it has {len(lesson.steps)}")
    here = lesson.steps[step - 1]
    match = here.scene.match()
    board = await asyncio.to_thread(drawn, here.scene, f"{name}-step-{step}", look())
    return await page("learn.html", game=game_of(name), lesson=lesson, step=here, number=step, board=board, match=match)


def _lesson(name: str) -> Lesson:
    try:
        return lesson_of(name)
    except HedgerowError as unknown:
        raise Refused("not_found", str(unknown)) from None
