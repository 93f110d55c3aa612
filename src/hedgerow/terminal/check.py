"""`hedgerow check`: an operator's own look at an installation."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from hedgerow.terminal.arguments import Json
from hedgerow.terminal.talk import emit, talk

WORDS = ("all is well", "it works, with warnings", "there are faults")


def check(
    where: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER-OR-URL", help="a data folder, postgresql://user@host/name, or https://play.example.org"
        ),
    ],
    redis: Annotated[str | None, typer.Option(metavar="URL", help="Also look whether Redis answers.")] = None,
    smtp: Annotated[
        str | None,
        typer.Option(metavar="URL", envvar="HEDGEROW_SMTP", show_envvar=True, help="Also sign in at the mail server."),
    ] = None,
    mail_from: Annotated[str | None, typer.Option(metavar="ADDRESS", help="As for `serve`.")] = None,
    host: Annotated[str, typer.Option(help="Where the server listens, as for `serve`.")] = "0.0.0.0",
    public_url: Annotated[str | None, typer.Option(metavar="URL", help="As for `serve`.")] = None,
    proxies: Annotated[str, typer.Option(metavar="ADDRESSES", help="As for `serve`.")] = "127.0.0.1,::1",
    limits: Annotated[bool, typer.Option(help="As for `serve`.")] = True,
    guest: Annotated[
        bool, typer.Option("--guest", help="Come in as a guest, who goes again, to see the cookie.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Look whether an installation is well, beside a running server; nothing is changed.

    Ends with 0 where all is fine, 1 with warnings, 2 with faults.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from hedgerow.serve.process.check import Asked, look, worst
    from hedgerow.serve.settings import Settings

    given = {"redis": redis, "smtp": smtp, "mail_from": mail_from, "host": host, "public_url": public_url}
    settings = Settings(**given, proxies=proxies, limits=limits)  # type: ignore[arg-type]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=talk(), transient=True, disable=not talk().is_terminal) as bar:
        task = bar.add_task("looking", total=None)
        found = look(
            Asked(where, settings, guest),
            lambda what, done, total: bar.update(task, description=what, completed=done, total=total),
        )
    code = worst(found)
    if as_json:
        worst_word = ("fine", "warning", "fault")[code]
        emit({"where": _named(where), "worst": worst_word, "found": [asdict(one) for one in found]})
    else:
        for one in found:
            print(f"{one.level:7}  {one.area:8}  {one.text}")
        print(WORDS[code])
    raise typer.Exit(code)


def _named(where: str) -> str:
    """What was looked at, without a password."""
    before, at, after = where.rpartition("@")
    return f"{before.split('://')[0]}://...@{after}" if at and "://" in before else where
