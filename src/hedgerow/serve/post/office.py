"""Mail in, put together: the listener, what it stores, and the worker; inside a server, or a listener beside one."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import ssl
from collections.abc import Callable

from hedgerow.game import HedgerowError
from hedgerow.serve.people.reply_addresses import ReplyAddresses
from hedgerow.serve.post.listener import Handler, listen, tls_of
from hedgerow.serve.post.receiving import Receiver
from hedgerow.serve.post.where import Where
from hedgerow.serve.post.worker import Worker
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import open_store

log = logging.getLogger("hedgerow.post")


class Office:
    """What a server does about mail that comes in; nothing where it sends none or has no address for it."""

    def __init__(self, worker: Worker | None = None, door: asyncio.Server | None = None) -> None:
        self.worker, self.door = worker, door

    @classmethod
    async def opened(cls, server: Server) -> Office:
        """Begins to carry letters out, and to listen where the settings say so; raises HedgerowError if it cannot."""
        if server.post is None or server.reply_addresses.address is None:
            return cls()
        worker = Worker(server, server.post)
        try:
            door = await _listening(server, worker) if server.settings.mail_in else None
        except BaseException:
            await worker.stop()
            raise
        return cls(worker, door)

    async def close(self) -> None:
        """Takes nothing more; what is stored and not done is done when the server is there again."""
        if self.door:
            self.door.close()
        if self.worker:
            await self.worker.stop()


async def _listening(server: Server, worker: Worker) -> asyncio.Server:
    settings = server.settings
    assert settings.mail_in is not None
    where = Where.of(settings.mail_in, settings.host)
    receiver = Receiver(server.store, worker.wake)
    handler = Handler(receiver, server.reply_addresses.is_ours, settings.limits, where.lmtp)
    name = domain_of(server.reply_addresses.address or "")
    door = await listen(where, handler, name, tls_of(settings.mail_tls), shared=settings.workers > 1)
    log.info("mail comes in at %s", address_of(where, door))
    return door


def domain_of(address: str) -> str:
    """What comes after the @."""
    return address.rpartition("@")[2]


def address_of(where: Where, door: asyncio.Server) -> str:
    """Where it is listened, with the port that was found."""
    if where.path:
        return str(where)
    return str(Where(where.host, door.sockets[0].getsockname()[1], "", where.lmtp))


async def listen_beside(
    settings: Settings, where: Where, address: str, tls: ssl.SSLContext | None, ready: Callable[[str], None]
) -> None:
    """Takes letters for a server that may be running elsewhere on the same database, until it is told to stop."""
    store = await open_store(settings.data, settings.database, beside=True)
    try:
        ours = ReplyAddresses(store, address, "")
        if ours.address is None:
            raise HedgerowError("no address to take mail for; hint: --mail-address play@example.org")
        handler = Handler(Receiver(store), ours.is_ours, settings.limits, where.lmtp)
        door = await listen(where, handler, domain_of(ours.address), tls)
        ready(address_of(where, door))
        await _told_to_stop()
        door.close()
    finally:
        await store.close()


async def _told_to_stop() -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for told in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(told, stop.set)
    await stop.wait()
