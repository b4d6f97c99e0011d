"""The server of `serve`: textual-serve, for those who have the key alone."""

from __future__ import annotations

import logging
import secrets
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Handler
from textual_serve.server import Server

from toposmith.command.edge import say
from toposmith.text import counted

MOST_VISITS = 16
"""Browsers that are let in at once: each has an app of its own."""

PAGE = Path(__file__).with_name("served_page")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"
)
"""A page that fetches nothing from elsewhere and stands in no other."""


class DesignServer(Server):
    """Shows one design to those who have its key.

    Parameters
    ----------
    command : str
        What each visitor's app is started by.
    host, port : str, int
        Where to listen.
    key : str
        What the first request has to bring; a cookie holds it from then on.
    """

    def __init__(self, command: str, host: str, port: int, key: str) -> None:
        super().__init__(command, host, port)
        self._key = key
        self._visits = 0

    def initialize_logging(self) -> None:
        """Write warnings as lines."""
        logging.basicConfig(level=logging.WARNING, format="%(message)s")

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.router.add_static("/page", PAGE)
        app.middlewares.append(self._let_in)
        app.on_response_prepare.append(_forbid_elsewhere)
        return app

    async def on_startup(self, app: web.Application) -> None:
        """Say nothing more: the command said where it is."""

    @web.middleware
    async def _let_in(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer those who have the key, from this page alone."""
        cookie = f"toposmith-{self.port}"
        if _is(request.query.get("key", ""), self._key):
            answer = web.Response(status=303, headers={"Location": "/"})
            answer.set_cookie(cookie, self._key, httponly=True, samesite="Strict")
            return answer
        if not _is(request.cookies.get(cookie, ""), self._key):
            raise web.HTTPForbidden(text="Open the address that was printed when this was started.")
        origin = request.headers.get("Origin", "").partition("://")[2]
        if origin not in ("", request.host):
            raise web.HTTPForbidden(text=f"Not from a page of {origin}.")
        return await handler(request)

    async def handle_index(self, request: web.Request) -> web.FileResponse:
        """The page that the app is shown on."""
        return web.FileResponse(PAGE / "index.html")

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Run an app for a browser until either goes away.

        Raises
        ------
        aiohttp.web.HTTPServiceUnavailable
            Where there are as many as may be.
        """
        if self._visits >= MOST_VISITS:
            raise web.HTTPServiceUnavailable(text=f"{MOST_VISITS} browsers are here already.")
        self._visits += 1
        say(f"a browser at {request.remote} came: {counted(self._visits, 'visit')} now")
        try:
            return await super().handle_websocket(request)
        finally:
            self._visits -= 1
            say(f"a browser at {request.remote} went: {counted(self._visits, 'visit')} now")


async def _forbid_elsewhere(_request: web.Request, answer: web.StreamResponse) -> None:
    answer.headers["Content-Security-Policy"] = POLICY


def _is(told: str, key: str) -> bool:
    """Whether it is the key, in a time that says nothing of it."""
    return secrets.compare_digest(told.encode(), key.encode())
