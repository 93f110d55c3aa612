"""What the server says while it runs: lines for people, or one JSON object a line for machines; never a secret."""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime
from typing import TextIO

SECRETS = re.compile(
    r"(?P<url>[a-z][a-z0-9+.-]*://[^\s:/@]*:)[^\s@]+@"  # the password in an address
    r"|(?P<cookie>hedgerow=)[\w-]{20,}"  # a session
    r"|(?P<access>hgt_)[\w-]{20,}"  # a personal access token
    r"|(?P<link>/(?:reset|confirm|unsubscribe|signup)/)[\w-]{20,}"  # a one-time token
    r"|(?P<reply>\+)[a-z2-7]{20,}(?=@)"  # what is secret in an address that letters are answered to
    r"|(?P<invitation>invitation=)[\w-]{20,}",
    re.IGNORECASE,
)
NOISY = ("alembic", "uvicorn.error", "aiosqlite", "dramatiq")


def masked(text: str) -> str:
    """The same without what only its owner may know.

    >>> masked("cannot reach postgresql://ann:secret@db.example.org/play")
    'cannot reach postgresql://ann:***@db.example.org/play'
    """
    return SECRETS.sub(_mask, text)


def _mask(match: re.Match[str]) -> str:
    return next(f"{kept}***{'@' if kind == 'url' else ''}" for kind, kept in match.groupdict().items() if kept)


class TextFormatter(logging.Formatter):
    """A line for people."""

    def format(self, record: logging.LogRecord) -> str:
        return masked(f"hedgerow: {super().format(record)}")


class JsonFormatter(logging.Formatter):
    """A line for machines: when, how bad, who, what, and where it went wrong."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        told = {"at": at, "level": record.levelname.lower(), "from": record.name, "message": record.getMessage()}
        if record.exc_info:
            told["error"] = self.formatException(record.exc_info)
        return json.dumps({key: masked(value) for key, value in told.items()}, ensure_ascii=False)


def start_logging(as_json: bool, stream: TextIO | None = None) -> None:
    """From now on everything that is logged goes to the stream in one of the two ways."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter() if as_json else TextFormatter("%(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    for noisy in NOISY:
        logging.getLogger(noisy).setLevel(logging.WARNING)
