"""Column types with the same limits on SQLite and PostgreSQL.

SQLite by itself keeps any text and any number in any column; an export of that could not be restored into PostgreSQL.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import DontWrapMixin
from sqlalchemy.sql.operators import OperatorType
from sqlalchemy.types import TypeDecorator, TypeEngine

from hedgerow.serve.inputs import UNKEPT
from hedgerow.serve.refusals import Refused


class Unkept(Refused, DontWrapMixin):
    """A value that the column of some database could not keep."""

    def __init__(self, what: str) -> None:
        super().__init__("unreadable", f"{what} cannot be kept; hint: send text that people can read, and less of it")


class String(TypeDecorator[str]):
    """Text of at most so many characters."""

    impl = sa.String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is not None:
            if UNKEPT.search(value):
                raise Unkept("a text with characters that are none")
            if (most := getattr(self.impl, "length", None)) is not None and len(value) > most:
                raise Unkept(f"a text of {len(value)} characters where {most} have room")
        return value

    def coerce_compared_value(self, op: OperatorType | None, value: object) -> TypeEngine[Any]:
        """Whatever is looked up may be longer; it is just not there."""
        return String() if isinstance(value, str) else self.impl_instance


class Text(String):
    """Text of any length."""

    impl = sa.Text
    cache_ok = True


class _Whole(TypeDecorator[int]):
    """A number of so many bits."""

    impl = sa.Integer
    cache_ok = True
    bits = 32

    def process_bind_param(self, value: int | None, dialect: Dialect) -> int | None:
        if value is not None and not -(2 ** (self.bits - 1)) <= value < 2 ** (self.bits - 1):
            raise Unkept("a number of too many digits")
        return value


class SmallInteger(_Whole):
    """A number of 16 bits."""

    impl = sa.SmallInteger
    cache_ok = True
    bits = 16


class Integer(_Whole):
    """A number of 32 bits."""

    cache_ok = True


class BigInteger(_Whole):
    """A number of 64 bits."""

    impl = sa.BigInteger
    cache_ok = True
    bits = 64
