"""Files that redyn writes: whole or not at all, never over a stranger's, never through a link or into a device."""

import os
import re
import signal
import stat
import subprocess
import sys
import time

import numpy as np
import pytest

import redyn
from commands import command
from redyn import files
from redyn.errors import RedynError
from redyn.symbolic.export import export_c, export_python

STRANGER = "years of work, none of it redyn's\n"


@pytest.fixture(scope="module")
def run():
    return redyn.simulate(redyn.load("two-link"), [0.5, 0], [0, 0], 0.05)


# Everything in Python that writes a file: how, and what its name ends in.
WRITERS = {
    "csv": (lambda run, path, force: run.to_csv(path, force), ".csv"),
    "html": (lambda run, path, force: run.html(path, force), ".html"),
    "plot": (lambda run, path, force: run.plot(path, force), ".png"),
    "sizing": (lambda run, path, force: run.size(redyn.sizing.Motor(1, 2, 3)).plot(path, force), ".png"),
    "yaml": (lambda run, path, force: run.robot.to_yaml(path, force), ".yaml"),
    "urdf": (lambda run, path, force: run.robot.to_urdf(path, force), ".urdf"),
    "c": (lambda run, path, force: export_c(run.robot, "inverse", path.parent, name=path.stem, force=force), ".c"),
    "python": (
        lambda run, path, force: export_python(run.robot, "inverse", path.parent, name=path.stem, force=force),
        ".py",
    ),
}


@pytest.fixture(params=WRITERS)
def writer(request, run, tmp_path):
    """A function of `force` that writes a file, and the file."""
    write, suffix = WRITERS[request.param]
    path = tmp_path / f"made{suffix}"
    return (lambda force=False: write(run, path, force)), path


@pytest.mark.filterwarnings("ignore::redyn.RedynWarning")
def test_its_own_kind_is_replaced(writer):
    write, path = writer
    write()
    first = path.read_bytes()
    path.chmod(0o640)
    write()
    assert len(path.read_bytes()) == len(first)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert not [entry for entry in path.parent.iterdir() if entry.name.endswith(".part")]


@pytest.mark.filterwarnings("ignore::redyn.RedynWarning")
def test_a_strangers_file_is_replaced_only_by_force(writer):
    write, path = writer
    path.write_text(STRANGER)
    with pytest.raises(RedynError, match=rf"{re.escape(path.name)}.* exists and is not .*force"):
        write()
    assert path.read_text() == STRANGER
    assert list(path.parent.iterdir()) == [path]  # nothing beside it was written either
    write(force=True)
    assert path.read_bytes() != STRANGER.encode()


@pytest.mark.filterwarnings("ignore::redyn.RedynWarning")
@pytest.mark.skipif(sys.platform == "win32", reason="links")
@pytest.mark.parametrize("force", [False, True])
def test_never_through_a_link(writer, tmp_path_factory, force):
    write, path = writer
    aim = tmp_path_factory.mktemp("elsewhere") / "thesis.tex"
    aim.write_text(STRANGER)
    for target in (aim, aim.with_name("nowhere")):
        path.unlink(missing_ok=True)
        path.symlink_to(target)
        with pytest.raises(RedynError, match="is a link"):
            write(force=force)
        assert path.is_symlink()
    assert aim.read_text() == STRANGER
    assert not aim.with_name("nowhere").exists()


@pytest.mark.filterwarnings("ignore::redyn.RedynWarning")
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_never_into_what_is_no_file(writer):
    write, path = writer
    os.mkfifo(path)
    with pytest.raises(RedynError, match="not a regular file"):
        write(force=True)
    path.unlink()
    path.mkdir()
    with pytest.raises(RedynError, match="is a folder"):
        write(force=True)


def test_devices_and_other_odd_names(run):
    for path in ("/dev/null", "/dev/stdout", ""):
        with pytest.raises(RedynError, match=r"ordinary|link|expected the name"):
            run.to_csv(path, force=True)


@pytest.mark.filterwarnings("ignore::redyn.RedynWarning")
def test_a_read_only_file_is_replaced_only_by_force(writer):
    write, path = writer
    write()
    before = path.read_bytes()
    path.chmod(0o444)
    with pytest.raises(RedynError, match="read-only"):
        write()
    assert path.read_bytes() == before
    write(force=True)


