"""Offers in a game: takebacks, draws, calling it off, rematches."""

from __future__ import annotations

from pydantic import BaseModel, Field

from hedgerow.serve.api.asking import ServerHere, Visitor, with_session
from hedgerow.serve.api.routing import Router
from hedgerow.serve.play.offers import Answer, Kind

router = Router(prefix="/api/games/{game}/offers", tags=["offers"])


class OfferView(BaseModel):
    """What a seat asks of the others, and which seats have agreed."""

    kind: Kind
    seat: int
    agreed: list[int]


class AnswerView(BaseModel):
    """What came of it."""

    done: bool = Field(description="it has happened; otherwise it waits for the others")
    game: str | None = Field(description="the next game, of a rematch")


@router.get("")
async def standing(game: str, server: ServerHere) -> list[OfferView]:
    """What is on offer now; every offer ends with the next turn."""
    found = await server.offers.standing(await server.games.look(game))
    return [OfferView(kind=offer.kind, seat=offer.seat, agreed=offer.agreed) for offer in found]  # type: ignore[arg-type]


@router.post("/{kind}")
async def ask(game: str, kind: Kind, server: ServerHere, account: Visitor) -> AnswerView:
    """Offer something, or agree to the same offer of somebody else.

    A takeback goes back to one's own last turn; against machines alone it is free in a friendly game. A game may be
    called off alone until everybody has played.
    """
    return answer_view(await server.offers.ask(game, with_session(account).id, kind))


@router.post("/{kind}/agree")
async def agree(game: str, kind: Kind, server: ServerHere, account: Visitor) -> AnswerView:
    """Agree to an offer; it happens when everybody has."""
    return answer_view(await server.offers.agree(game, with_session(account).id, kind))


@router.post("/{kind}/decline", status_code=204)
async def decline(game: str, kind: Kind, server: ServerHere, account: Visitor) -> None:
    """Say no to an offer, or take back one's own."""
    await server.offers.decline(game, with_session(account).id, kind)


def answer_view(answer: Answer) -> AnswerView:
    """An answer as the API tells it."""
    return AnswerView(done=answer.done, game=answer.game)
