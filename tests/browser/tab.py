"""A tab of a browser on a design that is served, and what its terminal shows."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import pyte

if TYPE_CHECKING:
    from playwright.sync_api import Browser, WebSocket

PATIENCE_S = 150.0


class Served:
    """`toposmith serve` on a free port, with what it says."""

    def __init__(self, file: Path, home: Path, *options: str) -> None:
        self._says = home / "says.txt"
        with self._says.open("w") as told:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "toposmith", "serve", str(file), "--port", "0", *options],
                stdin=subprocess.DEVNULL,
                stdout=told,
                stderr=told,
                cwd=home,
            )
        self.wait_for("Ctrl+C")
        (self.address,) = (word for word in self.said().split() if word.startswith("http"))
        port = int(self.address.rpartition("/?")[0].rpartition(":")[2])
        until = monotonic() + PATIENCE_S
        with socket.socket() as knocking:
            while knocking.connect_ex(("localhost", port)) and monotonic() < until:
                continue

    def said(self) -> str:
        return self._says.read_text()

    def wait_for(self, text: str) -> None:
        until = monotonic() + PATIENCE_S
        while text not in self.said():
            assert self.process.poll() is None and monotonic() < until, self.said()
            try:
                self.process.wait(0.05)
            except subprocess.TimeoutExpired:
                continue

    def end(self) -> int:
        """Press Ctrl+C; returns the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE_S)


class Tab:
    """A tab: keys go by the browser, and what is drawn is read from what comes to it."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.context = browser.new_context(viewport={"width": 1280, "height": 720})
        self.page = self.context.new_page()
        self.faults: list[str] = []
        self.asked: list[str] = []
        self._screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self._screen)
        self.page.on("console", lambda said: self._note(said.type, said.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("websocket", self._follow)
        self.page.goto(address)

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and "GL Driver" not in text:
            self.faults.append(text)

    def _follow(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._draw)
        socket.on("framesent", self._resize)

    def _draw(self, data: Any) -> None:
        if isinstance(data, bytes):
            self._stream.feed(data)

    def _resize(self, data: Any) -> None:
        kind, what, *_ = (*json.loads(data), None)
        if kind == "resize":
            self._screen.resize(what["height"], what["width"])

    def shown(self) -> str:
        return "\n".join(self._screen.display)

    def wait_for(self, text: str) -> str:
        until = monotonic() + PATIENCE_S
        while text not in self.shown():
            assert monotonic() < until, f"{text!r} did not appear:\n{self.shown()}"
            self.page.wait_for_timeout(50)
        return self.shown()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            # Escape and a key at once would be one key with Alt
            self.page.wait_for_timeout(250 if key == "Escape" else 0)

    def hues(self) -> int:
        """Different colours of the picture that the browser paints."""
        from io import BytesIO

        from PIL import Image

        found = Image.open(BytesIO(self.page.screenshot())).convert("RGB").getcolors(1 << 20)
        return len(found or ())

    def close(self) -> None:
        self.context.close()
