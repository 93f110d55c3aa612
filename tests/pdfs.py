"""What is in a PDF, found by other programs: poppler renders it and reads its text, its fonts and its structure."""

from __future__ import annotations

import io
import os
import shutil
import subprocess

import pytest
from PIL import Image

TOOLS = ("pdftoppm", "pdftotext", "pdffonts", "pdfinfo")
MM = 72 / 25.4


def poppler(tool: str, pdf: bytes, *options: str) -> bytes:
    """What a tool of poppler says of a PDF; without poppler the test is skipped, but never where all must run."""
    if not shutil.which(tool):
        if os.environ.get("HEDGEROW_REQUIRE_SERVICES"):
            raise AssertionError(f"no {tool}; hint: apt install poppler-utils")
        pytest.skip(f"no {tool}; hint: apt install poppler-utils")
    done = subprocess.run([tool, *options], input=pdf, capture_output=True, check=True, timeout=120)
    assert not done.stderr, done.stderr.decode()
    return done.stdout


def info_of(pdf: bytes, *options: str) -> dict[str, str]:
    """Its title, author, pages, size and whatever else poppler tells."""
    lines = poppler("pdfinfo", pdf, *options, "-").decode().splitlines()
    return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}


def sizes_of(pdf: bytes) -> list[tuple[int, int]]:
    """The size of every page in whole millimetres."""
    told = info_of(pdf, "-l", "9999")
    sizes = [value.split()[:3:2] for key, value in told.items() if key.startswith("Page ") and key.endswith("size")]
    return [(round(float(width) / MM), round(float(height) / MM)) for width, height in sizes]


def text_of(pdf: bytes, *options: str) -> str:
    """The words of all pages."""
    return poppler("pdftotext", pdf, *options, "-", "-").decode()


def fonts_of(pdf: bytes) -> list[dict[str, str]]:
    """Every font: its name, type, and whether it is embedded."""
    head, _, *rows = poppler("pdffonts", pdf, "-").decode().splitlines()
    return [{"name": row.split()[0], "emb": row[head.index("emb") :][:3].strip()} for row in rows]


def structure_of(pdf: bytes) -> list[str]:
    """The roles of its parts in the order in which they are read."""
    return [line.split()[0] for line in poppler("pdfinfo", pdf, "-struct", "-").decode().splitlines() if line.strip()]


def rendered(pdf: bytes, dpi: int = 60) -> list[Image.Image]:
    """Every page as a grey picture."""
    out = poppler("pdftoppm", pdf, "-gray", "-r", str(dpi), "-")
    pages, stream = [], io.BytesIO(out)
    while stream.tell() < len(out):
        picture = Image.open(io.BytesIO(out[stream.tell() :]))
        picture.load()
        header = out[stream.tell() :].split(b"\n", 3)[:3]
        stream.seek(sum(len(line) + 1 for line in header) + picture.width * picture.height, io.SEEK_CUR)
        pages.append(picture)
    return pages


def codes_in(page: Image.Image) -> list[str]:
    """What a phone reads from a page, in reading order."""
    import zxingcpp

    found = [(code.position.top_left, code.text) for code in zxingcpp.read_barcodes(page)]
    return [text for _, text in sorted(found, key=lambda one: (one[0].y // 50, one[0].x))]
