"""Connections that never finish asking are closed: uvicorn itself would wait for the rest of a request for ever."""

from __future__ import annotations

from asyncio import TimerHandle, Transport
from typing import Any, cast

from uvicorn.protocols.http.auto import AutoHTTPProtocol

SECONDS = 20.0  # that the headers of a request may take

_Protocol: type[Any] = cast(Any, AutoHTTPProtocol)  # which of several it is depends on what is installed


class TimelyProtocol(_Protocol):
    """HTTP whose every request must have its headers complete in time. Bodies are looked after in access.py."""

    _late: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:
        _Protocol.connection_made(self, transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        if self._late is None:
            self._wait()
        _Protocol.data_received(self, data)
        if self._answering():
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        _Protocol.connection_lost(self, exc)

    def _answering(self) -> bool:
        """Whether the headers have come: a request is under way, or this is a WebSocket now."""
        upgraded = self.transport.get_protocol() is not self
        return upgraded or (self.cycle is not None and not self.cycle.response_complete)

    def _wait(self) -> None:
        self._late = self.loop.call_later(SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        self._late = None
        if not self._answering():
            self.transport.close()
