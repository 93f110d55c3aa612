"""A game as its page shows it: flags that say which parts are there, and slots of text in them.

One place decides what is shown to whom: the page is filled from it (web/skeleton.py), and what changes afterwards comes
down the socket as the same flags and slots. A part of the page names its flags (`data-when="over seated"`), a pattern
of words its slots (`data-text="{name-0} won"`), and a link the slot of its address (`data-link="rematch"`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from hedgerow.serve.play import continuations, fairplay
from hedgerow.serve.play.offers import Offer, Offers
from hedgerow.serve.play.snapshot import Snapshot
from hedgerow.serve.play.state import LEFT_EARLY, NO_FIRST_TURN, Seat
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store.schema import now

SLOT = re.compile(r"\{([\w-]+)\}")


@dataclass(frozen=True, slots=True)
class SeatRating:
    """How somebody at a game is rated, and what the game did to it."""

    rating: int
    provisional: bool = False
    change: int | None = None


@dataclass(frozen=True, slots=True)
class Around:
    """What is known of a game besides its turns."""

    offers: Sequence[Offer] = ()
    here: frozenset[int] = frozenset()
    """The seats whose players are at the game."""
    watchers: int = 0
    ratings: Sequence[SeatRating | None] = ()


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks at a game, and what they may do there."""

    account: int | None = None
    possible: Sequence[str] = ()
    """The kinds of offers that they may make."""
    continues: bool = False
    """They may try again from the middle of it."""
    analyses: bool = False
    """They may ask what the engine thinks of it."""


@dataclass(frozen=True, slots=True)
class GameView:
    """What is shown of a game to one reader."""

    flags: frozenset[str]
    slots: dict[str, str] = field(default_factory=dict)

    def filled(self, words: str) -> str:
        """A pattern with its slots filled in; nothing where one of them is empty.

        >>> view = GameView(frozenset(), {"name-0": "Ann"})
        >>> view.filled("{name-0} won"), view.filled("{name-1} won")
        ('Ann won', '')
        """
        wanted = SLOT.findall(words)
        if not all(self.slots.get(name) for name in wanted):
            return ""
        return SLOT.sub(lambda found: self.slots[found[1]], words)


def viewer_of(offers: Offers, game: Snapshot, account: int | None) -> Viewer:
    """What an account, or somebody without one, may do at a game."""
    seated = game.seat_of(account) is not None
    return Viewer(
        account,
        possible=offers.possible(game, account) if seated and account is not None else (),
        continues=seated and _may(continuations.check, game, account),
        analyses=_may(fairplay.check_game, game, account),
    )


def _may(check: Callable[[Snapshot, int | None], object], game: Snapshot, account: int | None) -> bool:
    try:
        check(game, account)
    except Refused:
        return False
    return True


def game_view(game: Snapshot, around: Around, viewer: Viewer) -> GameView:
    """The flags and slots of a game for a reader."""
    you = game.seat_of(viewer.account)
    flags = {
        game.state,
        *_flags_of_viewer(game, viewer, you),
        *_flags_of_end(game, you),
        *(flag for number in range(len(game.seats)) for flag in _flags_of_seat(game, around, number, you)),
        *(flag for offer in around.offers for flag in _flags_of_offer(game, offer, you)),
    }
    if around.watchers:
        flags.add("watched")
    if game.rematch:
        flags.add("rematch")
    return GameView(frozenset(flags), dict(_slots(game, around)))


def _flags_of_viewer(game: Snapshot, viewer: Viewer, you: int | None) -> Iterator[str]:
    if you is not None:
        yield "seated"
        if game.reader(viewer.account) is not None:
            yield "sole"
        if game.state == "playing" and game.to_move == you:
            yield "mine"
        elif game.state == "playing" and game.control.kind == "days" and not game.places[you]:
            yield "plans"
        yield from (f"can-{kind}" for kind in viewer.possible)
        if game.state == "playing" and viewer.possible:
            yield "can-resign"
        if game.state == "playing" and not game.rated and (len(game.seats) > 2 or game.welcome) and game.machines_in():
            yield "welcoming" if game.welcome else "can-welcome"
    elif game.state == "playing" and game.welcome and not game.rated and game.machines_in():
        yield "can-take-over"
    if game.state == "open":
        yield from _flags_of_challenge(game, viewer)
    if viewer.analyses:
        yield "analyses"
    if viewer.continues:
        yield "continues"
        if game.turns and game.outcome and you not in game.outcome.winners:
            yield "lost"


