"""Carrying out what somebody says: read, prove who speaks, do it, and answer, one command after the other."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from hedgerow.game import HedgerowError
from hedgerow.serve.commands import accounts, beginning, looking, people, playing
from hedgerow.serve.commands.cases import CASES
from hedgerow.serve.commands.kept import answered
from hedgerow.serve.commands.language import SHORTEST, STRUCK, Command, Words, Wrong, parse
from hedgerow.serve.commands.speaking import Answer, Sender
from hedgerow.serve.inputs import UNKEPT
from hedgerow.serve.refusals import Refused

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
    return replace(sender, once=replace(sender.once, step=step)) if sender.once else sender


async def _answer(server: Server, sender: Sender, command: Command | Wrong) -> Answer:
    """What comes of one command."""
    if isinstance(command, Wrong):
        known = None if sender.account else await server.mail_words.prove_any(command.proofs, sender.where)
        return Answer(False, command.why, command=command.line, account=known)
    try:
        command = await _with_word(server, sender, command)
        speaker = await proven(server, sender, command)
    except HedgerowError as error:
        if (before := await answered(server, sender)) is not None:  # it has changed the word, or ended the account
            return replace(before, command=command.line)
        return Answer(False, _why(error, sender), command=command.unproven)
    try:
        answer = await CASES[command.name](server, speaker, command)
    except HedgerowError as error:
        answer = Answer(False, _why(error, sender), await _board_of(server, speaker, command))
    return _struck(answer, command, speaker.account.id if speaker.account else None)


async def _board_of(server: Server, sender: Sender, command: Command) -> str | None:
    """The game whose board goes with a refusal by mail: whoever writes has none before them."""
    number, account = command.words.get("board"), sender.account
    if sender.by != "mail" or sender.game is not None or account is None or number is None:
        return None
    try:
        return (await server.boards.find(number, account.id)).id
    except Refused:
        return None


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


async def _with_word(server: Server, sender: Sender, command: Command) -> Command:
    """A challenge in which a mail word stands behind a name, as in other commands, with the word in its place."""
    names = command.words.get("names", ())
    if command.name != "challenge" or command.secret is not None or sender.account is not None:
        return command
    for name, word in pairwise(names):
        if len(word) >= SHORTEST and await server.mail_words.prove_any([(name, word)], sender.where) is not None:
            words: Words = {**command.words, "userid": name, "names": tuple(one for one in names if one != word)}
            return replace(command, words=words, secret=word, line=command.line.replace(word, STRUCK))
    return command


def _struck(answer: Answer, command: Command, account: int | None) -> Answer:
    """The answer with the command that it is for, and without any secret, whoever wrote it."""
    text = answer.text
    for secret in (command.secret, command.fresh):
        if secret:
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", STRUCK, text)
    return replace(answer, text=text, command=answer.command or command.line, account=answer.account or account)
