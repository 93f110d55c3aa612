"""Which notices a game by correspondence is worth: whose turn it is, and that it is over."""

from __future__ import annotations

from collections.abc import Callable

from hedgerow.serve.people.notices import Notes, Notices
from hedgerow.serve.play.live import LiveGame


def notifier(notices: Notices) -> Callable[[LiveGame], None]:
    """What is to be called with every game that has begun or moved on."""

    def notify(live: LiveGame) -> None:
        if live.clock.control.kind != "days":
            return
        seated = {seat.account for seat in live.seats if seat.account is not None}
        asked = {seat.invited for seat in live.seats if seat.free and seat.invited is not None}
        if live.begun is not None or live.over or (asked and len(seated) == 1):  # they are asked once
            notices.tell(live.id, seated | asked, notes_about(live, seated, asked))

    return notify


def notes_about(live: LiveGame, seated: set[int], asked: set[int]) -> Notes:
    """What the players of a game, and those who are asked to play, are to know as it stands."""
    title = live.match.rules.game.title
    if live.over:
        return dict.fromkeys(seated, ("over", f"{title}: the game is over."))
    if live.begun is None:
        by = next((seat.name for seat in live.seats if seat.account is not None), "somebody")
        return dict.fromkeys(asked, ("asked", f"{title}: {by} challenges you. Answer `accept`, or `reject`."))
    mover = live.seats[live.match.to_move].account
    return {} if mover is None else {mover: ("turn", f"{title}: it is your turn.")}
