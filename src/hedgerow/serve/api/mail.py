"""One's mail address, and a new password by mail; only where the server sends mail."""

from __future__ import annotations

from fastapi import Request
from pydantic import BaseModel, Field

from hedgerow.serve.api.asking import PersonHere, PostHere, ServerHere
from hedgerow.serve.api.people import MAIL
from hedgerow.serve.api.routing import Router
from hedgerow.serve.people.limits import address_of
from hedgerow.serve.people.views import MailView

router = Router(prefix="/api", tags=["mail"])


class MailAsked(BaseModel):
    """A new address, which gets a mail to confirm it; none for no mails at all."""

    mail: str | None = Field(default=None, max_length=254, json_schema_extra=MAIL)
    turn_mails: bool = True


class ResetAsked(BaseModel):
    """Your name, or your address."""

    who: str = Field(max_length=254)


class ResetDone(BaseModel):
    """What was in the link of the mail, and a new password."""

    token: str = Field(max_length=100)
    password: str = Field(max_length=200)


@router.get("/account/mail")
async def mail(server: ServerHere, _: PostHere, account: PersonHere) -> MailView:
    """Your mail address."""
    return await server.own_mail.of(account)


@router.put("/account/mail")
async def change_mail(asked: MailAsked, server: ServerHere, post: PostHere, account: PersonHere) -> MailView:
    """Change your address, or which mails you get."""
    return await server.own_mail.change(account, asked.mail, asked.turn_mails, post)


@router.post("/confirm/{token}", status_code=204)
async def confirm(token: str, server: ServerHere, _: PostHere) -> None:
    """Confirm an address with what was in the mail to it."""
    await server.own_mail.confirm(token)


@router.post("/reset", status_code=202)
async def ask_reset(asked: ResetAsked, request: Request, server: ServerHere, post: PostHere) -> None:
    """Ask for a mail to choose a new password; the answer does not tell whether there is such an account."""
    await server.own_mail.ask_reset(asked.who, address_of(request), post)


@router.post("/reset/done", status_code=204)
async def reset(asked: ResetDone, request: Request, server: ServerHere, _: PostHere) -> None:
    """Choose a new password; every session and every token ends."""
    await server.own_mail.reset(asked.token, asked.password, address_of(request))
