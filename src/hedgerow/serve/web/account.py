"""Account pages, as forms without scripts: sign up, sign in, and everything about one's own account."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from pydantic import ValidationError

from hedgerow.game import HedgerowError
from hedgerow.serve.api.account import Farewell, NewPassword
from hedgerow.serve.api.asking import ServerHere, Visitor, client_of, signed_in, with_password
from hedgerow.serve.api.away import VacationAsked
from hedgerow.serve.api.people import SignIn, SignUp
from hedgerow.serve.api.routing import Router
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.people.members import SHOWN
from hedgerow.serve.people.sessions import drop_session, token_of
from hedgerow.serve.play.leaving import leave
from hedgerow.serve.refusals import Refused, refusal_of
from hedgerow.serve.server import Server
from hedgerow.serve.web.pages import form_of, onwards, page
from hedgerow.serve.web.texts import _

router = Router(include_in_schema=False)


def said(error: Exception) -> tuple[int, str]:
    """The status and the sentence of what went wrong with a form."""
    if isinstance(error, ValidationError):
        first = error.errors(include_input=False, include_url=False)[0]
        return 422, f"{first['loc'][0]}: {first['msg']}"
    assert isinstance(error, HedgerowError)
    refusal = refusal_of(error)
    return refusal.status, str(refusal)


ABOUT = {"the name": "name", "a password": "password", "the address": "mail", "this invitation": "invitation"}
"""How a refusal begins that is about a field of the form."""


def wrong_field(error: Exception) -> str:
    """The field that it is about, or nothing."""
    if isinstance(error, ValidationError):
        return str(error.errors()[0]["loc"][0])
    return next((field for words, field in ABOUT.items() if str(error).startswith(words)), "")


@router.get("/sign-up")
async def sign_up_page(server: ServerHere, account: Visitor, invitation: str = "") -> HTMLResponse:
    """The form for a new account, and what happens to public games."""
    return await _sign_up(server, account, {"invitation": invitation[:100]})


async def _sign_up(
    server: Server, account: Account | None, fields: dict[str, str], error: Exception | None = None
) -> HTMLResponse:
    status, words = said(error) if error else (200, "")
    return await page(
        "sign_up.html",
        status,
        account=account,
        fields=fields,
        said=words,
        wrong=wrong_field(error) if error else "",
        open_to=server.settings.registration,
        mails=server.post is not None,
    )


@router.post("/sign-up")
async def sign_up(request: Request, server: ServerHere, account: Visitor) -> Response:
    """Makes an account."""
    fields = await form_of(request)
    try:
        asked = SignUp.model_validate({key: value for key, value in fields.items() if value})
        _, token = await server.members.sign_up(
            asked.name, asked.password, asked.mail, asked.invitation, account, client_of(request)
        )
    except (HedgerowError, ValidationError) as error:
        return await _sign_up(server, account, {key: fields.get(key, "") for key in SHOWN_AGAIN}, error)
    return onwards("/", server, token)


SHOWN_AGAIN = ("name", "mail", "invitation")
"""What a form that was refused is shown again with; never a password."""


@router.get("/sign-in")
async def sign_in_page(server: ServerHere, account: Visitor) -> HTMLResponse:
    """The form to sign in."""
    return await page("sign_in.html", account=account, typed="", said="", mails=server.post is not None)


@router.post("/sign-in")
async def sign_in(request: Request, server: ServerHere, account: Visitor) -> Response:
    """Begins a session."""
    fields = await form_of(request)
    try:
        asked = SignIn.model_validate(fields)
        _, token = await server.members.sign_in(asked.name, asked.password, client_of(request))
    except (HedgerowError, ValidationError) as error:
        status, words = said(error)
        mails = server.post is not None
        typed = fields.get("name", "")[:40]
        return await page("sign_in.html", status, account=account, typed=typed, said=words, mails=mails)
    return onwards("/", server, token)


@router.post("/sign-out")
async def sign_out(request: Request, server: ServerHere) -> Response:
    """Ends this session."""
    if token := token_of(request):
        await server.accounts.sign_out(token)
    response = onwards("/", server)
    drop_session(response)
    return response


@router.get("/account")
async def account_page(request: Request, server: ServerHere, account: Visitor) -> Response:
    """One's account: devices, password, the end of it."""
    return await _account(request, server, account)


