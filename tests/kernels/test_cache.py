"""Compiled code on disk: found again, never trusted when damaged or somebody else's; in memory: freed."""

import errno
import gc
import os
import subprocess
import sys
import time
import weakref
from pathlib import Path

import numpy as np
import pytest

import redyn
from commands import printed
from redyn.kernels import builtin, cache, machine
from redyn.kernels.compiled import compiled

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions as on Unix")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    builtin._method()  # the function that calls every kernel is made once per process
    monkeypatch.setenv("REDYN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("redyn.kernels.cache._loaded", weakref.WeakValueDictionary())
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


DAMAGE = {
    "truncate": lambda data: data[:-100],
    "flip": lambda data: data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1 :],
    "flip the last bit": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
    "empty": lambda data: b"",
    "garbage": lambda data: os.urandom(5000),
}


@pytest.mark.parametrize("damage", [*DAMAGE, "rename"])
def test_damaged_entries_are_rebuilt(folder, compilations, damage):
    ask()
    (entry,) = folder.iterdir()
    if damage == "rename":  # a good entry under another's name
        robot = redyn.load("three-link")
        robot.inverse_dynamics(np.zeros((8, 3)), np.zeros(3), np.zeros(3))
        other = next(path for path in folder.iterdir() if path != entry)
        entry.write_bytes(other.read_bytes())
    else:
        entry.write_bytes(DAMAGE[damage](entry.read_bytes()))
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


def test_the_key_covers_every_source_of_kernels():
    paths = [path for path, _ in cache.sources(cache._SOURCES)]
    assert {"dynamics/laws/friction.py", "dynamics/inverse.py", "kernels/lower.py", "model/model.py"} <= set(paths)
    assert len(paths) == len(set(paths))


def test_too_many_entries_are_thinned_out(folder, monkeypatch):
    monkeypatch.setattr(cache, "MOST_ENTRIES", 10)
    for k in range(25):
        cache.write(cache.named(k), b"code")
    assert len(list(folder.iterdir())) <= 10
    assert cache.read(cache.named(24)) == b"code"


def test_the_limit_in_bytes(folder, monkeypatch):
    monkeypatch.setattr(cache, "MOST_BYTES", 10_000)
    for k in range(25):
        cache.write(cache.named(k), b"x" * 900)
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 10_000
    assert cache.read(cache.named(24)) is not None
    cache.write(cache.named("large"), b"x" * 50_000)  # the newest stays, whatever its size
    assert cache.read(cache.named("large")) is not None


def test_temporaries_of_killed_processes_go(folder):
    cache.write(cache.named(0), b"code")
    left, young = folder / f"{cache.TEMPORARY}left", folder / f"{cache.TEMPORARY}young"
    left.write_bytes(b"half")
    young.write_bytes(b"half")
    os.utime(left, (time.time() - 2 * cache.ABANDONED,) * 2)
    cache.write(cache.named(1), b"code")
    assert not left.exists()
    assert young.exists()


