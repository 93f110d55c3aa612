"""A PostgreSQL of one's own, to crash and to start again at the same place."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import REQUIRED

from hedgerow.tools.serve_bench import free_port


def programs() -> Path | None:
    """The folder of PostgreSQL's own programs; Debian keeps them out of the path."""
    if found := shutil.which("pg_ctl"):
        return Path(found).parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


class PrivatePostgres:
    """Runs as `postgres` where we are root, because it refuses to run as root."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.port = free_port()
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"
        self._folder, self._programs = folder, programs
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        self._run("initdb", "--username=postgres", "--auth=trust", "--no-sync")

    def _run(self, program: str, *options: str) -> None:
        as_postgres = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        command = [*as_postgres, str(self._programs / program), "-D", str(self._folder / "data"), *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self._folder)

    def start(self) -> None:
        """Returns when it answers; what it had committed before a crash is there."""
        listen = f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories={self._folder}"
        self._run("pg_ctl", "-o", listen, "-l", str(self._folder / "log"), "-w", "start")

    def crash(self) -> None:
        """Everything ends at once, as if the power failed."""
        self._run("pg_ctl", "-m", "immediate", "-w", "stop")


@pytest.fixture
def private_postgres() -> Iterator[PrivatePostgres]:
    """A PostgreSQL that may be crashed."""
    if (found := programs()) is None:
        if REQUIRED:
            raise FileNotFoundError("pg_ctl")
        pytest.skip("needs the programs of PostgreSQL: apt install postgresql")
    folder = Path(tempfile.mkdtemp())
    try:
        made = PrivatePostgres(folder, found)
        made.start()
        yield made
        made.crash()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
