"""A game as an animated GIF: its positions as pictures of one palette, of which only what changes is kept."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.draw.animation import REST, SECONDS
from hedgerow.draw.png import THEME, WIDTH, composed, drawing
from hedgerow.scene import Scene

if TYPE_CHECKING:
    from PIL.Image import Image

FREQUENT, BLENDED = 128, 96
"""How many colours are kept as they are, those of boards and pieces, and how many stand for all others, on edges."""


def gif(
    scenes: Sequence[Scene],
    theme: str = THEME,
    width: int = WIDTH,
    *,
    seconds: float = SECONDS,
    rest: float = REST,
    progress: Callable[[int], None] = lambda done: None,
) -> bytes:
    """The positions one after the other, then again; `progress` is told how many are drawn."""
    frames: list[Image] = []
    for scene in scenes:
        frames.append(composed(drawing(scene, theme), theme, width))
        progress(len(frames))
    frames = _same_size(frames)
    palette = _Palette(frames)
    flat = [palette.flat(frame) for frame in frames]
    times = [round(1000 * seconds)] * (len(flat) - 1) + [round(1000 * (seconds + rest))]
    out = io.BytesIO()
    flat[0].save(out, "GIF", save_all=True, append_images=flat[1:], duration=times, loop=0, disposal=1, optimize=True)
    return out.getvalue()


def _same_size(frames: list[Image]) -> list[Image]:
    """The pictures on as much paper as the tallest needs."""
    from PIL import Image

    size = (max(frame.width for frame in frames), max(frame.height for frame in frames))
    made = []
    for frame in frames:
        paper = Image.new("RGB", size, "white")
        paper.paste(frame)
        made.append(paper)
    return made


class _Palette:
    """The colours of the beginning, the middle and the end, which have all that there is."""

    def __init__(self, frames: list[Image]) -> None:
        from PIL import Image

        width, height = frames[0].size
        chosen = [frames[0], frames[len(frames) // 2], frames[-1]]
        together = Image.new("RGB", (width, height * len(chosen)))
        for number, frame in enumerate(chosen):
            together.paste(frame, (0, number * height))
        counted = sorted(zip(*np.unique(_packed(together), return_counts=True)), key=lambda one: -int(one[1]))
        frequent = [int(colour) for colour, _ in counted[:FREQUENT]]
        blended = (
            together.quantize(BLENDED, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).getpalette() or []
        )
        rows = [_unpacked(np.array(frequent)), np.array(blended[: 3 * BLENDED]).reshape(-1, 3)]
        self.colours = np.concatenate(rows)
        self.number = np.full(1 << 24, -1, np.int16)
        """For every colour that was met, the number of the nearest of these."""

    def flat(self, frame: Image) -> Image:
        """A picture in these colours, each the nearest: Pillow's own way is off by what an eye sees."""
        from PIL import Image

        pixels = _packed(frame)
        new = np.unique(pixels[self.number[pixels] < 0])
        apart = ((_unpacked(new)[:, None, :] - self.colours[None, :, :]) ** 2).sum(axis=2)
        self.number[new] = apart.argmin(axis=1)
        numbers = self.number[pixels].astype(np.uint8).reshape(frame.height, frame.width)
        made = Image.fromarray(numbers)
        made.putpalette(self.colours.astype(np.uint8).tobytes())
        return made


def _packed(frame: Image) -> Any:
    """Every pixel as one number."""
    pixels = np.asarray(frame).astype(np.int64)
    return ((pixels[..., 0] << 16) + (pixels[..., 1] << 8) + pixels[..., 2]).ravel()


def _unpacked(numbers: Any) -> Any:
    """Numbers as rows of red, green and blue."""
    return np.stack([numbers >> 16, (numbers >> 8) & 255, numbers & 255], axis=1)
