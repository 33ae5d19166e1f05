#!/usr/bin/env python3
"""Takes the pictures of the studio that README shows: docs/studio.png, docs/studio-dark.png and docs/studio.gif.

    .venv/test/bin/python scripts/pictures.py

It starts a studio and drives it in Chromium, as the tests do.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/support"))

from browser import CHROMIUM, FLAGS  # noqa: E402
from studio_server import running  # noqa: E402
from studio_tab import Tab  # noqa: E402

SIZE = (1366, 768)
WIDTH, COLOURS = 820, 200  # of the film: small enough for a page that loads at once


class Film:
    """Frames of a page, each shown for so many milliseconds."""

    def __init__(self, tab: Tab) -> None:
        self.tab, self.frames, self.times = tab, [], []

    def take(self, shown: int) -> None:
        picture = Image.open(io.BytesIO(self.tab.page.screenshot())).convert("RGB")
        self.frames.append(picture.resize((WIDTH, WIDTH * picture.height // picture.width), Image.Resampling.LANCZOS))
        self.times.append(shown)

    def play(self, count: int) -> None:
        """The motion that is shown, at so many of its instants."""
        slider = self.tab.page.locator("[data-testid=player] input[type=range]").first
        low, high = (float(slider.get_attribute(name) or 0) for name in ("min", "max"))
        for k in range(count):
            slider.evaluate(
                "(s, x) => { s.value = x; s.dispatchEvent(new Event('input', { bubbles: true })); }",
                low + (high - low) * k / (count - 1),
            )
            self.tab.page.wait_for_timeout(60)
            self.take(90)

    def save(self, path: Path) -> None:
        # The colours of joints are few pixels: maximum coverage keeps them, median cut would not.
        kept = {"method": Image.Quantize.MAXCOVERAGE, "dither": Image.Dither.NONE}
        palette = [frame.quantize(COLOURS, **kept) for frame in self.frames]
        palette[0].save(path, save_all=True, append_images=palette[1:], duration=self.times, loop=0, optimize=True)


def main() -> None:
    with running("kuka-kr5") as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for theme, name in (("light", "studio.png"), ("dark", "studio-dark.png")):
            tab = Tab(browser, server.url, *SIZE, theme=theme)
            tab.run("inverse")
            tab.page.wait_for_timeout(500)
            tab.page.screenshot(path=ROOT / "docs" / name)
            if theme == "light":
                film = Film(tab)
                film.take(1200)
                film.play(20)
                tab.open("forward")
                tab.run("forward")
                film.take(1000)
                film.play(20)
                tab.pick("two-link")
                tab.open("equations")
                tab.page.get_by_text("deriving the formulas").wait_for(state="hidden")
                tab.page.wait_for_timeout(500)
                film.take(2500)
                film.save(ROOT / "docs/studio.gif")
            tab.close()
        browser.close()


if __name__ == "__main__":
    main()
