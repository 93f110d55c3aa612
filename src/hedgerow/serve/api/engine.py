"""The machine's queue: how many games wait for it, and where yours are."""

from __future__ import annotations

from pydantic import BaseModel, Field

from hedgerow.serve.api.asking import ServerHere, Visitor
from hedgerow.serve.api.routing import Router
from hedgerow.serve.engine.engines import Engines
from hedgerow.serve.store import people

router = Router(prefix="/api/engine", tags=["engine"])


class Place(BaseModel):
    """A game that waits for the machine."""

    game: str
    before: int = Field(description="how many games come first")


class Queue(BaseModel):
    """Who waits for the machine. Everybody has a budget of its time; who has used least of it comes first."""

    on: bool = Field(description="the machine plays here at all")
    owed: int = Field(description="games in which the machine is to move")
    waiting: int | None = Field(description="of those, games that nobody thinks about yet; null where it is not known")
    yours: list[Place]
    analyses: int = Field(description="positions that people want to be thought about, here; the machines come first")
    analyses_waiting: int = Field(description="of those, the ones that wait for a place")
    ready: list[str] | None = Field(
        default=None, description="rules whose compiled kernels are there; on others it plays plainly, for the meantime"
    )


@router.get("")
async def queue(server: ServerHere, account: Visitor) -> Queue:
    """The machine's queue, and your games in it."""
    engines, analyst = server.engines, server.analyst
    asked, ahead = (len(analyst.asked), analyst.table.waiting) if analyst else (0, 0)
    if not isinstance(engines, Engines):
        return Queue(
            on=engines is not None,
            owed=engines.waiting if engines else 0,
            waiting=None,
            yours=[],
            analyses=asked,
            analyses_waiting=ahead,
        )
    yours: list[Place] = []
    if account and engines.turnstile.waiting:
        async with server.store.read() as connection:
            mine = await people.games_seated(connection, account.id, "playing")
        places = ((game, engines.turnstile.place(game)) for game in mine)
        yours = [Place(game=game, before=before) for game, before in places if before is not None]
    return Queue(
        on=True,
        owed=engines.waiting,
        waiting=engines.turnstile.waiting,
        yours=yours,
        ready=engines.ready,
        analyses=asked,
        analyses_waiting=ahead,
    )
