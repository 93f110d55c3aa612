"""Secret addresses: what is written to one comes from whoever was sent it, about that game; and where bounces go.

They are the address that people write to with a tag: `play+OPAQUE@example.org`. A tag is base32, because mail servers
may fold case. It names an account and a game, and is signed with the account's mail key: a new key makes all void.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from email.utils import parseaddr
from functools import lru_cache
from typing import NamedTuple

from hedgerow.game import HedgerowError
from hedgerow.serve.people.addresses import sender_of
from hedgerow.serve.store import Store, people
from hedgerow.serve.store.rows import AccountRow

NUMBER, SIGNED = 5, 10
"""How many bytes the number of an account or a mail takes, and how many of a signature are kept: 80 bits."""
PLAY, BOUNCE, SIGN_UP = b"p", b"b", b"s"
"""What a tag is for, its first byte."""
LONGEST = 64
"""How long the part before the @ may be (RFC 5321)."""


class Tag(NamedTuple):
    """What a secret address says."""

    account: int
    game: str | None
    named: bytes
    """Both, as they are signed."""
    signature: bytes


class ReplyAddresses:
    """The secret addresses of a server where mail comes in; `address` is the one that everybody may write to."""

    def __init__(self, store: Store, address: str | None, installation: str) -> None:
        self.store = store
        self.address = mail_address(address) if address else None
        self._local, _, self._domain = (self.address or "").rpartition("@")
        self.secret = installation.encode()

    def is_ours(self, recipient: str) -> bool:
        """It is the address that people write to, with any tag or none."""
        local, _, domain = recipient.lower().rpartition("@")
        ours = self._local.lower()
        return bool(ours) and domain == self._domain.lower() and (local == ours or local.startswith(f"{ours}+"))

    # --- about a game -------------------------------------------------------------------------------------------------

    def address_for(self, row: AccountRow, game: str | None) -> str | None:
        """Where an account writes about a game without a password; None where no mail comes in, or it has no key."""
        if self.address is None or row.mail_key is None:
            return None
        named = row.id.to_bytes(NUMBER, "big") + (game or "").encode()
        return self._tagged(PLAY, named, row.mail_key)

    async def read(self, recipient: str) -> tuple[int, str | None] | None:
        """The account and the game that an address was made for; None where it is not ours, or does not hold."""
        if (tag := self.tag(recipient)) is None:
            return None
        async with self.store.read() as connection:
            row = await people.account_row(connection, tag.account)
        return (tag.account, tag.game) if self.holds(tag, row) else None

    def tag(self, recipient: str) -> Tag | None:
        """What an address says it was made for, which anybody can write; None where it says nothing."""
        if (found := self._untagged(PLAY, recipient)) is None or len(found) < NUMBER + SIGNED:
            return None
        named, signature = found[:-SIGNED], found[-SIGNED:]
        account, game = int.from_bytes(named[:NUMBER], "big"), named[NUMBER:].decode("ascii", "replace")
        return Tag(account, game or None, named, signature)

    def holds(self, tag: Tag, row: AccountRow | None) -> bool:
        """It was made by this server, with the key that the account has now."""
        key = row.mail_key if row is not None and row.banned is None else None
        right = hmac.compare_digest(tag.signature, self._signature(PLAY, tag.named, key or ""))
        return right and key is not None

    # --- bounces and signing up ---------------------------------------------------------------------------------------

    def for_bounces(self, mail: int) -> str | None:
        """The envelope sender of a mail that goes out; None where no mail comes in."""
        return self._tagged(BOUNCE, mail.to_bytes(NUMBER, "big")) if self.address else None

    def bounced(self, recipient: str) -> int | None:
        """The number of the mail that came back to this address."""
        found = self._untagged(BOUNCE, recipient)
        if found is None or len(found) != NUMBER + SIGNED:
            return None
        right = hmac.compare_digest(found[NUMBER:], self._signature(BOUNCE, found[:NUMBER]))
        return int.from_bytes(found[:NUMBER], "big") if right else None

    def for_sign_up(self, token: str) -> str | None:
        """An address that confirms a sign-up by any mail to it; the token is base32 in small letters."""
        return f"{self._local}+{_text(SIGN_UP)}{token}@{self._domain}" if self.address else None

    def sign_up(self, recipient: str) -> str | None:
        """The token in an address that confirms a sign-up; whether it holds, the database knows."""
        tag = self._tag(recipient)
        return tag.removeprefix(_text(SIGN_UP)) if tag and tag.startswith(_text(SIGN_UP)) else None

    # --- tags ---------------------------------------------------------------------------------------------------------

    def _signature(self, kind: bytes, named: bytes, key: str = "") -> bytes:
        told = b"\0".join((kind, named, key.encode()))
        return hmac.digest(self.secret, told, hashlib.sha256)[:SIGNED]

    def _tagged(self, kind: bytes, named: bytes, key: str = "") -> str:
        tag = _text(kind) + _text(named + self._signature(kind, named, key))
        return f"{self._local}+{tag}@{self._domain}"

    def _tag(self, recipient: str) -> str | None:
        _, plus, tag = recipient.lower().rpartition("@")[0].partition("+")
        return tag if plus and self.is_ours(recipient) else None

    def _untagged(self, kind: bytes, recipient: str) -> bytes | None:
        tag = self._tag(recipient)
        if tag is None or len(recipient) > 254 or not tag.startswith(_text(kind)):
            return None
        tag = tag.removeprefix(_text(kind))
        try:
            found = base64.b32decode(tag.upper() + "=" * (-len(tag) % 8))
        except (binascii.Error, ValueError):
            return None
        return found if _text(found) == tag else None  # the last letter has bits to spare


def mail_address(text: str) -> str:
    """The address that people write to; raises HedgerowError where it is none, or leaves no room for tags."""
    address = parseaddr(sender_of(text))[1]
    local = address.rpartition("@")[0]
    longest = LONGEST - len("+") - len(_text(PLAY)) - len(_text(bytes(NUMBER + 12 + SIGNED)))
    if "+" in local or len(local) > longest:
        hint = f"hint: at most {longest} letters before the @ and no +, like play@example.org"
        raise HedgerowError(f"cannot take mail at {text!r:.80}; {hint}")
    return address


@lru_cache(maxsize=4096)
def _text(raw: bytes) -> str:
    """Bytes as base32 in small letters.

    >>> _text(b"p"), len(_text(bytes(27)))
    ('oa', 44)
    """
    return base64.b32encode(raw).decode().rstrip("=").lower()
