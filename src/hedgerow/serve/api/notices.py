"""Notices: a number for the badge, and the list behind it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, Field

from hedgerow.serve.api.asking import Known, ServerHere
from hedgerow.serve.api.routing import Router
from hedgerow.serve.people.views import Notices

router = Router(prefix="/api/notices", tags=["notices"])


class Read(BaseModel):
    """Notices up to this one are read; all of them without a number."""

    up_to: int | None = Field(default=None, ge=0, le=2**53)


@router.get("")
async def notices(server: ServerHere, account: Known, limit: Annotated[int, Query(ge=0, le=200)] = 50) -> Notices:
    """Your notices, the latest first; with limit 0 only the number for the badge."""
    return await server.notices.of(account.id, limit)


@router.post("/read", status_code=204)
async def read(asked: Read, server: ServerHere, account: Known) -> None:
    """You have read them."""
    await server.notices.read(account.id, up_to=asked.up_to)
