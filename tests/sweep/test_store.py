"""Folders of sweeps: what is finished stays, whatever happens."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import redyn
from commands import printed
from dask_cluster import environment, kill, wait_for
from redyn import sweep
from redyn.sweep.store import Folder

pytest.importorskip("pyarrow")

PLAN = {
    "robot": "two-link",
    "samples": 50,
    "shard": 8,
    "vary": {"*.mass": {"uniform": [1, 2]}, "q": {"uniform": ["-pi", "pi"]}},
    "run": {"call": "inverse_dynamics"},
}
SLOW = PLAN | {
    "run": {"function": {"name": "sweep_functions:logged", "options": {"seconds": 0.02}}},
    "outputs": ["energy", "noise"],
}


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted((folder / "shards").glob("[0-9]*.parquet"))}


def finished(folder):
    return len(list((folder / "shards").glob("[0-9]*.parquet")))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return sweep.run(PLAN, tmp_path_factory.mktemp("whole") / "out")


def test_parts_of_an_array_make_the_whole(whole, tmp_path):
    for k in (3, 1, 2):
        sweep.run(PLAN, tmp_path / "out", shard=f"{k}/3")
    assert contents(tmp_path / "out") == contents(whole.folder)


@pytest.mark.slow
def test_processes(whole, tmp_path):
    sweep.run(PLAN, tmp_path / "out", workers=2)
    assert contents(tmp_path / "out") == contents(whole.folder)


def test_nothing_is_computed_twice(whole, tmp_path, monkeypatch):
    out = tmp_path / "out"
    sweep.run(PLAN, out)
    (out / "shards" / "00000002.parquet").unlink()
    (out / "shards" / "00000004.parquet").write_bytes(b"PAR1 and then the power failed")
    (out / "shards" / ".00000005.parquet.0123abcd.part").write_bytes(b"of a killed process")
    computed = []
    plain = sweep.run_shard
    monkeypatch.setattr(
        "redyn.sweep.running.run_shard", lambda plan, k, trust: computed.append(k) or plain(plan, k, trust)
    )
    sweep.run(PLAN, out)
    assert computed == [2, 4]
    assert contents(out) == contents(whole.folder)


def test_another_sweep_is_refused(whole, tmp_path):
    with pytest.raises(redyn.RedynError, match="another sweep, which differs in samples, seed"):
        sweep.run(PLAN | {"seed": 3, "samples": 60}, whole.folder)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(redyn.RedynError, match=r"holds no sweep \(notes.txt\)"):
        sweep.run(PLAN, tmp_path)
    with pytest.raises(redyn.RedynError, match=r"no sweep, there is no spec\.json"):
        sweep.open(tmp_path)
    edited = json.loads((whole.folder / "spec.json").read_text())
    edited["spec"]["seed"] = 9
    (tmp_path / "spec.json").write_text(json.dumps(edited))
    with pytest.raises(redyn.RedynError, match="was it edited"):
        sweep.open(tmp_path)


def test_a_file_of_another_sweep_is_not_read(whole, tmp_path):
    out = tmp_path / "out"
    sweep.run(PLAN | {"seed": 1}, out)
    (out / "shards" / "00000000.parquet").write_bytes((whole.folder / "shards" / "00000000.parquet").read_bytes())
    with pytest.raises(redyn.RedynError, match=r"00000000\.parquet: is of another sweep"):
        sweep.open(out).to_arrow()


def test_many_begin_at_once(tmp_path):
    """Tasks of an array that all find no folder."""
    plan, errors = sweep.spec(PLAN), []

    def begin():
        try:
            Folder.made(tmp_path / "out", plan)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=begin) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["shards", "spec.json"]


def test_what_files_say_of_themselves(whole):
    schema = whole.schema
    assert schema.metadata[b"redyn.spec"].decode() == whole.spec.hash
    assert schema.metadata[b"redyn.shard"] == b"0"
    stored = json.loads((whole.folder / "spec.json").read_text())
    assert stored["made_with"]["redyn.version"] == redyn.__version__
    assert "lanes" in stored["made_with"]["redyn.processor"] or "uncompiled" in stored["made_with"]["redyn.processor"]
    assert stored["spec"]["robot"]["links"]


def test_other_versions_are_told(whole, tmp_path, monkeypatch):
    sweep.run(PLAN, tmp_path / "out")
    from redyn.sweep import store

    now = store.facts()
    monkeypatch.setattr(store, "facts", lambda: now | {"redyn.numpy": "1.0"})
    with pytest.warns(redyn.RedynWarning, match="numpy 1.0 instead of"):
        sweep.run(PLAN, tmp_path / "out")


def test_readers(whole, tmp_path):
    frame = whole.to_pandas()
    assert len(frame) == 50
    assert frame["sample"].tolist() == list(range(50))
    assert whole.dataset().count_rows() == 50
    assert whole.to_arrow(["sample", "tau.joint1"]).num_columns == 2
    with pytest.raises(redyn.InputError, match=r"no 'tau\.joint9'"):
        whole.to_arrow(["tau.joint9"])


def test_duckdb(whole):
    pytest.importorskip("duckdb")
    ((count, mean),) = whole.duckdb().aggregate('count(*), avg("tau.joint1")').fetchall()
    assert count == 50
    assert mean == pytest.approx(whole.to_pandas()["tau.joint1"].mean())


def test_zarr(whole, tmp_path):
    pytest.importorskip("zarr")
    sweep.run(PLAN | {"run": {"call": "mass_matrix"}, "vary": {"*.mass": {"uniform": [-1, 2]}}}, tmp_path / "out")
    result = sweep.open(tmp_path / "out")
    group = result.to_zarr(tmp_path / "z")
    assert group["M"].shape == (50, 2, 2)
    failed = group["failure"][:] >= 0
    assert failed.sum() == result.failed > 0
    assert np.isnan(group["M"][:][failed]).all()
    assert dict(group.attrs)["hash"] == result.spec.hash


def test_status_and_command(tmp_path):
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    out = tmp_path / "out"
    assert "4 of 7 shards, 26 of 50 samples" in printed("sweep", tmp_path / "plan.json", "--out", out, "--shard", "1/2")
    status = json.loads(printed("sweep", "--status", out, "--json"))
    assert (status["done"], status["shards"], status["complete"]) == (4, 7, False)
    data = json.loads(printed("sweep", tmp_path / "plan.json", "--out", out, "--json"))
    assert (data["done"], data["failures"]) == (7, {})


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["plan.json"], "--out: name the folder"),
        (["nothing.yaml", "--out", "out"], "nothing.yaml: cannot be read"),
        (["typo.yaml", "--out", "out"], "typo.yaml: vary.q: no distribution is called 'unifrm'; did you mean"),
        (["plan.json", "--out", "out", "--shard", "4/3"], "expected k/K with k from 1 to K"),
        (["plan.json", "--out", "out", "--workers", "0"], "workers: expected a number from 1"),
        (["code.json", "--out", "out"], "names code, sweep_functions:logged"),
        (["--status", "out"], "no sweep, there is no spec.json"),
        (["plan.json", "--out", "out", "--shard", "1/2", "--dask"], "--shard and --dask exclude each other"),
    ],
)
def test_mistakes_on_the_command_line(words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    (tmp_path / "code.json").write_text(json.dumps(SLOW))
    (tmp_path / "typo.yaml").write_text("robot: puma\nsamples: 3\nvary:\n  q: {unifrm: [0, 1]}\nrun: {call: com}\n")
    assert message in printed("sweep", *words, code=2)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_pages_and_figures(tmp_path):
    plan = PLAN | {
        "run": {"simulate": {"duration": 0.1, "sample": 0.01}},
        "outputs": ["final_q", "q_series"],
        "vary": PLAN["vary"] | {"link1.inertia.zz": {"choice": [1, -1], "relative": "factor"}},
    }
    result = sweep.run(plan, tmp_path / "out")
    page = result.html(tmp_path / "report.html").read_text("utf-8")
    assert "Sweep of two-link" in page
    assert "unphysical: link1.inertia" in page
    assert "<svg" in page
    assert "http" not in page.replace("http://www.w3.org", "").replace("http://purl.org", "").replace(
        "http://creativecommons.org", ""
    ).replace("https://matplotlib.org", "")
    assert result.plot(tmp_path / "all.png", ["final_q.joint1", "q_series.joint2"]) is not None
    with pytest.raises(redyn.InputError, match="did you mean"):
        result.plot(outputs=["final_q.joint9"])


def test_sensitivities_of_what_is_linear(tmp_path):
    """A torque at rest is linear in masses: all variance is explained, and effects are slopes times spans."""
    plan = PLAN | {"samples": 400, "vary": {"*.mass": {"uniform": [1, 2]}}, "fixed": {"q": [0.3, 0.4]}}
    summary = sweep.run(plan, tmp_path / "out").summary()
    free = redyn.load("two-link").free("*.mass")
    slopes = free.sensitivity("inverse_dynamics", [0.3, 0.4], [0, 0], [0, 0])
    first = summary.sensitivities[0]
    assert first.explained == pytest.approx(1)
    for k, column in enumerate(summary.varied):
        span = column.quantiles[-1] - column.quantiles[0]
        assert first.effects[column.name] == pytest.approx(slopes[0, k] * span, rel=1e-9)
        assert column.mean == pytest.approx(1.5, abs=0.05)


def command(*words):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    line = [sys.executable, "-m", "redyn", "sweep", *map(str, words)]
    return subprocess.Popen(line, env=environment(), start_new_session=True, **pipes)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_killed_and_interrupted(tmp_path, workers):
    """Kill -9, then Ctrl-C, then to the end: as if nothing had happened."""
    out, plan = tmp_path / "out", tmp_path / "plan.json"
    plan.write_text(json.dumps(SLOW | {"shard": 2}))
    words = (plan, "--out", out, "--trust", "code", "--workers", workers)
    running = command(*words)
    wait_for(lambda: finished(out) >= 2, "two shards", running)
    kill(running)
    running.communicate()
    before = finished(out)
    running = command(*words)
    wait_for(lambda: finished(out) >= before + 2, "two more", running)
    os.kill(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "interrupted" in said
    assert "the same command goes on" in said
    running = command(*words)
    _, said = running.communicate(timeout=120)
    assert running.returncode == 0, said
    serial = sweep.run(SLOW | {"shard": 2}, tmp_path / "serial", trust="code")
    assert contents(out) == contents(serial.folder)


@pytest.mark.slow
def test_a_shard_that_ends_its_process(tmp_path):
    plan = SLOW | {"run": {"function": "sweep_functions:dies"}}
    with pytest.raises(redyn.RedynError, match=r"3 processes in a row ended while computing it \(exit code 9\)"):
        sweep.run(plan, tmp_path / "out", workers=2, trust="code")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits of file sizes are a matter of POSIX")
def test_a_disk_that_fills(tmp_path):
    """Files beyond a size cannot be written: one line, no half file, and later the rest."""
    big = PLAN | {"samples": 4000, "shard": 2000}
    (tmp_path / "plan.json").write_text(json.dumps(big))
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000));"
        "from redyn.__main__ import run; run()"
    )
    line = [sys.executable, "-c", program, "sweep", tmp_path / "plan.json", "--out", tmp_path / "out"]
    done = subprocess.run(list(map(str, line)), env=environment(), capture_output=True, text=True)
    assert done.returncode == 2, done.stderr
    assert "00000000.parquet: cannot be written: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "out" / "shards").iterdir())
    assert sweep.run(big, tmp_path / "out").complete


def test_trust_takes_one_word():
    assert "--trust: expected code, got 'all'" in printed("sweep", "plan.yaml", "--trust", "all", code=2)
