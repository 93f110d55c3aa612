"""Answers that are kept with what a command has done: a letter that is tried again is answered the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING

import msgspec

from hedgerow.serve.commands.cases import Case
from hedgerow.serve.commands.language import Command
from hedgerow.serve.commands.speaking import Answer, Sender
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store.letters import AlreadyDone, Once

if TYPE_CHECKING:
    from hedgerow.serve.server import Server

decode = msgspec.json.Decoder(Answer).decode


@dataclass(frozen=True)
class Answering(Once):
    """A command of a letter; its whole answer is kept, made of what the transaction has done."""

    answer: Callable[[str], Answer]

    def kept(self, result: str) -> str:
        """The answer as text."""
        return msgspec.json.encode(self.answer(result)).decode()


def keep(sender: Sender, answer: Answer | Callable[[str], Answer]) -> Once | None:
    """What a transaction marks, where the command came in a letter: that it is done, and what is answered."""
    if sender.once is None:
        return None
    account = sender.account.id if sender.account else None

    def made(result: str) -> Answer:
        told = answer(result) if callable(answer) else answer
        return replace(told, account=told.account or account)

    return Answering(sender.once.letter, sender.once.step, made)


async def answered(server: Server, sender: Sender) -> Answer | None:
    """What was answered to this command of this letter, if it was carried out before."""
    if sender.once is None:
        return None
    async with server.store.read() as connection:
        result = await sender.once.result(connection)
    return None if result is None else decode(result)


def once_only(case: Case) -> Case:
    """A command that a letter brings again is answered as it was, and not carried out."""

    @wraps(case)
    async def carried_out(server: Server, sender: Sender, command: Command) -> Answer:
        fresh = sender.once is not None and sender.once.fresh
        if not fresh and (before := await answered(server, sender)) is not None:
            return before
        try:
            return await case(server, sender, command)
        except (AlreadyDone, Refused):  # somebody else who has the same letter was faster
            if (before := await answered(server, sender)) is not None:
                return before
            raise

    return carried_out
