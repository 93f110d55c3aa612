"""Rows as the database gives them, with their types; a test holds their fields equal to the columns of the tables."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeVar

from sqlalchemy import Executable
from sqlalchemy.ext.asyncio import AsyncConnection


class AccountRow(NamedTuple):
    """A row of `accounts`."""

    id: int
    kind: str
    name: str
    folded: str | None
    password: str | None
    mail: str | None
    created: int
    seen: int
    banned: int | None
    confirmed: int | None
    turn_mails: bool
    mail_key: str | None
    paused: int | None
    by_mail: int | None


class TokenOwnerRow(NamedTuple):
    """A row of `accounts`, when one of its tokens was last used, and whether it plays for a person."""

    id: int
    kind: str
    name: str
    folded: str | None
    password: str | None
    mail: str | None
    created: int
    seen: int
    banned: int | None
    confirmed: int | None
    turn_mails: bool
    mail_key: str | None
    paused: int | None
    by_mail: int | None
    used: int | None
    plays: bool


class SessionRow(NamedTuple):
    """A row of `sessions`."""

    token: str
    account: int
    created: int
    expires: int
    device: str | None
    seen: int | None


class GameRow(NamedTuple):
    """A row of `games`."""

    id: str
    rules: str
    state: Literal["open", "playing", "over"]
    private: bool
    creator: int
    created: int
    begun: int | None
    ended: int | None
    clock: Literal["none", "live", "days"]
    base_ms: int
    increment_ms: int
    version: int
    to_move: int | None
    moved: int | None
    due: int | None
    outcome: str | None
    rated: bool
    lobby: bool
    welcome: bool
    expires: int | None
    rematch: str | None
    position: str | None
    game_name: str


class SeatRow(NamedTuple):
    """A row of `seats`, the name and kind of the account that sits there, and the name of whom it is kept for."""

    game: str
    seat: int
    account: int | None
    player: str | None
    invited: int | None
    ended: int | None
    won: int | None
    name: str | None
    kind: str | None
    asked: str | None


class PlayedRow(NamedTuple):
    """A row of `turns`."""

    game: str
    number: int
    kind: str
    seat: int
    text: str
    at: int
    spent: int


class OneTimeTokenRow(NamedTuple):
    """A row of `one_time_tokens`."""

    token: str
    kind: str
    account: int | None
    about: str
    created: int
    expires: int
    used: int | None


class NoticeRow(NamedTuple):
    """A row of `notices`."""

    id: int
    account: int
    kind: str
    game: str | None
    text: str
    created: int
    read: int | None
    mailed: int | None


class MailRow(NamedTuple):
    """A row of `mails`."""

    id: int
    account: int | None
    kind: str
    address: str
    subject: str
    body: str
    created: int
    due: int | None
    tries: int
    sent: int | None
    game: str | None
    games: str | None
    in_reply_to: str | None
    bounced: int | None


class LetterRow(NamedTuple):
    """A row of `letters`."""

    id: int
    digest: str
    received: int
    sender: str
    recipient: str
    raw: bytes | None
    due: int | None
    tries: int


class LetterStepRow(NamedTuple):
    """A row of `letter_steps`."""

    letter: int
    step: int
    result: str


class BoardRow(NamedTuple):
    """A row of `boards`."""

    number: int
    game: str


class MailWordRow(NamedTuple):
    """A row of `mail_words`."""

    account: int
    hash: str
    created: int


class VacationRow(NamedTuple):
    """A row of `vacations`."""

    account: int
    since: int
    until: int
    year: int
    days: int


class OfferRow(NamedTuple):
    """A row of `offers`."""

    game: str
    kind: str
    seat: int
    version: int
    agreed: int
    declined: bool
    at: int


class PlanRow(NamedTuple):
    """A row of `plans`."""

    game: str
    seat: int
    account: int
    version: int
    tree: str
    at: int


class NoteRow(NamedTuple):
    """A row of `notes`."""

    game: str
    account: int
    text: str
    at: int


class ChatRow(NamedTuple):
    """A row of `chat`."""

    id: int
    game: str
    room: Literal["players", "watchers"]
    account: int
    text: str
    at: int


class MessageRow(NamedTuple):
    """A row of `chat`, and the name and kind of the account that said it."""

    id: int
    game: str
    room: Literal["players", "watchers"]
    account: int
    text: str
    at: int
    name: str
    kind: str


class ReportRow(NamedTuple):
    """A row of `reports`, with what was said, by whom, and who minds."""

    id: int
    chat: int
    account: int
    reason: str
    at: int
    done: int | None
    game: str
    room: str
    text: str
    said: int
    by: int
    by_name: str
    name: str


class MuteRow(NamedTuple):
    """A row of `mutes`, and the name of the account that is not to be heard."""

    account: int
    other: int
    kind: Literal["mute", "block"]
    at: int
    name: str


class RatingRow(NamedTuple):
    """A row of `ratings`."""

    account: int
    ladder: str
    mu: float
    sigma: float
    rating: int
    games: int
    at: int


class LeaderRow(NamedTuple):
    """A row of `ratings`, and the name and kind of its account."""

    account: int
    ladder: str
    mu: float
    sigma: float
    rating: int
    games: int
    at: int
    name: str
    kind: str


class StepRow(NamedTuple):
    """A row of `rating_steps`."""

    game: str
    seat: int
    account: int
    ladder: str
    before: int
    after: int
    doubt: int
    at: int


class TokenRow(NamedTuple):
    """A row of `tokens`."""

    id: int
    token: str
    account: int
    name: str
    created: int
    used: int | None
    plays: bool


class NewsRow(NamedTuple):
    """A game that may call for an account: one that it sits in, or is asked to play."""

    id: str
    rules: str
    state: str
    begun: int | None
    clock: str
    base_ms: int
    increment_ms: int
    rated: bool
    version: int
    to_move: int | None
    seat: int
    account: int | None
    """None where the seat is kept for them."""
    by: str
    """Who made the game."""
    others: int
    """How many other people sit in it."""


class PushRow(NamedTuple):
    """A row of `push_subscriptions`."""

    id: int
    account: int
    session: str
    endpoint: str
    p256dh: str
    auth: str
    created: int


RowOf = TypeVar(
    "RowOf",
    AccountRow,
    TokenOwnerRow,
    SessionRow,
    GameRow,
    NewsRow,
    PushRow,
    SeatRow,
    PlayedRow,
    OneTimeTokenRow,
    NoticeRow,
    MailRow,
    LetterRow,
    OfferRow,
    PlanRow,
    NoteRow,
    ChatRow,
    MessageRow,
    ReportRow,
    MuteRow,
    VacationRow,
    RatingRow,
    LeaderRow,
    StepRow,
    TokenRow,
)


async def all_of(connection: AsyncConnection, kind: type[RowOf], asked: Executable) -> list[RowOf]:
    """Every row that answers a question whose columns are those of its kind."""
    return [kind._make(row) for row in await connection.execute(asked)]


async def first_of(connection: AsyncConnection, kind: type[RowOf], asked: Executable) -> RowOf | None:
    """The first of them, or None."""
    row = (await connection.execute(asked)).first()
    return None if row is None else kind._make(row)
