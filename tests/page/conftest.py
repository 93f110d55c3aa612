"""The fixtures of `browsing`, for every test here."""

from browsing import browser, here, visit

__all__ = ["browser", "here", "visit"]
