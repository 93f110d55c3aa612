"""The rooms of the house: who may import whom, and how big anything may grow."""

from __future__ import annotations

import ast
import importlib
import inspect
import runpy
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
    "told": {"game", "match"},
    "lessons": {"scene", "game", "games", "match"},
    "exchange": {"game", "games", "match", "record"},
    "search": {"kernels", "game", "match"},
    "paper": {"boards", "scene", "game", "games", "match", "record", "draw", "lessons"},
    "learn": {"kernels", "game", "games", "match", "search"},
    "serve": {"scene", "kernels", "game", "games", "match", "told", "record", "draw", "lessons", "search", "paper"},
    "tools": {"game", "games", "match", "search", "serve"},
    "terminal": {
        *("boards", "scene", "kernels", "game", "games", "match", "told", "record", "draw", "lessons"),
        "exchange",
        *("search", "learn", "paper", "serve", "tools"),
    },
}
SHARED = {"settings", "refusals", "inputs", "files", "links", "memory", "processes", "turnstile"}
"""What every room of the server may know."""
ROOMS = ("store", "bus", "people", "play", "engine", "server", "commands", "api", "web", "post", "process")
"""The rooms of the server, lowest first; `server` puts those below it together."""

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
    "path",
    [path for path in SOURCES if path.is_relative_to(PACKAGE / "serve") and path.name != "__init__.py"],
    ids=lambda path: path.relative_to(PACKAGE).as_posix(),
)
def test_a_room_of_the_server_imports_only_those_below_it(path: Path) -> None:
    room = path.relative_to(PACKAGE / "serve").parts[0].removesuffix(".py")
    assert room in SHARED or room in ROOMS, f"serve/{room} is no room"
    below = SHARED if room in SHARED else SHARED | set(ROOMS[: ROOMS.index(room) + 1])
    for parts in imports(path):
        if parts[0] == "serve":
            assert parts[1] in below, f"serve/{room} may not import {'.'.join(parts)}"


def used_of_api(path: Path) -> Iterator[tuple[str, str]]:
    """What a file takes from modules of the API: the module and the name."""
    tree, room = ast.parse(path.read_text(encoding="utf-8")), "hedgerow.serve.api"
    modules = dict[str, str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == room:
            modules |= {alias.asname or alias.name: f"{room}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(f"{room}."):
            yield from ((node.module, alias.name) for alias in node.names)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            yield modules[node.value.id], node.attr


def test_pages_call_the_rooms_below_and_not_the_api() -> None:
    """Beside who asks (`asking`) and the router, a page takes nothing from the API but models of what is sent."""
    shared = {"hedgerow.serve.api.asking", "hedgerow.serve.api.routing"}
    taken = [use for path in sorted((PACKAGE / "serve" / "web").glob("*.py")) for use in used_of_api(path)]
    assert len(taken) > 20
    for module, name in taken:
        found = getattr(importlib.import_module(module), name)
        assert module in shared or isinstance(found, type), f"a page calls {module}.{name}"


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


def test_the_architecture_tells_every_file() -> None:
    tables = runpy.run_path(str(PACKAGE.parent.parent / "docs" / "rooms.py"))
    text = (PACKAGE.parent.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert text == tables["renewed"](text), "hint: python docs/rooms.py"


def test_no_handler_and_no_dependency_is_a_plain_function() -> None:
    """FastAPI takes plain functions to a thread and back: that costs more than most of them do."""
    from fastapi.dependencies.models import Dependant
    from fastapi.routing import APIRoute

    from hedgerow.serve.api.routes import ROUTERS as API
    from hedgerow.serve.web.routes import ROUTERS as PAGES

    def calls(dependant: Dependant) -> Iterator[object]:
        yield dependant.call
        for inner in dependant.dependencies:
            yield from calls(inner)

    routes = [route for router in (*API, *PAGES) for route in router.routes if isinstance(route, APIRoute)]
    assert len(routes) > 100
    plain = {call for route in routes for call in calls(route.dependant) if not inspect.iscoroutinefunction(call)}
    assert not plain, "hint: make them coroutines"
