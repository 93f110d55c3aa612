"""A Scene as a PNG, for letters: its parts drawn by resvg with a font of our own, the same on every machine.

A whole board takes resvg up to 60 ms. So every part is drawn once, by itself: the empty board, each piece on each
point, each bar between two, what stands below. A picture is those parts laid over each other in 256 colours, in 3 ms.
"""

from __future__ import annotations

import io
import math
import re
import struct
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from hedgerow.draw.svg import svg_lines
from hedgerow.draw.themes import flat_style
from hedgerow.scene import Scene

if TYPE_CHECKING:
    from PIL import Image

THEME, WIDTH = "day", 440
"""How a picture looks unless somebody says otherwise, and how many pixels wide it is."""
FONT = "DejaVu Sans"
REACH = 24
"""How far, in units of the drawing, a piece reaches from its point, and a bar beyond its ends."""
COLOURS = 256
FAST = 3
"""How hard a picture is pressed together: higher takes twice as long for a tenth of its size."""

VIEW = re.compile(r'viewBox="(\S+) (\S+) (\S+) (\S+)"')
PLACE = re.compile(r'transform="translate\((\S+) (\S+)\)')
PATTERNS = re.compile(r"<pattern.*?</pattern>")
BAR = re.compile(r'<path class="([^"]+)" d="([^"]+)"/>')
WORD = re.compile(r"[a-z][\w-]*")
CLASS = re.compile(r"\.([\w-]+)")
NUMBER = re.compile(r"-?[\d.]+")


def png(scene: Scene, theme: str = THEME, width: int = WIDTH) -> bytes:
    """The picture of a scene with its labels; no other thread goes on while parts of it are drawn."""
    return rendered(drawing(scene, theme), theme, width)


def drawing(scene: Scene, theme: str = THEME) -> list[str]:
    """The lines of SVG that `rendered` makes a picture of."""
    return svg_lines(scene, theme, ident="b", styled=False, sparse=True)


def rendered(lines: list[str], theme: str = THEME, width: int = WIDTH) -> bytes:
    """A drawing as a PNG: what a process of its own can do."""
    from PIL import Image

    picture, made = composed(lines, theme, width), io.BytesIO()
    few = picture.quantize(palette=_palette(picture, Layers.of(lines).look), dither=Image.Dither.NONE)
    few.save(made, "PNG", compress_level=FAST)
    return made.getvalue()


def size_of(picture: bytes) -> tuple[int, int]:
    """The width and the height of a PNG."""
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


# --- parts of a drawing -----------------------------------------------------------------------------------------------


class Layers(NamedTuple):
    """A drawing sorted into what changes seldom and what changes with every turn, lowest first."""

    head: str
    ground: str
    """The empty board with its labels."""
    claims: str
    bars: list[str]
    pieces: list[str]
    footer: str

    @classmethod
    def of(cls, lines: list[str]) -> Layers:
        """The layers of a drawing; lines of one layer begin alike."""
        claims, bars, pieces, footer, ground = [], [], list[str](), "", []
        for line in lines[1:-1]:
            if line.startswith('<g class="point"'):
                pieces.append(line)
            elif line.startswith('<path class="link-edge'):
                bars += list(_single_bars(line))
            elif line.startswith('<path class="claim'):
                claims.append(line)
            elif line.startswith('<g class="footer"'):
                footer = line
            elif not line.startswith(("<title", "<desc")):
                ground.append(line)
        defined = next((line for line in ground if line.startswith("<defs")), "")
        land = defined + "".join(claims) if claims else ""
        return cls(lines[0], PATTERNS.sub("", "\n".join(ground)), land, bars, pieces, footer)

    @property
    def look(self) -> tuple[str, str, frozenset[str]]:
        """What decides about the colours of a picture, whatever stands where."""
        kinds = frozenset(PLACE.sub("", re.sub(r'data-point="[^"]*"', "", piece)) for piece in self.pieces)
        return self.ground, self.claims[:1], kinds


def _single_bars(line: str) -> Iterator[str]:
    """Bars one by one, those at the edge first: a path of several has a stroke for each anyway."""
    for kind, path in BAR.findall(line):
        yield from (f'<path class="{kind}" d="M{bar}"/>' for bar in path.split("M")[1:])


class Frame(NamedTuple):
    """Where a drawing begins, how many pixels one of its units is, and how large the picture is."""

    left: float
    top: float
    scale: float
    width: int
    height: int

    @classmethod
    def of(cls, head: str, width: int) -> Frame:
        """Read from the first tag of a drawing."""
        found = VIEW.search(head)
        assert found
        left, top, wide, high = map(float, found.groups())
        return cls(left, top, width / wide, width, math.ceil(high * width / wide))

    def around(self, spots: Iterable[tuple[float, float]]) -> tuple[int, int, int, int]:
        """The pixels round some spots: left, top, right, bottom."""
        across, down = zip(*spots)
        low = [math.floor((min(c) - REACH - at) * self.scale) for c, at in ((across, self.left), (down, self.top))]
        high = [math.ceil((max(c) + REACH - at) * self.scale) for c, at in ((across, self.left), (down, self.top))]
        return max(0, low[0]), max(0, low[1]), min(self.width, high[0]), min(self.height, high[1])

    @property
    def whole(self) -> tuple[int, int, int, int]:
        """All pixels."""
        return 0, 0, self.width, self.height


