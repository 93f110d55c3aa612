"""Beginning a game by a command: who plays, in the order of turns, on which board and with how many days for a turn."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.games import game as game_of
from hedgerow.games import make
from hedgerow.lessons import lesson_of
from hedgerow.serve.commands.boards import known
from hedgerow.serve.commands.cases import case
from hedgerow.serve.commands.kept import once_only
from hedgerow.serve.commands.language import Command
from hedgerow.serve.commands.speaking import Answer, Sender
from hedgerow.serve.people.names import skeleton_of
from hedgerow.serve.people.tokens import check_plays
from hedgerow.serve.play.new_games import ClockAsked, NewGame, SeatAsked
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import boards
from hedgerow.serve.store.letters import AlreadyDone, Once

if TYPE_CHECKING:
    from hedgerow.serve.server import Server

DAYS = 3
"""How many days a turn may take if nobody says otherwise."""
LONGEST = 30


@dataclass(frozen=True)
class NewBoard(Once):
    """A challenge of a letter: the number of the new game is kept with the answer."""

    rules: str

    async def mark(self, connection: AsyncConnection, result: str = "") -> None:
        if await self.result(connection) is not None:
            raise AlreadyDone
        number = await boards.number_of(connection, result)
        await super().mark(connection, msgspec.json.encode(answer_of(number, self.rules, result)).decode())


def answer_of(number: int, rules: str, game: str) -> Answer:
    """What is answered to a challenge."""
    title = make(rules).game.title
    return Answer(True, f"Board {number} is a new game of {title}. It begins when everybody has accepted.", game)


@case("challenge")
@once_only
async def challenge(server: Server, sender: Sender, command: Command) -> Answer:
    """A new game by correspondence; the others are asked, and accept by a command or on the page."""
    account = known(sender)
    check_plays(account)
    assert command.game is not None
    options = dict(command.words.get("options", {}))
    seats = seats_of(account.name, command.words["names"])
    days, rated, private = days_of(options), _flag(options, "rated"), _flag(options, "private")
    rules = rules_of(command.game, len(seats), options)
    asked = NewGame(rules=rules, seats=seats, clock=ClockAsked(kind="days", days=days), rated=rated, private=private)
    once = NewBoard(sender.once.letter, sender.once.step, rules) if sender.once else None
    live = await server.new_games.start(account, asked, once)
    return answer_of(await server.boards.number(live.id), rules, live.id)


def seats_of(me: str, names: tuple[str, ...]) -> list[SeatAsked]:
    """The seats as they are listed; whoever asks and is not among them has the first. Raises Refused for one twice.

    >>> [seat.who for seat in seats_of("Ann", ("Bo", "ANN"))], [seat.who for seat in seats_of("Ann", ("Bo",))]
    (['named', 'me'], ['me', 'named'])
    """
    counted = Counter(map(skeleton_of, names))
    if twice := [name for name in names if counted[skeleton_of(name)] > 1]:
        raise Refused("bad_request", f"{twice[0]!r:.42} is listed twice; hint: everybody has one seat")
    mine = [skeleton_of(name) == skeleton_of(me) for name in names]
    listed = [SeatAsked(who="me") if own else SeatAsked(who="named", name=name) for name, own in zip(names, mine)]
    return listed if any(mine) else [SeatAsked(who="me"), *listed]


def rules_of(game: str, players: int, options: dict[str, str]) -> str:
    """The rules of a game for so many players, with its options; raises Refused where so many cannot play it.

    >>> rules_of("hexbo", 3, {"small": "yes"}), rules_of("root_bound", 2, {"centerless": "yes"})
    ('hexbo(side=5,players=3)', 'root_bound(centerless=yes)')
    """
    found, given = game_of(game), dict(options)
    if _flag(given, "small") | _flag(given, "beginner"):
        small = make(lesson_of(game).play).options
        given = {name: str(value) for name, value in small.items()} | given
    counts = next((option.values for option in found.options if option.name == "players"), (2,))
    if players not in counts:
        raise Refused("bad_request", why_not(found.title, players, [int(count) for count in counts]))
    if len(counts) > 1:
        given["players"] = str(players)
    return make(f"{game}({','.join(f'{name}={value}' for name, value in given.items())})").name


def why_not(title: str, players: int, counts: list[int]) -> str:
    """Why so many cannot play a game.

    >>> why_not("Tanbo", 1, [2]), why_not("Hexbo", 7, [2, 6, 3])[-33:]
    ('Tanbo cannot have 1 player; hint: it is played by 2', '; hint: it is played by 2, 3 or 6')
    """
    many = f"{players} player{'s' * (players != 1)}"
    *some, last = map(str, sorted(counts))
    possible = f"{', '.join(some)} or {last}" if some else last
    if min(counts) < players < max(counts):
        symmetry = "there is not a fair and symmetrical starting position"
        return f"{title} cannot have {many}, because {symmetry}; hint: it is played by {possible}"
    return f"{title} cannot have {many}; hint: it is played by {possible}"


def days_of(options: dict[str, str]) -> int:
    """How many days a turn may take."""
    text = options.pop("days", str(DAYS))
    if not text.isdecimal() or not 1 <= int(text) <= LONGEST:
        raise Refused("bad_request", f"-days={text!s:.20}; hint: 1 to {LONGEST} for each turn")
    return int(text)


def _flag(options: dict[str, str], name: str) -> bool:
    """Whether an option stands there that is there or not."""
    text = options.pop(name, "no").casefold()
    if text not in ("yes", "no"):
        raise Refused("bad_request", f"-{name}={text:.20}; hint: -{name} alone is enough")
    return text == "yes"
