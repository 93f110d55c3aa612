"""A push service of our own: takes messages at a port of this machine, and a browser's keys to read them with."""

from __future__ import annotations

import base64
import contextlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

SECRET = b"sixteen letters."


def urlsafe(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


@dataclass
class PushService:
    """What came, and what is answered to the next ones: 201 when nothing else is left to say."""

    url: str = ""
    answers: list[int] = field(default_factory=list)
    came: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    arrived: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def subscription(self, path: str = "/send/1") -> dict[str, Any]:
        """What a browser would send to the server."""
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"endpoint": self.url + path, "keys": {"p256dh": urlsafe(point), "auth": urlsafe(SECRET)}}

    def read(self, number: int = -1) -> dict[str, str]:
        """A message, as its browser reads it."""
        told: dict[str, str] = json.loads(
            http_ece.decrypt(self.came[number][1], private_key=self.key, auth_secret=SECRET)
        )
        return told


@contextlib.contextmanager
def push_service() -> Iterator[PushService]:
    """The service, until it is no longer needed."""
    made = PushService()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            made.came.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(made.answers.pop(0) if made.answers else 201)
            self.send_header("Location", f"{made.url}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()
            made.arrived.release()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield made
    server.shutdown()
    server.server_close()
