"""Shared fixtures: verified numbers, and Hypothesis settings that give the same run everywhere."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from browser import CHROMIUM, FLAGS

for name, count in (("redyn", 60), ("thorough", 600)):  # the latter by --hypothesis-profile
    settings.register_profile(
        name, deadline=None, derandomize=True, max_examples=count, suppress_health_check=[HealthCheck.too_slow]
    )
settings.load_profile("redyn")


@pytest.fixture(scope="session")
def golden() -> dict:
    return json.loads((Path(__file__).parent / "data" / "golden.json").read_text())


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("no chromium, chromium-browser or google-chrome on the PATH: not tried in a browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


def pytest_collection_modifyitems(items):
    """`./test` gives each file to one of two processes, in this order: the file that takes longest comes first."""
    items.sort(key=lambda item: item.path.name != "test_studio_browser.py")
