"""One's mail address, and a new password by mail; only where the server sends mail."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, Field

from hedgerow.serve.accounts import digest
from hedgerow.serve.addresses import address
from hedgerow.serve.api.account import PersonHere
from hedgerow.serve.api.people import MAIL, ServerHere
from hedgerow.serve.limits import address_of
from hedgerow.serve.mail import Post
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import mailbox, people
from hedgerow.serve.store.schema import now
from hedgerow.serve.store.tokens import end_tokens

router = APIRouter(prefix="/api", tags=["mail"])


async def post_here(server: ServerHere) -> Post:
    """The post office; raises Refused where there is none."""
    if server.post is None:
        raise Refused("not_found", "this server sends no mail; hint: ask whoever runs it")
    return server.post


PostHere = Annotated[Post, Depends(post_here)]
Token = Annotated[str, Field(max_length=100)]


class MailTold(BaseModel):
    """Your address, and what is sent to it."""

    mail: str | None
    confirmed: bool
    turn_mails: bool


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
async def mail(server: ServerHere, _: PostHere, account: PersonHere) -> MailTold:
    """Your mail address."""
    async with server.store.read() as connection:
        row = await people.account_row(connection, account.id)
    assert row is not None
    return MailTold(mail=row.mail, confirmed=row.confirmed is not None, turn_mails=row.turn_mails)


@router.put("/account/mail")
async def change_mail(asked: MailAsked, server: ServerHere, post: PostHere, account: PersonHere) -> MailTold:
    """Change your address, or which mails you get."""
    before = await mail(server, post, account)
    values: dict[str, object] = {"turn_mails": asked.turn_mails}
    new = address(asked.mail) if asked.mail is not None and asked.mail != before.mail else asked.mail
    if new != before.mail:
        values |= {"mail": new, "confirmed": None}
    ask = new is not None and (new != before.mail or not before.confirmed)
    if ask:
        await server.limits.check_everywhere("mail", account.id)
    async with server.store.write() as connection:
        await people.change(connection, account.id, **values)
    if ask and new:
        await post.ticket("confirm", account.id, new)
    return await mail(server, post, account)


@router.post("/confirm/{token}", status_code=204)
async def confirm(token: str, server: ServerHere, _: PostHere) -> None:
    """Confirm an address with what was in the mail to it."""
    async with server.store.write() as connection:
        ticket = await people.use_ticket(connection, "confirm", digest(token), now())
        row = await people.account_row(connection, ticket.account) if ticket else None
        if ticket is None or row is None or row.mail != ticket.about:
            raise Refused("not_found", "this link does not hold any more; hint: ask for another on your account's page")
        await people.change(connection, row.id, confirmed=now())


@router.post("/reset", status_code=202)
async def ask_reset(asked: ResetAsked, request: Request, server: ServerHere, post: PostHere) -> None:
    """Ask for a mail to choose a new password; the answer does not tell whether there is such an account."""
    await server.limits.check_everywhere("passwords", address_of(request))
    post.ask_reset(asked.who)


@router.post("/reset/done", status_code=204)
async def reset(asked: ResetDone, request: Request, server: ServerHere, _: PostHere) -> None:
    """Choose a new password; every session and every token ends."""
    await server.limits.check_everywhere("passwords", address_of(request))
    async with server.store.read() as connection:
        known = await people.ticket(connection, "reset", digest(asked.token), now())
        row = await people.account_row(connection, known.account) if known else None
    kept = await server.accounts.hashed(asked.password, row.name if row else None, row.mail if row else None)
    async with server.store.write() as connection:
        ticket = await people.use_ticket(connection, "reset", digest(asked.token), now())
        if ticket is None:
            raise Refused("not_found", "this link does not hold any more; hint: ask for another")
        await people.change(connection, ticket.account, password=kept)
        ended = await people.end_sessions(connection, ticket.account)
        ended += await end_tokens(connection, ticket.account)
    server.accounts.end(ended)


async def end_mails(server: ServerHere, key: str) -> None:
    """No more mails about turns, for whoever has this key."""
    async with server.store.write() as connection:
        row = await mailbox.account_of_key(connection, key) if len(key) >= 20 else None
        if row is None:
            raise Refused("not_found", "this link does not hold; hint: your account's page has a switch, too")
        await people.change(connection, row.id, turn_mails=False)
