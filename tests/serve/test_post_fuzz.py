"""Mails made of anything: structure, encodings, nesting, sizes. Reading them never fails and never hangs."""

from __future__ import annotations

import base64
import os
import quopri
import time
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hedgerow.serve.post import mime
from hedgerow.serve.post.reading import BODY, SUBJECT, Read, read

EXAMPLES = max(100, int(os.environ.get("HEDGEROW_FUZZ", "800")) // 4)
HANG = 5.0
"""Seconds after which reading counts as hanging: a thousand times as long as it takes."""

CHARSETS = st.sampled_from(
    [
        "utf-8",
        "utf-16",
        "utf-7",
        "utf-32-le",
        "iso-2022-jp",
        "iso-2022-kr",
        "hz",
        "gb18030",
        "cp037",
        "koi8-r",
        "idna",
        "punycode",
        "zlib",
        "rot13",
        "undefined",
        "unicode_escape",
        "x-nothing",
        "",
        "�",
        "a" * 300,
        "utf-8\x00",
    ]
)
TYPES = st.sampled_from(
    [
        "text/plain",
        "text/html",
        "text/plain; format=flowed",
        "multipart/mixed",
        "multipart/alternative",
        "text/x",
        "multipart/report; report-type=delivery-status",
        "message/rfc822",
        "message/delivery-status",
        "image/png",
        "/",
        "",
    ]
)
ENCODINGS = st.sampled_from(["7bit", "8bit", "base64", "quoted-printable", "x-uuencode", "BASE64 ", "\xff", ""])
NAMES = st.sampled_from(
    [
        "From",
        "Reply-To",
        "To",
        "Subject",
        "Message-ID",
        "References",
        "In-Reply-To",
        "Date",
        "Auto-Submitted",
        "Precedence",
        "Content-Disposition",
        "Authentication-Results",
        "List-Id",
        "Return-Path",
        "Received",
        "X",
        "ÿ",
        "From ",
    ]
)
WORDS = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        [
            "ann@example.net",
            "Ann <ann@example.net>",
            "<>",
            "<a@b>" * 50,
            "=?utf-8?b?w7w=?=",
            "=?utf-8?q?=00?=",
            "(" * 600,
            '"' * 900,
            "=?x?b?!!?=",
            "a@b\r\nBcc: c@d",
            "On x wrote:",
            "-- ",
            "> " * 100,
            "\x00",
            "c4",
            "multiple",
            "=?" * 500,
        ]
    ),
)
BODIES = st.one_of(
    st.binary(max_size=400),
    st.text(max_size=400).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.sampled_from(
        [b"<p>" * 300, b"<blockquote>" * 99, b"<!--" * 99, b"&#0;&#xd800;&", b">" * 999, b"a \n" * 300, b"--b\n" * 99]
    ),
)


def header(name: str, value: str) -> bytes:
    return f"{name}: {value}\r\n".encode("utf-8", "surrogatepass")


@st.composite
def leaves(draw: st.DrawFn) -> bytes:
    kind, charset, encoding, body = draw(TYPES), draw(CHARSETS), draw(ENCODINGS), draw(BODIES)
    if draw(st.booleans()):
        body = {"base64": base64.encodebytes, "quoted-printable": quopri.encodestring}.get(encoding, bytes)(body)
    head = header("Content-Type", f'{kind}; charset="{charset}"') + header("Content-Transfer-Encoding", encoding)
    return head + b"\r\n" + body


