"""The fixtures of `serving` and `fuzzing`, for every test here."""

from fuzzing import target
from serving import anyio_backend, app, postgres, server, settings, visit

__all__ = ["anyio_backend", "app", "postgres", "server", "settings", "target", "visit"]
