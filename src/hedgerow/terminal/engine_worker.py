"""`hedgerow engine-worker`: thinks for the machine opponents of servers that meet in PostgreSQL and Redis."""

from __future__ import annotations

from typing import Annotated

import typer


def engine_worker(
    database: Annotated[
        str, typer.Option(metavar="URL", help="The servers' PostgreSQL, like postgresql://user@host/name.")
    ],
    redis: Annotated[str, typer.Option(metavar="URL", help="The servers' Redis, like redis://host:6379/0.")],
    processes: Annotated[
        int | None, typer.Option(min=1, max=64, help="How many turns are thought about at a time; one for every core.")
    ] = None,
) -> None:
    """Think for the machine opponents of `hedgerow serve --database URL --redis URL`, on this machine or another."""
    import os

    from hedgerow.serve.engine.worker import run
    from hedgerow.serve.process.run import check_places, talk
    from hedgerow.serve.settings import Settings

    check_places(database, redis, 1)
    talk()
    run(Settings(database=database, redis=redis, engines=processes or os.cpu_count() or 1))