def wrapped(inner: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    def whole(kind: str, parts: list[bytes], closed: bool, boundary: str) -> bytes:
        head = header("Content-Type", f'multipart/{kind}; boundary="{boundary}"')
        lines = b"".join(f"\r\n--{boundary}\r\n".encode() + part for part in parts)
        return head + b"\r\n" + lines + (f"\r\n--{boundary}--\r\n".encode() if closed else b"")

    kinds = st.sampled_from(["mixed", "alternative", "related", "signed", "report", "x"])
    return st.builds(whole, kinds, st.lists(inner, max_size=4), st.booleans(), st.sampled_from(["b", "c", "b b", ".*"]))


MAILS = st.builds(
    lambda heads, body: b"".join(header(name, value) for name, value in heads) + body,
    st.lists(st.tuples(NAMES, WORDS), max_size=8),
    st.recursive(leaves(), wrapped, max_leaves=12),
)


def check(found: Read) -> None:
    """What holds of everything that was read: it is small, and any database keeps it."""
    assert len(found.subject) <= SUBJECT and len(found.body) <= BODY and len(found.digest) == 64
    for text in (found.subject, found.body, found.sender, found.message_id, *found.references):
        assert "\0" not in text
        text.encode("utf-8")
    assert "\n" not in found.subject and "\r" not in found.subject + found.sender
    assert found.sender == "" or found.sender.count("@") == 1


def timely(raw: bytes) -> Read:
    begun = time.process_time()
    found = read(raw)
    assert time.process_time() - begun < HANG
    check(found)
    return found


RELAXED = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


@RELAXED
@given(MAILS)
def test_mails_of_any_structure_are_read(raw: bytes) -> None:
    timely(raw)


@RELAXED
@given(st.binary(max_size=2000))
def test_any_bytes_are_read(raw: bytes) -> None:
    timely(raw)


def deep(levels: int) -> bytes:
    return b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(levels)) + b"\nc4"


HEAD = b"From: ann@example.net\nSubject: x\n"
MEGABYTES = 10 * 1024 * 1024
HUGE: dict[str, Callable[[], bytes]] = {
    "ten megabytes": lambda: HEAD + b"\n" + b"c4 d6\n" * (MEGABYTES // 6),
    "one line": lambda: HEAD + b"\n" + b"x" * MEGABYTES,
    "one header": lambda: HEAD + b"X-Y: " + b"x" * MEGABYTES,
    "headers alone": lambda: HEAD + b"X: y\n" * (MEGABYTES // 5),
    "nested": lambda: HEAD + deep(200_000),
    "boundaries": lambda: HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n" * (MEGABYTES // 4),
    "nested the same": lambda: HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n--b\n" * 150_000,
    "base64": lambda: HEAD + b"Content-Transfer-Encoding: base64\n\n" + b"QUFB\n" * (MEGABYTES // 5),
    "quoted": lambda: HEAD + b"Content-Transfer-Encoding: quoted-printable\n\n" + b"=41" * (MEGABYTES // 3),
    "NUL": lambda: b"\0" * MEGABYTES,
    "html": lambda: HEAD + b"Content-Type: text/html\n\n" + b"<div class=" * (MEGABYTES // 11),
    "comments": lambda: HEAD + b"Content-Type: text/html\n\n" + b"<!--" * (MEGABYTES // 4),
    "entities": lambda: HEAD + b"Content-Type: text/html\n\n" + b"&#99999999;" * (MEGABYTES // 11),
    "quotations": lambda: HEAD + b"\n" + (b"on " + b"wrote " * 50 + b":\n") * (MEGABYTES // 304),
    "punycode": lambda: HEAD + b"Content-Type: text/plain; charset=punycode\n\n" + b"a-b" * (MEGABYTES // 3),
    "encoded words": lambda: b"Subject: " + b"=?utf-8?q?a?= " * (MEGABYTES // 14) + b"\n\n",
    "addresses": lambda: b"From: " + b"a@b.org, " * (MEGABYTES // 9) + b"\n\n",
    "parameters": lambda: b"Content-Type: text/plain" + b';a*0="' * (MEGABYTES // 6) + b"\n\nx",
}


@pytest.mark.parametrize("made", HUGE.values(), ids=HUGE)
def test_huge_mails_cost_little(made: Callable[[], bytes]) -> None:
    timely(made())


def test_what_is_nested_too_deep_is_not_looked_into() -> None:
    assert read(HEAD + deep(mime.DEPTH)).body == "c4" and read(HEAD + deep(mime.DEPTH + 1)).body == ""
