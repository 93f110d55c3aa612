"""Commands that change nothing: help, people and ratings, lists of games, boards, records, previews."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.game import Game
from hedgerow.games import game as game_of
from hedgerow.games import make
from hedgerow.match import Match
from hedgerow.serve.commands import help as helping
from hedgerow.serve.commands.cases import case
from hedgerow.serve.commands.language import Board, Command
from hedgerow.serve.commands.speaking import Answer, Sender
from hedgerow.serve.people.names import keys_of
from hedgerow.serve.play.clocks import DAY, LAG
from hedgerow.serve.play.earlier import after_turn
from hedgerow.serve.play.lists import Seats, seats_of
from hedgerow.serve.play.ratings import PROVISIONAL, ladder_of
from hedgerow.serve.play.seating import seated
from hedgerow.serve.play.snapshot import Snapshot
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import archive, listing, queries
from hedgerow.serve.store import ratings as kept
from hedgerow.serve.store.archive import Wanted
from hedgerow.serve.store.rows import AccountRow, GameRow
from hedgerow.serve.store.schema import now

if TYPE_CHECKING:
    from hedgerow.serve.server import Server

PEOPLE, BEST, LATEST, GAMES, DRAWN = 100, 50, 20, 100, 10
"""How many there are in a list of people, of the best, of games that ended, of games; and how many boards are drawn."""
MOST_WORDS = 20
"""How many actions can be previewed."""
HOUR, MINUTE = 3_600_000, 60_000


def viewer(sender: Sender) -> int | None:
    """Who looks, as far as it is proven for more than one game."""
    return sender.account.id if sender.account and sender.game is None else None


@case("help")
async def show_help(server: Server, sender: Sender, command: Command) -> Answer:
    """Help about everything, a game, a topic or a command."""
    return Answer(True, helping.helped(command.words.get("subject", ()), command.game))


# --- people -----------------------------------------------------------------------------------------------------------


@case("list")
async def list_people(server: Server, sender: Sender, command: Command) -> Answer:
    """Who was here last, or who is rated in some games."""
    wanted = command.words.get("games", ())
    async with server.store.read() as connection:
        if not wanted:
            rows = await listing.lately_here(connection, ("person", "bot"), PEOPLE)
            people = [(row.name, f"here on {_day(row.seen)}") for row in rows]
        else:
            people = [
                (row.name, f"{row.rating}{_doubted(row.games)} in {row.ladder}, {_count(row.games, 'game')}")
                for name in wanted
                for ladder in ladders_of(game_of(name))
                for row in await kept.leaders(connection, ladder, 0, PEOPLE)
            ]
    return Answer(True, table(people) or "Nobody yet.")


@case("standings")
async def standings(server: Server, sender: Sender, command: Command) -> Answer:
    """The best at a game whose rating is settled."""
    return await _ladders(server, command, PROVISIONAL)


@case("ratings")
async def ratings(server: Server, sender: Sender, command: Command) -> Answer:
    """Everybody's rating in a game."""
    return await _ladders(server, command, 0)


async def _ladders(server: Server, command: Command, least: int) -> Answer:
    game, parts = _named_game(command), []
    async with server.store.read() as connection:
        for ladder in ladders_of(game):
            rows = await kept.leaders(connection, ladder, least, BEST)
            places = [
                (f"{place:3}. {row.name}", f"{row.rating}{_doubted(row.games)}", _count(row.games, "game"))
                for place, row in enumerate(rows, 1)
            ]
            parts.append(f"{game.title}, {ladder.partition('/')[2]} players\n{table(places) or 'Nobody yet.'}")
    return Answer(True, "\n\n".join(parts))


def ladders_of(game: Game) -> list[str]:
    """Every ladder of a game, by how many play.

    >>> ladders_of(game_of("hexbo"))
    ['hexbo/2', 'hexbo/3', 'hexbo/6']
    """
    counts = helping.players_of(game)
    return [ladder_of(make(game.name if count == 2 else f"{game.name}(players={count})")) for count in counts]


def _doubted(games: int) -> str:
    return "?" if games < PROVISIONAL else ""


@case("history")
async def history(server: Server, sender: Sender, command: Command) -> Answer:
    """The games of a kind that ended last."""
    game = _named_game(command)
    async with server.store.read() as connection:
        rows = await archive.archive(connection, Wanted(rules=game.name), viewer(sender), LATEST)
        seats = await seats_of(connection, rows)
    return Answer(True, await _listed(server, rows, seats) or f"No game of {game.title} has ended yet.")


