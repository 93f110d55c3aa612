"""What the database is asked about letters that came in: each is kept before it is acknowledged, and acts once."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.schema import letter_steps


class AlreadyDone(Exception):
    """What a step of a letter was to do is stored already, perhaps by somebody who has the same letter."""


@dataclass(frozen=True)
class Once:
    """One command of one letter. Whoever carries it out marks it in the transaction that stores its effect."""

    letter: int
    step: int
    fresh: bool = field(default=False, kw_only=True)
    """Nothing of the letter was done when it was taken up, so that nobody need look for what this step has done."""

    async def result(self, connection: AsyncConnection) -> str | None:
        """What the step has done, if it has."""
        here = select(letter_steps.c.result).where(
            letter_steps.c.letter == self.letter, letter_steps.c.step == self.step
        )
        found: str | None = (await connection.execute(here)).scalar_one_or_none()
        return found

    def kept(self, result: str) -> str:
        """What is kept of what was done."""
        return result

    async def mark(self, connection: AsyncConnection, result: str = "") -> None:
        """The step is done with this transaction; raises AlreadyDone where it was before."""
        if await self.result(connection) is not None:
            raise AlreadyDone
        row = {"letter": self.letter, "step": self.step, "result": self.kept(result)}
        try:
            await connection.execute(insert(letter_steps).values(**row))
        except IntegrityError:
            raise AlreadyDone from None
