"""Reference results of several agreeing independent computations, and printed numbers as text, digit by digit."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _all() -> dict[str, Any]:
    return json.loads(files("redyn.reproduce").joinpath("verified.json").read_text("utf-8"))


def verified(*keys: str) -> Any:
    """The entry under these keys of verified.json."""
    entry: Any = _all()
    for key in keys:
        entry = entry[key]
    return entry
