"""Lists of games as they are told: one's own, those to watch, challenges, the archive."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

BOTS = Field(description="the seats that programs have")
ACCOUNTS = Field(description="the account of every seat, null where nobody or a machine sits")


class YoursView(BaseModel):
    """A game of yours."""

    id: str
    rules: str
    state: Literal["open", "playing", "over"]
    rated: bool
    seats: list[str]
    bots: list[int] = BOTS
    accounts: list[int | None] = ACCOUNTS
    version: int
    your_turn: bool
    to_move: int | None = Field(description="the seat whose turn it is")
    result: Literal["won", "lost", "draw", "called off"] | None = Field(description="of a game that is over, for you")
    left: int | None = Field(description="milliseconds to whoever is to move")
    moved: int | None


class YourGames(BaseModel):
    """Your games; those that wait for you come first, the most urgent at the top."""

    waiting: int = Field(description="how many wait for your turn")
    next: str | None = Field(description="the one to play in next")
    games: list[YoursView]


class WatchView(BaseModel):
    """A game that can be watched."""

    id: str
    rules: str
    rated: bool
    seats: list[str]
    bots: list[int] = BOTS
    version: int
    watchers: int
    moved: int | None


class ArchivedView(BaseModel):
    """A game that is over."""

    id: str
    rules: str
    rated: bool
    seats: list[str]
    bots: list[int] = BOTS
    accounts: list[int | None] = ACCOUNTS
    ended: int
    reason: str
    winners: list[int]
    scores: list[int] | None


class ArchivePage(BaseModel):
    """A page of the archive, the latest game first."""

    games: list[ArchivedView]
    next: str | None = Field(description="where the next page begins; ask for it with `before`")


class ChallengeView(BaseModel):
    """A game that waits for somebody."""

    id: str
    rules: str
    by: str
    by_bot: bool = Field(description="a program asks")
    rated: bool
    clock: Literal["none", "live", "days"]
    base_ms: int
    increment_ms: int
    seats: list[str] = Field(description="who sits there, empty where a seat is free")
    bots: list[int] = Field(description="the seats that programs have")
    invited: list[int] = Field(description="the seats that are kept for you")
    asked: list[str] = Field(description="whom free seats are kept for")
    yours: bool
    created: int
    expires: int | None
