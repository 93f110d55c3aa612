"""Whether to play in lines of text: asked for, no terminal, a terminal that can do nothing else, or a screen reader.

There is no one sign of a screen reader; these are looked for, each in the way that its system tells it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path


def plain_because(asked: bool = False) -> str:
    """Why the game should be lines of text, in a word or two; empty where the screen can be used."""
    if asked or os.environ.get("HEDGEROW_PLAIN", "0") not in ("", "0"):
        return "asked"
    if not all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):  # it draws on stderr
        return "pipe"
    if os.environ.get("TERM", "") in ("", "dumb", "unknown") and sys.platform != "win32":
        return "dumb"
    return "screen reader" if screen_reader() else ""


def screen_reader() -> bool:
    """A screen reader seems to be on."""
    return any(sign() for sign in SIGNS)


def _said_so() -> bool:
    """ACCESSIBLE is what several command line programs go by; Emacspeak sets its own."""
    return os.environ.get("ACCESSIBLE", "0") not in ("", "0") or "EMACSPEAK_DIR" in os.environ


def _speakup() -> bool:
    """Speakup reads the Linux console, and only that."""
    if not Path("/sys/accessibility/speakup").is_dir():
        return False
    try:
        return os.ttyname(0).startswith("/dev/tty") and os.ttyname(0)[8:9].isdigit()
    except OSError:
        return False


def _orca() -> bool:
    """GNOME's setting, which turns Orca on."""
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    return _answer("gsettings", "get", "org.gnome.desktop.a11y.applications", "screen-reader-enabled") == "true"


def _voice_over() -> bool:
    if sys.platform != "darwin":
        return False
    return _answer("defaults", "read", "com.apple.universalaccess", "voiceOverOnOffKey") == "1"


def _windows() -> bool:
    """SPI_GETSCREENREADER, which NVDA and JAWS set."""
    if sys.platform != "win32":
        return False
    import ctypes

    on = ctypes.c_int(0)
    ctypes.windll.user32.SystemParametersInfoW(0x0046, 0, ctypes.byref(on), 0)
    return bool(on.value)


SIGNS: tuple[Callable[[], bool], ...] = (_said_so, _speakup, _orca, _voice_over, _windows)


def _answer(*command: str) -> str:
    """What a program prints, or nothing where it is not there or takes too long."""
    if not shutil.which(command[0]):
        return ""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=1).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
