"""Completion in real shells: commands, options, games with their options, players, and files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hedgerow.terminal import completing

WANTED = {
    "hedgerow re": ["replay"],
    "hedgerow rules root_b": ["root_bound"],
    "hedgerow rules hexbo:pl": ["hexbo:players=2", "hexbo:players=3", "hexbo:players=6"],
    "hedgerow rules hexbo:side=5,players=": [f"hexbo:side=5,players={players}" for players in (2, 3, 6)],
    "hedgerow arena tanbo random ran": ["random"],
    "hedgerow arena tanbo level:1": ["level:1", "level:10"],
    "hedgerow convert g.txt out --to ab": ["abstractplay"],
    "hedgerow convert --the": ["--theme"],
    "hedgerow bench pl": ["playouts"],
    "hedgerow admin rev": ["revoke-token"],
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a program `hedgerow`, first in the path, and a file to complete."""
    program = tmp_path / "hedgerow"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hedgerow "$@"\n')
    program.chmod(0o755)
    (tmp_path / "my-game.txt").write_text("")
    return tmp_path


def run(shell: list[str], script: str, place: Path) -> str:
    environment = os.environ | {"PATH": f"{place}:{os.environ['PATH']}", "HOME": str(place), "TERM": "dumb"}
    done = subprocess.run([*shell, script], capture_output=True, text=True, cwd=place, env=environment, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_bash_completes(place: Path) -> None:
    """What the function answers for a line is what stands after the last : or =, where bash begins a word."""
    script = 'eval "$(hedgerow completion bash)"\ncomplete -p hedgerow\n'
    for line in WANTED:
        script += (
            f'COMP_LINE="{line}"; COMP_POINT=${{#COMP_LINE}}; _hedgerow_completion hedgerow; echo "${{COMPREPLY[*]}}"\n'
        )
    first, *found = run(["bash", "-c"], script, place).splitlines()
    assert first == "complete -o default -F _hedgerow_completion hedgerow"
    for line, answer, wanted in zip(WANTED, found, WANTED.values(), strict=True):
        word = line.split()[-1]
        before = max(word.rfind(":"), word.rfind("=")) + 1
        assert answer.split() == [one[before:] for one in wanted], line


@pytest.mark.skipif(not shutil.which("fish"), reason="no fish here: apt install fish")
def test_fish_completes(place: Path) -> None:
    script = "hedgerow completion fish | source\n"
    script += "".join(f"complete -C '{line}'; echo ++\n" for line in [*WANTED, "hedgerow show my-"])
    answers = [part.split("\n") for part in run(["fish", "-c"], script, place).split("++\n")]
    found = [[line.split("\t")[0] for line in answer if line] for answer in answers[:-1]]
    assert found == [*WANTED.values(), ["my-game.txt"]]


@pytest.mark.skipif(not shutil.which("zsh"), reason="no zsh here: apt install zsh")
def test_zsh_completes(place: Path) -> None:
    script = 'autoload -Uz compinit; compinit -u -D; eval "$(hedgerow completion zsh)"; print $_comps[hedgerow]\n'
    for line in WANTED:
        script += f'_TYPER_COMPLETE_ARGS="{line}" _HEDGEROW_COMPLETE=complete_zsh hedgerow; print ++\n'
    first, *answers = run(["zsh", "-f", "-c"], script, place).split("\n", 1)
    assert first == "_hedgerow_completion"
    for line, answer, wanted in zip(WANTED, answers[0].split("++\n"), WANTED.values()):
        for word in wanted:
            assert word.replace(":", "\\\\:") in answer or word in answer, line


def test_it_is_installed_where_shells_look(place: Path) -> None:
    files = {
        "bash": ".local/share/bash-completion/completions/hedgerow",
        "zsh": ".zfunc/_hedgerow",
        "fish": ".config/fish/completions/hedgerow.fish",
    }
    drop = {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "ZDOTDIR"}
    environment = {name: value for name, value in os.environ.items() if name not in drop} | {"HOME": str(place)}
    for shell, file in files.items():
        command = [sys.executable, "-m", "hedgerow", "completion", shell]
        printed = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
        done = subprocess.run([*command, "--install"], capture_output=True, text=True, env=environment)
        assert done.returncode == 0 and done.stdout == "" and str(place / file) in done.stderr.replace("\n", "")
        assert (place / file).read_text() == printed


def test_games_complete_only_what_they_have() -> None:
    found = [value for value, _ in completing.games("root_bound:side=5,")]
    assert "root_bound:side=5,centerless=yes" in found and not any("side=5,side" in value for value in found)
    assert list(completing.games("chess:")) == [] and list(completing.players("zz")) == []
