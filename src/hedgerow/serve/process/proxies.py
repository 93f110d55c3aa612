"""The client's address behind proxies: the last one of `X-Forwarded-For` that is no trusted proxy.

A proxy writes the address that it sees behind those which it was told, so only what trusted proxies have written is
believed, from the right to the left. Anything before that is what a client says about itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.types import ASGIApp, Receive, Scope, Send

from hedgerow.game import HedgerowError

MAX_HOST_CHARS = 64
"""How many characters an address may have."""


def address_in(text: str) -> str | None:
    """The address in an entry, which may have a port; None where there is none.

    >>> address_in(" 192.0.2.1:5000"), address_in("[2001:db8::1]:80"), address_in("::ffff:192.0.2.1"), address_in("me")
    ('192.0.2.1', '2001:db8::1', '192.0.2.1', None)
    """
    host = text.strip()[:MAX_HOST_CHARS]
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        found = ip_address(host)
    except ValueError:
        return None
    return str(found.ipv4_mapped if isinstance(found, IPv6Address) and found.ipv4_mapped else found)


@dataclass(frozen=True)
class Proxies:
    """Which peers are trusted proxies: some networks, or all."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    whoever: bool = False

    @classmethod
    def of(cls, text: str) -> Proxies:
        """The proxies of a setting: addresses and networks with commas between them, or `*`.

        >>> Proxies.of("10.0.0.0/8, ::1").trusts("10.9.9.9"), Proxies.of("").trusts("10.9.9.9")
        (True, False)
        """
        names = [name.strip() for name in text.split(",") if name.strip()]
        if names == ["*"]:
            return cls(whoever=True)
        try:
            return cls(tuple(ip_network(name) for name in names))
        except ValueError as error:
            raise HedgerowError(
                f"cannot use the proxies {text!r:.80}: {error}; hint: like 127.0.0.1,10.0.0.0/8, or * alone"
            ) from None

    def trusts(self, host: str | None) -> bool:
        """This is a proxy of ours."""
        if self.whoever:
            return True
        address = address_in(host or "")
        return address is not None and any(ip_address(address) in network for network in self.networks)

    def client_of(self, forwarded: str) -> str | None:
        """Who asks, by what proxies have written; None where nobody can say.

        Whoever connects being a proxy does not make one of those for whom it asks.

        >>> Proxies.of("10.0.0.0/8").client_of("203.0.113.7, 192.0.2.1, 10.0.0.3"), Proxies.of("*").client_of("a, ::1")
        ('192.0.2.1', '::1')
        """
        found = None
        for entry in reversed(forwarded.split(",")):
            address = address_in(entry)
            if address is None:
                break
            found = address
            if self.whoever or not self.trusts(address):
                break
        return found


class Forwarded:
    """Wraps an application: it sees who asks, and how, instead of the proxy."""

    def __init__(self, app: ASGIApp, proxies: Proxies) -> None:
        self.app = app
        self.proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan" and scope.get("client") and self.proxies.trusts(scope["client"][0]):
            self._put_right(scope)
        await self.app(scope, receive, send)

    def _put_right(self, scope: Scope) -> None:
        if client := self.proxies.client_of(_header(scope, b"x-forwarded-for")):
            scope["client"] = (client, 0)
        scheme = _header(scope, b"x-forwarded-proto").rpartition(",")[2].strip()
        if scheme in ("http", "https"):
            scope["scheme"] = scheme.replace("http", "ws") if scope["type"] == "websocket" else scheme


def _header(scope: Scope, name: bytes) -> str:
    """All headers of that name as one."""
    return ",".join(value.decode("latin-1") for key, value in scope["headers"] if key == name)
