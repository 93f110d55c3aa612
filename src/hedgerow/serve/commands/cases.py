"""Who carries out which command: every use case puts itself into this table, under the name of its form."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from hedgerow.serve.commands.language import Command
from hedgerow.serve.commands.speaking import Answer, Sender

if TYPE_CHECKING:
    from hedgerow.serve.server import Server

Case = Callable[["Server", Sender, Command], Awaitable[Answer]]
CASES: dict[str, Case] = {}


def case(name: str) -> Callable[[Case], Case]:
    """Enters a function as the one that carries out the command of that name."""

    def enter(function: Case) -> Case:
        CASES[name] = function
        return function

    return enter
