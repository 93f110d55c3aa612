"""The kernel cache: a second start compiles nothing, an edit moves it, a read-only install works."""

from __future__ import annotations

import ast
import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hedgerow as hg
from hedgerow.kernels import cache


def run(code: str, **environment: str) -> str:
    found = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return found.stdout


def test_a_second_start_compiles_nothing(tmp_path: Path) -> None:
    warm = [sys.executable, "-m", "hedgerow", "warm", "root_and_thorn", "--json"]
    told = []
    for _ in range(2):
        env = os.environ | {"HEDGEROW_CACHE": str(tmp_path)}
        found = subprocess.run(warm, env=env, capture_output=True, text=True, check=True)
        told.append(json.loads(found.stdout)["games"][0])
    assert told[0]["compiled"] > 0 and told[0]["loaded"] == 0
    assert told[1]["compiled"] == 0 and told[1]["loaded"] == told[0]["compiled"]


def test_processes_that_compile_at_the_same_time_do_not_mix_up_their_kernels(tmp_path: Path) -> None:
    env = os.environ | {"HEDGEROW_CACHE": str(tmp_path)}
    names = ["rootbound(side=3)", "root_and_thorn"]
    count = "import sys, hedgerow as hg; print([hg.make(name).fast.perft(3) for name in sys.argv[1:]])"
    both = [subprocess.Popen([sys.executable, "-c", count, *order], env=env) for order in (names, names[::-1])]
    assert [process.wait() for process in both] == [0, 0]
    indices = [pickle.loads(path.read_bytes()[_first_pickle(path) :]) for path in tmp_path.rglob("*.nbi")]
    files = [file for _, overloads in indices for file in overloads.values()]
    assert len(set(files)) == len(files) >= len(names)
    found = subprocess.run([sys.executable, "-c", count, *names], env=env, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == str([hg.make(name).fast.perft(3) for name in names])


def test_damaged_files_are_compiled_again(tmp_path: Path) -> None:
    count = "import hedgerow as hg; print(hg.make('root_and_thorn').fast.perft(2))"
    right = run(count, HEDGEROW_CACHE=str(tmp_path))
    for ending in ("nbc", "nbi"):
        damaged = list(tmp_path.rglob(f"*.{ending}"))
        assert damaged
        for path in damaged:
            path.write_bytes(b"noise" * 9)
        assert run(count, HEDGEROW_CACHE=str(tmp_path)) == right
    told = run(
        f"{count}; from hedgerow.kernels import cache; print(cache.compiled_and_loaded()[0])",
        HEDGEROW_CACHE=str(tmp_path),
    )
    assert told == f"{right}0\n", "and then they are whole again"


def _first_pickle(path: Path) -> int:
    """Where the second pickle of a Numba index begins: the first is the version."""
    with path.open("rb") as file:
        pickle.load(file)
        return file.tell()


def test_records_have_the_same_name_in_every_process() -> None:
    """Whatever games a process meets first, compiled functions of equal records have equal names, of others not."""
    code = """
import sys
import numba
from numba.core.itanium_mangler import mangle_type_or_value
import hedgerow as hg
found = {name: mangle_type_or_value(numba.typeof(hg.make(name).fast.new())) for name in sys.argv[1:]}
print(sorted(found.items()))
"""
    names = ["hexbo(side=5)", "hexbo(side=5,players=3)", "root_bound(side=3)", "rootbound(side=3)", "root_down"]
    told = [
        subprocess.run([sys.executable, "-c", code, *order], capture_output=True, text=True, check=True).stdout
        for order in (names, names[::-1])
    ]
    assert told[0] == told[1]
    assert len({mangled for _, mangled in ast.literal_eval(told[0])}) == len(names)


def test_nothing_is_written_beside_the_sources(tmp_path: Path) -> None:
    """An install that cannot be written to: a copy of the package, read only, runs and keeps its kernels elsewhere."""
    install = tmp_path / "install"
    shutil.copytree(cache.PACKAGE, install / "hedgerow", ignore=shutil.ignore_patterns("__pycache__"))
    before = set(install.rglob("*"))
    for path in before:
        path.chmod(0o555 if path.is_dir() else 0o444)
    code = "import hedgerow as hg; print(hg.__file__, len(hg.playouts('root_and_thorn', 3).winners))"
    out = run(code, PYTHONPATH=str(install), HEDGEROW_CACHE=str(tmp_path / "cache"), PYTHONDONTWRITEBYTECODE="1")
    assert out.split() == [str(install / "hedgerow" / "__init__.py"), "3"]
    assert set(install.rglob("*")) == before
    assert list((tmp_path / "cache").rglob("*.nbc"))


def test_numbas_own_setting_is_left_alone(tmp_path: Path) -> None:
    code = """
from numba import config
before = config.CACHE_DIR
import hedgerow.kernels.batch
print(config.CACHE_DIR == before)
"""
    assert run(code, HEDGEROW_CACHE=str(tmp_path)).strip() == "True"


def test_an_edit_of_any_kernel_source_moves_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "hedgerow"
    shutil.copytree(cache.PACKAGE, copy)
    monkeypatch.setattr(cache, "PACKAGE", copy)
    first = cache.fingerprint()
    assert first == cache.fingerprint()
    for path in ("kernels/bits.py", "games/root_down/rules.py", "games/_growth/kernels.py"):
        with (copy / path).open("a") as file:
            file.write("\n# edited\n")
        assert cache.fingerprint() != first
        first = cache.fingerprint()


def test_old_folders_are_pruned(tmp_path: Path) -> None:
    for age in range(6):
        folder = tmp_path / f"kernels-{age}"
        folder.mkdir()
        os.utime(folder, (1_000_000 - age, 1_000_000 - age))
    (tmp_path / "something else").mkdir()
    cache.prune(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kernels-0", "kernels-1", "kernels-2", "something else"]


def test_without_any_place_to_write_kernels_are_compiled_and_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    code = "import hedgerow as hg; print(hg.make('root_and_thorn').fast.perft(2))"
    env = os.environ | {"HEDGEROW_CACHE": str(tmp_path / "file")}
    found = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "2500" and found.stderr.count("set HEDGEROW_CACHE to a folder") == 1


def test_a_folder_that_others_may_write_to_is_not_trusted(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    assert not cache._is_ours(tmp_path)
    tmp_path.chmod(0o700)
    assert cache._is_ours(tmp_path)


def test_a_cache_that_cannot_be_written_falls_back(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    code = "from hedgerow.kernels import cache; print(cache.folder())"
    out = run(
        code,
        HEDGEROW_CACHE="",
        XDG_CACHE_HOME=str(tmp_path / "file"),
        HOME=str(tmp_path / "file"),
        TMPDIR=str(tmp_path),
    )
    assert out.startswith(str(tmp_path)) and "file" not in out
