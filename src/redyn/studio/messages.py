"""Validation of messages from pages: anything that our own pages do not send is logged in one line and ignored."""

from __future__ import annotations

import contextlib
import inspect
import logging
import re
from collections.abc import Callable
from typing import Any, cast

from redyn.errors import RedynError

LONGEST = 300  # characters of a text field
SOCKETS = "/_nicegui_ws/"  # endpoint of NiceGUI's socket
log = logging.getLogger("redyn.studio")

_PACKET = re.compile(r'[01]|2[0-9]*\["|3[0-9]*\[')  # Socket.IO packets: connect, disconnect, event, acknowledgement
_SHAPES = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError, OverflowError)
Stored = Callable[[str, int, str], str]  # of the row, the joint and what was typed


class MalformedError(RedynError):
    """A message that none of our pages would send."""


def entry(message: object, name: str) -> Any:
    """One entry of a message."""
    if not isinstance(message, dict) or name not in message:
        raise MalformedError(f"expected a message with {name}")
    return cast("dict[str, Any]", message)[name]


def number(message: object, name: str) -> float:
    """A numeric entry."""
    value = entry(message, name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise MalformedError(f"expected a number for {name}")
    return float(value)


def index(message: object, name: str, count: int) -> int:
    """An entry that is an index into a list of that length."""
    value = entry(message, name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < count:
        raise MalformedError(f"expected a whole number from 0 to {count - 1} for {name}")
    return value


def text(value: object) -> str:
    """Typed text, possibly empty."""
    if value is None:
        return ""
    if not isinstance(value, str | int | float):
        raise MalformedError("expected text")
    return str(value)[:LONGEST]


def put_text(message: object, rows: dict[str, list[str]], stored: Stored = lambda row, joint, typed: typed) -> None:
    """Puts typed text into a field of a table: the message names the row and the joint. `stored`: what is put there."""
    row = str(entry(message, "row"))
    values = rows.get(row, [])
    joint = index(message, "joint", len(values))
    values[joint] = stored(row, joint, text(entry(message, "text")))


def unexpected(error: Exception) -> None:
    """Logs an exception of a handler: one line for an invalid message, otherwise the traceback."""
    if isinstance(error, MalformedError) or _raised_by_nicegui(error):
        log.warning("a message from a page was not understood: %s", _line(error))
    else:
        log.error("unexpected", exc_info=error)


def take_exceptions(application: Any) -> None:
    """Makes `unexpected` NiceGUI's only exception handler; its default one logs every traceback."""
    application._exception_handlers[:] = [unexpected]


def _raised_by_nicegui(error: Exception) -> bool:
    """Whether it was raised while NiceGUI parsed a message, before any handler of ours."""
    trace = error.__traceback__
    if trace is None or not isinstance(error, _SHAPES):
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    return str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0] in ("nicegui", "orjson", "json")


def _line(error: object) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


def guard(server: Any) -> None:
    """Wraps NiceGUI's handlers of Socket.IO messages."""
    from socketio.exceptions import ConnectionRefusedError as Refused  # pyright: ignore[reportMissingTypeStubs]

    handlers = cast("dict[str, Callable[..., Any]]", server.handlers["/"])

    def guarded(name: str, handler: Callable[..., Any]) -> Callable[..., Any]:
        async def guard(*arguments: Any) -> Any:
            try:
                found = handler(*arguments)
                return await found if inspect.isawaitable(found) else found
            except _SHAPES as error:
                log.warning("a message from a page was not understood (%s): %s", name, _line(error))
                if name == "connect":
                    raise Refused("not understood") from None
                return False

        return guard

    for name in ("connect", "handshake", "event", "javascript_response", "ack"):
        handlers[name] = guarded(name, handlers[name])
    handlers["log"] = _log_line
    packets = cast("dict[str, Callable[..., Any]]", server.eio.handlers)
    take = guarded("packet", packets["message"])

    async def packet(sender: str, data: object) -> None:
        if isinstance(data, str) and _PACKET.match(data):
            await take(sender, data)
        else:
            log.warning("a message from a page was not understood (packet): %.60r", data)

    packets["message"] = packet
    for name in ("engineio.server", "socketio.server"):
        logging.getLogger(name).addFilter(_OneLine())
    logging.getLogger("nicegui").addFilter(_Plain())


class _Plain(logging.Filter):
    """NiceGUI's log record about an unknown address: one line, free of terminal control characters."""

    def filter(self, record: logging.LogRecord) -> bool:
        said = record.getMessage()
        if not said.isprintable() and not record.exc_info:
            record.msg, record.args = "%s", (repr(said)[:LONGEST],)
        return True


class _OneLine(logging.Filter):
    """Log records of the layers below about invalid packets, without traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info:
            record.msg, record.args = "%s: %s", (record.getMessage(), _line(record.exc_info[1]))
            record.exc_info = None
        return True


def middleware(application: Any) -> Any:
    """ASGI middleware: an invalid packet closes its connection, with one line in the log."""

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        if not str(scope.get("path", "")).startswith(SOCKETS):
            return await application(scope, receive, send)
        try:
            await application(scope, receive, send)
        except Exception as error:
            log.warning("a message from a page was not understood (packet): %s", _line(error))
            with contextlib.suppress(Exception):
                await send({"type": "websocket.close", "code": 1003})
        return None

    return guarded


def _log_line(_: str, message: object = None) -> None:
    """Logs a message from a page: one line, free of terminal control characters."""
    said = cast("dict[str, Any]", message).get("message") if isinstance(message, dict) else message
    log.info("message from a page: %r", str(said)[:LONGEST])
