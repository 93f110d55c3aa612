"""Where letters are listened for, as operators write it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from hedgerow.game import HedgerowError

HINT = "hint: a port, like 2525, or smtp://127.0.0.1:2525, lmtp://127.0.0.1:2400, lmtp:///run/hedgerow.sock"


@dataclass(frozen=True)
class Where:
    """A port or a socket file, for SMTP or for LMTP."""

    host: str = ""
    port: int = -1
    """0 for any that is free."""
    path: str = ""
    lmtp: bool = False

    @classmethod
    def of(cls, text: str, host: str = "127.0.0.1") -> Where:
        """Read from text; a bare port is for SMTP at that host. Raises HedgerowError where it cannot be read.

        >>> str(Where.of("2525")), str(Where.of("lmtp:///run/x.sock")), str(Where.of("smtp://[::1]:25"))
        ('smtp://127.0.0.1:2525', 'lmtp:///run/x.sock', 'smtp://[::1]:25')
        """
        whole = text if "//" in text else f"smtp://{text}" if ":" in text else f"smtp://{host}:{text}"
        try:
            parts = urlsplit(whole)
            found = cls(
                parts.hostname or "", -1 if parts.port is None else parts.port, parts.path, parts.scheme == "lmtp"
            )
        except ValueError:
            found = cls()
        if not whole.startswith(("smtp://", "lmtp://")) or bool(found.path) == bool(found.host and found.port >= 0):
            raise HedgerowError(f"cannot listen for mail at {text!r:.80}; {HINT}")
        return found

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'lmtp' if self.lmtp else 'smtp'}://" + (self.path or f"{host}:{self.port}")
