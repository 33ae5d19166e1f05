"""JavaScript in Node: a script that imports modules beside it and prints JSON."""

import json
import shutil
import subprocess

import pytest

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="no node on the PATH: JavaScript not run outside a browser")


def run(folder, script: str, given=None):
    """What the script prints; `given` is there under that name. Files *.js in the folder are modules."""
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "script.js").write_text(f"const given = {json.dumps(given)};\n{script}")
    result = subprocess.run([NODE, str(folder / "script.js")], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-2000:]
    return json.loads(result.stdout)
