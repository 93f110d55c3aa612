"""What an operator decides."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

DEADLINE = 12.0
"""Seconds from the beginning of a request, or of the connection, until all of it must be here."""


def data_folder() -> Path:
    """Where games are kept unless somebody says otherwise."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "hedgerow"


@dataclass(frozen=True)
class Settings:
    """Everything has a default: with none of it set, the product runs on one machine."""

    data: Path = field(default_factory=data_folder)
    database: str | None = None
    """A PostgreSQL address; without one, SQLite in the data folder."""
    redis: str | None = None
    """A Redis address; with it several processes on one PostgreSQL database are one server."""
    workers: int = 1
    """How many processes serve people."""
    host: str = "127.0.0.1"
    """Where the server listens."""
    public_url: str | None = None
    """How people reach the server from outside, like https://play.example.org."""
    engines: int = field(default_factory=lambda: max(1, (os.cpu_count() or 2) - 1))
    """How many processes think for the machine; with 0 it never answers."""

    registration: str = "open"
    """Who may make an account: `open`, by `invitation`, or `closed`."""
    guests: bool = True
    """People may play without an account."""
    limits: bool = True
    """Those who ask for too much too fast have to wait."""
    deadline: float = DEADLINE
    """When a request that is not complete is closed."""
    json_logs: bool = False
    """One JSON object a line instead of words for people."""
    proxies: str = "127.0.0.1,::1"
    """Which addresses may say for whom they ask, when there is a public URL."""
    smtp: str | None = None
    """How mail goes out, like smtps://user:password@mail.example.org; without it nobody is offered any."""
    mail_from: str | None = None
    """Who the mail is from; the user of the SMTP server otherwise."""
    mail_address: str | None = None
    """Where people write to, like play@example.org, where mail comes in; without it nobody can answer a mail."""
    mail_in: str | None = None
    """Where mail is listened for: a port for SMTP, or like lmtp://127.0.0.1:2400."""
    mail_tls: str | None = None
    """A file with the certificate and key that the listener offers STARTTLS with."""

    push_private: bool = False
    """Push services may be in the private network, and without HTTPS."""

    @property
    def secure(self) -> bool:
        """People come over HTTPS, so cookies may not travel otherwise."""
        return bool(self.public_url and self.public_url.startswith("https://"))
