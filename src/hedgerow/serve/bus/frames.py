"""Websocket frames: a message is framed once and written to any number of sockets."""

from __future__ import annotations


def framed(text: str) -> bytes:
    """A text message as a server sends it.

    >>> framed("hi")
    b'\\x81\\x02hi'
    """
    body = text.encode()
    if len(body) < 126:
        return bytes((0x81, len(body))) + body
    if len(body) < 65536:
        return b"\x81\x7e" + len(body).to_bytes(2, "big") + body
    return b"\x81\x7f" + len(body).to_bytes(8, "big") + body
