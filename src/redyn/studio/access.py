"""Access control: a token, printed at start, is required even on this machine, which other users may share.

The token is exchanged for a cookie specific to this server's port. It is kept in a private file for a day, so that open
pages survive a restart of the server. If there is a password instead, the cookie is derived from it and from a private
key of this server: it does not tell the password, and another password makes it void.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import html
import ipaddress
import logging
import math
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
from redyn.studio import door

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

PERSON = "redyn.person"  # key in the scope of a request: a random identifier of the browser,
ADDRESS = "redyn.address"  # and where it comes from
PAUSE = 20.0  # s; the longest pause in the body of a request
LONGEST = 600.0  # s until the body must be complete
LONGEST_VALUE = 200  # characters of what an address asks for
LONGEST_FORM = 8000  # bytes of the form of the login page
LIFE = 24 * 3600.0  # s for which a token is reused
HEADERS = {
    "content-security-policy": "frame-ancestors 'none'; base-uri 'self'; object-src 'none'",
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # without any, browsers do not say which page sends the password
}
log = logging.getLogger("redyn.studio")


class Access:
    """`token` is empty if anyone who can reach the server may use it. With a password, it is the key of the cookie."""

    def __init__(self, host: str, port: int, token: str, password: str = "") -> None:
        self.host, self.port, self.token = host, port, token
        self._password = door.typed(password)
        self._guesses = door.Guesses()
        self._cookie, self._visitor = f"redyn-token-{port}", f"redyn-visitor-{port}"
        own = hmac.new(token.encode(), b"password " + self._password.encode(), hashlib.sha256).hexdigest()
        self._pass = own if password else token  # value of the cookie

    @property
    def address(self) -> str:
        """The URL to open in a browser on this machine."""
        return self._url({"0.0.0.0": "localhost", "::": "localhost"}.get(self.host, self.host), self.token)

    @property
    def addresses(self) -> list[str]:
        """URLs to give to others. They tell no password."""
        names = door.own_names() if self.host in ("0.0.0.0", "::") else []
        token = "" if self._password else self.token
        return [self._url(name, token) for name in names or [urlsplit(self.address).hostname or self.host]]

    def _url(self, name: str, token: str) -> str:
        name = f"[{name}]" if ":" in name else name
        return f"http://{name}:{self.port}/" + (f"?token={token}" if token else "")

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
            scope[PERSON], scope[ADDRESS] = person, door.network(str((scope.get("client") or ("",))[0]))
            origin = headers.get("origin")
            if origin is not None and _origin_host(origin) != headers.get("host"):
                return await _refuse(scope, receive, send, 403, "This studio answers to its own pages only.")
            # DNS rebinding: a foreign page could resolve its name to this machine, so only our own names are accepted.
            if is_loopback(self.host) and not is_loopback(_host_name(headers.get("host", ""))):
                return await _refuse(scope, receive, send, 400, "This studio is for this machine only.")
            if self._password and scope["type"] == "http" and (scope["method"], scope["path"]) == ("POST", "/"):
                return await _timely(self._log_in, scope, receive, send)
            if not self.token or _equal(cookies.get(self._cookie, ""), self._pass):
                return await _timely(application, scope, receive, send)
            query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
            given, exercise = (_first(query, key) for key in ("token", "exercise"))
            if scope["type"] == "http" and _equal(given, self.token):
                return await self._admit(send, exercise)
            wrong = "That is not the token." if given and not self._password else ""
            return await _refuse(scope, receive, send, 401, door.page(bool(self._password), exercise, wrong))

        return guarded

    async def _log_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Receives the form with the password."""
        form = parse_qs((await _body(receive)).decode("utf-8", "replace"))
        given, exercise = door.typed(_first(form, "password")), _first(form, "exercise")
        who = scope[PERSON], scope[ADDRESS]
        if wait := self._guesses.wait(*who):
            page = door.page(True, exercise, door.later(wait))
            return await _answer(send, 429, page, [("retry-after", str(math.ceil(wait)))])
        if _equal(given, self._password):
            return await self._admit(send, exercise)
        self._guesses.wrong(*who)
        log.warning("wrong password from %s", scope[ADDRESS])
        return await _answer(send, 401, door.page(True, exercise, "That is not the password."), [])

    async def _admit(self, send: Send, exercise: str) -> None:
        cookie = self._set(self._cookie, self._pass)
        await _answer(send, 303, "", [("location", _page(exercise)), ("set-cookie", cookie)])

    def _set(self, name: str, value: str) -> str:
        # Lax: the first visit comes from the file that opens the browser, which is another site.
        return f"{name}={value}; HttpOnly; SameSite=Lax; Path=/"


def _equal(given: str, right: str) -> bool:
    """Compared in a time that does not depend on where they differ."""
    return secrets.compare_digest(given.encode(), right.encode())


def _first(query: dict[str, list[str]], key: str) -> str:
    return query.get(key, [""])[0][:LONGEST_VALUE]


async def _body(receive: Receive) -> bytes:
    """The body of a request, as far as it is a form."""
    body = b""
    while len(body) <= LONGEST_FORM:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return body[:LONGEST_FORM]


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
    if not started:  # if it was not late, who asked has gone; without an answer the server would log an error
        said = (408, "The request came too slowly.") if late else (400, "The request was not completed.")
        await _answer(send, *said, [("connection", "close")])
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


def token_of(port: int, kind: str = "token") -> str:
    """The token for this port: the previous server's if it is less than a day old, so that open pages keep working.

    `kind`: "token", or "key" for a server with a password, which those who know the token of another day must not open.
    """
    folder = private_folder()
    fresh = secrets.token_urlsafe(24)
    if folder is None:
        return fresh
    path = folder / f"{kind}-{port}"
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
