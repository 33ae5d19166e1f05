"""Who may come in: on loopback everybody on this machine; elsewhere whoever has the token that was printed at start."""

from __future__ import annotations

import html
import ipaddress
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

COOKIE = "redyn-token"
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

DOOR = """<!doctype html><html lang="en"><meta charset="utf-8"><title>redyn studio</title>
<style>body{{font:16px system-ui,sans-serif;display:grid;place-items:center;height:90vh;color:#1f2933}}
input,button{{font:inherit;padding:6px 10px}}p.wrong{{color:#d3202d}}</style>
<form method="get" action="/" data-testid="token-form"><h1>redyn studio</h1>{wrong}
<p><label>Token, as printed where the studio was started:<br><input name="token" type="password" autofocus></label>
<button>Enter</button></p></form></html>"""


class Access:
    """`token` is empty where everybody who can reach the server may use it."""

    def __init__(self, host: str) -> None:
        self.host = host
        self.token = "" if is_loopback(host) else secrets.token_urlsafe(16)

    def address(self, port: int) -> str:
        """What to type into a browser."""
        shown = {"0.0.0.0": "localhost", "::": "localhost"}.get(self.host, self.host)
        shown = f"[{shown}]" if ":" in shown else shown
        return f"http://{shown}:{port}/" + (f"?token={self.token}" if self.token else "")

    def middleware(self, application: Any) -> Any:
        """Around the whole application, pages and sockets alike."""

        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] not in ("http", "websocket"):
                return await application(scope, receive, send)
            headers: dict[str, str] = {
                key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]
            }
            origin = headers.get("origin")
            if origin is not None and urlsplit(origin).netloc != headers.get("host"):
                return await _refuse(scope, receive, send, 403, "This studio answers to its own pages only.")
            if not self.token:
                # A page of elsewhere could give itself the name of this machine; we answer to our own names only.
                if is_loopback(_host_name(headers.get("host", ""))):
                    return await application(scope, receive, send)
                return await _refuse(scope, receive, send, 400, "This studio is for this machine only.")
            if self._known(headers):
                return await application(scope, receive, send)
            given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
            if scope["type"] == "http" and self._matches(given):
                cookie = f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"
                return await _answer(send, 303, "", [("location", "/"), ("set-cookie", cookie)])
            wrong = '<p class="wrong" data-testid="error-message">That is not the token.</p>' if given else ""
            return await _refuse(scope, receive, send, 401, DOOR.format(wrong=wrong))

        return guarded

    def _known(self, headers: dict[str, str]) -> bool:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return cookie is not None and self._matches(cookie.value)

    def _matches(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self.token.encode())


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


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, body: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
    else:
        page = body if body.startswith("<!doctype") else f"<!doctype html><p>{html.escape(body)}</p>"
        await _answer(send, status, page, [])


async def _answer(send: Send, status: int, body: str, headers: list[tuple[str, str]]) -> None:
    content = body.encode()
    every = [("content-type", "text/html; charset=utf-8"), ("content-length", str(len(content))), *headers]
    raw = [(key.encode("latin-1"), value.encode("latin-1")) for key, value in every]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": content})
