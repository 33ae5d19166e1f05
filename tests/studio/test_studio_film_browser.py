"""The 3D view saved as a picture, and its motion as a film, in a browser."""

import base64
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from studio_server import sound
from studio_tab import ARTEFACTS, Tab


@pytest.fixture(scope="module")
def server():
    with sound("two-link") as started:
        yield started


@pytest.fixture(scope="module")
def tab(browser, server):
    opened = Tab(browser, server.url)
    opened("motion-duration").locator("input").fill("1")
    opened.run("inverse")
    yield opened
    opened.close()


def saved(tab, kind):
    """What an entry of the menu gives, and its name."""
    tab("save-view").click()
    tab.page.wait_for_selector(".view-menu[data-ready=yes]")
    with tab.page.expect_download() as download:
        tab(f"save-view-{kind}").click()
    content = Path(download.value.path()).read_bytes()
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    (ARTEFACTS / f"view.{kind}").write_bytes(content)
    return content, download.value.suggested_filename


def size(tab):
    return tab.page.evaluate("(({ clientWidth: x, clientHeight: y }) => [x, y])(document.querySelector('.stage'))")


def pixels(content):
    return np.asarray(Image.open(BytesIO(content)).convert("RGB"), dtype=float)


def test_a_picture_of_the_pose(tab):
    first, name = saved(tab, "png")
    assert name == "two-link.png"
    width, height = size(tab)
    assert Image.open(BytesIO(first)).size == pytest.approx((2 * width, 2 * height), abs=2)
    assert len(np.unique(pixels(first).reshape(-1, 3), axis=0)) > 500  # not blank
    tab.page.keyboard.press("End")
    tab.soon(lambda: tab.time(), 1.0)
    second, _ = saved(tab, "png")
    assert (np.abs(pixels(second) - pixels(first)).max(axis=2) > 30).mean() > 0.005  # at another pose
    tab("theme").click()
    tab.page.wait_for_selector("html[data-theme=dark]")
    dark, _ = saved(tab, "png")
    tab("theme").click()
    tab.page.wait_for_selector("html[data-theme=light]")
    assert pixels(dark)[:20].mean() < 80 < 180 < pixels(second)[:20].mean()
    assert tab.complaints == []


def frames(content):
    film = Image.open(BytesIO(content))
    found = []
    for k in range(film.n_frames):
        film.seek(k)
        found.append((np.asarray(film.convert("RGB"), dtype=float), film.info["duration"]))
    return found


def test_a_film_as_gif(tab):
    tab.page.keyboard.press("Home")
    tab.soon(lambda: tab.time(), 0.0)
    content, name = saved(tab, "gif")
    assert (name, content[:6]) == ("two-link.gif", b"GIF89a")
    found = frames(content)
    assert len(found) == 20
    assert sum(delay for _, delay in found) == 1000  # ms
    pictures = [picture for picture, _ in found]
    assert pictures[0].shape[1] <= 642
    away = [np.abs(picture - pictures[0]).mean() for picture in pictures]
    assert away[0] == 0 < away[5] < away[15]
    # Both the first frame and its colours are those of the picture.
    still, _ = saved(tab, "png")
    small = Image.open(BytesIO(still)).convert("RGB").resize(pictures[0].shape[1::-1], Image.Resampling.BOX)
    assert np.abs(np.asarray(small, dtype=float) - pictures[0]).mean() < 6
    tab.page.wait_for_selector("[data-testid=filming]", state="hidden")
    assert tab.time() == 0.0  # the page is where it was
    # Twice, the film is the same: its times are not those of a clock.
    again, _ = saved(tab, "gif")
    assert again == content
    assert tab.complaints == []


def test_the_film_has_the_speed_of_the_player(tab):
    tab("player-speed").select_option("0.5")
    found = frames(saved(tab, "gif")[0])
    tab("player-speed").select_option("1")
    assert len(found) == 40
    assert sum(delay for _, delay in found) == 2000


# What a browser finds in a film: its length, its size, and whether a later frame is another picture.
PLAYED = """async (film) => {
    const video = document.createElement('video');
    video.muted = true;
    const event = (name) => new Promise((done, failed) => {
        video.addEventListener(name, done, { once: true });
        video.addEventListener('error', () => failed(video.error), { once: true });
    });
    const loaded = event('loadeddata');
    video.src = `data:video/webm;base64,${film}`;
    await loaded;
    const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight);
    const paper = canvas.getContext('2d', { willReadFrequently: true });
    const grab = () => {
        paper.drawImage(video, 0, 0);
        return paper.getImageData(0, 0, video.videoWidth, video.videoHeight).data;
    };
    const first = grab();
    const sought = event('seeked');
    video.currentTime = 0.6;
    await sought;
    const later = grab();
    const away = first.reduce((sum, x, k) => sum + Math.abs(x - later[k]), 0) / first.length;
    return [video.duration, video.videoWidth, video.videoHeight, away];
}"""


def test_a_film_as_webm(tab):
    content, name = saved(tab, "webm")
    assert name == "two-link.webm"
    assert content[:4] == b"\x1a\x45\xdf\xa3"  # EBML
    assert content.count(b"\xa3\x01") >= 30  # a block for each frame
    duration, width, height, away = tab.page.evaluate(PLAYED, base64.b64encode(content).decode())
    assert duration == pytest.approx(1.0, abs=0.002)
    assert width == pytest.approx(min(2 * size(tab)[0], 1280), abs=2)
    assert width / height == pytest.approx(size(tab)[0] / size(tab)[1], rel=0.02)
    assert away > 0.5
    assert tab.complaints == []


def test_two_runs_side_by_side_and_cancel(tab):
    tab.open("forward")
    tab("run-duration").locator("input").fill("1")
    tab.choose("compare", "integrator rk4")
    tab.run("forward")
    assert tab.page.locator(".view").count() == 2
    both, _ = saved(tab, "png")
    halves = np.array_split(pixels(both), 2, axis=1)
    assert all(len(np.unique(half.reshape(-1, 3), axis=0)) > 300 for half in halves)
    found = frames(saved(tab, "gif")[0])
    assert len(found) == 20
    moved = np.abs(found[12][0] - found[0][0]).max(axis=2) > 30
    assert all(half.any() for half in np.array_split(moved, 2, axis=1))
    tab("run-duration").locator("input").fill("60")
    tab.run("forward")
    tab("save-view").click()
    tab("save-view-gif").click()
    tab.wait_text("film-note", "of 600")
    tab.keep("filming")
    assert tab.fits()
    tab("film-cancel").click()
    tab.hidden("filming")
    assert tab.complaints == []
