"""`hedgerow mail`: takes letters for a play server, as a listener beside it or from a mail server's pipe."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from hedgerow.game import HedgerowError


def mail(
    stdin: Annotated[
        bool, typer.Option("--stdin", help="Take one letter from standard input, for an alias or a pipe of Postfix.")
    ] = False,
    listen: Annotated[
        str,
        typer.Option(metavar="WHERE", help="A port for SMTP, or like lmtp://127.0.0.1:2400 or lmtp:///run/mail.sock."),
    ] = "2525",
    mail_address: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            envvar="HEDGEROW_MAIL_ADDRESS",
            show_envvar=True,
            help="What people write to, like play@example.org: the listener takes nothing else.",
        ),
    ] = None,
    sender: Annotated[
        str | None, typer.Option("--from", metavar="ADDRESS", help="With --stdin: the envelope's sender.")
    ] = None,
    recipient: Annotated[
        str | None, typer.Option("--to", metavar="ADDRESS", help="With --stdin: the envelope's recipient.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="The folder that the server keeps games in.")] = None,
    database: Annotated[
        str | None, typer.Option(metavar="URL", help="The server's PostgreSQL, like postgresql://user@host/name.")
    ] = None,
    tls: Annotated[
        str | None, typer.Option(metavar="FILE", help="Offer STARTTLS with the certificate and key of this PEM file.")
    ] = None,
    limits: Annotated[bool, typer.Option(help="Whether those who send too much too fast have to wait.")] = True,
) -> None:
    """Take letters for a server on the same database: they are stored here, and carried out there."""
    from hedgerow.serve.post import pipe
    from hedgerow.serve.settings import Settings

    given = {"data": data, "database": database, "limits": limits}
    settings = Settings(**{key: value for key, value in given.items() if value is not None})  # type: ignore[arg-type]
    if stdin:
        sys.exit(pipe.take(settings, (sender, recipient), os.environ, sys.stdin.buffer))
    from hedgerow.serve.post.listener import tls_of  # a pipe needs none of these, and is to be quick
    from hedgerow.serve.post.office import listen_beside
    from hedgerow.serve.post.where import Where
    from hedgerow.serve.process.logs import start_logging

    if not mail_address:
        raise HedgerowError("no address to take mail for; hint: --mail-address play@example.org")
    start_logging(False)
    asyncio.run(listen_beside(settings, Where.of(listen), mail_address, tls_of(tls), _say))


def _say(at: str) -> None:
    print(f"hedgerow: mail comes in at {at}; Ctrl-C stops", file=sys.stderr, flush=True)
