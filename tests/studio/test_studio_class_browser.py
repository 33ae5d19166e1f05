"""The login page of a class in a real browser."""

import pytest

from browser import PATIENCE
from redyn.studio.bundle import LINK
from studio_server import classroom

PASSWORD = "gears and cams"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with classroom(tmp_path_factory.mktemp("class"), PASSWORD) as started:
        yield started


@pytest.mark.parametrize("wanted", ["?exercise=9.7", f"{LINK}nothing"])
def test_links_survive_the_login(browser, server, wanted):
    """Exercises, and work in an address, which the browser does not send."""
    context = browser.new_context(viewport={"width": 390, "height": 700})  # a phone
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(server.origin + wanted)
    for password in ("wrong password", PASSWORD):
        page.locator("input[name=password]").fill(password)
        page.get_by_text("Enter").click()
        if password != PASSWORD:
            page.wait_for_selector("[data-testid=error-message]")
    page.wait_for_selector("#studio")
    if "exercise" in wanted:
        page.wait_for_selector("[data-testid=panel-exercises]:not([style*='display: none']) >> text=9.7")
    else:
        page.wait_for_selector("[data-testid=notice] >> text=This link could not be opened")
    assert PASSWORD.split()[0] not in page.url
    page.wait_for_selector("[data-loaded]", state="attached")
    context.close()
