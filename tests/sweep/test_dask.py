"""Sweeps on Dask: a local cluster; a scheduler and workers as processes, each of which is killed in turn."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import redyn
from dask_cluster import Cluster, environment, kill, wait_for
from redyn import sweep

pytest.importorskip("pyarrow")
pytest.importorskip("distributed")

SHARDS, EACH = 16, 4


def plan(log="", seconds=0.0):
    return {
        "robot": "two-link",
        "samples": SHARDS * EACH,
        "shard": EACH,
        "seed": 11,
        "vary": {"q": {"normal": [0, 1]}, "*.mass": {"uniform": [1, 2]}},
        "run": {"function": {"name": "sweep_functions:logged", "options": {"log": str(log), "seconds": seconds}}},
        "outputs": ["energy", "noise"],
    }


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted((folder / "shards").glob("[0-9]*.parquet"))}


def finished(folder):
    return len(list((folder / "shards").glob("[0-9]*.parquet")))


@pytest.mark.slow
def test_local_cluster(tmp_path):
    data = {
        "robot": "puma",
        "samples": 60,
        "shard": 7,
        "vary": {"*.mass": {"normal": [1, 0.1], "relative": "factor"}, "q": {"sobol": ["-pi", "pi"]}},
        "run": {"simulate": {"duration": 0.01}},
    }
    told = []
    sweep.run(data, tmp_path / "dask", dask="local", workers=2, tell=told.append)
    sweep.run(data, tmp_path / "serial")
    assert contents(tmp_path / "dask") == contents(tmp_path / "serial")
    assert any("http://127.0.0.1" in text for text in told)


@pytest.mark.slow
def test_workers_the_scheduler_and_the_client_are_killed(tmp_path):
    """Each in turn; rows are those of a serial run, and only shards that were handed out are computed again."""
    log, out = tmp_path / "log", tmp_path / "out"
    data = plan(log, 0.05)
    (tmp_path / "spec.json").write_text(json.dumps(data))

    def client():
        words = ("sweep", tmp_path / "spec.json", "--out", out, "--dask", cluster.address, "--trust", "code")
        command = [sys.executable, "-m", "redyn", *map(str, words)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, env=environment(), **pipes)

    def progressed(process, more):
        goal = finished(out) + more
        wait_for(lambda: finished(out) >= goal or process.poll() is not None, f"{goal} shards")
        assert process.poll() is None, process.communicate()[1]

    with Cluster(tmp_path) as cluster:
        cluster.start_scheduler()
        cluster.start_worker()
        cluster.start_worker()
        running = client()
        try:
            progressed(running, 2)
            cluster.kill_worker()
            progressed(running, 2)
            kill(running)
            running.communicate()
            before = contents(out)
            cluster.start_worker()
            running = client()
            progressed(running, 2)
            cluster.kill_scheduler()
            _, said = running.communicate(timeout=120)
            assert running.returncode == 2, said
            assert "the same command goes on" in said
            assert "Traceback" not in said
            cluster.start_scheduler()
            cluster.start_worker()
            cluster.start_worker()
            done = sweep.run(data, out, dask=cluster.address, trust="code")
            assert done.complete
        finally:
            if running.poll() is None:
                running.kill()
            running.communicate()
    computed = len(log.read_text().splitlines())
    serial = sweep.run(data, tmp_path / "serial", trust="code")
    assert before.items() <= contents(out).items()  # what was finished is not touched
    assert contents(out) == contents(serial.folder)
    assert sweep.open(out).to_arrow()["sample"].to_pylist() == list(range(SHARDS * EACH))
    handed_out = 2 * 2  # shards, of two workers with one thread
    assert SHARDS * EACH <= computed <= (SHARDS + 3 * handed_out) * EACH


@pytest.mark.slow
def test_a_worker_that_lacks_the_package(tmp_path):
    """Its own modules are found; redyn is not: a finder in front of all others says that there is none."""
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "sitecustomize.py").write_text(
        "import sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'redyn':\n"
        "            raise ModuleNotFoundError(name='redyn', path=None)\n"
        "sys.meta_path.insert(0, Finder())\n"
    )
    paths = os.pathsep.join([str(hidden), *(path for path in sys.path if path)])
    with Cluster(tmp_path) as cluster:
        cluster.start_scheduler()
        cluster.start_worker(env=environment(PYTHONPATH=paths))
        with pytest.raises(redyn.RedynError, match=r"lacks the package redyn: pip install 'redyn\[sweep\]' there"):
            sweep.run(plan(), tmp_path / "out", dask=cluster.address, trust="code")
    assert finished(tmp_path / "out") == 0


def test_no_scheduler(tmp_path, monkeypatch):
    monkeypatch.setattr("redyn.sweep.cluster.PATIENCE", 1.0)
    with pytest.raises(redyn.RedynError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9"):
        sweep.run(plan(), tmp_path / "out", dask="127.0.0.1:9", trust="code")
