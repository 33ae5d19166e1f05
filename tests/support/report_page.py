"""A report: what is packed in its page, and the page in a browser."""

import base64
import gzip
import re
from pathlib import Path

from browser import listen


def unpacked(page, name):
    body = re.search(rf'<script type="text/plain" id="packed-{name}">([A-Za-z0-9+/=]*)</script>', page)[1]
    return gzip.decompress(base64.b64decode(body)).decode()


class Opened:
    """A page from a folder, and all that it complained about or asked the network for."""

    def __init__(self, browser, path: Path, width=1366, height=768, theme="light"):
        self.page = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme).new_page()
        self.page.set_default_timeout(300_000)  # ms: only what hangs takes so long
        self.complaints = listen(self.page, "file:")
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready=true]", timeout=300_000)

    def time(self) -> float:
        return float(self.page.get_by_test_id("player-time").text_content().split("/")[0])

    def picture(self, other_than: bytes = b"") -> bytes:
        """Once it stands still, as a slow machine draws finely only then, and is another one than that."""
        shots = [b"", b" "]
        while shots[-1] != shots[-2] or shots[-1] == other_than:
            self.page.wait_for_timeout(500)
            shots.append(self.page.get_by_test_id("view3d").screenshot())
            assert len(shots) < 400, "the picture never comes to rest, or stays as it was"
        return shots[-1]

    def cursor(self, k: int) -> float:
        return self.page.locator(f"[data-testid=plot-{k}] .cursor").bounding_box()["x"]
