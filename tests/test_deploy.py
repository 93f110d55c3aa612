"""The files that operators start from: the unit is as closed as systemd can tell, the container runs as nobody."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

DEPLOY = Path(__file__).parent.parent / "deploy"
UNIT = DEPLOY / "hedgerow.service"
OK = 2.5
"""What systemd calls exposure, from 0 to 10; below this it says OK or SAFE."""


class Unit(configparser.RawConfigParser):
    """A unit of systemd: names are as they are written, and the last of several counts."""

    def __init__(self) -> None:
        super().__init__(strict=False, delimiters=("=",), comment_prefixes=("#",))
        self.read(UNIT, encoding="utf-8")

    def optionxform(self, optionstr: str) -> str:
        return optionstr


def test_the_unit_is_as_closed_as_systemd_asks() -> None:
    if not shutil.which("systemd-analyze") and os.environ.get("HEDGEROW_REQUIRE_SERVICES") != "1":
        pytest.skip("needs systemd-analyze: apt install systemd")
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(UNIT)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.search(r"Overall exposure level for hedgerow.service: ([\d.]+)", said)
    assert found and float(found[1]) < OK, said


def test_the_unit_keeps_its_files_to_itself_and_has_an_end_of_memory() -> None:
    service = Unit()["Service"]
    assert (service["UMask"], service["StateDirectoryMode"], service["CacheDirectoryMode"]) == ("0077", "0700", "0700")
    assert service["CapabilityBoundingSet"] == "" and service["DynamicUser"] == "yes"
    assert service["MemoryMax"] and service["TasksMax"]
    assert "MemoryDenyWriteExecute" not in service  # Numba's kernels are made executable at run time


def test_the_container_is_pinned_and_runs_as_nobody() -> None:
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    steps = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert re.fullmatch(r"ARG BASE=python:\d+\.\d+\.\d+-slim-[a-z]+", steps[0])
    assert all(step.startswith("FROM ${BASE}") for step in steps if step.startswith("FROM"))
    users = [step for step in steps if step.startswith("USER")]
    assert users == ["USER 10001:10001"] and steps.index(users[0]) < steps.index("VOLUME /data")
    assert any(step.startswith("HEALTHCHECK") for step in steps)


@pytest.mark.parametrize("name", ["hedgerow.service", "Containerfile"])
def test_nothing_shows_how_to_believe_every_proxy(name: str) -> None:
    assert not re.search(r"--proxies[ =]['\"]?\*", (DEPLOY / name).read_text(encoding="utf-8"))


def test_what_security_says_about_tests_is_there() -> None:
    text = (DEPLOY.parent / "SECURITY.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:tests|deploy)/[^`]+)`", text)
    assert len(named) > 10
    assert [name for name in named if not (DEPLOY.parent / name).exists()] == []
