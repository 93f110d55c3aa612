"""What a letter says about a game: whose turn it is, how long they have, what was played and removed, and the board."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from hedgerow.serve.people.letters import Part
from hedgerow.serve.people.mail import About
from hedgerow.serve.play.clocks import DAY, Control
from hedgerow.serve.play.games import Games
from hedgerow.serve.play.numbers import Boards
from hedgerow.serve.play.pictures import Pictures
from hedgerow.serve.play.snapshot import Snapshot
from hedgerow.serve.play.state import CALLED_OFF
from hedgerow.serve.play.views.board import CALLED_OFF_PROMPT, removed
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import people
from hedgerow.serve.store.schema import now

SUBJECT = 58
"""How many characters stand between the brackets of a subject."""
LEFT = {"resign": "resigned", "flag": "ran out of time"}
ROUND = str.maketrans("[]", "()")
HOUR, MINUTE = 3_600_000, 60_000


class GameLetters:
    """Describes games to those who get letters about them."""

    def __init__(self, games: Games, url: str) -> None:
        self.games, self.url, self.boards = games, url, Boards(games)
        self.pictures = Pictures()

    async def describe(self, game: str, account: int | None, answered: bool, hurried: bool = False) -> About | None:
        """A game as it stands, for an account; `answered` where an answer to the letter plays in it.

        None where there is no such game, or it is not for them to see. Those who are `hurried` wait for few pictures.
        """
        try:
            live = await self.games.get(game)
            shot = live.snapshot
            shot.check_visible(account)
        except Refused:
            return None
        number, asked_names = await self.boards.number(game), await invited(self.games, shot)
        mine = account is not None and shot.state == "playing" and shot.seat_of(account) == shot.to_move
        asked = shot.state == "open" and any(seat.free and seat.invited == account for seat in shot.seats)
        told = challenge(shot) if asked else news(shot, live.due if mine else None, mine)
        parts: list[Part] = ["\n".join(told), await self.pictures.of(shot, hurried)]
        parts.append("\n".join(sitting(shot, account, asked_names)))
        parts += ways(shot, number, self.url, mine, answered, asked)
        return About(subject_of(shot, number, asked_names), parts, mine or asked or shot.over)

    def stop(self) -> None:
        """Draws no more."""
        self.pictures.stop()


# --- in words ---------------------------------------------------------------------------------------------------------


async def invited(games: Games, shot: Snapshot) -> dict[int, str]:
    """The names of those who are asked to play and have not answered, by account."""
    asked = [seat.invited for seat in shot.seats if seat.free and seat.invited is not None]
    if not asked:
        return {}
    async with games.store.read() as connection:
        rows = [await people.account_row(connection, account) for account in asked]
    return {row.id: row.name for row in rows if row is not None}


def subject_of(shot: Snapshot, number: int, asked: Mapping[int, str]) -> str:
    """The subject of all letters about a game: a mail program that goes by it sees one thread.

    It is all in brackets, which commands leave out: a name like "resign" is no command in an answer.
    """
    names = " – ".join(seat.name or asked.get(seat.invited or 0, "?") for seat in shot.seats).translate(ROUND)
    return f"[{f'{shot.match.rules.game.title} {number}: {names}'[:SUBJECT]}]"


def challenge(shot: Snapshot) -> list[str]:
    """Who asks for which game."""
    by = next((seat.name for seat in shot.seats if seat.account == shot.creator), "Somebody")
    rated = "rated" if shot.rated else "friendly"
    return [f"{by} challenges you to {shot.match.rules.name}, {rated}, {_time(shot.control)}."]


def _time(control: Control) -> str:
    """How time is given.

    >>> _time(Control("live", 180_000, 2_000)), _time(Control("days", 3 * DAY)), _time(Control())
    ('3 minutes and 2 seconds for each turn', '3 days for each turn', 'without a clock')
    """
    if control.kind == "live":
        return f"{control.base_ms / MINUTE:g} minutes and {control.increment_ms / 1000:g} seconds for each turn"
    return f"{control.base_ms // DAY} days for each turn" if control.kind == "days" else "without a clock"


def news(shot: Snapshot, due: int | None, mine: bool) -> list[str]:
    """Whose turn it is or how the game ended, how much time is left, and what was played last."""
    if shot.declined_by is not None:
        return [f"{shot.declined_by or 'The one who was asked'} declined the challenge."]
    if shot.over:
        ended = CALLED_OFF_PROMPT if shot.outcome is CALLED_OFF else shot.match.prompt
        return [f"The game is over. {ended}", *_last(shot)]
    if shot.to_move is None or shot.begun is None:
        return ["The game has not begun: it begins when every seat is taken."]
    name, turn = shot.seats[shot.to_move].name, shot.turn_number
    lead = f"It is your turn, turn {turn}." if mine else f"It is the turn of {name}, turn {turn}."
    lines = [lead, *([f"You have {_left(due - now())}, until {_moment(due)}."] if due is not None else [])]
    return [*lines, *([shot.match.prompt] if mine else []), *_last(shot, shot.to_move if mine else None)]


def _last(shot: Snapshot, reader: int | None = None) -> list[str]:
    """What was played last, or since the reader's own last turn, and what went off the board with it; who has left."""
    own = shot.last_turn_of(reader)
    first = max(0, len(shot.turns) - (len(shot.seats) if reader is not None else 1), -1 if own is None else own + 1)
    lines = [line for number in range(first, len(shot.turns)) for line in _turn(shot, number)]
    if shot.last is not None and shot.last.kind in LEFT:
        lines.append(f"{_called(shot, shot.last.seat)} {LEFT[shot.last.kind]}.")
    return lines


