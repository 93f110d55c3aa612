"""A router that skips its routes at once where the path does not begin with its prefix."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.routing import Match
from starlette.types import Scope

API = "/api/"


class Router(APIRouter):
    """Routes below a prefix; without one, pages and other paths that are not below `/api/`."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether one of the routes answers a request."""
        path: str = scope["path"]
        below = path.startswith(self.prefix.partition("{")[0]) if self.prefix else not path.startswith(API)
        return super().matches(scope) if below else (Match.NONE, {})
