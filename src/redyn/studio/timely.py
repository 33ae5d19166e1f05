"""Closes connections whose request never completes: uvicorn itself would wait forever."""

from __future__ import annotations

from asyncio import TimerHandle, Transport
from typing import Any, cast

from uvicorn.protocols.http.auto import AutoHTTPProtocol

SECONDS = 20.0  # time limit for the headers of a request

_Protocol: type[Any] = cast(Any, AutoHTTPProtocol)  # which implementation it is depends on what is installed


class TimelyProtocol(_Protocol):
    """HTTP protocol with a time limit for request headers. Bodies are limited in access.py."""

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
        """Whether the headers have arrived: a request is in progress, or this has become a WebSocket."""
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
