"""Examples in docstrings that need a package which is not installed are left out."""

from importlib.util import find_spec

collect_ignore = [f"redyn/interop/{name}.py" for name in ("jax", "torch") if find_spec(name) is None]
