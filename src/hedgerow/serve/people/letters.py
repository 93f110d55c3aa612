"""A letter as it is sent: plain text, and HTML with pictures, in one multipart message (RFC 2046, 2387)."""

from __future__ import annotations

import base64
import html
import re
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.header import Header
from email.utils import formatdate
from functools import lru_cache

from hedgerow.serve.inputs import SINGLE, UNKEPT, one_line
from hedgerow.serve.people.addresses import carried

LONGEST = 900
"""How long a line may be that is sent as it is."""


@dataclass(frozen=True)
class Picture:
    """A board: in characters for the text, as a PNG for the HTML, and in words for those who see neither.

    Where there is no PNG, the HTML has the characters, too.
    """

    characters: str
    words: str
    png: bytes | None = None
    size: tuple[int, int] = (0, 0)


Part = str | Picture
"""Paragraphs, or a picture."""


@dataclass(frozen=True)
class Letter:
    """Everything that a letter says, and to whom."""

    sender: str
    to: str
    subject: str
    parts: Sequence[Part]
    message_id: str
    reply_to: str | None = None
    in_reply_to: str | None = None
    references: Sequence[str] = ()
    unsubscribe: str | None = None
    """The link that ends such letters by one click (RFC 8058)."""
    answers: bool = False
    """It answers a mail that came in; others are sent unasked (RFC 3834)."""


def written(letter: Letter) -> bytes:
    """The letter as bytes; raises ValueError where a header cannot carry what it should.

    It is put together by hand: with `EmailMessage` it would take ten times as long.
    """
    if not carried(letter.to):
        raise ValueError("an address that no header can carry")
    pictures = [part.png for part in letter.parts if isinstance(part, Picture) and part.png]
    page = [_text("html", html_of(letter))]
    if pictures:
        page = _several("related", [page, *([_image(number, png)] for number, png in enumerate(pictures, 1))])
    body = _several("alternative", [[_text("plain", plain_of(letter))], page])
    head = "".join(f"{name}: {_header(name, value)}\r\n" for name, value in _headers(letter))
    return b"".join([head.encode(), *body])


def _headers(letter: Letter) -> Iterator[tuple[str, str]]:
    yield from (("From", letter.sender), ("To", letter.to), ("Subject", letter.subject))
    yield from (("Date", _date(int(time.time()))), ("Message-ID", letter.message_id), ("MIME-Version", "1.0"))
    yield "Auto-Submitted", "auto-replied" if letter.answers else "auto-generated"
    yield "X-Auto-Response-Suppress", "All"
    if letter.reply_to:
        yield "Reply-To", letter.reply_to
    if letter.in_reply_to:
        yield "In-Reply-To", letter.in_reply_to
    if letter.references:
        yield "References", " ".join(letter.references)
    if letter.unsubscribe:
        yield "List-Unsubscribe", f"<{letter.unsubscribe}>"
        yield "List-Unsubscribe-Post", "List-Unsubscribe=One-Click"


@lru_cache(maxsize=2)
def _date(second: int) -> str:
    """A moment as headers have it; letters of one second share it."""
    return formatdate(second, usegmt=True)


def _header(name: str, value: str) -> str:
    """A value as it may stand in a header: one line of ASCII, or encoded words (RFC 2047); references one a line."""
    if SINGLE.search(value):
        raise ValueError(f"a line break in {name}")
    if not value.isascii() and name == "Subject":
        return _encoded(value)
    return value.replace(" ", "\r\n ") if name == "References" else value


@lru_cache(maxsize=4096)
def _encoded(subject: str) -> str:
    """A subject as encoded words; all letters about a game have the same."""
    return Header(subject, "utf-8", header_name="Subject").encode(linesep="\r\n")


def _several(kind: str, parts: Sequence[Sequence[bytes]]) -> list[bytes]:
    """A multipart body with its header, in pieces: pictures are large, and joined once."""
    border = secrets.token_hex(12)
    pieces = [f'Content-Type: multipart/{kind}; boundary="{border}"\r\n\r\n'.encode()]
    for part in parts:
        pieces += [f"--{border}\r\n".encode(), *part, b"\r\n"]
    return [*pieces, f"--{border}--".encode()]


def _text(kind: str, text: str) -> bytes:
    """A part of text: as it is where every mail server carries that, otherwise as base64."""
    told = text.replace("\n", "\r\n")
    plain = told.isascii() and max(map(len, text.split("\n"))) < LONGEST
    body = told.encode() if plain else _base64(told.encode())
    way = "7bit" if plain else "base64"
    return f"Content-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: {way}\r\n\r\n".encode() + body


@lru_cache(maxsize=256)
def _image(number: int, png: bytes) -> bytes:
    """A part with a picture, which several letters have."""
    name = f"board-{number}.png"
    head = f'Content-Type: image/png; name="{name}"\r\nContent-Transfer-Encoding: base64\r\nContent-ID: <{name}>\r\n'
    return f'{head}Content-Disposition: inline; filename="{name}"\r\n\r\n'.encode() + _base64(png)


def _base64(raw: bytes) -> bytes:
    """In lines of 76 characters (RFC 2045); `base64.encodebytes` goes through Python for each of them."""
    encoded = base64.b64encode(raw)
    return b"\r\n".join([encoded[at : at + 76] for at in range(0, len(encoded), 76)]) + b"\r\n"


# --- as text ----------------------------------------------------------------------------------------------------------


