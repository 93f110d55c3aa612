"""A record made short: a compact spelling that people can still read, and letters for an address. No reportlab here."""

from __future__ import annotations

import base64
import binascii
import zlib

from hedgerow.game import BadRecord
from hedgerow.record import MAX_RECORD_CHARS, compact_record

PATH = "/replay/"
"""Where a server opens what was packed."""


def packed(record: str) -> str:
    """A record as letters, digits, - and _ alone.

    >>> unpacked(packed("Game: tanbo\\n\\n1. A2\\n2. B18\\n"))
    'Game: tanbo\\n\\n;A2;B18\\n'
    """
    squeezed = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = squeezed.compress(compact_record(record).encode()) + squeezed.flush()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def unpacked(text: str) -> str:
    """The record again, in its compact spelling; raises BadRecord for what is none."""
    try:
        data = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        opened = zlib.decompressobj(-15)
        record = opened.decompress(data, MAX_RECORD_CHARS)
        if not opened.eof:
            raise ValueError("it does not end")
        return record.decode()
    except (ValueError, binascii.Error, zlib.error):
        raise BadRecord(f"cannot read the packed record {text[:20]!r}; hint: scan the code again") from None


def address(server: str, record: str) -> str:
    """Where a server shows a game that is all in the address."""
    return f"{server.rstrip('/')}{PATH}{packed(record)}"
