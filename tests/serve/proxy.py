"""A way to a database that can be cut, or fall silent, while both ends believe that it holds."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator


class Proxy:
    """Passes everything on, until it is told to be silent; then it takes whatever comes and says nothing."""

    def __init__(self, port: int) -> None:
        self.target = port
        self.port = 0
        self._flows = asyncio.Event()
        self._flows.set()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def mute(self) -> None:
        """From now on nothing gets through."""
        self._flows.clear()

    async def cut(self) -> None:
        """Every connection breaks, and no new one is taken."""
        assert self._server
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def mend(self) -> None:
        """Everything gets through again; what was said into the silence is lost, as after a broken cable."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._flows.set()
        if self._server is None or not self._server.is_serving():
            self._server = await asyncio.start_server(self._meet, "127.0.0.1", self.port)
            self.port = self._server.sockets[0].getsockname()[1]

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            await self._flows.wait()
            far, near = await asyncio.open_connection("127.0.0.1", self.target)
            try:
                async with asyncio.TaskGroup() as both:
                    both.create_task(self._pass_on(reader, near))
                    both.create_task(self._pass_on(far, writer))
            finally:
                near.close()
        except* (OSError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            await self._flows.wait()
            writer.write(data)
            await writer.drain()
        writer.close()


@contextlib.asynccontextmanager
async def proxy_to(port: int) -> AsyncIterator[Proxy]:
    """A proxy that passes on to a port of this machine."""
    made = Proxy(port)
    await made.mend()
    try:
        yield made
    finally:
        await made.cut()
