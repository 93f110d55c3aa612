"""Notices: a number for the badge, and the list behind it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from hedgerow.serve.api.account import Known
from hedgerow.serve.api.people import ServerHere
from hedgerow.serve.store import mailbox
from hedgerow.serve.store.schema import now

router = APIRouter(prefix="/api/notices", tags=["notices"])


class NoticeTold(BaseModel):
    """Something that happened, and where."""

    id: int
    kind: str
    game: str | None
    text: str
    created: int
    read: bool


class Notices(BaseModel):
    """The latest notices, and how many of all were not read."""

    unread: int
    notices: list[NoticeTold]


class Read(BaseModel):
    """Notices up to this one are read; all of them without a number."""

    up_to: int | None = Field(default=None, ge=0, le=2**53)


@router.get("")
async def notices(server: ServerHere, account: Known, limit: Annotated[int, Query(ge=0, le=200)] = 50) -> Notices:
    """Your notices, the latest first; with limit 0 only the number for the badge."""
    async with server.store.read() as connection:
        unread = await mailbox.unread(connection, account.id)
        rows = await mailbox.notices_of(connection, account.id, limit) if limit else []
    keys = ("id", "kind", "game", "text", "created")
    told = [NoticeTold(**{key: getattr(row, key) for key in keys}, read=row.read is not None) for row in rows]
    return Notices(unread=unread, notices=told)


@router.post("/read", status_code=204)
async def read(asked: Read, server: ServerHere, account: Known) -> None:
    """You have read them."""
    async with server.store.write() as connection:
        await mailbox.read_notices(connection, account.id, now(), up_to=asked.up_to)
