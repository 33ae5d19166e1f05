"""What went wrong, as the page shows it: every message belongs to its cause, and goes only when that is mended."""

from __future__ import annotations

import re
from itertools import count

_FOLDERS = re.compile(r"(?:[A-Za-z]:)?[\\/](?:[^\s'\":\\/]+[\\/])+")


def fault(error: BaseException) -> str:
    """An error that nobody expected, for people elsewhere: without the folders of this machine.

    >>> fault(FileNotFoundError(2, "No such file", "/home/ann/robots/arm.stl"))
    "this did not work, which is a fault of redyn's (FileNotFoundError: [Errno 2] No such file: 'arm.stl')"
    """
    return f"this did not work, which is a fault of redyn's ({type(error).__name__}: {_FOLDERS.sub('', str(error))})"


class Troubles:
    """Messages by cause. Every try has a number: one that ends late does not speak for a later one of its cause."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._last: dict[str, int] = {}  # of each cause, the latest try that has ended
        self._messages: dict[str, str] = {}

    def attempt(self) -> int:
        """The number of a try that begins now."""
        return next(self._numbers)

    def ended(self, cause: str, number: int, message: str = "") -> None:
        """A try has ended: well, or with a message."""
        if number < self._last.get(cause, 0):
            return
        self._last[cause] = number
        self._messages.pop(cause, None)
        if message:
            self._messages[cause] = message  # the latest one comes last

    def close(self, cause: str) -> None:
        """The user has read it."""
        self._messages.pop(cause, None)

    def forget(self, *causes: str) -> None:
        """What these causes were about is no more, nor what tries that go on will say of it."""
        for cause in causes:
            self.ended(cause, self.attempt())

    @property
    def messages(self) -> dict[str, str]:
        """By cause, the latest last."""
        return dict(self._messages)