async def _account(
    request: Request,
    server: Server,
    account: Account | None,
    error: Exception | None = None,
    done: str = "",
    made: str | None = None,
    word: str | None = None,
) -> Response:
    if account is None:
        return onwards("/sign-in", server)
    status, words = said(error) if error else (200, done)
    values = {"account": account, "said": words, "done": done, "made": made, "word": word}
    values["devices"] = await server.members.sessions(account, client_of(request))
    if account.kind != "guest":
        values["address"] = await server.own_mail.of(account) if server.post else None
        values["tokens"] = await server.tokens.of(account.id)
        values["write_to"] = server.reply_addresses.address
        values["worded"] = await server.mail_words.made(account.id)
        values["vacation"] = await server.vacations.of(account.id)
    answer = await page("account.html", status, **values)
    answer.headers["Cache-Control"] = "no-store"
    return answer


@router.post("/account/password")
async def password(request: Request, server: ServerHere, account: Visitor) -> Response:
    """Changes the password."""
    fields = await form_of(request)
    try:
        asked = NewPassword.model_validate({"old": fields.get("old", ""), "new": fields.get("new", "")})
        await server.members.change_password(with_password(account), asked.old, asked.new, client_of(request))
    except (HedgerowError, ValidationError) as error:
        return await _account(request, server, account, error)
    return await _account(request, server, account, done=_("Your password is changed; other devices are signed out."))


@router.post("/account/sessions/{session}/end")
async def end_session(session: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Ends a session, this one or another device's."""
    try:
        if len(session) != SHOWN:
            raise Refused("not_found", f"no session {session!r:.42}; hint: look at the list again")
        await server.members.end_session(signed_in(account), session)
    except HedgerowError as error:
        return await _account(request, server, account, error)
    return onwards("/account", server)


@router.post("/account/tokens")
async def make_token(request: Request, server: ServerHere, account: Visitor) -> Response:
    """Makes a token for a program, and shows it this once."""
    fields = await form_of(request)
    try:
        somebody = with_password(account)
        _, token = await server.tokens.make(somebody.id, fields.get("name", ""), fields.get("plays") == "yes")
    except HedgerowError as error:
        return await _account(request, server, account, error)
    return await _account(request, server, account, made=token)


@router.post("/account/tokens/{number}/end")
async def end_token(number: str, request: Request, server: ServerHere, account: Visitor) -> Response:
    """Revokes a token."""
    try:
        somebody = with_password(account)
        if not (number.isdecimal() and len(number) < 16):
            raise Refused("not_found", f"no token {number!r:.42}; hint: look at the list again")
        await server.tokens.revoke(somebody.id, int(number))
    except HedgerowError as error:
        return await _account(request, server, account, error)
    return onwards("/account", server)


@router.post("/account/mail-word")
async def make_mail_word(request: Request, server: ServerHere, account: Visitor) -> Response:
    """Makes a mail word, and shows it this once."""
    try:
        word = await server.mail_words.make(with_password(account).id, client_of(request).address)
    except HedgerowError as error:
        return await _account(request, server, account, error)
    return await _account(request, server, account, word=word)


@router.post("/account/mail-word/end")
async def end_mail_word(request: Request, server: ServerHere, account: Visitor) -> Response:
    """Revokes the mail word."""
    try:
        await server.mail_words.revoke(with_password(account).id)
    except HedgerowError as error:
        return await _account(request, server, account, error)
    return onwards("/account", server)


@router.post("/account/vacation")
async def vacation(request: Request, server: ServerHere, account: Visitor) -> Response:
    """So many days of vacation, or none to be back."""
    fields = await form_of(request)
    try:
        asked = VacationAsked.model_validate({"days": fields.get("days", "")})
        await server.vacations.take(with_password(account).id, asked.days)
    except (HedgerowError, ValidationError) as error:
        return await _account(request, server, account, error)
    return onwards("/account", server)


@router.post("/account/bot")
async def become_bot(request: Request, server: ServerHere, account: Visitor) -> Response:
    """Makes this a bot's account, if the box says so."""
    fields = await form_of(request)
    try:
        if fields.get("sure") != "yes":
            raise Refused("bad_request", "this is still a person's account; hint: tick the box to make it a bot's")
        await server.tokens.become_bot(with_password(account))
    except HedgerowError as error:
        return await _account(request, server, account, error)
    return onwards("/account", server)


@router.post("/account/delete")
async def delete(request: Request, server: ServerHere, account: Visitor) -> Response:
    """Deletes the account, if the password and the box say so."""
    fields = await form_of(request)
    try:
        if fields.get("sure") != "yes":
            raise Refused("bad_request", "the account is still here; hint: tick the box to delete it")
        asked = Farewell(password=fields.get("password", "")[:200])
        await leave(server.games, server.members, signed_in(account), asked.password, client_of(request))
    except HedgerowError as error:
        return await _account(request, server, account, error)
    response = onwards("/", server)
    drop_session(response)
    return response
