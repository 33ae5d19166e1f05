"""Untrusted XML, parsed by the standard library's expat: elements with their lines, all sizes bounded.

Document types are refused, and with them all entities: no entity bombs, no external files or URLs.
"""

from __future__ import annotations

import math
import re
import xml.parsers.expat
from collections.abc import Iterator
from dataclasses import dataclass, field

from redyn.description.numbers import LARGEST
from redyn.errors import DescriptionError

DEEPEST = 200  # nesting depth of elements
MOST_ELEMENTS = 200_000  # fifty times the largest public robot
MOST_LINKS = 100_000
LONGEST_TOKEN = 1_000_000  # bytes: one tag with all its attributes, or one comment
LONGEST_TEXT = 10_000  # characters: one attribute

_CHUNK = 1 << 16
_BODIES = ("link", "body")
_DECLARED = re.compile(rb"""(?:\xef\xbb\xbf)?<\?xml[^>]{0,1000}?encoding\s*=\s*["']([\w.-]{1,40})["']""")
_UTF8 = ("utf-8", "utf8", "ascii", "us-ascii")
_ENCODINGS = re.compile(r"utf-16(le|be)?|iso-8859-[0-9]+|latin-?1|(windows-|cp)125[0-8]|koi8-r")
_BLANKS = re.compile(rb"[ \t\r\n]*")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(slots=True)
class Element:
    """An element with its attributes; errors give its file and line."""

    file: str
    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list["Element"])
    content: str = ""

    def find(self, tag: str) -> Element | None:
        return next((child for child in self.children if child.tag == tag), None)

    def all(self, tag: str) -> list[Element]:
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> Iterator[Element]:
        """This element and all inside it."""
        waiting: list[Element] = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(reversed(element.children))

    def error(self, message: str) -> DescriptionError:
        return DescriptionError(f"{self.file}:{self.line}", message)

    def text(self, name: str) -> str:
        """A required attribute."""
        value = self.attributes.get(name, "").strip()
        if not value:
            others = ", ".join(repr(other[:60]) for other in list(self.attributes)[:5] if other != name)
            has = f"; it has {others}" if others and name not in self.attributes else ""
            raise self.error(f"<{self.tag}> needs the attribute {name!r}{has}")
        return value

    def number(self, name: str, default: float | None = None) -> float:
        if default is not None and name not in self.attributes:
            return default
        return self.numbers(name, 1)[0]

    def numbers(self, name: str, count: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        if default is not None and name not in self.attributes:
            return default
        return self._parsed(self.text(name), count, f"<{self.tag} {name}=...>")

    def content_number(self) -> float:
        """The number between the tags."""
        return self.content_numbers(1)[0]

    def content_numbers(self, count: int) -> tuple[float, ...]:
        return self._parsed(self.content, count, f"<{self.tag}>")

    def content_of(self, tag: str) -> str:
        """The text in a child; empty if there is none."""
        child = self.find(tag)
        return "" if child is None else child.content.strip()

    def number_of(self, tag: str, default: float) -> float:
        """The number in a child."""
        child = self.find(tag)
        return default if child is None else child.content_number()

    def _parsed(self, text: str, count: int, where: str) -> tuple[float, ...]:
        words = text.split()
        values = tuple(float(word) if _NUMBER.fullmatch(word) else math.nan for word in words)
        if len(values) != count or not all(abs(value) <= LARGEST for value in values):
            what = "a finite number" if count == 1 else f"{count} finite numbers"
            raise self.error(f"{where}: expected {what}, got {text[:60]!r}")
        return values

    def origin(self, tag: str = "origin") -> tuple[tuple[float, ...], tuple[float, ...]]:
        """xyz and rpy of the child <origin>; zeros if there is none."""
        origin = self.find(tag)
        nothing = (0.0, 0.0, 0.0)
        if origin is None:
            return nothing, nothing
        return origin.numbers("xyz", 3, nothing), origin.numbers("rpy", 3, nothing)


def parse_xml(data: bytes, file: str) -> Element:
    """The root element of a file."""
    return _Reader(file, _encoding(data, file)).read(_without_late_declaration(data))


def _without_late_declaration(data: bytes) -> bytes:
    """The same lines, without an XML declaration that stands behind blanks or comments, where it is not allowed.

    Other readers of robot files let it pass, so some files have it.
    """
    at = _behind_blanks(data, 3 if data.startswith(b"\xef\xbb\xbf") else 0)
    while data.startswith(b"<!--", at):
        end = data.find(b"-->", at)
        if end < 0:
            return data
        at = _behind_blanks(data, end + 3)
    end = data.find(b"?>", at)
    if at == 0 or end < 0 or not data.startswith(b"<?xml ", at):
        return data
    return data[:at] + re.sub(rb"[^\n]", b" ", data[at : end + 2]) + data[end + 2 :]


def _behind_blanks(data: bytes, at: int) -> int:
    match = _BLANKS.match(data, at)
    return match.end() if match else at


def _encoding(data: bytes, file: str) -> str | None:
    """UTF-8 under any of its names, None if expat should detect it; other encodings only from a short list."""
    match = _DECLARED.match(data)
    name = match[1].decode("ascii").lower() if match else None
    if name in _UTF8:
        return "utf-8"
    if name is not None and not _ENCODINGS.fullmatch(name):
        raise DescriptionError(f"{file}:1", f"not valid XML: the encoding {name!r} is unknown; write the file in UTF-8")
    return None


class _Reader:
    def __init__(self, file: str, encoding: str | None) -> None:
        self.file = file
        self.root: Element | None = None
        self.elements = self.bodies = 0
        self.stack: list[Element] = []
        self.parser = parser = xml.parsers.expat.ParserCreate(encoding)
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.StartDoctypeDeclHandler = self.doctype

    def read(self, data: bytes) -> Element:
        parser = self.parser
        try:
            for at in range(0, len(data), _CHUNK):
                chunk = data[at : at + _CHUNK]
                parser.Parse(chunk, False)
                if at + len(chunk) - parser.CurrentByteIndex > LONGEST_TOKEN:
                    raise self.error(f"a tag or comment of more than {LONGEST_TOKEN:,} bytes")
            parser.Parse(b"", True)
        except xml.parsers.expat.ExpatError as error:
            reason = xml.parsers.expat.ErrorString(error.code)
            hint = "" if _is_utf8(data) else "; the text is not UTF-8, so the first line must name its encoding"
            raise DescriptionError(f"{self.file}:{error.lineno}", f"not valid XML: {reason}{hint}") from None
        except (LookupError, ValueError) as error:  # an encoding that Python cannot decode after all
            raise DescriptionError(f"{self.file}:1", f"not valid XML: {error}; write the file in UTF-8") from None
        assert self.root is not None  # expat has refused a file without elements
        return self.root

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.elements += 1
        self.bodies += tag in _BODIES
        if len(self.stack) > DEEPEST:
            raise self.error("elements are nested too deeply")
        if self.bodies > MOST_LINKS:
            raise self.error(f"more than {MOST_LINKS:,} links")
        if self.elements > MOST_ELEMENTS:
            raise self.error(f"more than {MOST_ELEMENTS:,} elements")
        for name, value in attributes.items():
            if len(value) > LONGEST_TEXT or len(name) > LONGEST_TEXT:
                raise self.error(f"<{tag[:60]} {name[:60]}=...> has more than {LONGEST_TEXT:,} characters")
        element = Element(self.file, tag, attributes, self.parser.CurrentLineNumber)
        if self.stack:
            self.stack[-1].children.append(element)
        else:
            self.root = element
        self.stack.append(element)

    def end(self, tag: str) -> None:
        self.stack.pop()

    def characters(self, text: str) -> None:
        element = self.stack[-1]
        if len(element.content) < LONGEST_TEXT:
            element.content += text[:LONGEST_TEXT]

    def doctype(self, *declared: object) -> None:
        raise self.error("entities are not allowed in a robot file, nor is a DOCTYPE")

    def error(self, message: str) -> DescriptionError:
        return DescriptionError(f"{self.file}:{self.parser.CurrentLineNumber}", message)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
