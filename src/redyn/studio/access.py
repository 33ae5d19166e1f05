"""Access control: a token, printed at start, is required even on this machine, which other users may share.

The token is exchanged for a cookie specific to this server's port. It is kept in a private file for a day, so that open
pages survive a restart of the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import ipaddress
import os
import re
import secrets
import stat
import time
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from redyn.kernels import cache

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

PERSON = "redyn.person"  # key in the scope of a request: a random identifier of the browser
PAUSE = 20.0  # s; the longest pause in the body of a request
LONGEST = 600.0  # s until the body must be complete
LONGEST_VALUE = 200  # characters of what an address asks for
LIFE = 24 * 3600.0  # s for which a token is reused
HEADERS = {
    "content-security-policy": "frame-ancestors 'none'; base-uri 'self'; object-src 'none'",
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}

DOOR = """<!doctype html><html lang="en"><meta charset="utf-8"><title>redyn studio</title>
<style>body{{font:16px system-ui,sans-serif;display:grid;place-items:center;height:90vh;color:#1f2933;background:#fff}}
input,button{{font:inherit;padding:6px 10px}}p.wrong{{color:#b3131f}}</style>
<form method="get" action="/" data-testid="token-form"><h1>redyn studio</h1>{wrong}
<p><label>Token, as printed where the studio was started:<br><input name="token" type="password" autofocus></label>
<input name="exercise" type="hidden" value="{exercise}"><button>Enter</button></p>
<p>Work that was open in this tab is kept by the browser and restored once you are logged in.</p></form></html>"""


class Access:
    """`token` is empty if anyone who can reach the server may use it."""

    def __init__(self, host: str, port: int, token: str) -> None:
        self.host, self.port, self.token = host, port, token
        self._cookie, self._visitor = f"redyn-token-{port}", f"redyn-visitor-{port}"

    @property
    def address(self) -> str:
        """The URL to open in a browser."""
        shown = {"0.0.0.0": "localhost", "::": "localhost"}.get(self.host, self.host)
        shown = f"[{shown}]" if ":" in shown else shown
        return f"http://{shown}:{self.port}/" + (f"?token={self.token}" if self.token else "")

    def middleware(self, application: Any) -> Any:
        """ASGI middleware around the whole application, pages and sockets alike."""

        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] not in ("http", "websocket"):
                return await application(scope, receive, send)
            headers: dict[str, str] = {
                key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]
            }
            cookies = _cookies(headers.get("cookie", ""))
            person = cookies.get(self._visitor, "")[:64] or secrets.token_urlsafe(12)
            cookie = "" if self._visitor in cookies else self._set(self._visitor, person)
            send = _with_headers(send, [*HEADERS.items(), *([("set-cookie", cookie)] if cookie else [])])
            scope[PERSON] = person
            origin = headers.get("origin")
            if origin is not None and _origin_host(origin) != headers.get("host"):
                return await _refuse(scope, receive, send, 403, "This studio answers to its own pages only.")
            # DNS rebinding: a foreign page could resolve its name to this machine, so only our own names are accepted.
            if is_loopback(self.host) and not is_loopback(_host_name(headers.get("host", ""))):
                return await _refuse(scope, receive, send, 400, "This studio is for this machine only.")
            if not self.token or self._matches(cookies.get(self._cookie, "")):
                return await _timely(application, scope, receive, send)
            query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
            given, exercise = (query.get(key, [""])[0][:LONGEST_VALUE] for key in ("token", "exercise"))
            if scope["type"] == "http" and self._matches(given):
                cookie = self._set(self._cookie, self.token)
                return await _answer(send, 303, "", [("location", _page(exercise)), ("set-cookie", cookie)])
            wrong = '<p class="wrong" data-testid="error-message">That is not the token.</p>' if given else ""
            return await _refuse(scope, receive, send, 401, DOOR.format(wrong=wrong, exercise=html.escape(exercise)))

        return guarded

    def _set(self, name: str, value: str) -> str:
        # Lax: the first visit comes from the file that opens the browser, which is another site.
        return f"{name}={value}; HttpOnly; SameSite=Lax; Path=/"

    def _matches(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self.token.encode())


def _page(exercise: str) -> str:
    """The address of the page, at an exercise if a link asked for one."""
    return "/?" + urlencode({"exercise": exercise}) if exercise else "/"


def is_loopback(host: str) -> bool:
    """
    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("192.168.1.7")
    (True, True, True, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _host_name(header: str) -> str:
    """A Host header without its port."""
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.rpartition(":")[0] if ":" in header else header


def _origin_host(header: str) -> str | None:
    """Host and port of an Origin header; None if it is not one."""
    try:
        return urlsplit(header).netloc
    except ValueError:
        return None


def _cookies(header: str) -> dict[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(header).items()}
    except CookieError:
        return {}


# --- responses ---------------------------------------------------------------------------------------------------


def _with_headers(send: Send, more: list[tuple[str, str]]) -> Send:
    raw = [(key.encode("latin-1"), value.encode("latin-1")) for key, value in more]

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *raw]}
        await send(message)

    return sending


async def _timely(application: Any, scope: Scope, receive: Receive, send: Send) -> None:
    """Runs the application; a request whose body stalls is treated as disconnected."""
    if scope["type"] != "http":
        return await application(scope, receive, send)
    end = time.monotonic() + LONGEST
    complete = late = started = False

    async def receiving() -> Message:
        nonlocal complete, late
        if complete:
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), min(PAUSE, end - time.monotonic()))
        except TimeoutError:
            complete = late = True
            return {"type": "http.disconnect"}
        complete = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    async def sending(message: Message) -> None:
        nonlocal started
        started = True
        await send(message)

    try:
        await application(scope, receiving, sending)
    except Exception:
        if not late:
            raise
    if late and not started:
        await _answer(send, 408, "The request came too slowly.", [("connection", "close")])
    return None


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, body: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
    else:
        page = body if body.startswith("<!doctype") else f"<!doctype html><p>{html.escape(body)}</p>"
        await _answer(send, status, page, [])


async def _answer(send: Send, status: int, body: str, headers: list[tuple[str, str]]) -> None:
    content = body.encode()
    every = [
        ("content-type", "text/html; charset=utf-8"),
        ("content-length", str(len(content))),
        ("cache-control", "no-store"),
        *headers,
    ]
    raw = [(key.encode("latin-1"), value.encode("latin-1")) for key, value in every]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": content})


# --- stored token ------------------------------------------------------------------------------------------------


def private_folder() -> Path | None:
    """A folder that no other user can read; None if there is none."""
    with contextlib.suppress(OSError, RuntimeError):
        path = cache.folder().parent / "studio"
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = os.lstat(path)
        shared = hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & 0o077)
        if stat.S_ISDIR(found.st_mode) and not shared:
            return path
    return None


def write_private(path: Path, text: str) -> None:
    """Writes a file that only this user can read, replacing any previous one."""
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)


def token_of(port: int) -> str:
    """The token for this port: the previous server's if it is less than a day old, so that open pages keep working."""
    folder = private_folder()
    fresh = secrets.token_urlsafe(24)
    if folder is None:
        return fresh
    path = folder / f"token-{port}"
    try:
        kept = path.read_text("ascii").strip()
        if (
            re.fullmatch(r"[\w-]+", kept, re.ASCII)
            and len(kept) == len(fresh)
            and time.time() - path.stat().st_mtime < LIFE
        ):
            return kept
    except (OSError, ValueError):
        pass
    with contextlib.suppress(OSError):
        write_private(path, fresh)
    return fresh


OPENER = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url={address}"><title>redyn studio</title><p>This page opens the
<a href="{address}">redyn studio</a>.</p></html>"""


def opener(access: Access) -> Path | None:
    """A private page that redirects to the studio: other users could read a token on the browser's command line."""
    folder = private_folder()
    if folder is None:
        return None
    path = folder / f"open-{access.port}.html"
    try:
        write_private(path, OPENER.format(address=html.escape(access.address)))
    except OSError:
        return None
    return path
