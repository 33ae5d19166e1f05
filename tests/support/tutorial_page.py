"""Pages of the documentation as a reader works through them: files are saved, blocks run in order, output compared.

A block of Python or of shell commands that is followed at once by a block of `text` prints exactly that, up to one unit
in the last digit of each number. `python -m tutorial_page PAGE...` writes what the blocks print into the pages.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SAVED = re.compile(r"[Ss]ave (?:this|it) as\s+`([^`]+)`[^`]*\Z")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")


@dataclass(frozen=True)
class Block:
    """A fenced block; `file` is what the text before it says to save it as, `shown` the output that follows it."""

    language: str
    text: str
    line: int
    file: str | None
    shown: str | None
    span: tuple[int, int]  # of the output in the page


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page except for outputs.

    >>> [(b.language, b.shown) for b in blocks("```python\\nprint(2)\\n```\\n\\n```text\\n2\\n```\\n")]
    [('python', '2\\n')]
    """
    found = list(_BLOCK.finditer(page))
    for k, match in enumerate(found):
        after = found[k + 1] if k + 1 < len(found) else None
        shows = after is not None and after[1] == "text" and not page[match.end() : after.start()].strip()
        if match[1] == "text":
            continue
        saved = _SAVED.search(page[: match.start()].rstrip().rsplit("\n\n", 1)[-1])
        yield Block(
            match[1],
            match[2],
            page[: match.start()].count("\n") + 2,
            saved[1] if saved else None,
            after[2] if shows and after else None,
            after.span(2) if shows and after else (0, 0),
        )


def unlike(printed: str, shown: str) -> str | None:
    """What differs, if anything does by more than one unit in the last digit of a number.

    >>> unlike("error 1.2346 m", "error  1.2345 m"), unlike("1.24", "1.22"), unlike("2 joints", "2 links")
    (None, "printed '1.24', the page has '1.22'", "printed '2 joints', the page has '2 links'")
    """
    for ours, theirs in zip_lines(printed, shown):
        words = _NUMBER.sub("#", ours).split(), _NUMBER.sub("#", theirs).split()
        numbers = zip(_NUMBER.findall(ours), _NUMBER.findall(theirs), strict=False)
        if "".join(words[0]) != "".join(words[1]) or any(not _close(a, b) for a, b in numbers):
            return f"printed {ours!r}, the page has {theirs!r}"
    return None


def zip_lines(printed: str, shown: str) -> Iterator[tuple[str, str]]:
    ours, theirs = printed.rstrip().splitlines(), shown.rstrip().splitlines()
    for k in range(max(len(ours), len(theirs))):
        yield ours[k].rstrip() if k < len(ours) else "", theirs[k].rstrip() if k < len(theirs) else ""


def _close(ours: str, theirs: str) -> bool:
    mantissa, _, exponent = theirs.partition("e")
    digits = len(mantissa.partition(".")[2])
    unit = 10.0 ** (int(exponent or 0) - digits)
    whole = "." not in theirs and not exponent
    return ours == theirs if whole else abs(float(ours) - float(theirs)) <= 1.01 * unit


def outputs(page: Path) -> Iterator[tuple[Block, str]]:
    """Work through a page in the present folder; each block that was run, and what it printed."""
    from commands import printed
    from redyn import RedynWarning

    names: dict[str, object] = {"__name__": "__main__"}
    text = page.read_text("utf-8")
    for block in blocks(text):
        if block.file is not None:
            Path(block.file).write_text(block.text, "utf-8")
        elif block.language == "python":
            # Lines of their own, so that errors name the line of the page.
            program = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
            with contextlib.redirect_stdout(io.StringIO()) as out, warnings.catch_warnings(record=True) as given:
                warnings.simplefilter("always")
                exec(program, names)
            for warning in given:  # those of redyn have to be on the page, so that no reader wonders
                message = str(warning.message)
                assert warning.category is not RedynWarning or message in text, f"line {block.line}: {message}"
            yield block, out.getvalue()
        elif block.language == "sh" and block.shown is not None:
            commands = [shlex.split(line, comments=True) for line in block.text.splitlines()]
            yield block, "".join(printed(*words[1:]) for words in commands if words)


def _update(page: Path) -> None:
    text, changed = page.read_text("utf-8"), page.read_text("utf-8")
    for block, printed in reversed(list(outputs(page))):
        if block.shown is None and printed:
            print(f"{page.name}:{block.line}: prints, and the page does not show it:\n{printed}")
        if block.shown is not None and printed.rstrip() != block.shown.rstrip():
            changed = changed[: block.span[0]] + printed.rstrip() + "\n" + changed[block.span[1] :]
    if changed != text:
        page.write_text(changed, "utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        absolute = Path(name).resolve()
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            os.environ.setdefault("MPLBACKEND", "Agg")
            _update(absolute)
