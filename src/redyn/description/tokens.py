"""Text as a row of tokens, for small parsers that evaluate nothing as code."""

from __future__ import annotations

import re
from collections.abc import Callable

NUMBER = r"([0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)"


class Tokens:
    """Those of a text that `pattern` matches one after the other; where it does not, the error that `refuse` makes."""

    def __init__(self, text: str, pattern: re.Pattern[str], refuse: Callable[[str], ValueError]) -> None:
        self.tokens: list[str] = []
        self.at = 0
        place, text = 0, text.rstrip()
        while place < len(text):
            match = pattern.match(text, place)
            if match is None:
                raise refuse(text[place:])
            self.tokens.append(match.group().strip())
            place = match.end()

    def peek(self) -> str:
        """The next token; empty at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token
