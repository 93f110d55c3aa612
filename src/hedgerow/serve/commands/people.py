"""People by commands: messages to some of them, and from an operator to all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgerow.serve.commands.boards import known
from hedgerow.serve.commands.cases import case
from hedgerow.serve.commands.kept import keep, once_only
from hedgerow.serve.commands.language import Command
from hedgerow.serve.commands.speaking import Answer, Sender

if TYPE_CHECKING:
    from hedgerow.serve.server import Server


@case("message")
@once_only
async def message(server: Server, sender: Sender, command: Command) -> Answer:
    """Sends the body to others."""
    names = command.words["names"]
    told = Answer(True, f"Your message goes to {', '.join(names)}.")
    await server.messages.send(known(sender), names, command.body, keep(sender, told))
    return told


@case("broadcast")
@once_only
async def broadcast(server: Server, sender: Sender, command: Command) -> Answer:
    """Sends the body to everybody, for operators."""
    told = Answer(True, "Your message goes to everybody.")
    await server.messages.broadcast(known(sender), command.body, keep(sender, told))
    return told
