"""One's own account: the devices one is signed in on, the password, and an end of it all."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response
from pydantic import BaseModel, Field

from hedgerow.serve.accounts import Account, digest
from hedgerow.serve.api.people import ServerHere, Visitor, try_password
from hedgerow.serve.going import delete_account
from hedgerow.serve.refusals import Refused
from hedgerow.serve.security import drop_session, token_of

router = APIRouter(prefix="/api/account", tags=["account"])

SHOWN = 16
"""How many letters of a session's digest name it."""


async def known(account: Visitor) -> Account:
    """Who is asking; raises Refused where nobody is signed in."""
    if account is None:
        raise Refused("signed_out", "you are not signed in; hint: sign in first")
    return account


async def person(account: Annotated[Account, Depends(known)]) -> Account:
    """Who is asking, with a name and a password."""
    if account.kind == "guest":
        raise Refused("forbidden", "guests have no password; hint: sign up to keep your games")
    return account


Known = Annotated[Account, Depends(known)]
PersonHere = Annotated[Account, Depends(person)]


class SessionTold(BaseModel):
    """A device somebody is signed in on."""

    id: str
    device: str
    created: int
    seen: int | None
    this: bool = Field(description="it is the one that asks")


class NewPassword(BaseModel):
    """The old password and a new one; every other session ends."""

    old: str = Field(max_length=200)
    new: str = Field(max_length=200)


class Farewell(BaseModel):
    """One's password once more; a guest has none."""

    password: str = Field(default="", max_length=200)


class Ended(BaseModel):
    """How many sessions have ended."""

    ended: int


@router.get("/sessions")
async def sessions(request: Request, server: ServerHere, account: Known) -> list[SessionTold]:
    """Where you are signed in."""
    here = digest(token_of(request) or "")
    return [
        SessionTold(
            id=row.token[:SHOWN],
            device=row.device or "something unknown",
            created=row.created,
            seen=row.seen,
            this=row.token == here,
        )
        for row in await server.accounts.sessions(account.id)
    ]


@router.delete("/sessions/{session}")
async def end_session(
    session: Annotated[str, Path(pattern=f"^[0-9a-f]{{{SHOWN}}}$")], server: ServerHere, account: Known
) -> Ended:
    """End one of your sessions; its websockets close."""
    ended = await server.accounts.end_sessions(account.id, beginning=session)
    if not ended:
        raise Refused("not_found", f"no session {session!r} of yours; hint: ask for the list again")
    return Ended(ended=ended)


@router.delete("/sessions")
async def end_other_sessions(request: Request, server: ServerHere, account: Known) -> Ended:
    """End every session but this one."""
    return Ended(ended=await server.accounts.end_sessions(account.id, but=token_of(request)))


@router.post("/password", status_code=204)
async def password(asked: NewPassword, request: Request, server: ServerHere, account: PersonHere) -> None:
    """Change your password; every other session ends."""
    await try_password(server, request, account.name)
    await server.accounts.check(account.id, asked.old)
    await server.accounts.new_password(account.id, asked.new, but=token_of(request))


@router.post("/delete", status_code=204)
async def delete(asked: Farewell, request: Request, response: Response, server: ServerHere, account: Known) -> None:
    """Delete your account: you resign what you play, your games stay, your name goes."""
    if account.kind != "guest":
        await try_password(server, request, account.name)
        await server.accounts.check(account.id, asked.password)
    await delete_account(server, account.id)
    drop_session(response)
