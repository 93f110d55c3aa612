"""Without PyTorch, the extra `train`, nothing of `learn` can be imported, and its examples are not collected."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["src/hedgerow/learn/*"]