class Patch(NamedTuple):
    """A part that was drawn, how much it covers, and where it goes."""

    colours: Image.Image
    cover: Image.Image
    at: tuple[int, int]


# --- drawing them -----------------------------------------------------------------------------------------------------


def composed(lines: list[str], theme: str, width: int) -> Image.Image:
    """The picture in all its colours: one part laid over another."""
    layers = Layers.of(lines)
    frame = Frame.of(layers.head, width)
    picture = _ground(theme, frame, layers.head, layers.ground).copy()
    patches = [_layer(theme, frame, layers.head, layers.claims)] if layers.claims else []
    patches += [_bar(theme, frame, layers.head, bar) for bar in layers.bars]
    patches += [_piece(theme, frame, layers.head, piece) for piece in layers.pieces]
    patches += [_footer(theme, frame, layers.head, layers.footer)] if layers.footer else []
    for patch in patches:
        picture.paste(patch.colours, patch.at, patch.cover)
    return picture


@lru_cache(maxsize=64)
def _ground(theme: str, frame: Frame, head: str, markup: str) -> Image.Image:
    """The empty board; its corners, which are round, are filled with what is round it."""
    from PIL import Image

    drawn = one_drawing(theme, frame, head, markup, frame.whole)
    whole = Image.new("RGBA", drawn.size, drawn.getpixel((drawn.width // 2, 1)))
    whole.alpha_composite(drawn)
    return whole.convert("RGB")


@lru_cache(maxsize=256)
def _layer(theme: str, frame: Frame, head: str, markup: str) -> Patch:
    """What may be anywhere on the board."""
    return _patch(theme, frame, head, markup, frame.whole)


@lru_cache(maxsize=256)
def _footer(theme: str, frame: Frame, head: str, markup: str) -> Patch:
    """What stands below the board."""
    found = PLACE.search(markup)
    top = max(0, math.floor((float(found[2]) - frame.top) * frame.scale)) if found else 0
    return _patch(theme, frame, head, markup, (0, min(top, frame.height - 1), frame.width, frame.height))


@lru_cache(maxsize=16_384)
def _piece(theme: str, frame: Frame, head: str, markup: str) -> Patch:
    """What stands on one point."""
    found = PLACE.search(markup)
    assert found
    return _patch(theme, frame, head, markup, frame.around([(float(found[1]), float(found[2]))]))


@lru_cache(maxsize=16_384)
def _bar(theme: str, frame: Frame, head: str, markup: str) -> Patch:
    """A bar between two points."""
    numbers = [float(each) for each in NUMBER.findall(markup.partition(' d="')[2])]
    return _patch(theme, frame, head, markup, frame.around(zip(numbers[::2], numbers[1::2])))


def _patch(theme: str, frame: Frame, head: str, markup: str, box: tuple[int, int, int, int]) -> Patch:
    drawn = one_drawing(theme, frame, head, markup, box)
    return Patch(drawn.convert("RGB"), drawn.getchannel("A"), box[:2])


def one_drawing(theme: str, frame: Frame, head: str, markup: str, box: tuple[int, int, int, int]) -> Image.Image:
    """A part alone, in the pixels of a box, as it would be in the whole picture."""
    import resvg_py  # only where letters are written
    from PIL import Image

    left, top, right, bottom = box
    wide, high = right - left, bottom - top
    view = (frame.left + left / frame.scale, frame.top + top / frame.scale, wide / frame.scale, high / frame.scale)
    cut = VIEW.sub(f'viewBox="{" ".join(map(repr, view))}" width="{wide}" height="{high}"', head)
    made = resvg_py.svg_to_bytes(
        svg_string=f"{cut}{markup}</svg>",
        style_sheet=_style(theme, frozenset(WORD.findall(head + markup))),
        skip_system_fonts=True,
        font_files=[_font()] if "<text" in markup else None,
        font_family=FONT,
        sans_serif_family=FONT,
        serif_family=FONT,
        cursive_family=FONT,
    )
    return Image.open(io.BytesIO(made)).convert("RGBA")


_palettes: dict[tuple[str, str, frozenset[str]], Image.Image] = {}


def _palette(picture: Image.Image, look: tuple[str, str, frozenset[str]]) -> Image.Image:
    """The colours of pictures with this board and these pieces on it: those of the first."""
    from PIL import Image

    if look not in _palettes:
        if len(_palettes) >= 256:
            _palettes.pop(next(iter(_palettes)))
        _palettes[look] = picture.quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    return _palettes[look]


@lru_cache(maxsize=1024)
def _style(theme: str, words: frozenset[str]) -> str:
    """The rules of a theme that are about these words: resvg reads them anew for every part."""
    rules = (rule.partition("{") for rule in flat_style(theme).split("\n"))
    return "\n".join("".join(rule) for rule in rules if words.issuperset(CLASS.findall(rule[0])))


@cache
def _font() -> str:
    return str(resources.files("hedgerow.draw").joinpath("fonts", "DejaVuSans.ttf"))