# --- lists of games ---------------------------------------------------------------------------------------------------


@case("games")
async def games(server: Server, sender: Sender, command: Command) -> Answer:
    """Games by number: those that are being played, or somebody's."""
    game, names, which = _named_game(command), command.words.get("names", ()), command.words.get("which") or "active"
    async with server.store.read() as connection:
        if names:
            people = [await _person(connection, name) for name in names]
            rows = await _of_people(connection, people, which, viewer(sender), game.name)
        elif which == "next":
            rows = await _waiting_for(connection, viewer(sender), game.name)
        else:
            rows = await _public(connection, which, viewer(sender), game.name)
        seats = await seats_of(connection, rows)
    return Answer(True, await _listed(server, rows, seats) or f"No such game of {game.title}.")


@case("all show")
async def all_show(server: Server, sender: Sender, command: Command) -> Answer:
    """Somebody's boards, of all games; one's own where nobody is named."""
    return await _boards_of(server, sender, command, command.words.get("userid"), None)


@case("show")
async def show(server: Server, sender: Sender, command: Command) -> Answer:
    """Boards by number, or those of people, or the one that a mail answers."""
    if "boards" in command.words:
        return await _shown(server, sender, command, command.words["boards"])
    if "names" not in command.words:
        return Answer(True, "This is how it stands.", (await find(server, sender, command, None)).id)
    found = [await _boards_of(server, sender, command, name, command.game) for name in command.words["names"]]
    ids = tuple(dict.fromkeys(game for one in found for game in one.games))[:DRAWN]
    return Answer(True, "\n\n".join(one.text for one in found), games=ids)


@case("showas")
async def showas(server: Server, sender: Sender, command: Command) -> Answer:
    """Boards as their player sees them."""
    if "boards" in command.words:
        return await _shown(server, sender, command, command.words["boards"])
    return await _boards_of(server, sender, command, None, command.game)


async def _boards_of(server: Server, sender: Sender, command: Command, name: str | None, game: str | None) -> Answer:
    """Somebody's boards, listed, and the first of them to be drawn."""
    reader, which = viewer(sender), command.words.get("which") or "active"
    async with server.store.read() as connection:
        if name is not None:
            person = await _person(connection, name)
            who, account = person.name, person.id
        elif sender.account is not None and reader is not None:
            who, account = sender.account.name, reader
        else:
            raise Refused("signed_out", "whose boards? hint: all show userid")
        rows = await _of_people(connection, [account], which, reader, game)
        seats = await seats_of(connection, rows)
    if not rows:
        return Answer(True, f"{who} has no such board.")
    return Answer(True, f"{who}:\n{await _listed(server, rows, seats)}", games=tuple(row.id for row in rows[:DRAWN]))


async def _of_people(
    connection: AsyncConnection, people: Sequence[int | AccountRow], which: str, reader: int | None, game: str | None
) -> list[GameRow]:
    """The games of all these people that the reader may see."""
    found: dict[str, GameRow] = {}
    common: set[str] | None = None
    for person in people:
        account = person if isinstance(person, int) else person.id
        rows = await queries.games_of(connection, account, "over" if which == "inactive" else None, GAMES)
        waits = set(await archive.waiting(connection, account)) if which == "next" else set()
        rows = [row for row in rows if which != "active" or row.state != "over"]
        rows = [row for row in rows if (which != "next" or row.id in waits) and game in (None, row.game_name)]
        rows = [row for row in rows if not row.private or account == reader]
        found |= {row.id: row for row in rows}
        common = {row.id for row in rows} if common is None else common & {row.id for row in rows}
    return [row for row in found.values() if row.id in (common or ())]


async def _waiting_for(connection: AsyncConnection, reader: int | None, game: str) -> list[GameRow]:
    if reader is None:
        raise Refused("signed_out", "whose games? hint: name who is to move, like `hexbo games userid next`")
    return await _of_people(connection, [reader], "next", reader, game)


async def _public(connection: AsyncConnection, which: str, reader: int | None, game: str) -> list[GameRow]:
    """Everybody's games of a kind, the latest first."""
    rows: list[GameRow] = []
    if which in ("all", "active"):
        rows += [row for row in await archive.public_running(connection, GAMES) if row.game_name == game]
    if which in ("all", "inactive"):
        rows += await archive.archive(connection, Wanted(rules=game), reader, LATEST)
    return rows


async def _person(connection: AsyncConnection, name: str) -> AccountRow:
    row = await queries.account_named(connection, keys_of(name))
    if row is None:
        raise Refused("not_found", f"nobody here is called {name!r:.42}; hint: `list` names those who were here last")
    return row


