"""The server of the studio: pages, uploads and start-up."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import shutil
import socket
import sys
import webbrowser
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from nicegui import Client, app, background_tasks, core, ui
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from redyn.description import gallery
from redyn.errors import RedynError
from redyn.report.bundles import plotly_js, three_js
from redyn.report.html import MODULES
from redyn.studio import bundle, inbox, keep, messages, pins, uploads
from redyn.studio.access import ADDRESS, PERSON, Access, is_loopback, opener, token_of
from redyn.studio.controls import PARTS, Part, box, set_text, text
from redyn.studio.desk import COOKIE, Desk
from redyn.studio.jobs import Limits, Pool
from redyn.studio.opening import open_source
from redyn.studio.pictures import PICTURES, Pictures
from redyn.studio.readers import MOST, Readers
from redyn.studio.sessions import FORGET, Session, Sessions
from redyn.studio.state import FIRST, State
from redyn.studio.timely import TimelyProtocol
from redyn.studio.troubles import fault
from redyn.studio.units import ANGLES
from redyn.studio.usual import warm_up

RECONNECT = 60.0  # s for which a disconnected page may reconnect to its state
MOST_ARRIVING = 8  # uploads per user that are being read or waiting
SWITCH = 0.001  # s for which a thread that computes may keep the one that answers pages waiting
LOOK = 2.0  # s between checks for closed tabs
ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1b6ca8"/>'
    '<path d="M7 25 14 12 24 9" stroke="#fff" stroke-width="4" fill="none" stroke-linecap="round" '
    'stroke-linejoin="round"/><circle cx="14" cy="12" r="3.4" fill="#e08e0b"/></svg>'
)
RESTORED = (
    "Restored from this browser tab: the server no longer had its work (it was restarted, or the tab was disconnected "
    "for long)."
)
COPIED = (
    "Restored from the browser: the work of the tab that this one duplicates, or as it was before the browser stopped."
)
LINKED = "Opened from a link. What you change stays here; the link keeps its own."
log = logging.getLogger("redyn.studio")

_ = ui.aggrid  # registers its module with NiceGUI before the first page is built


class Studio:
    """All sessions, and the workers that they share."""

    def __init__(self, robot: str = FIRST, limits: Limits | None = None) -> None:
        self.sessions = Sessions(open_source(robot, compiled=False))  # errors in its file are reported at once
        self._compiled = asyncio.Event()  # whether pages can show the first robot without delay
        self.pool, self.readers, self.pictures = Pool(limits or Limits()), Readers(), Pictures()
        self._reading = ThreadPoolExecutor(MOST, "redyn studio reader")  # so that readers block nothing else
        self._looking: asyncio.Task[None] | None = None

    def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
        self.sessions.close()
        self.pool.close()
        self.readers.close()
        self.pictures.close()

    async def begin(self) -> None:
        """Warms up, while the server answers already: compiles the first robot's kernels and starts the workers."""
        self._looking = asyncio.create_task(self._look_after())
        try:
            await asyncio.to_thread(warm_up, self.sessions.first.robot)
        except RedynError:
            log.debug("the first robot cannot be shown; the page shows the reason")
        finally:
            self._compiled.set()
        await asyncio.to_thread(inbox.remove_abandoned)
        state = State.first(self.sessions.first)
        try:
            await asyncio.to_thread(state.run_inverse)
        except RedynError:
            log.debug("the first motion cannot be computed; the page shows the reason")
        finally:
            state.close()
        self.pool.submit("redyn.studio.work:warm_up")
        await asyncio.to_thread(self.readers.warm_up)
        await asyncio.to_thread(gallery)

    async def _look_after(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            self.sessions.look_after()

    # --- pages ---------------------------------------------------------------------------------------------------

    async def page(self, client: Client) -> None:
        """Builds the page for one tab."""
        ui.add_head_html(
            f'<link rel="stylesheet" href="{Part.base}/studio/studio.css">'
            f'<script type="module" src="{Part.base}/studio/look.js"></script>'
        )
        with box("starting", "starting") as starting:
            text("redyn studio", tag="h1")
            compiling = text("", tag="p", testid="compiling")
        person, address = (str(client.request.scope.get(key, "")) for key in (PERSON, ADDRESS))
        with self.sessions.expected(person):
            await client.connected(timeout=30.0)
            if not self._compiled.is_set():
                set_text(compiling, "Compiling the first robot, once on this machine.")
                await self._compiled.wait()
                await client.connected(timeout=RECONNECT)  # it may have been lost meanwhile
        tab = client.tab_id
        if tab is None:
            return  # gone already
        try:
            session = self.sessions.of(str(tab)[:100], person, address)
        except RedynError as error:
            starting.delete()
            text(str(error), "error-message", "p", "error-message")
            return
        if session.fresh:
            session.state.angles = ANGLES.get(client.request.cookies.get(COOKIE, ""), session.state.angles)
        session.came()
        lifecycle = cast(Any, client)
        lifecycle.on_connect(lambda: session.came())
        lifecycle.on_disconnect(lambda: session.went())
        lifecycle.on_delete(partial(_left, session, client))
        restored = ""
        kept = await _kept(client)
        if kept == "link" or (kept and session.fresh):
            restored = await self._restored(client, session)
        wrong = session.state.open_exercise(client.request.query_params.get("exercise", ""))
        starting.delete()
        url = f"/redyn-upload/{session.key}"
        desk = Desk(session, self.pool, self.readers, url, self.sessions.first, self.pictures)
        setattr(client, DESK, desk)
        desk.trouble("exercise", wrong)
        cast(Any, client).run_javascript("history.replaceState(null, '', location.pathname)")
        await desk.begin(restored)

    async def _restored(self, client: Client, session: Session) -> str:
        """Asks the browser to send its saved work; returns a message about the outcome."""
        url = f"/redyn-upload/{session.key}"
        module = f"{Part.base}/studio/keep.js"
        code = f"return (await import({module!r})).restore({url!r});"
        try:
            answer = await cast(Any, client).run_javascript(code, timeout=120.0)
            wrong, copied = messages.text(messages.entry(answer, "wrong")), messages.entry(answer, "copied") is True
            if messages.entry(answer, "linked") is True:
                return f"This link could not be opened: {wrong}" if wrong else LINKED
        except TimeoutError:
            wrong, copied = "sending it took too long", False
        except messages.MalformedError as error:
            wrong, copied = str(error), False
        if wrong:
            return f"The work that this browser tab keeps could not be restored: {wrong}"
        again = " Run simulations again: results are not kept." if session.state.tab == "forward" else ""
        return (COPIED if copied else RESTORED) + again

    async def picture(self, request: Request) -> Response:
        """The picture of a robot of the gallery."""
        drawn = await self.pictures.of_gallery(request.path_params["name"], request.is_disconnected)
        if not drawn:
            return Response(status_code=404)
        headers = {"cache-control": "private, max-age=86400", "content-security-policy": "default-src 'none'"}
        return Response(drawn, media_type="image/svg+xml", headers=headers)

    # --- uploads -------------------------------------------------------------------------------------------------

    async def upload(self, request: Request) -> Response:
        """Receives a file, or saved work, for a session: the body of the request."""
        session = self.sessions.by_key(request.path_params["key"])
        if session is None:
            return JSONResponse({"error": "this page is out of date; reload it"}, 404)
        kind, _, detail = str(request.path_params["kind"]).partition(":")
        taker = {
            "robot": self._take_robot,
            "meshes": self._take_meshes,
            "part": partial(self._take_part, detail),
            "motion": partial(self._take_columns, "motion"),
            "torque": partial(self._take_columns, "run"),
            "pin": self._take_pin,
            "exercise": self._take_exercise,
            "answer": partial(self._take_answer, detail),
            "work": self._take_work,
        }.get(kind)
        if kind == "gone":
            session.closing = True
            return JSONResponse({})
        if taker is None:
            return JSONResponse({"error": "unknown kind of upload"}, 404)
        if sum(len(other.arriving) for other in self.sessions.of_person(session.person)) >= MOST_ARRIVING:
            return JSONResponse({"error": f"{MOST_ARRIVING} files are being read already; wait for them"}, 429)
        name = request.query_params.get("name", "file")[:200]
        shown = uploads.safe_name(name)
        troubles = session.troubles
        if not session.uploads.locked():
            troubles.forget(*(cause for cause in troubles.messages if cause.startswith("upload")))
        number, message, status = troubles.attempt(), "", 400
        session_file = False
        path: Path | None = None
        try:
            self.sessions.make_room(session.person)
            path = inbox.place(session.state.folder, name)
            session.arriving.add(path.parent)
            await _received(request, path)
            session_file = kind == "robot" and bundle.is_session(path)
            taker = self._take_session if session_file else taker
            async with session.uploads:
                await taker(session, path)
        except ClientDisconnect:
            return JSONResponse({"error": "interrupted"}, 400)
        except RedynError as error:
            message = uploads.without_folder(str(error), session.state.folder)
        except OSError as error:
            message, status = f"{shown}: cannot be stored on the server: {error.strerror or type(error).__name__}", 507
        except Exception as error:
            log.exception("upload")
            message, status = f"{shown}: {fault(error)}", 500
        finally:
            if path is not None:
                session.arriving.discard(path.parent)
        if kind != "work":
            troubles.ended(f"upload {shown}", number, message)
            if session.desk is not None:
                session.desk.show_troubles()
        return (
            JSONResponse({"error": message}, status)
            if message
            else JSONResponse({"taken": shown, **({"kind": "session"} if session_file else {})})
        )

    async def _read(self, work: Any, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._reading, partial(work, self.readers, *arguments))

    async def _take_robot(self, session: Session, path: Path) -> None:
        opened = await self._read(inbox.open_robot, path)
        inbox.tidy(session.state.folder, {*session.arriving, *session.state.folders_in_use})
        if session.desk is not None:
            await session.desk.take(opened)
        else:
            session.state.open(opened)

    async def _take_meshes(self, session: Session, path: Path) -> None:
        """The upload of a restored robot."""
        state = session.state
        try:
            opened = await self._read(inbox.open_robot, path, state.origin.chosen or None)
            await session.run(state.rejoin, opened)
        except BaseException:
            shutil.rmtree(path.parent, ignore_errors=True)
            raise

    async def _take_columns(self, form: str, session: Session, path: Path) -> None:
        table = await self._read(inbox.read_columns, path)
        state = session.state
        taking = state.motion if form == "motion" else state.run
        await session.run(taking.take, path.name, table, state.robot)
        desk = session.desk
        if desk is not None:
            desk.keep_soon()
            await (desk.inverse.run() if form == "motion" else desk.forward.taken())

    async def _take_exercise(self, session: Session, path: Path) -> None:
        session.state.lessons.add(*await self._read(inbox.read_exercise, path))
        if session.desk is not None:
            await session.desk.choose_tab("exercises")

    async def _take_answer(self, question: str, session: Session, path: Path) -> None:
        """The motion that answers a question: columns, since the engine would take text for a file."""
        attempt = session.state.lessons.attempt(question)
        table = await self._read(inbox.read_columns, path)
        attempt.change("")
        attempt.answer, attempt.columns = path.name, {"t": table.times, **table.columns}
        if session.desk is not None:
            session.desk.keep_soon()
            session.desk.exercises.show_question(question)

    async def _take_session(self, session: Session, path: Path) -> None:
        """A saved session, which replaces the work of this tab; if it is bad, nothing is changed."""
        state, name = session.state, path.name
        work, files = await self._read(inbox.read_session, path, state.folder)
        running, lost = state.jobs, list[str]()
        try:
            await session.run(keep.restore, state, work, self.sessions.first)
            for job in running:
                job.cancel()
            for kind, file in files.items():
                try:
                    await self._join(session, kind, file)
                except RedynError as error:
                    lost.append(str(error))
        finally:
            _drop_unused(state, files)
        session.saved = bundle.mark(state)
        if session.desk is not None:
            await session.desk.show_all(f"{name} is open. Results are computed again: run simulations.")
        if lost:
            raise uploads.UploadError(f"{name}: not all of it could be opened: {'; '.join(lost)}")

    async def _take_part(self, kind: str, session: Session, path: Path) -> None:
        """One upload of a session whose work the browser has restored."""
        _, files = await self._read(inbox.read_session, path, session.state.folder)
        try:
            if kind not in files:
                raise uploads.UploadError(f"{path.name}: does not contain it")
            await self._join(session, kind, files[kind])
        finally:
            _drop_unused(session.state, files)

    async def _join(self, session: Session, kind: str, path: Path) -> None:
        """A file that belongs to restored work."""
        if kind == "robot":
            return await self._take_meshes(session, path)
        if kind.startswith(bundle.PIN):
            trace = await session.run(pins.unpacked, path)
            return session.state.board.take(kind.removeprefix(bundle.PIN), trace)
        table = await self._read(inbox.read_columns, path)
        state = session.state
        form = state.motion if kind == "motion" else state.run
        return await session.run(form.take, path.name, table, state.robot)

    async def _take_work(self, session: Session, path: Path) -> None:
        try:
            await session.run(lambda: keep.restore(session.state, keep.read(path), self.sessions.first))
        finally:
            shutil.rmtree(path.parent, ignore_errors=True)
        session.fresh = False

    async def _take_pin(self, session: Session, path: Path) -> None:
        """The numbers of a pinned run that is restored."""
        try:
            session.state.board.take(path.name, await session.run(pins.unpacked, path))
        finally:
            shutil.rmtree(path.parent, ignore_errors=True)


DESK = "redyn_desk"  # the attribute of a client that holds its desk


def _drop_unused(state: State, files: Mapping[str, Path]) -> None:
    """Removes the folders of a session's files that nothing refers to."""
    for file in files.values():
        if file.parent not in state.folders_in_use:
            shutil.rmtree(file.parent, ignore_errors=True)


async def _received(request: Request, path: Path) -> None:
    """Writes the body of a request to a file, which is removed if it is too large or incomplete."""
    size = 0
    try:
        with path.open("xb") as file:
            async for piece in request.stream():
                size += len(piece)
                if size > uploads.LARGEST:
                    raise uploads.UploadError(f"{path.name}: larger than {uploads.LARGEST // 1_000_000} MB")
                file.write(piece)
        if not size:
            raise uploads.UploadError(f"{path.name}: the file is empty")
    except BaseException:
        shutil.rmtree(path.parent, ignore_errors=True)
        raise


async def _kept(client: Client) -> str:
    """Whether the browser has work for this tab: "link" if its address holds it, "tab" if it was saved; or nothing."""
    try:
        saved = "sessionStorage.getItem('redyn-work') !== null ? 'tab' : ''"
        question = f"return location.hash.startsWith({bundle.LINK!r}) ? 'link' : {saved}"
        return messages.text(await cast(Any, client).run_javascript(question, timeout=30.0))
    except TimeoutError:  # not sooner: a busy machine would lose the work, as what is done from now on replaces it
        return ""


def _left(session: Session, client: Client) -> None:
    if session.desk is getattr(client, DESK, None):
        session.desk = None


def _serve_modules() -> None:
    """Our own JavaScript and its dependencies, under a URL that changes with the content."""
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
    """The requested port, or the first free one from 8080; 0 means any."""
    if port is not None and not 0 <= port <= 65535:
        raise RedynError(f"--port: expected a number from 0 to 65535, got {port}")
    reason: str | None = ""
    for candidate in [port] if port is not None else range(8080, 8180):
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, candidate))
                return int(probe.getsockname()[1])
            except OSError as error:
                reason = error.strerror
    shown = "8080 to 8179" if port is None else port
    raise RedynError(f"cannot listen on {host}, port {shown}: {reason}; choose another with --port")


