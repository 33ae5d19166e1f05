"""What notebooks show: robots, runs, matrices and equations, small enough, safe, and working without a network."""

import html
import re

import numpy as np
import pytest

import redyn
from browser import PATIENCE, listen
from redyn.report import notebook


def inner(cell):
    """The page within a cell."""
    return html.unescape(re.search(r'srcdoc="([^"]*)"', cell)[1])


@pytest.fixture(scope="module")
def run():
    return redyn.simulate(redyn.load("two-link"), [0.5, 0.0], [0, 0], 0.5)


def test_a_robot_is_a_table():
    cell = redyn.load("puma")._repr_html_()
    assert cell.count("<tr>") == 7
    assert "link6" in cell
    assert "revolute" in cell
    assert len(cell) < 3000
    hostile = {**redyn.load("one-link").to_data()["description"], "name": "<script>alert(1)</script>", "title": None}
    assert "&lt;script" in redyn.load(hostile)._repr_html_()
    long = redyn.chain(60)._repr_html_()
    assert "and 20 more" in long


def test_a_run_is_a_player_and_plots(run):
    cell = run._repr_html_()
    assert len(cell) < 1_500_000
    assert cell.count("<iframe") == cell.count("<img") == 1
    assert 'sandbox="allow-scripts"' in cell
    page = inner(cell)
    assert page.startswith("<!doctype html>")
    assert "http" not in re.sub(r"<script type=\"text/plain\".*?</script>", "", page).replace("http-equiv", "")
    assert 'id="packed-plotly"' not in page


def test_a_large_page_is_not_put_into_a_notebook():
    assert "10 MB, more than a notebook should hold" in notebook.frame("x" * (notebook.LARGEST + 1))


def test_a_cell_without_the_extra(run, monkeypatch):
    def missing(*_, **__):
        raise redyn.MissingExtraError("nicegui", "ui", "A page")

    monkeypatch.setattr("redyn.report.html.three_js", missing)
    assert run._repr_html_() is None


def test_a_matrix():
    shown = redyn.show([[1.0, -2.5e-9], [np.nan, np.inf]], digits=3)
    assert shown._repr_latex_() == (
        r"$\displaystyle \begin{bmatrix} 1 & -2.5 \cdot 10^{-9} \\ \text{nan} & \infty \end{bmatrix}$"
    )
    assert shown._repr_html_() is None
    assert redyn.show(np.zeros((30, 30))).latex.count("&") == 21 * 20
    assert redyn.show(-0.0).latex == "0"
    assert repr(redyn.show([1.0])) == "array([1.])"
    for wrong in (np.zeros((2, 2, 2)), "text", object()):
        with pytest.raises(redyn.InputError, match="show: expected a robot, a run, or a matrix"):
            redyn.show(wrong)


def test_equations():
    found = redyn.derive("two-link")._repr_latex_()
    assert found.startswith(r"$\displaystyle \begin{bmatrix}")
    assert found.endswith("$")
    assert redyn.derive("puma")._repr_latex_() is None  # pages of it


def test_the_viewer_in_a_cell(browser, run, tmp_path):
    """Two cells of one notebook, opened from a folder, without a network."""
    cells = [redyn.show(redyn.load("puma"), height=300)._repr_html_(), redyn.show(run)._repr_html_()]
    (tmp_path / "notebook.html").write_text(f"<!doctype html><body>{''.join(cells)}</body>", "utf-8")
    page = browser.new_context(viewport={"width": 1000, "height": 800}).new_page()
    page.set_default_timeout(PATIENCE)
    complaints = listen(page, "file:", "about:srcdoc")
    page.goto((tmp_path / "notebook.html").as_uri())
    for k in range(2):
        cell = page.frame_locator("iframe").nth(k)
        cell.locator("html[data-ready=true]").wait_for(state="attached")
        assert cell.locator("[data-testid=view3d] canvas").count() >= 1
        assert not cell.locator("#plots").is_visible()
    moving = page.frame_locator("iframe").nth(1)
    moving.get_by_test_id("player-play").click()
    moving.locator("[data-testid=player-time]").filter(has_not_text=re.compile(r"^\s*0\.00")).wait_for()
    assert complaints == []
