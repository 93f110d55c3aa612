"""The fixtures of `serving`, for every test here."""

from serving import anyio_backend, app, postgres, server, settings, visit

__all__ = ["anyio_backend", "app", "postgres", "server", "settings", "visit"]
