"""Shared fixtures: verified numbers, and Hypothesis settings that give the same run everywhere."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "redyn", deadline=None, derandomize=True, max_examples=120, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("redyn")


@pytest.fixture(scope="session")
def golden() -> dict:
    return json.loads((Path(__file__).parent / "data" / "golden.json").read_text())
