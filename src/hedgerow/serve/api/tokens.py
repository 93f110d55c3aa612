"""Personal access tokens for one's programs, and how an account becomes a bot's; for those who are here in person."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, Field

from hedgerow.serve.api.account import PersonHere
from hedgerow.serve.api.people import Person, ServerHere, told
from hedgerow.serve.tokens import LONGEST
from hedgerow.serve.wire import Id

router = APIRouter(prefix="/api/account", tags=["bots"])

Number = Annotated[Id, Path()]


class TokenAsked(BaseModel):
    """What a new token is for, in words."""

    name: str = Field(max_length=4 * LONGEST, examples=["my bot on the old laptop"])


class TokenTold(BaseModel):
    """A token, without itself."""

    id: int
    name: str
    created: int
    used: int | None = Field(description="when it was last used, to the minute")


class TokenMade(TokenTold):
    """A new token. Nobody can read it again: keep it where only its program finds it."""

    token: str = Field(description="send it as `Authorization: Bearer ...`")


@router.post("/tokens", status_code=201)
async def make(asked: TokenAsked, response: Response, server: ServerHere, account: PersonHere) -> TokenMade:
    """Make a token; it is shown this once."""
    row, token = await server.tokens.make(account.id, asked.name)
    response.headers["Cache-Control"] = "no-store"
    return TokenMade(**{key: row[key] for key in TokenTold.model_fields}, token=token)


@router.get("/tokens")
async def tokens(server: ServerHere, account: PersonHere) -> list[TokenTold]:
    """Your tokens, the latest first."""
    rows = await server.tokens.of(account.id)
    return [TokenTold(**{key: getattr(row, key) for key in TokenTold.model_fields}) for row in rows]


@router.delete("/tokens/{number}", status_code=204)
async def revoke(number: Number, server: ServerHere, account: PersonHere) -> None:
    """Revoke a token: it opens nothing any more, and what is open with it closes."""
    await server.tokens.revoke(account.id, number)


@router.post("/bot")
async def become_bot(server: ServerHere, account: PersonHere) -> Person:
    """Make this a bot's account, for good; only one that has played no game can become one."""
    return told(await server.tokens.become_bot(account))