def test_a_full_disk_is_no_error(folder, compilations, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("redyn.kernels.cache._packed", full)
    ask()
    assert list(folder.iterdir()) == []


def test_a_read_only_disk_serves_what_it_holds(folder, compilations, monkeypatch):
    def fail(*_, **__):
        raise OSError(errno.EROFS, "read-only file system")

    ask()
    monkeypatch.setattr(os, "utime", fail)
    ask()
    assert len(compilations) == 1


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
    assert "1 kernel," in printed("cache")
    assert "removed 1 kernel from" in printed("cache", "--clear")
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


# --- loops: the same promise for what Numba compiled ---------------------------------------------------------------


def thrice(x):
    return 3.0 * x


def tripled():
    """A new dispatcher, as a new process would make one; whether it had to compile."""
    function = compiled(thrice)
    assert function(2.0) == 6.0
    return sum(function.stats.cache_misses.values()) > 0


def test_loops_are_found_again(folder):
    assert tripled()
    assert not tripled()
    (entry,) = folder.iterdir()
    assert entry.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_loops_are_rebuilt(folder, damage):
    tripled()
    (entry,) = folder.iterdir()
    entry.write_bytes(DAMAGE[damage](entry.read_bytes()))
    assert tripled()
    assert not tripled()


def test_loops_of_another_numba_are_rebuilt(folder):
    """Whole, but not what this Numba can read."""
    tripled()
    (entry,) = folder.iterdir()
    cache.write(entry.name, b"not a pickle")
    assert tripled()
    assert not tripled()


def test_loops_and_a_full_disk(folder, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("redyn.kernels.cache._packed", full)
    assert tripled()
    assert tripled()


def test_the_name_of_a_loop_covers_what_it_closes_over(folder):
    def scaled(factor):
        @compiled
        def function(x):
            return factor * x

        return function

    assert scaled(2.0)(1.0) == 2.0
    assert scaled(5.0)(1.0) == 5.0
    assert scaled(2.0)(1.0) == 2.0


FORK = """
import os, sys, threading, time
from redyn.kernels.compiled import compiled
from numba.core import compiler_lock

@compiled
def twice(x):
    return 2 * x

held, go = threading.Event(), threading.Event()

def compile_for_a_while():  # another thread is in the middle of compiling
    with compiler_lock.global_compiler_lock:
        held.set()
        time.sleep(0.3)

thread = threading.Thread(target=compile_for_a_while)
thread.start()
held.wait()
child = os.fork()
if child == 0:
    os._exit(0 if twice(2.0) == 4.0 else 1)
thread.join()
assert twice(3) == 6
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_while_numba_compiles_leaves_a_child_that_works(folder):
    environment = {**os.environ, "REDYN_CACHE": str(folder.parent)}
    subprocess.run([sys.executable, "-c", FORK], env=environment, check=True, timeout=600)


# --- memory ---------------------------------------------------------------------------------------------------------


def test_code_goes_with_its_robot(folder):
    state = np.zeros((8, 2)), np.zeros(2), np.zeros(2)
    first, second = redyn.load("two-link"), redyn.load("two-link")
    expected = first.inverse_dynamics(*state)
    second.inverse_dynamics(*state)
    assert len(cache._loaded) == 1  # shared
    del first
    gc.collect()
    np.testing.assert_array_equal(second.inverse_dynamics(*state), expected)
    assert len(cache._loaded) == 1
    del second
    gc.collect()
    assert len(cache._loaded) == 0


def test_code_in_use_stays(folder):
    """Whatever holds an address holds the code: methods, fast paths, runs, rolled kernels and rollouts."""
    call = redyn.load("two-link").inverse_dynamics
    one = np.zeros(2)
    for _ in range(6):
        expected = call(one, one, one)  # by the fast path after the first call
    gc.collect()
    np.testing.assert_array_equal(call(one, one, one), expected)
    long = redyn.chain(80).forward_dynamics
    state = np.zeros((4, 80))
    expected = long(state, state, state)
    gc.collect()
    np.testing.assert_array_equal(long(state, state, state), expected)


GROWTH = """
import gc, sys
import numpy as np
import redyn

def megabytes():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 1e6

def use(k):
    link = {"joint": "revolute", "a": 1, "b": 0, "alpha": 0, "mass": 1 + 1e-3 * k, "r": [0.5, 0, 0]}
    robot = redyn.load({"name": "arm", "convention": "dh", "links": [link | {"inertia": {"yy": 0.1, "zz": 0.1}}]})
    state = np.zeros((8, 1))
    robot.inverse_dynamics(state, state, state)

for k in range(30):
    use(k)
before = megabytes()
for k in range(30, 150):
    use(k)
print(megabytes() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from Linux's /proc")
def test_many_robots_do_not_fill_the_memory(folder):
    environment = {**os.environ, "REDYN_CACHE": str(folder.parent)}
    grown = subprocess.run([sys.executable, "-c", GROWTH], env=environment, capture_output=True, text=True, check=True)
    assert float(grown.stdout) < 6.0  # 120 robots


@pytest.mark.slow
def test_code_in_a_cycle_of_references_is_freed_once(folder):
    """The garbage collector frees such things in any order, which LLVM's engines do not bear."""
    ask()
    (entry,) = folder.iterdir()
    code = cache.read(entry.name)
    for _ in range(20):
        made = [machine.Code(code, machine.lane_width()) for _ in range(3)]
        made[0].others = made  # a cycle
        del made
        gc.collect()
    assert machine.Code(code, machine.lane_width()).address
