"""What a letter says about a game: whose turn it is, how long they have, what was played and removed, and the board."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from dataclasses import replace
from datetime import UTC, datetime

from hedgerow import draw
from hedgerow.draw.png import drawing, rendered, size_of
from hedgerow.serve.people.letters import Part, Picture
from hedgerow.serve.people.mail import About
from hedgerow.serve.play.clocks import DAY
from hedgerow.serve.play.games import Games
from hedgerow.serve.play.numbers import Boards
from hedgerow.serve.play.snapshot import Snapshot
from hedgerow.serve.play.state import CALLED_OFF
from hedgerow.serve.play.views.board import CALLED_OFF_PROMPT, removed
from hedgerow.serve.processes import Process
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store.schema import now

log = logging.getLogger("hedgerow.letters")

KEPT = 200
"""How many pictures are kept: whoever plays and whoever is next get the same."""
WAITING, HURRIED = 100, 4
"""How many pictures may wait to be drawn, and how many while many letters wait; others are in characters alone."""
NICE = 10
"""How far the process that draws stands back behind those who serve people."""
SUBJECT = 58
"""How many characters stand between the brackets of a subject."""
LEFT = {"resign": "resigned", "flag": "ran out of time"}
ROUND = str.maketrans("[]", "()")
HOUR, MINUTE = 3_600_000, 60_000


class GameLetters:
    """Describes games to those who get letters about them."""

    def __init__(self, games: Games, url: str) -> None:
        self.games, self.url, self.boards = games, url, Boards(games)
        self._process = Process(NICE)
        self._pictures: OrderedDict[tuple[str, int], asyncio.Task[Picture]] = OrderedDict()

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
        number = await self.boards.number(game)
        mine = account is not None and shot.state == "playing" and shot.seat_of(account) == shot.to_move
        asked = shot.state == "open" and any(seat.free and seat.invited == account for seat in shot.seats)
        told = challenge(shot) if asked else news(shot, live.due if mine else None, mine)
        parts: list[Part] = ["\n".join(told), await self.picture(shot, HURRIED if hurried else WAITING)]
        parts.append("\n".join(sitting(shot, account)))
        parts.append("\n".join(ways(shot, number, self.url, mine, answered, asked)))
        return About(subject_of(shot, number), parts, mine or asked or shot.over)

    async def picture(self, shot: Snapshot, most: int = WAITING) -> Picture:
        """The board of a version, drawn once, and in characters alone where so many wait to be drawn."""
        key = shot.id, shot.version
        if (task := self._pictures.get(key)) is None:
            task = self._pictures[key] = asyncio.create_task(self._drawn(shot.match.scene(), most))
            if len(self._pictures) > KEPT:
                self._pictures.popitem(last=False)
        return await asyncio.shield(task)

    async def _drawn(self, scene: draw.Scene, most: int) -> Picture:
        """A board in characters, as the Hexbo sheet draws it, and as a picture where there is time for it."""
        told = Picture(draw.text(scene), f"{scene.title}. {scene.description}")
        if self._process.doing >= most:
            return told
        try:
            made = await self._process.do(rendered, drawing(scene))
        except Exception as error:  # a letter goes without it
            log.warning("a board could not be drawn: %s", type(error).__name__)
            return told
        return replace(told, png=made, size=size_of(made))

    def stop(self) -> None:
        """Ends the process that draws."""
        self._process.stop()


# --- in words ---------------------------------------------------------------------------------------------------------


def subject_of(shot: Snapshot, number: int) -> str:
    """The subject of all letters about a game: a mail program that goes by it sees one thread.

    It is all in brackets, which commands leave out: a name like "resign" is no command in an answer.
    """
    names = " – ".join(seat.name or "?" for seat in shot.seats).translate(ROUND)
    return f"[{f'{shot.match.rules.game.title} {number}: {names}'[:SUBJECT]}]"


def challenge(shot: Snapshot) -> list[str]:
    """Who asks for which game."""
    by = next((seat.name for seat in shot.seats if seat.account == shot.creator), "Somebody")
    days = f"{shot.control.base_ms // DAY} days for each turn"
    return [f"{by} challenges you to {shot.match.rules.name}, {'rated' if shot.rated else 'friendly'}, {days}."]


def news(shot: Snapshot, due: int | None, mine: bool) -> list[str]:
    """Whose turn it is or how the game ended, how much time is left, and what was played last."""
    if shot.over:
        ended = CALLED_OFF_PROMPT if shot.outcome is CALLED_OFF else shot.match.prompt
        return [f"The game is over. {ended}", *_last(shot)]
    if shot.to_move is None or shot.begun is None:
        return ["The game has not begun: a seat is free."]
    name, turn = shot.seats[shot.to_move].name, shot.turn_number
    lead = f"It is your turn, turn {turn}." if mine else f"It is the turn of {name}, turn {turn}."
    lines = [lead, *([f"You have {_left(due - now())}, until {_moment(due)}."] if due is not None else [])]
    return [*lines, *([shot.match.prompt] if mine else []), *_last(shot, shot.to_move if mine else None)]


def _last(shot: Snapshot, reader: int | None = None) -> list[str]:
    """What was played last, or since the reader's own last turn, and what went off the board with it; who has left."""
    played = [step.seat for step in shot.undo_steps if step.seat >= 0]
    first = len(played)
    while first > 0 and len(played) - first < (len(shot.seats) if reader is not None else 1):
        if played[first - 1] == reader:
            break
        first -= 1
    lines = [line for number in range(first, len(played)) for line in _turn(shot, number, played[number])]
    if shot.last is not None and shot.last.kind in LEFT:
        lines.append(f"{_called(shot, shot.last.seat)} {LEFT[shot.last.kind]}.")
    return lines


def _turn(shot: Snapshot, number: int, seat: int) -> list[str]:
    """A turn by its number from 0, and what it took off the board."""
    gone = [f"{view.seat} {' '.join(view.points)}" for view in removed(shot.match.after(number + 1))]
    removal = [f"Removed: {', '.join(gone)}."] if gone else []
    return [f"{_called(shot, seat)} played {shot.turns[number]}.", *removal]


def _called(shot: Snapshot, seat: int) -> str:
    return f"{shot.seats[seat].name} ({shot.match.rules.seats[seat]})"


def sitting(shot: Snapshot, account: int | None) -> list[str]:
    """Who plays what: colours and the characters that stand for them."""
    rules, places = shot.match.rules, shot.places
    lines = []
    for seat, sitter in enumerate(shot.seats):
        glyph = "".join(dict.fromkeys(piece.glyph for piece in rules.pieces if piece.seat == seat))
        words = [f"{rules.seats[seat]} ({glyph}): {sitter.name or 'nobody yet'}"]
        words += ["you"] if account is not None and sitter.account == account else []
        words += ["to move"] if seat == shot.to_move else []
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
