"""The tables of ARCHITECTURE.md, a room each, made of what every file says of itself in its first line.

python docs/rooms.py    writes them; a test fails while they are behind
"""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "ARCHITECTURE.md"
BEGIN, END = "<!-- the rooms: written by docs/rooms.py -->\n", "<!-- the end of the rooms -->\n"
PACKAGE = ROOT / "src" / "hedgerow"
ORDER = (
    "",
    "boards",
    "scene",
    "kernels",
    "game",
    "games",
    "record",
    "draw",
    "match",
    "search",
    "learn",
    "serve",
    "tools",
)
SERVER = ("", "store", "bus", "people", "play", "engine", "commands", "api", "web", "post", "process")
"""Lowest first."""
ALIKE = "migrations"
"""What is not told file by file."""


def told(path: Path) -> str:
    """The first sentence of a file, without its dot."""
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(said.split("\n\n")[0].split()).removesuffix(".").replace("|", "\\|")


def rank(room: str) -> tuple[int, int, str]:
    """Where a room stands."""
    first, _, rest = room.partition("/")
    inner = rest.split("/")[0]
    return (
        ORDER.index(first) if first in ORDER else len(ORDER),
        SERVER.index(inner) if first == "serve" and inner in SERVER else 0,
        room,
    )


def table(folder: Path, room: str, files: list[Path]) -> str:
    """A room: what it is, and its files."""
    init = folder / "__init__.py"
    rows = [f"| `{path.name}` | {told(path)} |" for path in files if path != init and path.name != "conftest.py"]
    about = f"{told(init)}.\n\n" if init.exists() else ""
    return f"### {room}\n\n{about}" + ("\n".join(["| file | |", "|---|---|", *rows, "", ""]) if rows else "")


def rooms() -> str:
    """All of them: the package's, then the tests'."""
    found = []
    for base, prefix in ((PACKAGE, ""), (ROOT / "tests", "tests")):
        files = sorted(base.rglob("*.py"))
        by_room = {
            folder: [path for path in files if path.parent == folder] for folder in {path.parent for path in files}
        }
        names = {folder: f"{prefix}/{folder.relative_to(base).as_posix()}".strip("/.") for folder in by_room}
        for folder in sorted(by_room, key=lambda folder: rank(names[folder])):
            if ALIKE not in folder.parts:
                found.append(table(folder, names[folder] or "hedgerow", by_room[folder]))
    return "\n" + "".join(found)


def renewed(text: str) -> str:
    """The page with its tables as they should be."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + rooms() + END + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