def test_what_goes_wrong_while_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "table.csv"
    files.write_csv(path, ["t", "q"], [[0, 1]])
    before = path.read_bytes()
    for error in (OSError(28, "No space left on device"), KeyboardInterrupt(), ValueError("odd")):

        def rows(error=error):
            yield [1, 2]
            raise error

        with pytest.raises((RedynError, KeyboardInterrupt, ValueError), match=r"space|odd|^$"):
            files.write_csv(path, ["t", "q"], rows())
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]


KILLED = """
import sys
import warnings
from redyn import files

with files.writing(sys.argv[1], files.CSV) as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_kill_leaves_the_old_file(tmp_path):
    path = tmp_path / "table.csv"
    files.write_csv(path, ["t", "q"], [[0, 1]])
    before = path.read_bytes()
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        writer.kill()
    assert path.read_bytes() == before
    (left,) = [entry for entry in tmp_path.iterdir() if entry != path]
    os.utime(left, (time.time() - 2 * files.ABANDONED,) * 2)
    files.write_csv(path, ["t", "q"], [[0, 2]])
    assert list(tmp_path.iterdir()) == [path]  # what the dead left was cleared away


FULL = """
import resource, signal, sys
import redyn

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
run = redyn.simulate(redyn.load("two-link"), [0.5, 0], [0, 0], 0.5)
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))  # files end here, as on a full disk
for name in ("csv", "html", "png", "yaml"):
    path = f"{sys.argv[1]}/old.{name}"
    try:
        {"csv": run.to_csv, "html": run.html, "png": run.plot, "yaml": lambda p: run.robot.to_yaml(p)}[name](path)
    except redyn.RedynError as error:
        print(name, "cannot be written" in str(error))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits")
def test_a_full_disk_leaves_the_old_file(tmp_path, run):
    run.to_csv(tmp_path / "old.csv")
    run.html(tmp_path / "old.html")
    run.plot(tmp_path / "old.png")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["csv True", "html True", "png True"]  # the robot's file is small enough
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.name in before} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*before, "old.yaml"])


@pytest.mark.skipif(sys.platform == "win32", reason="umask")
def test_new_files_have_the_usual_permissions(tmp_path, run):
    before = os.umask(0o027)
    try:
        run.to_csv(tmp_path / "table.csv")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "table.csv").stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (files.CSV, "t,q_a\n0,1\n", "# a read-me, with commas, and more\nthat go on\n"),
        (files.CSV, "t,q_a\n0,1\n", '{"a": 1}'),
        (files.JSON, '{"a": [1, 2]}', "{not json"),
        (files.CSV, "t,q_a\r0,1\r", "a note\rof old\r"),  # ends of lines of old
        (files.JSON, "[1]", "[" * 60_000),
        (files.JSON, "{}", '{"a": ' + "9" * 5000 + "}"),
        (files.HTML, "<!doctype html>\n<!-- Made by redyn -->", "<!doctype html><p>my home page"),
        (files.LATEX, "% Made by redyn.\n\\documentclass{article}", "\\documentclass{thesis}"),
        (files.ROBOT, "name: arm\nlinks:\n  - {a: 1}\n", "services:\n  web: nginx\n"),
        (files.URDF, '<?xml version="1.0"?>\n<robot name="arm"/>', "<svg/>"),
        (files.SOURCE, "/* arm: robot dynamics, written by redyn */", "/* by hand */ int main(void) { return 0; }"),
        (files.NOTEBOOK, '{"cells": ["import redyn"]}', '{"cells": ["import pandas"]}'),
        (files.PICTURE, "<svg/>", "GIMP"),
    ],
)
def test_kinds(tmp_path, kind, good, bad):
    path = tmp_path / "file"
    path.write_text("")
    files.check(path, kind)  # an empty file holds nothing to lose
    path.write_text(good)
    files.check(path, kind)
    path.write_text(bad)
    with pytest.raises(RedynError, match="is not"):
        files.check(path, kind)
    path.write_bytes(b"\0\1\2\xff" * 100)
    with pytest.raises(RedynError, match="is not"):
        files.check(path, kind)


def test_long_tables_are_known_by_their_beginning(tmp_path):
    path = tmp_path / "long.csv"
    files.write_csv(path, ["t", "q"], np.random.default_rng(0).normal(size=(20_000, 2)).tolist())
    files.check(path, files.CSV)
    path.write_text("{" + " " * files.HEAD)  # too long to parse
    files.check(path, files.JSON)


