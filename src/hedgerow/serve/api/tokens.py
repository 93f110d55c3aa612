"""Personal access tokens for programs, and turning an account into a bot's; needs a session, not a token."""

from __future__ import annotations

from fastapi import Response
from pydantic import BaseModel, Field

from hedgerow.serve.api.asking import Number, PersonHere, ServerHere
from hedgerow.serve.api.people import Person, person_view
from hedgerow.serve.api.routing import Router
from hedgerow.serve.people.tokens import MAX_NAME_CHARS
from hedgerow.serve.store.rows import TokenRow

router = Router(prefix="/api/account", tags=["bots"])


class TokenAsked(BaseModel):
    """What a new token is for, in words."""

    name: str = Field(max_length=4 * MAX_NAME_CHARS, examples=["my bot on the old laptop"])
    plays: bool = Field(
        default=False,
        description="whether a person plays with it in a terminal; no program may. A bot's token plays without it",
    )


class TokenView(BaseModel):
    """What is known of a token; never the token itself."""

    id: int
    name: str
    created: int
    used: int | None = Field(description="when it was last used, to the minute")
    plays: bool = Field(description="whether it lets a person play in a terminal")


class TokenMade(TokenView):
    """A new token. Nobody can read it again: keep it where only its program finds it."""

    token: str = Field(description="send it as `Authorization: Bearer ...`")


def token_view(row: TokenRow) -> TokenView:
    """A token as its owner is told of it: never what is kept of it."""
    return TokenView.model_validate(row, from_attributes=True)


@router.post("/tokens", status_code=201)
async def make(asked: TokenAsked, response: Response, server: ServerHere, account: PersonHere) -> TokenMade:
    """Make a token; it is shown this once."""
    row, token = await server.tokens.make(account.id, asked.name, asked.plays)
    response.headers["Cache-Control"] = "no-store"
    return TokenMade(**dict(token_view(row)), token=token)


@router.get("/tokens")
async def tokens(server: ServerHere, account: PersonHere) -> list[TokenView]:
    """Your tokens, the latest first."""
    rows = await server.tokens.of(account.id)
    return [token_view(row) for row in rows]


@router.delete("/tokens/{number}", status_code=204)
async def revoke(number: Number, server: ServerHere, account: PersonHere) -> None:
    """Revoke a token: it opens nothing any more, and what is open with it closes."""
    await server.tokens.revoke(account.id, number)


@router.post("/bot")
async def become_bot(server: ServerHere, account: PersonHere) -> Person:
    """Make this a bot's account, for good; only one that has played no game can become one."""
    return person_view(await server.tokens.become_bot(account))