def serve(
    robot: str = FIRST,
    host: str = "127.0.0.1",
    port: int | None = None,
    browser: bool = True,
    token: bool = True,
    limits: Limits | None = None,
    password: str = "",
) -> None:
    """Runs the studio until Ctrl-C. Without a token, anyone on this machine may use it. A password replaces it."""
    if not host.strip():  # "" would mean all addresses of this machine
        raise RedynError("--host: expected an address such as 127.0.0.1, or 0.0.0.0 to admit other machines")
    if not token and not is_loopback(host):
        raise RedynError("--no-token: only allowed on a loopback address such as 127.0.0.1")
    if password and not token:
        raise RedynError("--no-token: not with a password, which replaces the token")
    limits = Limits() if limits is None else limits
    limits.check()
    if password or not is_loopback(host):
        limits = replace(limits, spare=1)
    port = free_port(host, port)
    studio = Studio(robot, limits)  # errors in the robot file are reported here, not in the browser
    access = Access(host, port, token_of(port, "key" if password else "token") if token else "", password)
    _serve_modules()
    messages.guard(core.sio)
    application = cast(Any, app)  # NiceGUI's annotations are too loose for strict checking
    application.add_middleware(messages.middleware)
    application.add_middleware(access.middleware)
    ui.page("/", title="redyn studio")(studio.page)
    application.add_route("/redyn-upload/{key}/{kind}", studio.upload, methods=["POST"])
    application.add_route(Part.base + PICTURES + "/{name}", studio.picture)
    application.storage.max_tab_storage_age = FORGET  # lifetime of NiceGUI's own tab storage; thirty days otherwise
    messages.take_exceptions(application)
    application.on_shutdown(studio.close)
    application.on_startup(studio.begin)
    sys.setswitchinterval(SWITCH)
    _announce(access, password)
    if browser:
        _open_browser(application, access)
    options: dict[str, Any] = {"reconnect_timeout": RECONNECT, "message_history_length": 200}
    if is_loopback(host):
        # Compressing takes longer than sending here, and the server does nothing else meanwhile.
        options |= {"gzip_middleware_factory": None, "ws_per_message_deflate": False}
    cast(Any, ui).run(
        host=host,
        port=port,
        title="redyn studio",
        favicon=ICON,
        language="en-US",
        reload=False,
        show=False,
        show_welcome_message=False,
        tailwind=False,
        http=TimelyProtocol,
        **options,
    )


def _announce(access: Access, password: str) -> None:
    first, *more = access.addresses
    print(f"redyn studio: {first}", *(f"or {url}" for url in more))
    if password:
        print("Give this address and the password to the class.")
    print("Press Ctrl-C to stop.", flush=True)


def _open_browser(application: Any, access: Access) -> None:
    """Opens a browser once the server listens: at a private page that redirects, or at the login page."""
    page = opener(access)
    address = page.as_uri() if page is not None else access.address.partition("?")[0]

    async def show() -> None:
        await asyncio.sleep(0.5)  # the server listens once its start-up handlers have begun
        await asyncio.to_thread(webbrowser.open, address)

    application.on_startup(lambda: cast(Any, background_tasks).create(show(), name="browser") and None)
    if page is not None:
        application.on_shutdown(lambda: page.unlink(missing_ok=True))
