"""The two commands on a machine that lacks something: they say what, and leave nothing half made."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def make(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """`make serve` in a folder of its own, with a stand-in for Python."""
    shutil.copy(ROOT / "Makefile", folder)
    python = folder / "python"
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o755)
    return subprocess.run(["make", f"PYTHON={python}", "serve"], cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (f'case "$*" in *ensurepip*) exit 1;; esac; exec {sys.executable} "$@"', "apt install python3-venv"),
        ('case "$*" in *version_info*) exit 1;; esac', "needs Python 3.11"),
        (
            f'case "$*" in *venv\\ .venv*) mkdir .venv; exit 1;; esac; exec {sys.executable} "$@"',
            "could not make .venv",
        ),
    ],
)
def test_what_is_missing_is_named_and_nothing_is_left(tmp_path: Path, script: str, words: str) -> None:
    done = make(tmp_path, script)
    assert done.returncode != 0 and words in done.stdout
    assert not (tmp_path / ".venv").exists()