# --- the command line ---------------------------------------------------------------------------------------------


COMMANDS = {
    "--csv": ("torque", "two-link", "--cycloid", "0", "1", "--csv"),
    "--plot": ("torque", "two-link", "--cycloid", "0", "1", "--plot"),
    "simulate --csv": ("simulate", "two-link", "--duration", "0.1", "--csv"),
    "--html": ("equations", "one-link", "--html"),
    "--latex": ("equations", "one-link", "--latex"),
    "--notebook": ("equations", "one-link", "--notebook"),
}


@pytest.mark.parametrize("option", COMMANDS)
def test_commands_refuse_and_force(tmp_path, option):
    path = tmp_path / ("out.png" if "plot" in option else "out")
    path.write_text(STRANGER)
    arguments = [*COMMANDS[option], str(path)]
    code, _, error = command(*arguments)
    assert code == 2
    assert "--force" in error
    assert len(error.splitlines()) == 1
    assert path.read_text() == STRANGER
    assert command(*arguments, "--force")[0] == 0
    assert path.read_bytes() != STRANGER.encode()
    assert command(*arguments)[0] == 0  # its own kind now


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("export", "two-link", "--what", "inverse", "--out"), "two_link.c"),
        (("reproduce", "fig-9.7", "--out"), "fig-9.7.html"),
    ],
)
def test_commands_that_fill_a_folder(tmp_path, arguments, name):
    (tmp_path / name).write_text(STRANGER)
    assert command(*arguments, str(tmp_path))[0] == 2
    assert (tmp_path / name).read_text() == STRANGER
    assert command(*arguments, str(tmp_path), "--force")[0] == 0
    assert (tmp_path / name).read_text() != STRANGER


def test_two_options_one_file(tmp_path):
    code, _, error = command("simulate", "two-link", "--csv", str(tmp_path / "x"), "--html", str(tmp_path / "x"))
    assert code == 2
    assert "both name" in error
    (tmp_path / "sub").mkdir()
    other = tmp_path / "sub" / ".." / "x"  # the same by another way
    code, _, error = command("simulate", "two-link", "--csv", str(tmp_path / "x"), "--html", str(other), "--force")
    assert code == 2
    assert "both name" in error


def _interrupted(arguments, ready, **how):
    """A command that gets Ctrl-C once `ready` says that it is under way."""
    with subprocess.Popen(
        [sys.executable, "-m", "redyn", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how
    ) as process:
        while not ready() and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=600)
    return process.returncode, out, error


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_exits_130_and_says_what_there_is(tmp_path):
    code, _, error = _interrupted(
        ("reproduce", "--out", str(tmp_path)), lambda: any(path.suffix == ".json" for path in tmp_path.iterdir())
    )
    assert code == 130
    assert re.search(r"redyn: interrupted at [\w.-]+: \d+ of \d+ items in .* are complete", error)
    assert "Traceback" not in error
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".part")]


LOADING = """
import runpy, sys

class CtrlC:
    def find_spec(self, name, path=None, target=None):
        if name == "redyn.cli.main":
            raise KeyboardInterrupt

sys.meta_path.insert(0, CtrlC())
runpy.run_module("redyn", run_name="__main__")
"""


def test_ctrl_c_while_the_command_is_loaded():
    done = subprocess.run([sys.executable, "-c", LOADING], capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (130, "redyn: interrupted; nothing was written\n")


RUNNING = """
import signal, sys
from redyn.cli.main import run
from redyn.simulation.interrupts import Interrupts

plain, entered = Interrupts.__enter__, []

def enter(self):  # Ctrl-C as soon as the run is under way; another one before it compiles the loop
    plain(self)
    entered.append(self)
    if len(entered) == 2:
        signal.raise_signal(signal.SIGINT)

Interrupts.__enter__ = enter
sys.argv = ["redyn", "simulate", "two-link", "--duration", "1e5", "--sample", "1", "--csv", sys.argv[1]]
run()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_in_a_simulation_keeps_it_and_says_so(tmp_path):
    path = tmp_path / "run.csv"
    done = subprocess.run([sys.executable, "-c", RUNNING, str(path)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 130, done.stderr
    assert re.search(r"redyn: rkf45: interrupted at t = .* s; the results up to then are in .*run.csv", done.stderr)
    assert path.read_text().startswith("t,q_")
