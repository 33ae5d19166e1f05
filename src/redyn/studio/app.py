"""The server of the studio: pages, sessions, uploads, and who may come in.

A session belongs to a browser tab. It lives on the server, so that a page that is loaded again, or that lost its
connection, finds its robot, its results and its running simulation.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
import socket
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

from nicegui import Client, app, ui
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from redyn.errors import RedynError
from redyn.report.bundles import plotly_js, three_js
from redyn.report.html import MODULES
from redyn.studio import uploads
from redyn.studio.access import Access
from redyn.studio.controls import PARTS, Part, box, text
from redyn.studio.desk import Desk
from redyn.studio.jobs import Pool
from redyn.studio.state import FIRST, State

FORGET = 30 * 60.0  # s until a tab that is gone is forgotten
MOST_SESSIONS = 200
RECONNECT = 60.0  # s that a page may be cut off and go on as if nothing had been
ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1b6ca8"/>'
    '<path d="M7 25 14 12 24 9" stroke="#fff" stroke-width="4" fill="none" stroke-linecap="round" '
    'stroke-linejoin="round"/><circle cx="14" cy="12" r="3.4" fill="#e08e0b"/></svg>'
)
log = logging.getLogger("redyn.studio")

_ = ui.aggrid  # registers its module with NiceGUI before the first page is made


@dataclass
class Session:
    """The work of one browser tab; `key` is what its uploads are addressed to."""

    state: State
    key: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    pages: int = 0
    left: float = field(default_factory=time.monotonic)


class Studio:
    """All sessions, and the workers that they share."""

    def __init__(self, robot: str = FIRST) -> None:
        self.robot = robot
        self.pool = Pool()
        self.sessions: dict[str, Session] = {}

    def session(self, tab: str) -> Session:
        """The session of a tab, a new one for a new tab."""
        if tab not in self.sessions:
            self.forget()
            if len(self.sessions) >= MOST_SESSIONS:
                raise RedynError("too many people are using this studio just now; try again later")
            self.sessions[tab] = Session(State.first(self.robot))
        return self.sessions[tab]

    def by_key(self, key: str) -> Session | None:
        return next((s for s in self.sessions.values() if secrets.compare_digest(s.key, key)), None)

    def forget(self) -> None:
        """Sessions whose tab was closed long ago."""
        now = time.monotonic()
        for tab, session in list(self.sessions.items()):
            if session.pages <= 0 and now - session.left > FORGET:
                session.state.close()
                del self.sessions[tab]

    def close(self) -> None:
        for session in self.sessions.values():
            session.state.close()
        self.pool.close()

    # --- pages ------------------------------------------------------------------------------------------------

    async def page(self, client: Client) -> None:
        """One page, for the tab that asks for it."""
        ui.add_head_html(
            f'<link rel="stylesheet" href="{Part.base}/studio/studio.css">'
            f'<script type="module" src="{Part.base}/studio/look.js"></script>'
        )
        with box("starting", "starting") as starting:
            text("redyn studio", tag="h1")
        await client.connected(timeout=30.0)
        starting.delete()
        try:
            session = await asyncio.to_thread(self.session, str(client.tab_id))
        except RedynError as error:
            text(str(error), "error-message", "p", "error-message")
            return
        session.pages += 1

        def gone() -> None:
            session.pages -= 1
            session.left = time.monotonic()

        cast(Any, client).on_delete(gone)
        desk = Desk(session.state, self.pool, f"/redyn-upload/{session.key}")
        await desk.begin()

    async def upload(self, request: Request) -> Response:
        """A file for a session: its bytes are the body of the request."""
        session = self.by_key(request.path_params["key"])
        if session is None:
            return JSONResponse({"error": "this page is too old; load it again"}, 404)
        name = request.query_params.get("name", "file")[:200]
        data = bytearray()
        try:
            async for piece in request.stream():
                data += piece
                if len(data) > uploads.LARGEST:
                    raise uploads.UploadError(f"{name}: larger than {uploads.LARGEST // 1_000_000} MB")
            state = session.state
            takers = {"robot": state.upload_robot, "motion": state.upload_motion, "torque": state.upload_torque}
            taker = takers.get(request.path_params["kind"])
            if taker is None:
                return JSONResponse({"error": "there is no such upload"}, 404)
            await asyncio.to_thread(taker, name, bytes(data))
        except ClientDisconnect:
            return JSONResponse({"error": "interrupted"}, 400)
        except RedynError as error:
            return JSONResponse({"error": str(error)}, 400)
        except Exception as error:
            log.exception("upload")
            return JSONResponse({"error": f"{name}: this did not work ({type(error).__name__}: {error})"}, 500)
        return JSONResponse({"taken": name})


def _serve_modules() -> None:
    """Our own JavaScript and what it builds on, under a name that changes with the content."""
    report = Path(uploads.__file__).parents[1] / "report"
    modules = {f"report/{name}.js": report / f"{name}.js" for name in MODULES if name != "page"}
    modules |= {f"studio/{path.name}": path for path in PARTS.iterdir() if path.suffix in (".js", ".css")}
    digest = hashlib.sha256()
    for path in sorted(modules.values()):
        digest.update(path.read_bytes())
    Part.base = f"/redyn-{digest.hexdigest()[:12]}"
    for name, path in {**modules, "three.js": three_js(), "plotly.js": plotly_js()}.items():
        app.add_static_file(local_file=path, url_path=f"{Part.base}/{name}", max_cache_age=31_536_000)


def free_port(host: str, port: int | None) -> int:
    """The port that was asked for, or the first free one from 8080 on."""
    reason: str | None = ""
    for candidate in [port] if port is not None else range(8080, 8180):
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, candidate))
                return candidate
            except OSError as error:
                reason = error.strerror
    raise RedynError(f"cannot listen on {host}, port {port or '8080 to 8179'}: {reason}; choose another with --port")


def serve(robot: str = FIRST, host: str = "127.0.0.1", port: int | None = None, browser: bool = True) -> None:
    """Runs the studio until Ctrl-C."""
    State.first(robot).close()  # a mistake is said here, not in the browser
    port = free_port(host, port)
    access = Access(host)
    studio = Studio(robot)
    _serve_modules()
    application = cast(Any, app)  # NiceGUI's annotations are too loose for strict checking
    application.add_middleware(access.middleware)
    ui.page("/", title="redyn studio")(studio.page)
    application.add_route("/redyn-upload/{key}/{kind}", studio.upload, methods=["POST"])
    application.on_exception(_unexpected)
    application.on_shutdown(studio.close)
    application.on_startup(partial(_prepare, studio))
    address = access.address(port)
    print(f"redyn studio: {address}\nCtrl-C ends it.", flush=True)
    options: dict[str, Any] = {"reconnect_timeout": RECONNECT, "message_history_length": 200}
    if not access.token:
        options["gzip_middleware_factory"] = None  # on this machine, packing takes longer than sending
    cast(Any, ui).run(
        host=host,
        port=port,
        title="redyn studio",
        favicon=ICON,
        reload=False,
        show=address.split(str(port), 1)[1] if browser else False,
        show_welcome_message=False,
        tailwind=False,
        **options,
    )


def _unexpected(error: Exception) -> None:
    log.error("unexpected", exc_info=error)


async def _prepare(studio: Studio) -> None:
    """What the first visitor would wait for: the first robot's kernels, workers that are awake."""
    state = State.first(studio.robot)
    try:
        await asyncio.to_thread(state.run_inverse)
    except RedynError:
        log.debug("the first motion cannot be computed; the page says why")
    finally:
        state.close()
    studio.pool.submit("redyn.studio.work:warm_up")