def _turn(shot: Snapshot, number: int) -> list[str]:
    """A turn by its number from 0, and what it took off the board."""
    gone = [f"{view.seat} {' '.join(view.points)}" for view in removed(shot.match.after(number + 1))]
    removal = [f"Removed: {', '.join(gone)}."] if gone else []
    found, names = shot.told(number), [_called(shot, seat) for seat in range(len(shot.seats))]
    return [*([found.words(names)] if found else []), *removal]


def _called(shot: Snapshot, seat: int) -> str:
    return f"{shot.seats[seat].name} ({shot.match.rules.seats[seat]})"


def sitting(shot: Snapshot, account: int | None, asked: Mapping[int, str]) -> list[str]:
    """Who plays what, or is asked to: colours and the characters that stand for them."""
    rules, places = shot.match.rules, shot.places
    lines = []
    for seat, sitter in enumerate(shot.seats):
        glyph = "".join(dict.fromkeys(piece.glyph for piece in rules.pieces if piece.seat == seat))
        waited = asked.get(sitter.invited or 0)
        words = [f"{rules.seats[seat]} ({glyph}): {sitter.name or (f'{waited} is asked' if waited else 'nobody yet')}"]
        words += ["you"] if account is not None and sitter.account == account else []
        words += ["to move"] if seat == shot.to_move and shot.begun is not None else []
        words += [f"place {places[seat]}"] if places and places[seat] else []
        lines.append(", ".join(words))
    return lines


def ways(shot: Snapshot, number: int, url: str, mine: bool, answered: bool, asked: bool = False) -> list[str]:
    """How to go on: by answering, where that plays, and on the page."""
    lines = []
    if mine and answered:
        example = shot.match.legal()[0]
        lines.append(f"To play, answer this mail with your turn as its first line, like {example}")
    if asked and answered:
        lines.append("To play, answer this mail with accept as its first line; reject says no.")
    lines.append(f"Board {number}: {url}/games/{shot.id}")
    return lines


def _left(span: int) -> str:
    """A time that is left, in words.

    >>> _left(2 * DAY + 3 * HOUR), _left(HOUR + MINUTE), _left(5)
    ('2 days 3 hours left', '1 hour 1 minute left', 'less than a minute left')
    """
    days, hours, minutes = span // DAY, span % DAY // HOUR, span % HOUR // MINUTE
    counted = [(days, "day"), (hours, "hour"), (minutes, "minute")]
    words = [f"{count} {unit}{'s' * (count != 1)}" for count, unit in counted if count > 0][:2]
    return f"{' '.join(words) or 'less than a minute'} left"


def _moment(at: int) -> str:
    """A moment, in words.

    >>> _moment(951_825_600_000)
    '29 February 2000, 12:00 UTC'
    """
    then = datetime.fromtimestamp(at / 1000, UTC)
    return f"{then.day} {then:%B %Y, %H:%M} UTC"
