"""What all tests and examples share: games that they begin are not kept among one's own.

Without PyTorch, the extra `train`, nothing of `learn` can be imported, and its examples are not collected.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

collect_ignore_glob = [] if find_spec("torch") else ["src/hedgerow/learn/*"]


@pytest.fixture(scope="session", autouse=True)
def _games_are_kept_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEDGEROW_STATE", str(tmp_path_factory.mktemp("state")))
        yield
