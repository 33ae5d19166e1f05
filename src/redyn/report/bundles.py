"""Locates the JavaScript bundles that our pages need in other installed packages."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from redyn.errors import MissingExtraError, RedynError

PURPOSE = "A page with the robot in 3D"


def three_js() -> Path:
    """three.js as an ES module that exports THREE and OrbitControls, from NiceGUI's wheel."""
    return _inside("nicegui", "elements/scene/dist/index.js")


def plotly_js() -> Path:
    """plotly.js as a classic script that sets window.Plotly."""
    return _inside("plotly", "package_data/plotly.min.js")


def _inside(package: str, relative: str) -> Path:
    spec = find_spec(package)  # located without importing: NiceGUI takes a second to import
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError(package, "ui", PURPOSE)
    path = Path(spec.submodule_search_locations[0]) / relative
    if not path.is_file():
        raise RedynError(f"{PURPOSE}: this version of {package} has no {relative}: pip install 'redyn[ui]'")
    return path
