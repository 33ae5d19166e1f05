"""Without JAX or PyTorch redyn says how to install them."""

import importlib
import sys

import pytest

import redyn


@pytest.mark.parametrize("name", ["jax", "torch"])
def test_the_extra_is_named(name, monkeypatch):
    module = importlib.import_module(f"redyn.interop.{name}")
    before = importlib.import_module

    def missing(wanted, *rest):
        if wanted.partition(".")[0] == name:
            raise ModuleNotFoundError(wanted)
        return before(wanted, *rest)

    monkeypatch.setattr(importlib, "import_module", missing)
    imported = getattr(module, f"_{name}")
    imported.cache_clear()
    with pytest.raises(redyn.MissingExtraError, match=rf"redyn.{name} needs {name}.*pip install 'redyn\[{name}\]'"):
        module.functions(redyn.load("two-link"))
    imported.cache_clear()


def test_asking_for_the_module_imports_neither():
    import subprocess

    code = "import redyn, sys; redyn.jax, redyn.torch; print('jax' in sys.modules, 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
