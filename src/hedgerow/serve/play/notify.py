"""Which notices a game by correspondence is worth: whose turn it is, and that it is over."""

from __future__ import annotations

from collections.abc import Callable

from hedgerow.serve.people.notices import Notes, Notices
from hedgerow.serve.play.live import LiveGame


def notifier(notices: Notices) -> Callable[[LiveGame], None]:
    """What is to be called with every game that has begun or moved on."""

    def notify(live: LiveGame) -> None:
        if live.clock.control.kind != "days" or live.begun is None:
            return
        seated = {seat.account for seat in live.seats if seat.account is not None}
        notices.tell(live.id, seated, notes_about(live, seated))

    return notify


def notes_about(live: LiveGame, seated: set[int]) -> Notes:
    """What the players of a game are to know as it stands."""
    title = live.match.rules.game.title
    if live.over:
        return dict.fromkeys(seated, ("over", f"{title}: the game is over."))
    mover = live.seats[live.match.to_move].account
    return {} if mover is None else {mover: ("turn", f"{title}: it is your turn.")}
