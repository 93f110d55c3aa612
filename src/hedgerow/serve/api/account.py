"""Your own account: its sessions, its password, and deleting it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Request, Response
from pydantic import BaseModel, Field

from hedgerow.serve.api.asking import Known, PersonHere, ServerHere, client_of
from hedgerow.serve.api.routing import Router
from hedgerow.serve.people.members import SHOWN
from hedgerow.serve.people.sessions import drop_session, token_of
from hedgerow.serve.people.views import SessionView
from hedgerow.serve.play.leaving import leave

router = Router(prefix="/api/account", tags=["account"])


class NewPassword(BaseModel):
    """The old password and a new one; every other session ends."""

    old: str = Field(max_length=200)
    new: str = Field(max_length=200)


class Farewell(BaseModel):
    """Your password, to confirm that the account is to be deleted; a guest has none."""

    password: str = Field(default="", max_length=200)


class SessionsEnded(BaseModel):
    """How many sessions have ended."""

    ended: int


@router.get("/sessions")
async def sessions(request: Request, server: ServerHere, account: Known) -> list[SessionView]:
    """Where you are signed in."""
    return await server.members.sessions(account, client_of(request))


@router.delete("/sessions/{session}")
async def end_session(
    session: Annotated[str, Path(pattern=f"^[0-9a-f]{{{SHOWN}}}$")], server: ServerHere, account: Known
) -> SessionsEnded:
    """End one of your sessions; its websockets close."""
    return SessionsEnded(ended=await server.members.end_session(account, session))


@router.delete("/sessions")
async def end_other_sessions(request: Request, server: ServerHere, account: Known) -> SessionsEnded:
    """End every session but this one."""
    return SessionsEnded(ended=await server.accounts.end_sessions(account.id, but=token_of(request)))


@router.post("/password", status_code=204)
async def password(asked: NewPassword, request: Request, server: ServerHere, account: PersonHere) -> None:
    """Change your password; every other session ends."""
    await server.members.change_password(account, asked.old, asked.new, client_of(request))


@router.post("/delete", status_code=204)
async def delete(asked: Farewell, request: Request, response: Response, server: ServerHere, account: Known) -> None:
    """Delete your account: you resign what you play, your games stay, your name goes."""
    await leave(server.games, server.members, account, asked.password, client_of(request))
    drop_session(response)