def plain_of(letter: Letter) -> str:
    """The text: boards in characters, and at the end how to end such letters."""
    parts = [part.characters if isinstance(part, Picture) else part.strip("\n") for part in letter.parts]
    end = f"-- \nNo more mails like this: {letter.unsubscribe}" if letter.unsubscribe else ""
    return "\n\n".join(part for part in (*parts, end) if part) + "\n"


# --- as HTML ----------------------------------------------------------------------------------------------------------

PAGE = (
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    '<meta name="color-scheme" content="light dark">\n<title>{title}</title>\n</head>\n'
    '<body style="font-family:system-ui,sans-serif;font-size:16px;line-height:1.45;max-width:36em;margin:1em auto;'
    'padding:0 1em">\n{body}\n</body>\n</html>\n'
)
DRAWN = '<pre style="font-family:ui-monospace,monospace;font-size:12px;line-height:1.25;overflow-x:auto">{}</pre>'
SMALL = '<p style="font-size:13px;opacity:.75">{}</p>'
SHOWN = (
    '<p><img src="cid:board-{number}.png" width="{width}" height="{height}" alt="{words}"'
    ' style="max-width:100%;height:auto;border-radius:8px"></p>'
)
URL = re.compile(r"https?://[^\s<>\"]+[^\s<>\".,;:!?)]")
SPACED = re.compile(r"^ |\S  +\S|^[\w-]+-[ |>(]", re.MULTILINE)
"""What only stands right in letters of one width: a board, or a table."""


TITLED = re.compile(r"(.{1,76})\n-+")
HEADING = '<h2 style="font-size:18px;margin:1.4em 0 .4em">{}</h2>'
ASKED = re.compile(r"> (.+)")
SAID = '<p style="font-family:ui-monospace,monospace;font-size:13px;opacity:.75">&gt; {}</p>'
"""A command as it was understood, above what came of it."""
CLAUSE = re.compile(r"(\d+\.\d+)  (\S.*)", re.DOTALL)
"""A clause of the rules; it is drawn in no columns, although there are two blanks behind its number."""
WRAPPED = re.compile(r"^(.{60,}[^.:!?])\n", re.MULTILINE)
"""A line that ends because it would be too long, and not with a sentence."""


def html_of(letter: Letter) -> str:
    """The page: boards as pictures, everything else as paragraphs."""
    shown, pictures = [], 0
    for part in letter.parts:
        if isinstance(part, Picture) and part.png:
            pictures += 1
            width, height = part.size
            shown.append(SHOWN.format(number=pictures, words=html.escape(part.words), width=width, height=height))
        elif isinstance(part, Picture):
            shown.append(DRAWN.format(html.escape(part.characters)))
        else:
            shown += [_paragraph(words) for words in part.strip("\n").split("\n\n") if words.strip()]
    if letter.unsubscribe:
        shown.append(SMALL.format(f'<a href="{html.escape(letter.unsubscribe)}">No more mails like this</a>'))
    return PAGE.format(title=html.escape(letter.subject), body="\n".join(shown))


def _paragraph(words: str) -> str:
    """One paragraph; what is drawn in characters keeps its form, and lines that were only too long go on.

    >>> _paragraph("a & b\\nc"), _paragraph(" / /\\nA- . #")[-18:], "<br>" in _paragraph("word " * 15 + "\\nend")
    ('<p>a &amp; b<br>\\nc</p>', '> / /\\nA- . #</pre>', False)
    >>> _paragraph("HELP\\n----")[-9:], _paragraph("1.1  The board\\n     is flat.")
    ('HELP</h2>', '<p><b>1.1</b> The board is flat.</p>')
    """
    if titled := TITLED.fullmatch(words):
        return HEADING.format(html.escape(titled[1]))
    if asked := ASKED.fullmatch(words):
        return SAID.format(html.escape(asked[1]))
    if clause := CLAUSE.fullmatch(words):
        return f"<p><b>{clause[1]}</b> {html.escape(' '.join(clause[2].split()))}</p>"
    if SPACED.search(words):
        return DRAWN.format(html.escape(words.strip("\n")))
    words = WRAPPED.sub(r"\1 ", words)
    linked, end = "", 0
    for found in URL.finditer(words):
        url = html.escape(found[0])
        linked += html.escape(words[end : found.start()]) + f'<a href="{url}">{url}</a>'
        end = found.end()
    return f"<p>{linked}{html.escape(words[end:])}</p>".replace("\n", "<br>\n")


# --- what may stand in one --------------------------------------------------------------------------------------------

MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,980}>")


def subject_of(text: str) -> str:
    """A subject: one line of what can be kept, not too long, whatever was sent.

    >>> subject_of("Re: a\\r\\nBcc: b")
    'Re: a Bcc: b'
    """
    return one_line(SINGLE.sub(" ", text))[:200]


def body_of(text: str) -> str:
    """A text that can be kept, whatever was sent."""
    return UNKEPT.sub("\ufffd", text).replace("\r\n", "\n").replace("\r", "\n")


def message_id_of(text: str | None) -> str | None:
    """A Message-ID that may stand in a header; None for anything else.

    >>> message_id_of(" <a@b> "), message_id_of("<a@b>\\r\\nBcc: c")
    ('<a@b>', None)
    """
    found = MESSAGE_ID.fullmatch((text or "").strip())
    return found[0] if found else None