def _flags_of_challenge(game: Snapshot, viewer: Viewer) -> Iterator[str]:
    """Whom a game that has not begun waits for, and who may call it off."""
    free = [seat for seat in game.seats if seat.free]
    if any(not seat.asked for seat in free):
        yield "for-anyone"
    if any(seat.asked for seat in free):
        yield "for-somebody"
    if game.lobby:
        yield "in-lobby"
    if viewer.account is not None and viewer.account == game.creator:
        yield "can-cancel"
    if viewer.account is not None and any(seat.invited == viewer.account for seat in free):
        yield "invited"


def _flags_of_end(game: Snapshot, you: int | None) -> Iterator[str]:
    if (outcome := game.outcome) is None:
        return
    if outcome.winners:
        yield "you-won" if you is not None and you in outcome.winners else "they-won"
    else:
        yield "draw" if outcome.places else "called-off"
    if game.declined_by is not None:
        yield "declined"
    if game.last and game.last.kind == "abort" and game.last.text == NO_FIRST_TURN:
        yield f"no-first-turn-{game.last.seat}"
    if game.last and game.last.kind == "abort" and game.last.text == LEFT_EARLY:
        yield f"left-early-{game.last.seat}"
    if outcome.scores:
        yield "scored"


def _flags_of_seat(game: Snapshot, around: Around, number: int, you: int | None) -> Iterator[str]:
    seat, place = game.seats[number], game.places[number]
    if seat.free and not game.over:
        yield f"kept-{number}" if seat.asked else f"free-{number}"
    if game.state == "playing" and game.to_move == number:
        yield f"mover-{number}"
    if place and not game.over:
        yield f"out-{number}"
    if game.outcome and number in game.outcome.winners:
        yield f"won-{number}"
    elif place and (not game.over or len(game.seats) > 2):
        yield f"place-{number}"
    if you == number:
        yield f"you-{number}"
    elif seat.account is not None and not game.over:
        yield f"here-{number}" if number in around.here else f"away-{number}"
    if _on_vacation(game, seat):
        yield f"vacation-{number}"
    if seat.account is not None:
        yield f"person-{number}"
    if seat.player is not None:
        yield f"machine-{number}"
    if seat.bot and seat.player is None:
        yield f"bot-{number}"
    if number < len(around.ratings) and (rated := around.ratings[number]):
        yield from (f"rated-{number}", *_provisional(rated, number))


def _on_vacation(game: Snapshot, seat: Seat) -> bool:
    return game.state == "playing" and seat.back is not None and seat.back > now()


def _provisional(rated: SeatRating, number: int) -> Iterable[str]:
    return (f"provisional-{number}",) if rated.provisional else ()


def _flags_of_offer(game: Snapshot, offer: Offer, you: int | None) -> Iterator[str]:
    """Whether somebody offers it, who that is, and what is left to say for the reader."""
    yield f"offered-{offer.kind}"
    yield f"by-{offer.kind}-{offer.seat}"
    if you is None:
        return
    own = game.seats[offer.seat].account == game.seats[you].account
    yield f"own-{offer.kind}" if own else f"theirs-{offer.kind}"
    if not own and you not in offer.agreed:
        yield f"asked-{offer.kind}"


def _slots(game: Snapshot, around: Around) -> Iterator[tuple[str, str]]:
    for number, seat in enumerate(game.seats):
        if seat.account is not None:
            yield f"name-{number}", seat.name
            yield f"who-{number}", f"/people/{seat.account}"
        elif seat.asked:
            yield f"name-{number}", seat.asked
        if seat.back is not None and _on_vacation(game, seat):
            yield f"back-{number}", datetime.fromtimestamp(seat.back / 1000, UTC).date().isoformat()
        if game.places[number]:
            yield f"place-{number}", str(game.places[number])
        if game.outcome and game.outcome.scores:
            yield f"score-{number}", str(game.outcome.scores[number])
        if number < len(around.ratings) and (rated := around.ratings[number]):
            yield f"rating-{number}", str(rated.rating)
            if rated.change is not None:
                yield f"change-{number}", f"{rated.change:+d}".replace("-", "−")
    if game.declined_by:
        yield "refuser", game.declined_by
    if game.state == "open":
        yield "host", next((seat.name for seat in game.seats if seat.account == game.creator), "")
        yield "awaited", ", ".join(seat.asked for seat in game.seats if seat.free and seat.asked)
    asked = next((offer for offer in around.offers if offer.kind == "undo"), None)
    if asked and (back := game.turns_back(asked.seat)):
        yield "back", game.turns[-back]
    if around.watchers:
        yield "watchers", str(around.watchers)
    if game.rematch:
        yield "rematch", f"/games/{game.rematch}"
    if game.outcome:
        yield "reason", game.board.prompt
        if game.outcome.scores:
            yield "high", str(max(game.outcome.scores))
            yield "low", str(min(game.outcome.scores))
