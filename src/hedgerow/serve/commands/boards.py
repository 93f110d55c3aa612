"""The game that a command is about, and who gives it: what the use cases of playing and beginning share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hedgerow.games import game as game_of
from hedgerow.serve.commands.language import Command
from hedgerow.serve.commands.speaking import Sender
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.people.tokens import check_plays
from hedgerow.serve.play.snapshot import Snapshot
from hedgerow.serve.refusals import Refused

if TYPE_CHECKING:
    from hedgerow.serve.server import Server


class AtBoard(NamedTuple):
    """Somebody at a game, by its number."""

    account: Account
    game: Snapshot
    number: int


def known(sender: Sender) -> Account:
    """Who gives the command; raises Refused where that is not proven."""
    if sender.account is None:
        raise Refused("signed_out", "the server does not know who you are; hint: say your name and your mail word")
    return sender.account


async def at_board(server: Server, sender: Sender, command: Command) -> AtBoard:
    """The game that a command names, or that the mail answers; a secret reply address proves for its game alone."""
    account, number = known(sender), command.words.get("board")
    check_plays(account)
    if number is not None:
        game = await server.boards.find(number, account.id)
    elif sender.game:
        game = await server.games.look(sender.game)
        number = await server.boards.number(game.id)
    else:
        raise Refused("bad_request", "no board is named; hint: say its number, `all show` lists yours")
    if sender.game not in (None, game.id):
        raise Refused("forbidden", "this address answers for one game alone; hint: say your name and your mail word")
    here = game.match.rules.game
    if command.game not in (None, here.name):
        wanted = game_of(command.game).title
        raise Refused("bad_request", f"board {number} is {here.title}, not {wanted}; hint: {here.name} {command.name}")
    return AtBoard(account, game, number)
