"""Push messages (Web Push): what a notice says goes to the browsers that asked for it, by their makers' services.

A message is encrypted for its browser (RFC 8291) and signed with a key that the installation makes once (RFC 8292).
The address of a push service comes from a browser, so it could be anything: it must be HTTPS and lead to no address of
a private network, whatever its name resolves to and wherever it would send us on to.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ipaddress
import json
import logging
import socket
import time
from collections import defaultdict
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from hedgerow.serve.people.notices import Notes
from hedgerow.serve.refusals import Refused
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import push
from hedgerow.serve.store.rows import PushRow
from hedgerow.serve.store.schema import now

if TYPE_CHECKING:
    import aiohttp
    from py_vapid import Vapid02

    from hedgerow.serve.store import Store

log = logging.getLogger("hedgerow.push")

LASTS = 86_400
"""For how many seconds a push service keeps a message for a browser that is not there."""
SIGNED = 12 * 3_600
"""For how many seconds a signature is good."""
PATIENCE = 10.0
"""How many seconds a push service may take."""
TRIES, PAUSE = 3, 5.0
"""How often a message is tried, and after how many seconds it is tried again, twice as long every time."""
TOGETHER = 0.05
"""For how many seconds notices are gathered before it is looked up who wants to be told."""
LEAVING = 1.0
"""For how many seconds a server that stops waits for what is on its way."""
AT_ONCE = 20
"""How many messages are on their way at once."""
GONE = (404, 410)
"""What a push service answers where a browser wants nothing any more."""


def is_public(address: str) -> bool:
    """An address that everybody can reach, and that is nobody's own network.

    >>> [is_public(one) for one in ("192.168.1.1", "127.0.0.1", "::ffff:10.0.0.1", "169.254.169.254", "8.8.8.8")]
    [False, False, False, False, True]
    """
    found = ipaddress.ip_address(address.split("%")[0])
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped:
        found = found.ipv4_mapped
    return found.is_global and not found.is_multicast


async def resolved(host: str, port: int) -> list[str]:
    """The addresses of a host."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