async def _listed(server: Server, rows: Sequence[GameRow], seats: Seats) -> str:
    """Games by number, a line each."""
    lines = []
    for row in rows:
        here = seated(seats[row.id])["seats"]
        names = " - ".join(name or "?" for name in here)
        lines.append((f"{await server.boards.number(row.id):6}", row.rules, names, _state(row, here)))
    return table(lines)


def _state(row: GameRow, names: Sequence[str]) -> str:
    """How a game stands, in a few words."""
    if row.state == "open":
        return "waits for players"
    if row.state == "over":
        winners = [names[seat] or "?" for seat in json.loads(row.outcome or "{}").get("winners", ())]
        return f"{_day(row.ended or 0)}: {' and '.join(winners) + ' won' if winners else 'nobody won'}"
    left = "" if row.due is None else f", {_span(row.due - LAG - now())} left"
    return f"turn {row.version + 1}, {names[row.to_move or 0] or '?'} to move{left}"


# --- boards -----------------------------------------------------------------------------------------------------------


async def find(server: Server, sender: Sender, command: Command, number: int | None) -> Snapshot:
    """The game of a number, or the one that a mail answers, if the sender may see it; raises Refused."""
    if sender.game and number in (None, await server.boards.number(sender.game)):
        game = await server.games.look(sender.game)
    elif number is not None:
        game = await server.boards.find(number, viewer(sender))
    else:
        raise Refused("bad_request", "no board is named; hint: say its number, `all show` lists yours")
    here = game.match.rules.game
    if command.game not in (None, here.name):
        raise Refused("bad_request", f"board {number} is {here.title}; hint: {here.name} {command.name} {number}")
    return game


async def _shown(server: Server, sender: Sender, command: Command, wanted: Sequence[Board]) -> Answer:
    """Boards by number: those of now are drawn with the answer, those of before in it."""
    parts, ids = [], []
    for board in wanted[:DRAWN]:
        game = await find(server, sender, command, board.number)
        if board.move is None:
            ids.append(game.id)
            parts.append(f"Board {board.number}: {game.match.rules.name}, {_count(len(game.turns), 'turn')}.")
        else:
            then = (await after_turn(server.store, game, board.move)).named_match()
            parts.append(f"Board {board.number} after turn {board.move}:\n\n{drawn(then)}")
    if len(wanted) > DRAWN:
        parts.append(f"The first {DRAWN} boards are shown.")
    return Answer(True, "\n\n".join(parts), ids[0] if ids else None, games=tuple(ids[1:]))


@case("record")
async def record(server: Server, sender: Sender, command: Command) -> Answer:
    """A whole game as text."""
    game = await find(server, sender, command, command.words.get("board"))
    return Answer(True, game.named_match().record())


@case("preview")
async def preview(server: Server, sender: Sender, command: Command) -> Answer:
    """What turns would make of a board."""
    game, words = await find(server, sender, command, command.words.get("board")), command.words["turn"].split()
    if len(words) > MOST_WORDS:
        raise Refused("bad_request", f"{len(words)} moves are too many; hint: {MOST_WORDS} at a time")
    match = game.named_match()
    match.play(" ".join(words))
    return Answer(True, f"After {' '.join(words)} it would stand like this; nothing is played.\n\n{drawn(match)}")


def drawn(match: Match) -> str:
    """A board in characters, and what can be done on it."""
    return f"{match}\n\n{match.prompt}"


# --- words ------------------------------------------------------------------------------------------------------------


def _named_game(command: Command) -> Game:
    if command.game is None:
        raise Refused("bad_request", f"of which game? hint: {command.form.usage()}")
    return game_of(command.game)


def table(rows: Iterable[Sequence[str]]) -> str:
    """Rows in columns.

    >>> print(table([("a", "bcd"), ("ef", "g")]))
    a   bcd
    ef  g
    """
    found = list(rows)
    widths = [max(map(len, column)) for column in zip(*found)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in found)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _day(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).date().isoformat()


def _span(left: int) -> str:
    """A time in its two largest units.

    >>> _span(2 * DAY + 3 * HOUR), _span(5 * MINUTE), _span(-1)
    ('2 days 3 hours', '5 minutes', '0 minutes')
    """
    left = max(0, left)
    counted = [(left // DAY, "day"), (left % DAY // HOUR, "hour"), (left % HOUR // MINUTE, "minute")]
    return " ".join([_count(count, unit) for count, unit in counted if count][:2]) or "0 minutes"
