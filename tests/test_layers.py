"""The rooms of the house: who may import whom, and how big anything may grow."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "hedgerow"

MAY_IMPORT = {
    "boards": set(),
    "kernels": set(),
    "scene": {"boards"},
    "game": {"boards", "scene"},
    "games": {"boards", "scene", "kernels", "game"},
    "record": {"game"},
    "draw": {"boards", "scene"},
    "match": {"game", "games", "record", "draw"},
    "search": {"kernels", "game", "match"},
    "serve": {"scene", "kernels", "game", "games", "match", "record", "draw", "search"},
    "terminal": {"scene", "kernels", "game", "games", "match", "record", "draw", "search", "serve"},
}

SOURCES = sorted(path for path in PACKAGE.rglob("*.py") if not path.name.startswith("test_"))


def imports(path: Path) -> Iterator[tuple[str, ...]]:
    """Every module of ours that a file imports, wherever in it, as its parts below `hedgerow`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative imports hide the room"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (tuple(name.split(".")[1:]) for name in names if name.split(".")[0] == "hedgerow")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_room_imports_only_what_it_may(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if room in ("__init__", "__main__"):
        return
    for parts in imports(path):
        assert parts[0] in MAY_IMPORT[room] | {room, "__version__"}, f"{room} may not import {parts[0]}"


@pytest.mark.parametrize(
    "path", [p for p in SOURCES if "games" in p.parts], ids=lambda p: p.relative_to(PACKAGE).as_posix()
)
def test_a_game_never_imports_another(path: Path) -> None:
    inside = path.relative_to(PACKAGE / "games").parts
    if len(inside) == 1:
        return
    for parts in imports(path):
        if parts[0] == "games" and len(parts) > 1:
            assert parts[1] == inside[0] or parts[1].startswith("_"), f"{inside[0]} imports {parts[1]}"


def test_importing_hedgerow_does_not_import_numba_or_numpy() -> None:
    import subprocess
    import sys

    code = "import sys, hedgerow; hedgerow.Match('hexbo').play('A2'); print({'numba', 'numpy'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_nothing_grows_too_big(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 500
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 60, f"{node.name} is longer than 60 lines"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_every_file_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def test_every_file_has_its_line_in_the_architecture() -> None:
    text = (PACKAGE.parent.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
    quiet = {"draw", "kernels", "terminal", *(path.parent.name for path in (PACKAGE / "games").glob("*/plain.py"))}
    for path in SOURCES:
        name = path.relative_to(PACKAGE).as_posix()
        alike = path.name in ("__init__.py", "measured.py") and path.parent.name in quiet
        assert f"`{name}`" in text or alike, name
