"""Errors shown on the page: every message belongs to a cause and disappears when that is resolved."""

from __future__ import annotations

import re
from itertools import count

_FOLDERS = re.compile(r"(?:[A-Za-z]:)?[\\/](?:[^\s'\":\\/]+[\\/])+")


def fault(error: BaseException) -> str:
    """Message for an unexpected error, without the folders of this machine.

    >>> fault(FileNotFoundError(2, "No such file", "/home/ann/robots/arm.stl"))
    "internal error, a bug in redyn (FileNotFoundError: [Errno 2] No such file: 'arm.stl')"
    """
    return f"internal error, a bug in redyn ({type(error).__name__}: {_FOLDERS.sub('', str(error))})"


class Troubles:
    """Messages by cause. Attempts are numbered: one that ends late does not override a later one of its cause."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._last: dict[str, int] = {}  # by cause, the latest attempt that has ended
        self._messages: dict[str, str] = {}

    def attempt(self) -> int:
        """The number of a new attempt."""
        return next(self._numbers)

    def ended(self, cause: str, number: int, message: str = "") -> None:
        """An attempt has ended: successfully, or with a message."""
        if number < self._last.get(cause, 0):
            return
        self._last[cause] = number
        self._messages.pop(cause, None)
        if message:
            self._messages[cause] = message  # the latest is last

    def close(self, cause: str) -> None:
        """The user has read it."""
        self._messages.pop(cause, None)

    def forget(self, *causes: str) -> None:
        """Drops these causes, and ignores running attempts of them."""
        for cause in causes:
            self.ended(cause, self.attempt())

    @property
    def messages(self) -> dict[str, str]:
        """By cause, the latest last."""
        return dict(self._messages)
