"""What people are told about their accounts: sessions, mail, notices."""

from __future__ import annotations

from pydantic import BaseModel, Field


class SessionView(BaseModel):
    """A device somebody is signed in on."""

    id: str
    device: str
    created: int
    seen: int | None
    this: bool = Field(description="it is the one that asks")


class MailView(BaseModel):
    """Your address, and what is sent to it."""

    mail: str | None
    confirmed: bool
    waiting: str | None = Field(description="the address that takes its place when it is confirmed")
    paused: bool = Field(description="mails came back, so none are sent until the address is confirmed again")
    turn_mails: bool


class NoticeView(BaseModel):
    """Something that happened, and where."""

    id: int
    kind: str
    game: str | None
    text: str
    created: int
    read: bool


class Notices(BaseModel):
    """The latest notices, and how many of all were not read."""

    unread: int
    notices: list[NoticeView]
