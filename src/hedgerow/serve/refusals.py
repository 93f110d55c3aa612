"""What the server says no to, and with which code: one table for the API, the sockets and the pages."""

from __future__ import annotations

import re

from hedgerow.game import HedgerowError, IllegalMove, Reason

STATUS = {
    "not_found": 404,
    "signed_out": 401,
    "banned": 403,
    "wrong_password": 403,
    "too_many": 429,
    "forbidden": 403,
    "not_yours": 403,
    "stale": 409,
    "not_begun": 409,
    "not_your_turn": 409,
    "your_turn": 409,
    "full": 409,
    "over": 409,
    "not_over": 409,
    "declined": 409,
    "no_offer": 409,
    "nothing": 409,
    "taken": 409,
    "illegal": 422,
    "unreadable": 422,
    "bad_request": 422,
    "later": 503,
}
"""The HTTP status of every code."""


class Refused(HedgerowError):
    """A no with a code that programs understand, a sentence for people, and for moves the rules' reason."""

    def __init__(self, code: str, message: str, reason: Reason | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason

    def __reduce__(self) -> tuple[type[Refused], tuple[str, str, Reason | None]]:
        """How it travels between processes."""
        return Refused, (self.code, str(self), self.reason)

    @property
    def status(self) -> int:
        """The HTTP status that goes with it."""
        return STATUS[self.code]


def refusal_of(error: HedgerowError) -> Refused:
    """Any error of ours as a refusal."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, IllegalMove):
        return Refused("illegal", str(error), error.reason)
    return Refused("unreadable", str(error))


def sentences(message: str) -> str:
    """What is refused, as a sentence, as in words.js; the name of a point is written as on the board.

    >>> sentences("no game 'chess'; hint: there are hexbo and tanbo"), sentences("c4 is taken")
    ("No game 'chess': there are hexbo and tanbo", 'c4 is taken')
    """
    told = message.replace("; hint: ", ": ")
    return told if re.match(r"[a-z]\d", told) else told[:1].upper() + told[1:]
