"""What people are told of: challenges and refusals, whatever the clock; in games by correspondence also turns, ends,
offers, and what the others say."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hedgerow.serve.people.notices import Notes, Notices
from hedgerow.serve.play.live import LiveGame
from hedgerow.serve.play.offers import WHAT, Offer
from hedgerow.serve.play.presence import Spectators
from hedgerow.serve.play.snapshot import Snapshot
from hedgerow.serve.play.talk import ChatEvent


def notifier(notices: Notices) -> Callable[[LiveGame], None]:
    """What is to be called with every game that has begun or moved on."""

    def notify(live: LiveGame) -> None:
        seated = {seat.account for seat in live.seats if seat.account is not None}
        asked = {seat.invited for seat in live.seats if seat.free and seat.invited is not None}
        if live.clock.control.kind != "days" and not concerns_challenge(live, asked):
            return
        if live.begun is not None or live.over or (asked and len(seated) == 1):  # they are asked once
            notices.tell(live.id, seated | asked, notes_about(live, seated, asked))

    return notify


def concerns_challenge(live: LiveGame, asked: set[int]) -> bool:
    """Somebody is asked by name, has just accepted, or the question is settled otherwise."""
    by_name = bool(asked) or any(seat.invited is not None for seat in live.seats)
    return by_name and (live.begun is None or live.version == 0)


def notes_about(live: LiveGame, seated: set[int], asked: set[int]) -> Notes:
    """What the players of a game, and those who are asked to play, are to know as it stands."""
    title = live.match.rules.game.title
    if live.declined_by is not None:
        return {live.creator: ("declined", f"{title}: {live.declined_by} declined your challenge.")}
    if live.over:
        return dict.fromkeys(seated, ("over", f"{title}: the game is over."))
    if live.begun is None:
        by = next((seat.name for seat in live.seats if seat.account is not None), "somebody")
        return dict.fromkeys(asked, ("asked", f"{title}: {by} challenges you."))
    mover = live.seats[live.match.to_move].account
    return {} if mover is None else {mover: ("turn", f"{title}: it is your turn.")}


def refuser(notices: Notices, spectators: Spectators) -> Callable[[Snapshot, str, int, int], None]:
    """What is to be called with every offer that is declined: its kind, the seat that made it, the one that says no."""

    def refused(game: Snapshot, kind: str, asker: int, by: int) -> None:
        account = game.seats[asker].account
        if account is not None and asker not in spectators.seats(game.id):
            text = f"{game.match.rules.game.title}: {game.seats[by].name} declined {WHAT[kind]}."
            notices.tell(game.id, set(), {account: ("declined", text)})

    return refused


def sayer(notices: Notices) -> Callable[[Snapshot, Sequence[ChatEvent]], None]:
    """What is to be called with everything that somebody says about a game."""

    def said(game: Snapshot, events: Sequence[ChatEvent]) -> None:
        first = events[0]
        if game.control.kind == "days" and first.room == "players":
            others = {seat.account for seat in game.seats if seat.account not in (None, first.account)}
            text = "\n\n".join(event.text for event in events)
            notices.say(game.id, first.account, {other for other in others if other}, f"{first.name} says: {text}")

    return said


def offerer(notices: Notices) -> Callable[[Snapshot, Sequence[Offer]], None]:
    """What is to be called with everything that is on offer in a game, when that has changed."""

    def offered(game: Snapshot, offers: Sequence[Offer]) -> None:
        for offer in offers if game.control.kind == "days" else ():
            asker = game.seats[offer.seat]
            asked = {seat.account for seat in game.seats} - {game.seats[seat].account for seat in offer.agreed}
            text = f"{asker.name} offers {WHAT[offer.kind]}. Answer `accept`, or `reject`."
            notices.say(game.id, asker.account, {account for account in asked if account}, text)

    return offered
