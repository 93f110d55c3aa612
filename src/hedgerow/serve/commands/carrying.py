"""Carrying out what somebody says: read, prove who speaks, do it, and answer, one command after the other."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from hedgerow.game import HedgerowError
from hedgerow.serve.commands import accounts, beginning, looking, people, playing
from hedgerow.serve.commands.cases import CASES
from hedgerow.serve.commands.kept import answered
from hedgerow.serve.commands.language import STRUCK, Command, Wrong, parse
from hedgerow.serve.commands.speaking import Answer, Sender
from hedgerow.serve.inputs import UNKEPT
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store.letters import Once

if TYPE_CHECKING:
    from hedgerow.serve.server import Server

__all__ = ["accounts", "beginning", "carry_out", "looking", "people", "playing"]
"""The modules enter what they do into CASES."""


async def carry_out(server: Server, sender: Sender, subject: str, body: str) -> list[Answer]:
    """Does everything that a mail, or a box, says, in order; whatever is refused is answered with the reason."""
    speaker = sender.account.name if sender.account else ""
    subject, body = (UNKEPT.sub("\ufffd", text) for text in (subject, body))  # no database could look it up
    told = parse(subject, body, signed_in=sender.account is not None, speaker=speaker)
    if sender.by != "mail":
        _hold_up(server, sender, len(told) - 1)
    return [await _answer(server, _at_step(sender, step), one) for step, one in enumerate(told)]


def _hold_up(server: Server, sender: Sender, more: int) -> None:
    """Raises TooMany for those who ask too fast: every command beyond the first counts as a request of its own."""
    if sender.account:
        server.limits.check("account", sender.account.id, more)
    else:
        server.limits.check("anonymous", sender.where, more)


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
        if (before := await answered(server, sender)) is not None:  # it has changed the word, or ended the account
            return replace(before, command=command.line)
        return Answer(False, _why(error, sender), command=command.unproven)
    try:
        answer = await CASES[command.name](server, speaker, command)
    except HedgerowError as error:
        answer = Answer(False, _why(error, sender))
    return _struck(answer, command, speaker.account.id if speaker.account else None)


def _why(error: HedgerowError, sender: Sender) -> str:
    """Why something is refused; raises it where a letter can be tried again when the database is back."""
    if sender.once and isinstance(error, Refused) and error.code == "later":
        raise error
    return str(error)


async def proven(server: Server, sender: Sender, command: Command) -> Sender:
    """The sender as far as they have proven who they are; raises Refused where that is not enough."""
    form, name = command.form, command.words.get("userid")
    if form.proof == "new":
        return sender
    if command.secret is not None and name is not None:
        account = await server.mail_words.prove(name, command.secret, sender.where)
        return replace(sender, account=account, game=None)
    if form.proof == "none":
        return sender
    usage = form.usage(command.game)
    if sender.account is None:
        raise Refused("signed_out", f"the server does not know who you are; hint: {usage}")
    if form.proof == "account" and sender.game is not None:
        raise Refused("forbidden", f"this address answers for one game alone; hint: say who you are: {usage}")
    if form.topic == "accounts" and sender.account.by_token:
        raise Refused("forbidden", f"a token does not manage its account; hint: say who you are: {usage}")
    return sender


def _struck(answer: Answer, command: Command, account: int | None) -> Answer:
    """The answer with the command that it is for, and without any secret, whoever wrote it."""
    text = answer.text
    for secret in (command.secret, command.fresh):
        if secret:
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", STRUCK, text)
    return replace(answer, text=text, command=answer.command or command.line, account=answer.account or account)
