"""Validation of text and numbers: one place for everything that comes in and everything that is stored.

A text that is kept can be kept by every database, written into an export and read back: it has no NUL, no half of a
surrogate pair, and is not longer than its column. Other control characters are refused where nobody types them.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated
from urllib.parse import unquote_to_bytes

from pydantic import AfterValidator, Field
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from hedgerow.serve.refusals import Refused

UNKEPT = re.compile("[\x00\ud800-\udfff]")
"""What no text may have anywhere."""
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""What a text of several lines does not have: line breaks and tabs are fine."""
SINGLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""What a single line does not have."""

CONTROL_BYTE = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
"""What no header has: tabs are fine, and bytes of any encoding beyond ASCII, which are no control characters."""

LARGEST_ID = 2**53
"""The largest number of a row that programs in every language can read."""


def _without(pattern: re.Pattern[str], text: str) -> str:
    if found := pattern.search(text):
        raise ValueError(f"the character U+{ord(found[0]):04X} at {found.start()} is no part of a text")
    return text


def line(text: str) -> str:
    """The text, if it is a single line; raises ValueError."""
    return _without(SINGLE, text)


def lines(text: str) -> str:
    """The text, if it is one or several lines; raises ValueError."""
    return _without(CONTROL, text)


def tidied(text: str, longest: int, what: str) -> str:
    """One line of printable text, whatever was sent; raises Refused where nothing is left, or too much."""
    clean = printable(text)
    if not 1 <= len(clean) <= longest:
        raise Refused("bad_request", f"{what} of {len(clean)} characters; hint: 1 to {longest}")
    return clean


def printable(text: str) -> str:
    """One line of what can be seen of a text."""
    return "".join(letter for letter in one_line(unicodedata.normalize("NFC", text)) if letter.isprintable())


def one_line(text: str) -> str:
    """A text on one line, with single spaces."""
    return " ".join(text.split())


OneLine = Annotated[str, AfterValidator(line)]
"""A field of a request that is a single line: a name, a turn, a code."""
ManyLines = Annotated[str, AfterValidator(lines)]
"""A field that may have several lines: a note, a record."""
Id = Annotated[int, Field(ge=1, le=LARGEST_ID)]
"""The number of an account, a message, a token."""


def fields(found: dict[str, str]) -> dict[str, str]:
    """The fields of a form, if all of them are texts; raises Refused."""
    for name, value in found.items():
        try:
            lines(name)
            lines(value)
        except ValueError as error:
            raise Refused("bad_request", f"{name[:20]!a}: {error}; hint: type it again") from None
    return found


class TextDoor:
    """Wraps the application: an address, a query or a header that is no text goes no further.

    Paths become ids and names become queries; what no database can look up has no place in them.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and (wrong := _wrong(scope)):
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
                return
            body = {"code": "bad_request", "message": f"{wrong} is no text; hint: perhaps the link is not complete"}
            await JSONResponse(body, 422)(scope, receive, send)
            return
        await self.app(scope, receive, send)


def _wrong(scope: Scope) -> str:
    """Which part of a request is no text; empty where all are."""
    if SINGLE.search(scope["path"]) or not _readable(scope.get("raw_path") or b"", SINGLE):
        return "the address"
    if not _readable(scope.get("query_string") or b"", CONTROL):
        return "the query"
    if any(CONTROL_BYTE.search(value) for _, value in scope["headers"]):
        return "a header"
    return ""


def _readable(quoted: bytes, pattern: re.Pattern[str]) -> bool:
    try:
        return not pattern.search(unquote_to_bytes(quoted).decode())
    except UnicodeDecodeError:
        return False
