"""A report: what is packed in its page, and the page in a browser."""

import base64
import gzip
import re
from pathlib import Path

import numpy as np

from browser import PATIENCE, listen

# Without a GPU, what moves is drawn coarsely; once it stands still, with two pixels for each that is shown (viewer.js).
FINE = """() => [...document.querySelectorAll('[data-testid=view3d] canvas:not(.paper)')]
    .every((canvas) => canvas.width >= 2 * canvas.clientWidth - 1)"""


def unpacked(page, name):
    body = re.search(rf'<script type="text/plain" id="packed-{name}">([A-Za-z0-9+/=]*)</script>', page)[1]
    return gzip.decompress(base64.b64decode(body)).decode()


def numbers(text, *shape):
    """32-bit floats, as scenes have them."""
    return np.frombuffer(base64.b64decode(text), "<f4").reshape(*shape)


class Opened:
    """A page from a folder, and all that it complained about or asked the network for."""

    def __init__(self, browser, path: Path, width=1366, height=768, theme="light"):
        self.page = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme).new_page()
        self.page.set_default_timeout(PATIENCE)
        self.complaints = listen(self.page, "file:")
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready=true]")

    def time(self) -> float:
        return float(self.page.get_by_test_id("player-time").text_content().split("/")[0])

    def picture(self, other_than: bytes = b"") -> bytes:
        """Once it stands still, drawn as finely as it is only then, and is another one than that."""
        before = b""
        for _ in range(400):
            self.page.wait_for_function(FINE)
            shot = self.page.get_by_test_id("view3d").screenshot()
            if shot == before != other_than and self.page.evaluate(FINE):
                return shot
            before = shot
            self.page.wait_for_timeout(500)
        raise AssertionError("the picture never comes to rest, or stays as it was")

    def cursor(self, k: int) -> float:
        return self.page.locator(f"[data-testid=plot-{k}] .cursor").bounding_box()["x"]
