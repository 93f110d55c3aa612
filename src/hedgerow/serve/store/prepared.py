"""Prepared queries, built once: SQLAlchemy takes longer to build one than SQLite to answer it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from sqlalchemy import CursorResult, Select, bindparam
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.rows import RowOf

Question = Select[Any]
"""A question; SQLAlchemy does not know the types of its columns, the rows of `rows` do."""
Value = Any
"""What a parameter of a question is when it is built: a placeholder of its column's type."""


class Prepared:
    """A question whose parameters are filled in when it is asked; those annotated as a list are for `in_`.

    It is made from a function that builds the question, which is called once, with a placeholder for every parameter.
    """

    def __init__(self, build: Callable[..., Question]) -> None:
        self.__doc__ = build.__doc__
        parameters = inspect.signature(build).parameters.values()
        self.statement = build(*(bindparam(each.name, expanding=_is_list(each)) for each in parameters))

    async def __call__(self, connection: AsyncConnection, **values: object) -> CursorResult[Any]:
        """The answer."""
        return await connection.execute(self.statement, values)

    async def rows(self, connection: AsyncConnection, kind: type[RowOf], **values: object) -> list[RowOf]:
        """Every row of the answer, whose columns are those of its kind."""
        return [kind._make(row) for row in await self(connection, **values)]

    async def first(self, connection: AsyncConnection, kind: type[RowOf], **values: object) -> RowOf | None:
        """The first of them, or None."""
        row = (await self(connection, **values)).first()
        return None if row is None else kind._make(row)


def _is_list(parameter: inspect.Parameter) -> bool:
    return str(parameter.annotation).startswith("list")
