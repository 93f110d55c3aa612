"""The fixtures of `serving`, `boxes` and `fuzzing`, for every test here."""

import pytest
from boxes import box, mailing, smtp
from fuzzing import target
from serving import app, lent_postgres, postgres, postgres_pool, server, settings, sqlite_template, visit

__all__ = [
    "app",
    "box",
    "lent_postgres",
    "mailing",
    "postgres",
    "postgres_pool",
    "server",
    "settings",
    "smtp",
    "sqlite_template",
    "target",
    "visit",
]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All who besiege one server do so from one process: then it is started once."""
    for item in items:
        parameters = getattr(item, "callspec", None)
        if parameters and "target" in parameters.params:
            item.add_marker(pytest.mark.xdist_group(f"siege on {parameters.params['target']}"))
