"""What is shown of answers to those who give commands by a page or a program: the words, and boards in characters."""

from __future__ import annotations

from pydantic import BaseModel, Field

from hedgerow.serve.commands import drawing
from hedgerow.serve.commands.carrying import carry_out
from hedgerow.serve.commands.speaking import Answer, Sender
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.server import Server

MAX_TEXT_CHARS, MAX_BODY_CHARS = 4_000, 20_000


class BoardView(BaseModel):
    """A board in characters."""

    game: str
    number: int = Field(description="what commands call it by")
    rules: str
    text: str


class AnswerView(BaseModel):
    """What came of one command."""

    ok: bool
    command: str = Field(description="as it was understood, without passwords")
    text: str
    boards: list[BoardView]


async def answers(server: Server, account: Account | None, where: str, text: str, body: str) -> list[AnswerView]:
    """What is answered to whoever asks by a page or a program."""
    by_page = account is not None and not account.by_token
    sender = Sender("page" if by_page else "terminal", account, where=where)
    found = await carry_out(server, sender, text, body)
    return [await _view(server, answer) for answer in found]


async def _view(server: Server, answer: Answer) -> AnswerView:
    ids = [*([answer.game] if answer.game else []), *answer.games]
    boards = [await drawing.drawn(server, game, answer.account) for game in ids]
    views = [BoardView(**board._asdict()) for board in boards]
    return AnswerView(ok=answer.ok, command=answer.command, text=answer.text, boards=views)
