"""Still pictures of robots."""

from __future__ import annotations

import warnings
import xml.etree.ElementTree as ET

import pytest

import redyn
from redyn.description.packages import robots_folder
from redyn.report.thumbnail import HEIGHT, WIDTH, thumbnail

SVG = "{http://www.w3.org/2000/svg}"


def drawn(robot):
    text = thumbnail(robot)
    assert len(text) < 10_000
    picture = ET.fromstring(text)
    assert picture.get("viewBox") == f"0 0 {WIDTH} {HEIGHT}"
    points = [
        tuple(map(float, corner.split()))
        for path in picture.find(f"{SVG}g").iter(f"{SVG}path")
        for corner in path.get("d").strip("MZ").split("L")
    ]
    assert all(-1 <= x <= WIDTH + 1 and -1 <= y <= HEIGHT + 1 for x, y in points)
    assert max(x for x, _ in points) - min(x for x, _ in points) > 1
    return picture


@pytest.mark.parametrize("name", redyn.library())
def test_robots_of_the_library(name):
    robot = redyn.load(name)
    picture = drawn(robot)
    assert picture.find(f"{SVG}title").text == robot.description.title
    assert len(picture.find(f"{SVG}g")) >= len(robot.link_names)


def test_names_are_escaped():
    link = {"joint": "revolute", "a": 1, "b": 0, "alpha": 0, "mass": 1, "com": [0, 0, 0], "inertia": [1, 1, 1]}
    picture = drawn(redyn.load({"name": "<b> & co", "convention": "dh", "links": [link]}))
    assert picture.find(f"{SVG}title").text == "<b> & co"


@pytest.mark.skipif(robots_folder() is None, reason="example-robot-data is not installed")
@pytest.mark.parametrize("name", ["ur5", "hyq"])
def test_meshes_are_silhouettes(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", redyn.RedynWarning)
        robot = redyn.load(f"example-robot-data:{name}")
    shapes = sum(len(link.visual or link.collision) for link in robot.description.links)
    assert len(drawn(robot).find(f"{SVG}g")) >= shapes
