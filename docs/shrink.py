"""Makes the picture of a page small: a PNG of a few well chosen colours. Chromium reads it, NumPy chooses."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from playwright.sync_api import Page

COLOURS = 64

READ = """async (text) => {
  const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let found = "";
  for (let n = 0; n < data.length; n += 32768) found += String.fromCharCode(...data.subarray(n, n + 32768));
  return [image.width, image.height, btoa(found)];
}"""


def shrunk(page: Page, picture: bytes) -> bytes:
    """The same picture in few colours; the page is any that has no policy, like about:blank."""
    width, height, text = page.evaluate(READ, base64.b64encode(picture).decode())
    pixels = np.frombuffer(base64.b64decode(text), np.uint8).reshape(height, width, 4)[:, :, :3]
    words = pixels.astype(np.uint32) @ np.array([65536, 256, 1], np.uint32)
    colours, where, counts = np.unique(words, return_inverse=True, return_counts=True)
    rgb = np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1).astype(np.int32)
    palette = chosen(rgb, counts)
    nearest = ((rgb[:, None, :] - palette[None]) ** 2).sum(axis=2).argmin(axis=1).astype(np.uint8)
    return png(nearest[where].reshape(height, width), palette)


def chosen(rgb: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The colours to keep: every time the one that helps most, by how often and how badly a colour is missed."""
    palette = [rgb[counts.argmax()]]
    missed = ((rgb - palette[0]) ** 2).sum(axis=1)
    while len(palette) < COLOURS and missed.any():
        palette.append(rgb[(missed * np.sqrt(counts)).argmax()])
        missed = np.minimum(missed, ((rgb - palette[-1]) ** 2).sum(axis=1))
    return np.array(palette)


def png(indexes: np.ndarray, palette: np.ndarray) -> bytes:
    """A PNG file of pixels that are numbers of colours."""
    height, width = indexes.shape
    rows = np.zeros((height, width + 1), np.uint8)
    rows[:, 1:] = indexes
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", palette.astype(np.uint8).tobytes()),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    )
    body = b"".join(struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in parts)
    return b"\x89PNG\r\n\x1a\n" + body
