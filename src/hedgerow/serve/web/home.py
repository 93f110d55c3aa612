"""The first page: every game with a picture and a button to start it, what goes on, who waits, and your games."""

from __future__ import annotations

from functools import lru_cache

from fastapi.responses import HTMLResponse
from markupsafe import Markup
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.games import game as game_of
from hedgerow.serve.api.asking import ServerHere, Visitor
from hedgerow.serve.api.routing import Router
from hedgerow.serve.play.views.lists import ChallengeView, WatchView, YourGames
from hedgerow.serve.web import beginners, miniatures, texts
from hedgerow.serve.web.pages import look, page, templates, together
from hedgerow.serve.web.rows import row

router = Router(include_in_schema=False)
router.include_router(miniatures.router)

SHORT = 5
"""How long the lists of the first page are."""


@router.get("/")
async def home(server: ServerHere, account: Visitor) -> HTMLResponse:
    """Every game with a picture and a button to start it; what goes on, who waits, and your games."""
    number = account.id if account else None

    async def ask(connection: AsyncConnection) -> tuple[YourGames, list[ChallengeView], list[WatchView]]:
        return (
            await server.lists.yours(connection, number, None, SHORT),
            await server.lists.lobby(connection, number, SHORT),
            await server.lists.to_watch(connection, SHORT),
        )

    yours, waiting, watch = await together(server, ask)
    first = beginners.in_order()[0]
    games = every_game(texts.language(), look(), account is not None and account.kind != "guest")
    return await page(
        "home.html",
        every=games,
        first=game_of(first),
        board=beginners.board_for(first),
        row=row,
        yours=yours,
        waiting=waiting,
        watch=watch,
    )


@lru_cache(maxsize=64)
def every_game(_language: str, look: str, rated: bool) -> Markup:
    """All games, in the language that is spoken; `rated` where the reader may play rated ones."""
    names = beginners.in_order()
    return Markup(
        templates.get_template("games.html").render(
            games=[game_of(name) for name in names],
            boards={name: beginners.board_for(name) for name in names},
            pictures={name: Markup(miniatures.still(name, look)) for name in names},
            account={"kind": "person"} if rated else None,
        )
    )
