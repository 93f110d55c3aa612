"""Carrying out what somebody says: read, prove who speaks, do it, and answer, one command after the other."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from hedgerow.game import HedgerowError
from hedgerow.serve.commands.cases import CASES
from hedgerow.serve.commands.language import STRUCK, Command, Wrong, parse
from hedgerow.serve.commands.speaking import Answer, Sender
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store.letters import AlreadyDone, Once

if TYPE_CHECKING:
    from hedgerow.serve.server import Server


class Proving(Protocol):
    """Knows whose mail word it is."""

    async def prove(self, name: str, word: str, where: str) -> Account:
        """The account of that name, if the word is its; raises Refused."""
        ...


async def carry_out(server: Server, sender: Sender, subject: str, body: str) -> list[Answer]:
    """Does everything that a mail, or a box, says, in order; whatever is refused is answered with the reason."""
    speaker = sender.account.name if sender.account else ""
    told = parse(subject, body, signed_in=sender.account is not None, speaker=speaker)
    return [await _answer(server, _at_step(sender, step), one) for step, one in enumerate(told)]


def _at_step(sender: Sender, step: int) -> Sender:
    """The sender of one command of several: each is done once."""
    return replace(sender, once=Once(sender.once.letter, step)) if sender.once else sender


async def _answer(server: Server, sender: Sender, command: Command | Wrong) -> Answer:
    """What comes of one command."""
    if isinstance(command, Wrong):
        return Answer(False, command.why, command=command.line)
    try:
        speaker = await proven(server, sender, command)
    except HedgerowError as error:
        return Answer(False, str(error), command=_without_name(command))
    try:
        answer = await CASES[command.name](server, speaker, command)
    except AlreadyDone as done:
        answer = Answer(True, done.result or "This was done before; it is not done twice.")
    except HedgerowError as error:
        answer = Answer(False, str(error))
    account = speaker.account.id if speaker.account else None
    return _struck(replace(answer, command=answer.command or command.line, account=account), command)


async def proven(server: Server, sender: Sender, command: Command) -> Sender:
    """The sender as far as they have proven who they are; raises Refused where that is not enough."""
    form = command.form
    if form.proof == "new":
        return sender
    name = command.words.get("userid")
    if command.secret is not None and name is not None:
        prover: Proving = vars(server)["mail_words"]
        account = await prover.prove(name, command.secret, sender.where)
        return replace(sender, account=account, game=None)
    if form.proof == "none":
        return sender
    if sender.account is None:
        usage = form.usage(command.game)
        raise Refused("signed_out", f"the server does not know who you are; hint: {usage}")
    if form.proof == "account" and sender.game is not None:
        usage = form.usage(command.game)
        raise Refused("forbidden", f"this address answers for one game alone; hint: say who you are: {usage}")
    return sender


def _without_name(command: Command) -> str:
    """A command whose word did not hold: perhaps name and word were swapped."""
    name = command.words.get("userid")
    return command.line.replace(name, STRUCK) if name else command.line


def _struck(answer: Answer, command: Command) -> Answer:
    """The answer without any secret, whoever wrote it."""
    text = answer.text
    for secret in (command.secret, command.fresh):
        if secret:
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", STRUCK, text)
    return replace(answer, text=text)
