"""Links that others can follow: a loopback address is never offered to anybody."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from hedgerow.serve.settings import Settings

ANYWHERE = ("0.0.0.0", "::", "")
"""Hosts that mean every address of this machine."""


def network_address() -> str | None:
    """This machine's address as others on the network see it, without sending anything."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            address: str = probe.getsockname()[0]
        except OSError:
            return None
    return None if is_loopback(address) else address


def is_loopback(host: str) -> bool:
    """Only this machine itself is there.

    >>> [is_loopback(host) for host in ("localhost", "127.0.1.1", "[::1]", "0.0.0.0", "192.0.2.1", "play.example.org")]
    [True, True, True, True, False, False]
    """
    host = host.strip("[]").rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        found = ipaddress.ip_address(host.split("%")[0])
    except ValueError:
        return False
    return found.is_loopback or found.is_unspecified


def shared(connection: HTTPConnection, path: str, settings: Settings) -> str | None:
    """A link to a page for somebody else, or None where nobody else could follow it.

    Whoever asks by a loopback address gets this machine's address in the network, if the server listens there.
    """
    if settings.public_url:
        return f"{settings.public_url}{path}"
    here = urlsplit(str(connection.base_url))
    if not is_loopback(here.hostname or ""):
        return f"{here.scheme}://{here.netloc}{path}"
    network = network_address() if settings.host in ANYWHERE else None
    return f"http://{network}:{here.port or 80}{path}" if network else None
