"""A mail taken apart: headers, parts and texts. Depth, number and size are bounded, so that no mail costs much.

The standard library reads headers and undoes encodings. Parts are split here: its parser goes as deep as a mail is
nested, and looks for every boundary in every line.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.parser import BytesHeaderParser
from functools import cached_property
from itertools import islice

DEPTH = 8
"""How deep parts of parts are looked into."""
PARTS = 50
"""How many parts of one part are."""
HEADERS = 65_536
"""How many bytes of headers are read."""
VALUE = 2_000
"""How many characters of one header are."""
TEXT = 200_000
"""How many bytes of a text are."""

BLANK = re.compile(rb"\r?\n[ \t]*\r?\n")
ODD = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufeff\u2028\u2029]")
"""What no text is kept with: control characters, halves of characters, marks of byte order."""
UNFIT = ("idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "mbcs", "oem")
"""What Python can decode and no mail is written in; some take a time that grows with the square of a text."""
WIDE = ("utf_16", "utf_32", "utf_7", "iso2022", "gb", "big5", "euc", "shift", "hz", "johab")
"""Of these a damaged text is read as far as it goes; others that do not fit are taken for something else."""


def decoded(data: bytes, charset: str) -> str:
    """Bytes as text, whatever they claim to be; of what cannot be read, as much as can.

    >>> decoded(b"gr\\xfc\\xdfe", "iso-8859-1"), decoded(b"gr\\xfc\\xdfe", "none"), decoded("grüße".encode(), "ascii")
    ('grüße', 'grüße', 'grüße')
    """
    for name in (charset, "utf-8"):
        try:
            codec = codecs.lookup(name).name.replace("-", "_")
            if codec not in UNFIT:
                return ODD.sub("", data.decode(codec))
        except UnicodeDecodeError as error:
            if codec.startswith(WIDE) or "end of data" in error.reason:  # a little damaged, or cut off
                return ODD.sub("", data.decode(codec, "replace"))
        except (LookupError, ValueError, TypeError):
            continue
    return ODD.sub("", data.decode("cp1252", "replace"))


def words_of(raw: str) -> str:
    """A header as people read it: encoded words decoded, on one line.

    >>> words_of("=?utf-8?q?Re=3A_gr=C3=BC=C3=9Fe?= \\r\\n  c4"), words_of("=?utf-8?b?a?=")
    ('Re: grüße c4', '=?utf-8?b?a?=')
    """
    if raw.isascii() and "=?" not in raw:
        return " ".join(ODD.sub("", raw).split())
    try:
        found = decode_header(" ".join(raw.splitlines()))
    except (HeaderParseError, ValueError, LookupError):
        found = [(raw, None)]
    parts = [
        decoded(part if isinstance(part, bytes) else part.encode("utf-8", "surrogateescape"), charset or "utf-8")
        for part, charset in found
    ]
    return " ".join("".join(parts).split())


@dataclass(frozen=True)
class Part:
    """A mail, or a part of one: its headers and what is below them."""

    headers: dict[str, list[str]]
    body: bytes

    @classmethod
    def of(cls, raw: bytes) -> Part:
        """Read from bytes, which may be anything."""
        if raw.startswith((b"\n", b"\r\n")):
            return cls({}, raw.lstrip(b"\r\n"))
        blank = BLANK.search(raw, 0, HEADERS)
        end, begin = blank.span() if blank else (HEADERS, len(raw))
        read = BytesHeaderParser().parsebytes(raw[:end] + b"\n\n")
        headers = dict[str, list[str]]()
        for name, value in read.raw_items():
            headers.setdefault(name.lower(), []).append(str(value)[:VALUE])
        stray = read.get_payload()  # lines that are no headers, where no blank line ends them
        before = stray.encode("utf-8", "surrogateescape").strip() if isinstance(stray, str) else b""
        return cls(headers, (before + b"\n\n" if before else b"") + raw[begin:])

    def raw(self, name: str) -> str:
        """A header as it stands there; empty where there is none."""
        return next(iter(self.all(name)), "")

    def all(self, name: str) -> list[str]:
        """Every header of this name."""
        return self.headers.get(name.lower(), [])[:PARTS]

    def words(self, name: str) -> str:
        """A header as people read it."""
        return words_of(self.raw(name))

    @cached_property
    def _content(self) -> Message:
        """Only what says how the body is to be read, cut to a bearable length."""
        found = Message()
        for name in ("Content-Type", "Content-Disposition", "Content-Transfer-Encoding"):
            if value := self.raw(name):
                found[name] = ODD.sub("", value.replace("\r", " ").replace("\n", " "))
        return found

    @cached_property
    def kind(self) -> str:
        """What it is, like text/plain."""
        return self._content.get_content_type()

    def parameter(self, name: str) -> str:
        """A parameter of the content type; empty where there is none."""
        try:
            value = self._content.get_param(name, "")
        except Exception:  # the library has its own troubles with what is odd
            return ""
        return (value[2] if isinstance(value, tuple) else str(value or "")).strip()

    @property
    def attached(self) -> bool:
        """It is a file that goes with the mail, not its text."""
        return self._content.get_content_disposition() == "attachment"

    @property
    def parts(self) -> Iterator[Part]:
        """The parts that it is made of, if it is."""
        boundary = self.parameter("boundary").rstrip().encode("utf-8", "surrogateescape")
        if not (self.kind.startswith("multipart/") and boundary):
            return
        line = re.compile(rb"^--" + re.escape(boundary) + rb"(--)?[ \t]*\r?$", re.MULTILINE)
        marks = list(islice(line.finditer(self.body), PARTS + 1))
        for number, mark in enumerate(marks):
            if mark[1]:
                return
            end = marks[number + 1].start() if number + 1 < len(marks) else len(self.body)
            yield Part.of(self.body[mark.end() : end].removeprefix(b"\n"))

    @property
    def text(self) -> str:
        """The text of a part that is one, with lines ended by newlines."""
        data = self._plain(str(self._content.get("Content-Transfer-Encoding", "")).strip().lower())
        text = decoded(data, self.parameter("charset") or "utf-8")
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def _plain(self, encoding: str) -> bytes:
        data = self.body[:TEXT]
        if encoding == "quoted-printable":
            return quopri.decodestring(data)
        if encoding == "base64":
            letters = re.sub(rb"[^A-Za-z0-9+/]", b"", data)
            try:
                return base64.b64decode(letters[: len(letters) // 4 * 4] + _rest(letters))
            except binascii.Error:
                return data
        return data


def _rest(letters: bytes) -> bytes:
    """What is left of base64 after whole groups of four, filled up."""
    left = letters[len(letters) // 4 * 4 :]
    return left + b"=" * (4 - len(left)) if len(left) > 1 else b""


def text_part(part: Part, depth: int = 0) -> Part | None:
    """The text of a mail: the first that says something, plain rather than HTML; attached files are left alone."""
    if part.attached:
        return None
    if part.kind.startswith("text/"):
        return part if part.kind in ("text/plain", "text/html") and part.text.strip() else None
    if not part.kind.startswith("multipart/") or depth == DEPTH:
        return None
    found = [inner for inner in (text_part(child, depth + 1) for child in part.parts) if inner]
    if part.kind == "multipart/alternative":
        found.sort(key=lambda text: text.kind != "text/plain")
    return found[0] if found else None
