"""The command language of play by mail, for programs and terminals."""

from __future__ import annotations

from fastapi import Request
from pydantic import BaseModel, Field

from hedgerow.serve.api.asking import ServerHere, Visitor
from hedgerow.serve.api.routing import Router
from hedgerow.serve.commands.views import MAX_BODY_CHARS, MAX_TEXT_CHARS, AnswerView, answers
from hedgerow.serve.inputs import ManyLines
from hedgerow.serve.people.limits import address_of

router = Router(prefix="/api", tags=["commands"])


class Said(BaseModel):
    """What stands in the subject of a mail, and in its body."""

    text: ManyLines = Field(max_length=MAX_TEXT_CHARS, examples=["hexbo standings"])
    body: ManyLines = Field(default="", max_length=MAX_BODY_CHARS, description="a message, or commands for `multiple`")


@router.post("/commands")
async def give(said: Said, request: Request, server: ServerHere, account: Visitor) -> list[AnswerView]:
    """Carry out a command of play by mail, or several; who is signed in leaves out name and password."""
    return await answers(server, account, address_of(request), said.text, said.body)
