"""`hedgerow serve`: the play server on this machine."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Registration(StrEnum):
    """Who may make an account."""

    open = "open"
    invitation = "invitation"
    closed = "closed"


Smtp = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        envvar="HEDGEROW_SMTP",
        show_envvar=True,
        help="Send mail by this server, like smtps://user:password@mail.example.org; needs --public-url.",
    ),
]
MailAddress = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        envvar="HEDGEROW_MAIL_ADDRESS",
        show_envvar=True,
        help="What people write to, to play by mail; it leads here with --mail-in or hedgerow mail.",
    ),
]
MailIn = Annotated[
    str | None, typer.Option(metavar="WHERE", help="Listen for mail: a port for SMTP, or like lmtp://127.0.0.1:2400.")
]
MailTls = Annotated[
    str | None, typer.Option(metavar="FILE", help="Offer STARTTLS there with this certificate and key (PEM).")
]


def serve(
    host: Annotated[str, typer.Option(help="Where to listen; 127.0.0.1 for this machine alone.")] = "0.0.0.0",
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Which port; the first free one from 8000 on if none is named.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="The folder that games are kept in.")] = None,
    database: Annotated[
        str | None, typer.Option(metavar="URL", help="Keep games in PostgreSQL, like postgresql://user@host/name.")
    ] = None,
    redis: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Several processes on one database meet in Redis, like redis://host:6379/0."),
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, max=64, help="Processes that serve people; several need --database and --redis.")
    ] = 1,
    public_url: Annotated[
        str | None, typer.Option(metavar="URL", help="How people reach this server from outside, by way of a proxy.")
    ] = None,
    proxies: Annotated[
        str, typer.Option(metavar="ADDRESSES", help="Proxies that may say, with --public-url, for whom they ask.")
    ] = "127.0.0.1,::1",
    registration: Annotated[Registration, typer.Option(help="Who may make an account.")] = Registration.open,
    guests: Annotated[bool, typer.Option(help="Whether people may play without an account.")] = True,
    limits: Annotated[bool, typer.Option(help="Whether those who ask too much too fast have to wait.")] = True,
    smtp: Smtp = None,
    mail_from: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Who mail is from, if not the user of --smtp.")
    ] = None,
    mail_address: MailAddress = None,
    mail_in: MailIn = None,
    mail_tls: MailTls = None,
    push_private: Annotated[
        bool, typer.Option("--push-private", help="Send push messages into the private network, too, without HTTPS.")
    ] = False,
    json_logs: Annotated[bool, typer.Option("--json-logs", help="Log one JSON object a line.")] = False,
    engines: Annotated[
        int | None,
        typer.Option(
            min=0, max=64, help="Processes that think for the machine; 0 for none. With --redis, engine-workers think."
        ),
    ] = None,
) -> None:
    """Start the play server: it listens at once, and prepares the machine opponents behind."""
    from hedgerow.serve.process.run import check_mail, check_mail_in, check_places, checked_url, run
    from hedgerow.serve.settings import Settings

    check_places(database, redis, workers)
    given = {"data": data, "database": database, "public_url": checked_url(public_url), "engines": engines}
    given |= {"redis": redis, "workers": workers, "mail_address": mail_address}
    given |= {"registration": registration.value, "guests": guests, "limits": limits}
    given |= {"json_logs": json_logs, "proxies": proxies, "smtp": smtp, "mail_from": mail_from}
    given |= {"mail_in": mail_in, "mail_tls": mail_tls, "push_private": push_private}
    check_mail(smtp, mail_from, public_url, mail_address)
    check_mail_in(mail_in, mail_address)
    run(Settings(**{key: value for key, value in given.items() if value is not None}), host, port)  # type: ignore[arg-type]
