"""Makes the pictures of docs/paper.md: sheets of paper as PNG. It needs pdftoppm (poppler-utils).

python docs/paper_pictures.py
"""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

from PIL import Image

import hedgerow as hg
from hedgerow.paper.kit import kit_pdf
from hedgerow.paper.plate import plate_pdf
from pictures import midgame

FOLDER = Path(__file__).parent / "pictures" / "paper"
DPI = 62
NAMES = {"Date": "2026-11-16", "Black": "Hazel", "White": "Rowan"}


def page(pdf: bytes) -> Image.Image:
    """The first page, in few greys."""
    options = ["-gray", "-png", "-r", str(DPI), "-f", "1", "-singlefile", "-"]
    drawn = subprocess.run(["pdftoppm", *options], input=pdf, capture_output=True, check=True).stdout
    return Image.open(io.BytesIO(drawn)).quantize(16)


def plate(name: str, seed: int) -> Image.Image:
    """The plate of a game that was played to its end."""
    match = midgame(name, 10_000, seed)
    match.tags = dict(NAMES)
    return page(plate_pdf(match, server="https://play.example.org"))


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    sheets = {
        "plate-root_bound": plate("root_bound", 6),
        "plate-hexbo": plate("hexbo", 6),
        "leaflet": page(kit_pdf([hg.make("root_and_thorn")], ["leaflet"])),
        "pencil": page(kit_pdf([hg.make("rootbound")], ["pencil"])),
        "pieces": page(kit_pdf([hg.make("root_down")], ["pieces"])),
        "board": page(kit_pdf([hg.make("root_bound")], ["board"])),
    }
    for name, picture in sheets.items():
        picture.save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
