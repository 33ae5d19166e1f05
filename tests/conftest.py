"""Shared fixtures: verified numbers, a browser, and settings that give the same run everywhere."""

import json
import os
import signal
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from browser import CHROMIUM, FLAGS, PATIENCE

# Linear algebra in one thread, here and in every process that a test starts. On matrices of this size several threads
# mostly wait for each other, busily: where other processes have the cores, ten times as long.
for library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

for name, count in (("redyn", 60), ("thorough", 600)):  # the latter by --hypothesis-profile
    settings.register_profile(
        name, deadline=None, derandomize=True, max_examples=count, suppress_health_check=[HealthCheck.too_slow]
    )
settings.load_profile("redyn")


@pytest.fixture(scope="session")
def golden() -> dict:
    return json.loads((Path(__file__).parent / "data" / "golden.json").read_text())


@pytest.fixture(scope="session", autouse=True)
def ctrl_c():
    """Ctrl-C has its effect in the processes that tests start, also where a shell runs the tests in the background.

    Such a shell lets its jobs ignore SIGINT, and a process inherits that from the one that starts it.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")  # not longer: no test can have an event loop of its own while Playwright runs
def browser():
    if CHROMIUM is None:
        pytest.skip("no chromium, chromium-browser or google-chrome on the PATH: not tried in a browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, timeout=PATIENCE)
        yield running
        running.close()


def pytest_collection_modifyitems(items):
    """Marks what needs a browser, and puts the files with the most of what takes long first.

    `./test` gives each file to one of two processes, in this order: no long one is left for the end.
    """
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker(pytest.mark.browser)
    long = {mark: Counter(item.path for item in items if item.get_closest_marker(mark)) for mark in ("browser", "slow")}
    items.sort(key=lambda item: (-long["browser"][item.path], -long["slow"][item.path]))
