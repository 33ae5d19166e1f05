"""A page of the studio in a browser, and what is done there."""

import time
from contextlib import contextmanager, nullcontext
from pathlib import Path

from browser import listen

ARTEFACTS = Path(__file__).parents[2] / ".artefacts" / "studio"
PATIENCE = 300_000  # ms: a shared machine without a GPU; only what hangs takes so long


class Tab:
    """A page of the studio, and all that it complained about or asked other servers for."""

    def __init__(self, browser, address, width=1366, height=768, theme="light"):
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme, accept_downloads=True
        )
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.complaints = listen(self.page, address.partition("?")[0])
        self.motion = "inverse"  # the tab whose motion is played
        self.page.goto(address)
        self.page.wait_for_selector("#studio")
        self.ready()

    def ready(self, loads=1):
        """Once the 3D view has been loaded so often."""
        self.page.wait_for_function(f"Number(document.querySelector('[data-loaded]')?.dataset.loaded ?? 0) >= {loads}")

    @property
    def loads(self):
        return int(self.page.locator("[data-loaded]").get_attribute("data-loaded"))

    @contextmanager
    def redrawn(self, *panels):
        """Waits until what is done inside has changed the 3D view and the plots of these panels."""
        drawn = "([loads, drawn]) => Number(document.querySelector('[data-loaded]').dataset.loaded) > loads &&"
        drawn += " Object.entries(drawn).every(([panel, n]) => counted(panel) > n)"
        counted = "const counted = (p) => Number(document.querySelector(`[data-testid=panel-${p}] [data-drawn]`)"
        counted += "?.dataset.drawn ?? 0);"
        before = [self.loads, {p: self.page.evaluate(f"p => {{ {counted} return counted(p); }}", p) for p in panels}]
        yield
        self.page.wait_for_function(f"(before) => {{ {counted} return ({drawn})(before); }}", arg=before)

    def run(self, panel):
        with self.redrawn(panel):
            self(f"run-{panel}").click()

    def open(self, panel):
        """A tab on the right; the 3D view then shows that tab's motion, the equations leave it as it is."""
        with self.redrawn() if panel != self.motion else nullcontext():
            self(f"tab-{panel}").click()
        self.page.wait_for_selector(f"[data-testid=panel-{panel}]:visible")
        self.motion = panel

    def __call__(self, testid):
        return self.page.get_by_test_id(testid)

    def choose(self, testid, option):
        """Opens a selection and clicks; once more if the list was closed by a change of its own."""
        from playwright.sync_api import TimeoutError as Late

        for _ in range(9):
            self(testid).click()
            try:
                return self.page.get_by_role("option", name=option, exact=True).click(timeout=10_000)
            except Late:
                self.page.keyboard.press("Escape")
        raise AssertionError(f"{testid} has no {option}")

    def pick(self, name):
        """A robot of the library, if it is not there already."""
        if self.page.locator("[data-testid=robot-select] .q-field__native").text_content() == name:
            return
        with self.redrawn("inverse", "forward"):
            self.choose("robot-select", name)

    def cell(self, row, column):
        return self.page.locator(f"[data-testid=dh-table] .ag-row[row-index='{row}'] [col-id={column}]")

    def edit(self, row, column, text):
        self.cell(row, column).click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")

    def curves(self, plot):
        data = "p => document.querySelector(`[data-testid=${p}] .graph`).data.map(c => [c.name, [...c.x], [...c.y]])"
        return self.page.evaluate(data, plot)

    def soon(self, read, expected):
        """Waits until what is read is as expected: what the server changes comes in its own time."""
        end = time.monotonic() + PATIENCE / 1000
        while (found := read()) != expected:
            assert time.monotonic() < end, f"{expected!r} was expected, but: {found!r}"
            self.page.wait_for_timeout(50)

    def shown(self, *testids):
        for testid in testids:
            self(testid).wait_for(state="visible")

    def hidden(self, *testids):
        for testid in testids:
            self(testid).wait_for(state="hidden")

    def wait_text(self, testid, text):
        from playwright.sync_api import TimeoutError as Late

        shown = "([id, text]) => document.querySelector(`[data-testid=${id}]`)?.textContent.includes(text)"
        try:
            self.page.wait_for_function(shown, arg=[testid, text])
        except Late:
            said = {name: self(name).text_content() for name in (testid, "error-message")}
            raise AssertionError(f"{text!r} was expected, but: {said}") from None

    @contextmanager
    def changed(self, testid):
        """Waits until what is done inside has changed a text."""
        before = self(testid).text_content()
        yield
        other = "([id, text]) => document.querySelector(`[data-testid=${id}]`).textContent !== text"
        self.page.wait_for_function(other, arg=[testid, before])

    def time(self):
        return float(self("player-time").text_content().split("/")[0])

    def fits(self):
        """Nothing scrolls, and no panel sticks out of the window, once the browser has drawn the new size."""
        return self.page.wait_for_function("""() => {
            const root = document.documentElement;
            const inside = [...document.querySelectorAll('.headline, .panel')].every((panel) => {
                const box = panel.getBoundingClientRect();
                return box.right <= innerWidth + 1 && box.bottom <= innerHeight + 1 && box.width > 0;
            });
            return root.scrollWidth <= innerWidth && root.scrollHeight <= innerHeight && inside;
        }""")

    def keep(self, name):
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        self.page.wait_for_timeout(700)
        self.page.screenshot(path=ARTEFACTS / f"{name}.png")

    def close(self):
        self.context.close()
