"""Brings a database to the tables of this version, and refuses one that is newer."""

from __future__ import annotations

from importlib import resources

from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from hedgerow.game import HedgerowError
from hedgerow.serve.store.schema import metadata


class NewerSchema(HedgerowError):
    """The database was made by a newer Hedgerow."""


def head() -> str:
    """The revision of this version's tables."""
    return str(_steps()[1].get_current_head())


def check(connection: Connection) -> None:
    """Raises HedgerowError where the tables are not those of this version; changes nothing."""
    found = MigrationContext.configure(connection).get_current_heads()
    if found != (head(),):
        raise HedgerowError(
            f"the database has the tables of revision {', '.join(found) or 'none'}, not of {head()}; "
            "hint: start `hedgerow serve` of this version on it once"
        )


def _steps() -> tuple[Config, ScriptDirectory]:
    config = Config()
    config.set_main_option("script_location", str(resources.files("hedgerow.serve.store").joinpath("migrations")))
    return config, ScriptDirectory.from_config(config)


def migrate(connection: Connection) -> None:
    """Takes the missing steps, all or none; raises NewerSchema and changes nothing where there is one unknown to us."""
    config, steps = _steps()
    known = {step.revision for step in steps.walk_revisions()}
    for revision in MigrationContext.configure(connection).get_current_heads():
        if revision not in known:
            raise NewerSchema(
                f"the database has the tables of revision {revision!r}, which is unknown here; "
                "hint: start the newer Hedgerow that made it, or restore a backup from before"
            )

    with EnvironmentContext(config, steps, fn=lambda revision, _: steps._upgrade_revs("head", revision)) as environment:
        environment.configure(connection=connection, target_metadata=metadata)
        with environment.begin_transaction():
            environment.run_migrations()