class Push:
    """Sends push messages, and knows who wants them."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store, self.settings = store, settings
        self.private = settings.push_private
        self._key: Vapid02 | None = None
        self._session: aiohttp.ClientSession | None = None
        self._room = asyncio.Semaphore(AT_ONCE)
        self._sending: set[asyncio.Task[None]] = set()
        self._waiting: list[tuple[int, str, Notes]] = []

    # --- who wants them -----------------------------------------------------------------------------------------------

    async def public_key(self) -> str:
        """The key by which browsers know that messages come from here, as they take it."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        made = (await self._signer()).public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return base64.urlsafe_b64encode(made).rstrip(b"=").decode()

    async def subscribe(self, account: int, session: str, endpoint: str, p256dh: str, auth: str) -> None:
        """The browser of a session wants push messages; raises Refused where they could not be sent."""
        self._check_address(endpoint)
        _check_keys(p256dh, auth)
        values = {"account": account, "endpoint": endpoint, "p256dh": p256dh, "auth": auth, "created": now()}
        async with self.store.write() as connection:
            if not await push.put_subscription(connection, session, values):
                raise Refused("forbidden", "programs get no push messages; hint: ask from a browser")

    async def unsubscribe(self, session: str) -> None:
        """The browser of a session wants none any more."""
        async with self.store.write() as connection:
            await push.drop_subscription(connection, session)

    async def wanted(self, session: str) -> bool:
        """The browser of a session wants push messages."""
        async with self.store.read() as connection:
            return await push.wants(connection, session)

    def _check_address(self, endpoint: str) -> None:
        """Raises Refused where an address cannot be a push service; its name is looked up when something is sent."""
        hint = "; hint: ask in the browser itself"
        try:
            where = urlsplit(endpoint)
            host, port = where.hostname or "", where.port
        except ValueError:
            raise Refused("bad_request", f"cannot read the address {endpoint!r:.60}{hint}") from None
        if self.private:
            return
        if where.scheme != "https" or not host or port not in (None, 443) or where.username is not None:
            raise Refused("bad_request", f"{endpoint!r:.60} is no push service{hint}")
        try:
            public = is_public(host)
        except ValueError:
            public = "." in host and not host.rstrip(".").endswith((".localhost", ".local", ".internal"))
        if not public:
            raise Refused("bad_request", f"{host!r:.60} is in a private network{hint}")

    # --- sending ------------------------------------------------------------------------------------------------------

    def tell(self, game: str, notes: Notes) -> None:
        """There are new notices about a game, by account."""
        if notes:
            self._waiting.append((now(), game, notes))
        if len(self._waiting) == 1:
            self._begin(self._look_up(), "push")

    def _begin(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._sending.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._sending.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.warning("a push message was not sent: %s", error)

    async def _look_up(self) -> None:
        """Who wants to be told of what has come together: one query for many turns."""
        await asyncio.sleep(TOGETHER)
        some, self._waiting = self._waiting, []
        async with self.store.read() as connection:
            rows = await push.subscriptions_of(connection, sorted({account for *_, notes in some for account in notes}))
        by_account = defaultdict[int, list[PushRow]](list)
        for row in rows:
            by_account[row.account].append(row)
        for at, game, notes in some if rows else ():
            told = [(row, *notes[one]) for one in notes for row in by_account[one] if row.created <= at]
            self._begin(self._send_all(game, told), f"push {game}")

    async def _send_all(self, game: str, told: Sequence[tuple[PushRow, str, str]]) -> None:
        """Messages about one game; browsers that are gone are forgotten."""
        gone = await asyncio.gather(*(self._send(row, game, kind, text) for row, kind, text in told))
        if over := [row.id for (row, *_), left in zip(told, gone) if left]:
            async with self.store.write() as connection:
                await push.forget_subscriptions(connection, over)

    async def _send(self, row: PushRow, game: str, kind: str, text: str) -> bool:
        """Sends one message, several times if need be; True where nobody is there any more."""
        told = json.dumps({"kind": kind, "text": text, "game": game})
        for tried in range(TRIES):
            if tried:
                await asyncio.sleep(PAUSE * 2 ** (tried - 1))
            try:
                async with self._room:
                    status = await self._sent(row, told)
            except Refused as refused:
                log.warning("a push message was not sent: %s", refused)
                return True
            except Exception as error:  # the service is away; the notice is on the page
                log.info("a push service did not answer: %s", type(error).__name__)
                continue
            if status in GONE or status < 400:
                return status in GONE
            log.info("a push service answered %d", status)
            if status != 429 and status < 500:
                break
        return False

    async def _sent(self, row: PushRow, told: str) -> int:
        """What the push service answers; it may not send us on to somewhere else."""
        from pywebpush import WebPusher

        keys = {"p256dh": row.p256dh, "auth": row.auth}
        message = WebPusher({"endpoint": row.endpoint, "keys": keys}).encode(told.encode(), "aes128gcm")
        where = urlsplit(row.endpoint)
        signed = {"aud": f"{where.scheme}://{where.netloc}", "sub": self._owner(), "exp": int(time.time()) + SIGNED}
        headers = (await self._signer()).sign(signed) | {
            "TTL": str(LASTS),
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "Urgency": "normal",
        }
        session = self._session = self._session or self._connected()
        self._check_address(row.endpoint)
        async with (
            asyncio.timeout(PATIENCE),
            session.post(row.endpoint, data=message["body"], headers=headers, allow_redirects=False) as answer,
        ):
            return answer.status

    def _connected(self) -> aiohttp.ClientSession:
        """Connections that lead nowhere into the private network, whatever a name resolves to when it is looked up."""
        import aiohttp
        from aiohttp.abc import AbstractResolver, ResolveResult

        private = self.private

        class Outside(AbstractResolver):
            async def resolve(
                self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
            ) -> list[ResolveResult]:
                found = [one for one in await resolved(host, port) if private or is_public(one)]
                if not found:
                    raise OSError(f"{host} is in a private network")
                kinds = {one: socket.AF_INET6 if ":" in one else socket.AF_INET for one in found}
                more = {"hostname": host, "port": port, "proto": 0, "flags": socket.AI_NUMERICHOST}
                return [ResolveResult(host=one, family=kinds[one], **more) for one in found]  # type: ignore[typeddict-item]

            async def close(self) -> None:
                """Nothing is kept."""

        return aiohttp.ClientSession(connector=aiohttp.TCPConnector(resolver=Outside()), trust_env=False)

    def _owner(self) -> str:
        """Whom a push service may write to about our messages."""
        mail, url = self.settings.mail_from or self.settings.mail_address, self.settings.public_url or ""
        return f"mailto:{mail}" if mail else url if url.startswith("https://") else "mailto:nobody@example.org"

    async def _signer(self) -> Vapid02:
        """The key of this installation, which is made once."""
        if self._key is None:
            from py_vapid import Vapid02

            async with self.store.read() as connection:
                kept = await push.key(connection)
            if kept is None:
                made = Vapid02()
                made.generate_keys()
                number = made.private_key.private_numbers().private_value.to_bytes(32, "big")
                async with self.store.write() as connection:
                    await push.keep_key(connection, base64.urlsafe_b64encode(number).rstrip(b"=").decode())
                    kept = await push.key(connection)
            self._key = Vapid02.from_raw((kept or "").encode())
        return self._key

    async def stop(self) -> None:
        """Sends what is on its way, within reason."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LEAVING):
                while self._sending:
                    await asyncio.wait(self._sending)
        for task in self._sending:
            task.cancel()
        if self._session:
            await self._session.close()


def _check_keys(p256dh: str, auth: str) -> None:
    """Raises Refused where these cannot be a browser's keys: a point of the curve, and sixteen bytes."""
    try:
        point, secret = (base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)) for text in (p256dh, auth))
        _on_curve(point)
    except ValueError:
        point, secret = b"", b""
    if len(point) != 65 or len(secret) != 16:
        raise Refused("bad_request", "these are no keys of a browser; hint: send what the browser's subscription has")


def _on_curve(point: bytes) -> Any:
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
