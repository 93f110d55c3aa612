"""Pictures of boards for letters, drawn by a process of its own, several at a time, and kept for a while."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from hedgerow import draw
from hedgerow.draw.png import drawing, rendered, size_of
from hedgerow.serve.people.letters import Picture
from hedgerow.serve.play.snapshot import Snapshot
from hedgerow.serve.processes import Process

log = logging.getLogger("hedgerow.letters")

KEPT = 500
"""How many pictures are kept: whoever plays and whoever is next get the same."""
PATIENT, HURRIED = 10.0, 0.15
"""For how many seconds a letter may wait for its picture, and while many letters do; others are in characters alone."""
PACE = 0.01
"""How many seconds a picture takes, until that is known."""
AT_ONCE = 8
"""How many are drawn in one go: handing a drawing over takes a third of the time of drawing it."""
NICE = 10
"""How far the process that draws stands back behind those who serve people."""


class Drawn(NamedTuple):
    """How many pictures were drawn, and the CPU time that this took."""

    pictures: int = 0
    seconds: float = 0.0


def draw_all(drawings: Sequence[list[str]]) -> tuple[list[bytes], float]:
    """Drawings as PNG, and the CPU time that this took: what a process of its own does."""
    begun = time.process_time()
    return [rendered(lines) for lines in drawings], time.process_time() - begun


class Pictures:
    """Boards as letters show them: in characters, and drawn where there is time for it."""

    def __init__(self) -> None:
        self.drawn = Drawn()
        self.process = Process(NICE)
        self._kept: OrderedDict[tuple[str, int], asyncio.Task[Picture]] = OrderedDict()
        self._waiting: list[tuple[list[str], asyncio.Future[bytes]]] = []
        self._drawing: asyncio.Task[None] | None = None
        self._under_way, self._pace = 0, PACE

    async def of(self, shot: Snapshot, hurried: bool = False) -> Picture:
        """The board of a version, drawn once; in characters alone where that would take too long."""
        key = shot.id, shot.version
        if (task := self._kept.get(key)) is None:
            patience = HURRIED if hurried else PATIENT
            task = self._kept[key] = asyncio.create_task(self._made(shot.match.scene(), patience))
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return await asyncio.shield(task)

    async def _made(self, scene: draw.Scene, patience: float) -> Picture:
        """A board in characters, as the Hexbo sheet draws it, and as a picture where there is time for it."""
        told = Picture(draw.text(scene), f"{scene.title}. {scene.description}")
        if (len(self._waiting) + self._under_way + 1) * self._pace > patience:
            return told
        try:
            made = await self._png(drawing(scene))
        except Exception as error:  # a letter goes without it
            log.warning("a board could not be drawn: %s", type(error).__name__)
            return told
        return replace(told, png=made, size=size_of(made))

    async def _png(self, lines: list[str]) -> bytes:
        done: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting.append((lines, done))
        if self._drawing is None or self._drawing.done():
            self._drawing = asyncio.create_task(self._draw(), name="pictures")
        return await done

    async def _draw(self) -> None:
        """While some are drawn, the next gather."""
        while self._waiting:
            some, self._waiting = self._waiting[:AT_ONCE], self._waiting[AT_ONCE:]
            self._under_way, begun = len(some), time.monotonic()
            try:
                made, seconds = await self.process.do(draw_all, [lines for lines, _ in some])
            except Exception as error:
                for _, done in some:
                    if not done.done():
                        done.set_exception(error)
                continue
            finally:
                self._under_way = 0
            self._pace += ((time.monotonic() - begun) / len(some) - self._pace) / 4
            self.drawn = Drawn(self.drawn.pictures + len(some), self.drawn.seconds + seconds)
            for (_, done), png in zip(some, made):
                if not done.done():
                    done.set_result(png)

    def stop(self) -> None:
        """Ends the process that draws."""
        self.process.stop()
