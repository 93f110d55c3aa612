"""Pages that mails lead to, and the one that asks for a mail: forms alone, and nothing happens by only looking."""

from __future__ import annotations

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import ValidationError

from hedgerow.game import HedgerowError
from hedgerow.serve.api.asking import PersonHere, PostHere, ServerHere, post_here
from hedgerow.serve.api.mail import MailAsked, ResetDone
from hedgerow.serve.api.routing import Router
from hedgerow.serve.people.limits import address_of
from hedgerow.serve.web.account import said
from hedgerow.serve.web.pages import form_of, onwards, page

router = Router(include_in_schema=False, dependencies=[Depends(post_here)])


@router.get("/reset")
async def reset_page() -> HTMLResponse:
    """Asks for a name or an address."""
    return await page("mail.html", what="ask")


@router.post("/reset")
async def ask_reset(request: Request, server: ServerHere, post: PostHere) -> Response:
    """Sends a mail, if there is anybody to send it to."""
    fields = await form_of(request)
    await server.own_mail.ask_reset(fields.get("who", "")[:254], address_of(request), post)
    return await page("mail.html", what="asked")


@router.get("/reset/{token}")
async def new_password_page(token: str) -> HTMLResponse:
    """Asks for a new password."""
    return await page("mail.html", what="reset", token=token[:100])


@router.post("/reset/{token}")
async def new_password(token: str, request: Request, server: ServerHere) -> Response:
    """Takes the new password."""
    fields = await form_of(request)
    try:
        asked = ResetDone(token=token, password=fields.get("password", ""))
        await server.own_mail.reset(asked.token, asked.password, address_of(request))
    except (HedgerowError, ValidationError) as error:
        status, words = said(error)
        return await page("mail.html", status, what="reset", token=token[:100], said=words)
    return onwards("/sign-in", server)


@router.get("/confirm/{token}")
async def confirm_page(token: str) -> HTMLResponse:
    """A button: programs that look at links in mails confirm nothing."""
    return await page("mail.html", what="confirm", token=token[:100])


@router.post("/confirm/{token}")
async def confirm(token: str, server: ServerHere) -> Response:
    """The address is theirs."""
    await server.own_mail.confirm(token)
    return await page("mail.html", what="confirmed")


@router.get("/signup/{token}")
async def sign_up_page(token: str) -> HTMLResponse:
    """A button: programs that look at links in mails make no accounts."""
    return await page("mail.html", what="signup", token=token[:100])


@router.post("/signup/{token}")
async def sign_up(token: str, server: ServerHere) -> Response:
    """The account that was asked for by mail."""
    made = await server.sign_ups.confirm(token[:100])
    return await page("mail.html", what="signed up", name=made.name)


@router.get("/unsubscribe/{key}")
async def unsubscribe_page(key: str) -> HTMLResponse:
    """A button, without signing in."""
    return await page("mail.html", what="unsubscribe", token=key[:100])


@router.post("/unsubscribe/{key}")
async def unsubscribe(key: str, server: ServerHere) -> Response:
    """No more mails; mail programs ask for this by themselves when somebody presses theirs (RFC 8058)."""
    await server.own_mail.end_turn_mails(key)
    return await page("mail.html", what="unsubscribed")


@router.post("/account/mail")
async def change_mail(request: Request, server: ServerHere, post: PostHere, account: PersonHere) -> Response:
    """Changes one's address, or which mails come."""
    fields = await form_of(request)
    try:
        asked = MailAsked(mail=fields.get("mail") or None, turn_mails=fields.get("turn_mails") == "yes")
        await server.own_mail.change(account, asked.mail, asked.turn_mails, post)
    except (HedgerowError, ValidationError) as error:
        status, words = said(error)
        return await page("refused.html", status, account=account, message=words)
    return onwards("/account", server)
