"""Personal access tokens for one's programs, and how an account becomes a bot's; for those who are here in person."""

from __future__ import annotations

from fastapi import Response
from pydantic import BaseModel, Field

from hedgerow.serve.api.asking import Number, PersonHere, ServerHere
from hedgerow.serve.api.people import Person, person_view
from hedgerow.serve.api.routing import Router
from hedgerow.serve.people.tokens import MAX_NAME_CHARS

router = Router(prefix="/api/account", tags=["bots"])


class TokenAsked(BaseModel):
    """What a new token is for, in words."""

    name: str = Field(max_length=4 * MAX_NAME_CHARS, examples=["my bot on the old laptop"])


class TokenView(BaseModel):
    """A token, without itself."""

    id: int
    name: str
    created: int
    used: int | None = Field(description="when it was last used, to the minute")


class TokenMade(TokenView):
    """A new token. Nobody can read it again: keep it where only its program finds it."""

    token: str = Field(description="send it as `Authorization: Bearer ...`")


@router.post("/tokens", status_code=201)
async def make(asked: TokenAsked, response: Response, server: ServerHere, account: PersonHere) -> TokenMade:
    """Make a token; it is shown this once."""
    row, token = await server.tokens.make(account.id, asked.name)
    response.headers["Cache-Control"] = "no-store"
    return TokenMade(**{key: row[key] for key in TokenView.model_fields}, token=token)


@router.get("/tokens")
async def tokens(server: ServerHere, account: PersonHere) -> list[TokenView]:
    """Your tokens, the latest first."""
    rows = await server.tokens.of(account.id)
    return [TokenView(**{key: getattr(row, key) for key in TokenView.model_fields}) for row in rows]


@router.delete("/tokens/{number}", status_code=204)
async def revoke(number: Number, server: ServerHere, account: PersonHere) -> None:
    """Revoke a token: it opens nothing any more, and what is open with it closes."""
    await server.tokens.revoke(account.id, number)


@router.post("/bot")
async def become_bot(server: ServerHere, account: PersonHere) -> Person:
    """Make this a bot's account, for good; only one that has played no game can become one."""
    return person_view(await server.tokens.become_bot(account))
