"""The gallery, exercises and sessions of the studio in a real browser."""

from pathlib import Path

import pytest

from studio_server import sound
from studio_tab import Tab

PICTURES = """(count) => {
    const images = [...document.querySelectorAll('.robot-card img')].slice(0, count);
    return images.length === count && images.every((image) => image.complete && image.naturalWidth > 0);
}"""


@pytest.fixture(scope="module")
def server():
    with sound() as started:
        yield started


def shown_robot(tab):
    return tab.page.locator("[data-testid=robot-select] .q-field__native").text_content()


def test_robots_are_found_opened_and_kept(browser, server):
    tab = Tab(browser, server.url)
    tab("gallery").click()
    tab("gallery-search").wait_for()
    tab.page.wait_for_function(PICTURES, arg=4)
    tab.keep("gallery")
    tab("group-mechanisms").click()
    assert tab.page.locator(".robot-card").count() == 11
    tab("gallery-search").fill("stewart platform")
    assert tab.page.locator(".robot-card b").all_text_contents() == ["Stewart platform"]
    tab("gallery-search").fill("four-bar linkage")
    with tab.redrawn("inverse", "forward"):
        tab("gallery-search").press("Enter")
    tab.hidden("gallery-dialog")
    assert shown_robot(tab) == "four-bar"
    tab("gallery").click()
    tab("gallery-keep").click()
    tab.page.wait_for_selector(".own-card")
    tab.page.wait_for_function(PICTURES, arg=1)
    tab.page.keyboard.press("Escape")
    tab.hidden("gallery-dialog")
    tab.pick("two-link")
    tab("gallery").click()
    tab("group-my-robots").click()
    with tab.redrawn("inverse", "forward"):
        tab.page.locator(".own-card .robot-card").click()
    tab.hidden("gallery-dialog")
    assert shown_robot(tab) == "four-bar"
    assert tab.complaints == []
    tab.close()


def test_an_exercise_by_link_and_a_session_of_it(browser, server, tmp_path):
    tab = Tab(browser, f"{server.url}&exercise=9.7")
    tab.wait_text("exercise-title", "one-link")
    assert "exercise" not in tab.page.url
    answer = tab("answer-tau").locator("textarea")
    answer.fill("1/3 m1 a1^2 theta_ddot1 - 1/2 m1 g a1 sin(theta1)")
    tab("check-tau").click()
    tab.wait_text("verdict-tau", "the terms with g are wrong, the others are right")
    tab("hint-tau").click()
    tab.shown("hints-tau")
    assert tab("solution-tau").is_hidden()
    answer.fill("1/3 m1 a1^2 theta_ddot1 + 1/2 m1 g a1 sin(theta1)")
    answer.press("Enter")
    tab.wait_text("verdict-tau", "✓ right")
    with tab.redrawn("inverse", "forward"):
        tab("exercise-robot").click()
    assert shown_robot(tab) == "one-link"
    tab.keep("exercise")
    tab.edit(0, "a", "2")
    tab.page.wait_for_selector("[data-unsaved=yes]", state="attached")
    with tab.page.expect_event("dialog", lambda dialog: dialog.type == "beforeunload"):  # asked before it is lost
        tab.page.reload()
    tab.ready()
    tab.soon(lambda: tab.cell(0, "a").text_content(), "2")
    tab.page.wait_for_selector("[data-unsaved=yes]", state="attached")
    tab("session").click()
    with tab.page.expect_download() as download:
        tab("save-session").click()
    tab.page.wait_for_selector("[data-unsaved=no]", state="attached")
    file = tmp_path / download.value.suggested_filename
    file.write_bytes(Path(download.value.path()).read_bytes())
    tab("session").click()
    tab("link-session").click()
    tab.wait_text("notice", "link is copied")
    link = tab.page.evaluate("navigator.clipboard.readText()")
    tab.pick("puma")
    with tab.redrawn("inverse", "forward"):
        tab.page.locator("[data-testid=robot-upload] input").set_input_files(file)
    tab.soon(lambda: tab.cell(0, "a").text_content(), "2")
    file.write_bytes(file.read_bytes()[:-9])
    tab.page.locator("[data-testid=robot-upload] input").set_input_files(file)
    tab.wait_text("error-message", "cannot be unpacked")
    assert tab.cell(0, "a").text_content() == "2"
    other = tab.context.new_page()
    other.goto(link)
    other.wait_for_selector("[data-testid=notice]:not(.hidden)")
    other.wait_for_function(
        "document.querySelector('[data-testid=dh-table] [row-index=\"0\"] [col-id=a]')?.textContent === '2'"
    )
    assert tab.complaints == ["Failed to load resource: the server responded with a status of 400 (Bad Request)"]
    tab.close()
