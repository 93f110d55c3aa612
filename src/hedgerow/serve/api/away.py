"""Play by mail and vacations, for those who are here in person: the mail word, and the days that clocks wait."""

from __future__ import annotations

from fastapi import Request, Response
from pydantic import BaseModel, Field

from hedgerow.serve.api.asking import PersonHere, ServerHere, client_of
from hedgerow.serve.api.routing import Router
from hedgerow.serve.inputs import OneLine
from hedgerow.serve.play.vacations import ALLOWANCE, Vacation

router = Router(prefix="/api/account", tags=["account"])


class MailWordAsked(BaseModel):
    """The mail word that you want; without one the server makes it."""

    word: OneLine | None = Field(default=None, max_length=200)


class MailWordView(BaseModel):
    """Whether you have a mail word."""

    made: int | None = Field(description="when it was made; null where you have none")


class MailWordMade(BaseModel):
    """Your new mail word. Nobody can read it again."""

    word: str


class VacationAsked(BaseModel):
    """How many days you are away from now on; 0 to be back."""

    days: int = Field(ge=0, le=ALLOWANCE)


class VacationView(BaseModel):
    """How it stands with your vacation."""

    until: int | None = Field(description="when you are back; null where you are here")
    left: int = Field(description=f"how many of {ALLOWANCE} days you have left this year")


@router.get("/mail-word")
async def mail_word(server: ServerHere, account: PersonHere) -> MailWordView:
    """Whether you have a mail word, with which you give commands by mail."""
    return MailWordView(made=await server.mail_words.made(account.id))


@router.post("/mail-word", status_code=201)
async def make_mail_word(
    asked: MailWordAsked, request: Request, response: Response, server: ServerHere, account: PersonHere
) -> MailWordMade:
    """A mail word instead of the one before; it is shown this once."""
    where = client_of(request).address
    if asked.word is None:
        word = await server.mail_words.make(account.id, where)
    else:
        word = asked.word
        await server.mail_words.set(account.id, word, where)
    response.headers["Cache-Control"] = "no-store"
    return MailWordMade(word=word)


@router.delete("/mail-word", status_code=204)
async def revoke_mail_word(server: ServerHere, account: PersonHere) -> None:
    """No mail word proves anything any more."""
    await server.mail_words.revoke(account.id)


@router.get("/vacation")
async def vacation(server: ServerHere, account: PersonHere) -> VacationView:
    """Whether you are on vacation, and how many days you have left."""
    return view_of(await server.vacations.of(account.id))


@router.put("/vacation")
async def take_vacation(asked: VacationAsked, server: ServerHere, account: PersonHere) -> VacationView:
    """Your clocks in games by correspondence wait for so many days from now on."""
    return view_of(await server.vacations.take(account.id, asked.days))


def view_of(vacation: Vacation) -> VacationView:
    """A vacation as the API tells it."""
    return VacationView(until=vacation.until, left=vacation.left)
