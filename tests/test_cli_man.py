"""The manual page: made of the words of the help, well formed, and the one that is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from hedgerow.terminal.man import page
from test_cli import EVERY

ROOT = Path(__file__).parent.parent


def test_the_page_that_is_installed_is_the_one_that_is_printed() -> None:
    assert (ROOT / "docs" / "hedgerow.1").read_text(encoding="utf-8") == page(), "hint: hedgerow man > docs/hedgerow.1"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    shared = project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    assert shared == {"docs/hedgerow.1": "share/man/man1/hedgerow.1"}


def test_it_tells_every_command_and_option() -> None:
    text = re.sub(r"\\f[BIR]|\\&", "", page()).replace(r"\-", "-")
    for path, command in EVERY.items():
        assert f"hedgerow {' '.join(path)}" in text
        for param in command.params:
            if param.param_type_name == "option":
                assert all(name in text for name in param.opts)


@pytest.mark.skipif(not shutil.which("mandoc"), reason="no mandoc here: apt install mandoc")
def test_mandoc_finds_nothing_wrong() -> None:
    done = subprocess.run(["mandoc", "-Tlint"], input=page(), capture_output=True, text=True)
    assert done.stdout == "" and done.returncode == 0


@pytest.mark.skipif(not shutil.which("groff"), reason="no groff here: apt install groff")
def test_groff_sets_it() -> None:
    done = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-P-c"], input=page(), capture_output=True, text=True)
    words = " ".join(re.sub(r".\x08", "", done.stdout).replace("-\n", "").split())
    assert done.stderr == "" and "Step through a game" in words and "EXIT STATUS 0 It is done." in words
