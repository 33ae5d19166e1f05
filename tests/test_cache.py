"""Kernels on disk: found again, never trusted when damaged or somebody else's."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import redyn
from redyn.kernels import cache, machine

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions as on Unix")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("REDYN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("redyn.kernels.cache._loaded", {})
    return tmp_path / "cache" / "kernels"


@pytest.fixture
def compilations(monkeypatch):
    """How often LLVM was asked to compile."""
    done = []
    original = machine.compile_module
    monkeypatch.setattr(machine, "compile_module", lambda text, width: done.append(1) or original(text, width))
    return done


def ask():
    cache._loaded.clear()  # as a new process would find it
    robot = redyn.load("two-link")
    q = np.linspace(0, 1, 16).reshape(8, 2)
    result = robot.inverse_dynamics(q, q, q)
    slow = redyn.load("two-link")
    slow.evaluator.kernels = None
    np.testing.assert_allclose(result, slow.inverse_dynamics(q, q, q), atol=1e-12)


def test_found_again(folder, compilations):
    ask()
    assert len(compilations) == 1
    ask()
    assert len(compilations) == 1
    assert folder.stat().st_mode & 0o777 == 0o700
    (entry,) = folder.iterdir()
    assert entry.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty", "garbage", "rename"])
def test_damaged_entries_are_rebuilt(folder, compilations, damage):
    ask()
    (entry,) = folder.iterdir()
    data = bytearray(entry.read_bytes())
    if damage == "flip":
        data[len(data) // 2] ^= 1
    damaged = {"truncate": data[:-100], "flip": data, "empty": b"", "garbage": os.urandom(5000), "rename": data}[damage]
    if damage == "rename":  # a good entry under another's name
        robot = redyn.load("three-link")
        robot.inverse_dynamics(np.zeros((8, 3)), np.zeros(3), np.zeros(3))
        other = next(path for path in folder.iterdir() if path != entry)
        entry.write_bytes(other.read_bytes())
    else:
        entry.write_bytes(bytes(damaged))
    before = len(compilations)
    ask()
    assert len(compilations) == before + 1
    ask()
    assert len(compilations) == before + 1


def test_entries_open_to_others_are_not_run(folder, compilations):
    ask()
    (entry,) = folder.iterdir()
    entry.chmod(0o666)
    ask()
    assert len(compilations) == 2
    assert entry.stat().st_mode & 0o077 == 0


def test_links_are_not_followed(folder, compilations, tmp_path):
    ask()
    (entry,) = folder.iterdir()
    elsewhere = tmp_path / "elsewhere"
    entry.rename(elsewhere)
    entry.symlink_to(elsewhere)
    ask()
    assert len(compilations) == 2


def test_a_folder_open_to_others_is_not_used(folder, compilations):
    folder.mkdir(mode=0o755, parents=True)
    folder.chmod(0o755)
    ask()
    ask()
    assert len(compilations) == 2
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path, monkeypatch, compilations):
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("REDYN_CACHE", str(file / "kernels"))
    ask()
    assert len(compilations) == 1


def test_the_key_covers_what_the_code_depends_on(folder, compilations):
    ask()
    data = redyn.load("two-link").description.model_dump(exclude_none=True)
    data["links"][1]["mass"] = 1.0000000000000002
    robot = redyn.load(data)
    robot.inverse_dynamics(np.zeros((8, 2)), np.zeros(2), np.zeros(2))
    assert len(compilations) == 2
    redyn.load("two-link").inverse_dynamics(np.zeros((8, 2)), np.zeros(2), np.zeros(2), gravity=[0, 0, 0])
    assert len(compilations) == 3


def test_too_many_entries_are_thinned_out(folder, monkeypatch):
    monkeypatch.setattr(cache, "MOST_ENTRIES", 10)
    for k in range(25):
        cache.write(cache.named(k), b"code")
    assert len(list(folder.iterdir())) <= 10
    assert cache.read(cache.named(24)) == b"code"


def test_other_files_are_left_alone(folder, monkeypatch):
    ask()
    (folder / "thesis.tex").write_text("years of work")
    monkeypatch.setattr(cache, "MOST_ENTRIES", 0)
    cache.write(cache.named("x"), b"code")
    assert cache.clear() >= 1
    assert [path.name for path in folder.iterdir()] == ["thesis.tex"]


def test_code_that_changed_on_disk_is_not_cached(folder, monkeypatch, compilations):
    monkeypatch.setattr(cache, "_source_digest", lambda: "edited meanwhile")
    ask()
    assert len(compilations) == 1
    assert list(folder.iterdir()) == []


def test_many_writers(folder):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda k: cache.write(cache.named("e"), bytes([65 + k % 3]) * 100_000), range(64)))
        assert len(set(cache.read(cache.named("e")))) == 1
    assert [path.name for path in folder.iterdir()] == [cache.named("e")]


def test_command(folder):
    ask()
    environment = {**os.environ, "REDYN_CACHE": str(folder.parent)}
    command = [sys.executable, "-m", "redyn", "cache"]
    shown = subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout
    assert "1 kernel," in shown
    cleared = subprocess.run([*command, "--clear"], capture_output=True, text=True, env=environment, check=True).stdout
    assert "removed 1 kernel from" in cleared
    assert not list(Path(folder).iterdir())


WARM = """
import sys, numpy as np, redyn
q = np.zeros(6)
redyn.load("puma").inverse_dynamics(q, q, q)
mine = {m.split(".")[0] + "." + m.split(".")[1] if m.startswith("scipy.") else m.split(".")[0] for m in sys.modules}
print("casadi" in mine, "sympy" in mine, sorted(m for m in mine if m.startswith("scipy.")))
"""


def test_a_warm_start_needs_no_casadi(folder):
    environment = {**os.environ, "REDYN_CACHE": str(folder.parent)}
    cold = subprocess.run([sys.executable, "-c", WARM], capture_output=True, text=True, env=environment, check=True)
    assert cold.stdout.startswith("True")
    warm = subprocess.run([sys.executable, "-c", WARM], capture_output=True, text=True, env=environment, check=True)
    assert warm.stdout.strip() == "False False []"
