"""A page of the studio in a browser, and what is done there."""

import time
from contextlib import contextmanager
from pathlib import Path

from browser import PATIENCE, listen

ARTEFACTS = Path(__file__).parents[2] / ".artefacts" / "studio"
AUDIT = (Path(__file__).parents[1] / "studio" / "audit.js").read_text().partition("\n")[2]
# The server works on nothing that it has told of, and both panels show the last of what they were asked to draw.
STILL = """() => {
    const [first, second] = ['inverse', 'forward'].map((panel) => `[data-testid=panel-${panel}] .plots`);
    const plots = [...document.querySelectorAll(`${first}, ${second}`)];
    const drawn = plots.every(({ dataset }) => dataset.asked && dataset.drawn === dataset.asked);
    return plots.length === 2 && drawn && !document.querySelector('#studio[data-busy]');
}"""
# How often the 3D view was loaded, and each of these panels was asked to draw.
COUNTS = """(panels) => [
    document.querySelector('[data-loaded]')?.dataset.loaded,
    ...panels.map((panel) => document.querySelector(`[data-testid=panel-${panel}] .plots`)?.dataset.asked),
].map((count) => Number(count ?? 0))"""


class Tab:
    """A page of the studio, and all that it complained about or asked other servers for."""

    def __init__(self, browser, address, width=1366, height=768, theme="light"):
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme, accept_downloads=True
        )
        self.context.set_default_timeout(PATIENCE)
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page = self.context.new_page()
        self.complaints = listen(self.page, address.partition("?")[0])
        self.motion = "inverse"  # the tab whose motion is played
        self.page.goto(address)
        self.page.wait_for_selector("#studio")
        self.ready()

    def still(self):
        """Once nothing is under way: it could be taken for what is done next."""
        self.page.wait_for_function(STILL)

    def ready(self, loads=1):
        """Once the 3D view has been loaded so often, and the plots are drawn."""
        self.page.wait_for_function(f"(loads) => ({COUNTS})([])[0] >= loads && ({STILL})()", arg=loads)

    @property
    def loads(self):
        return self.page.evaluate(COUNTS, [])[0]

    @contextmanager
    def redrawn(self, *panels):
        """Waits until what is done inside has changed the 3D view and the plots of these panels.

        The server sends the scene of the 3D view last: then it is known what the plots were asked for.
        """
        self.still()
        before = self.page.evaluate(COUNTS, panels)
        yield
        more = f"([panels, before]) => ({COUNTS})(panels).every((count, k) => count > before[k]) && ({STILL})()"
        self.page.wait_for_function(more, arg=[panels, before])

    def run(self, panel):
        with self.redrawn(panel):
            self(f"run-{panel}").click()

    def open(self, panel):
        """A tab on the right; the 3D view then shows that tab's motion, the others leave it as it is."""
        if panel in ("equations", "compare", "kinematics", self.motion):
            self(f"tab-{panel}").click()
        else:
            with self.redrawn():
                self(f"tab-{panel}").click()
            self.motion = panel
        self.shown(f"panel-{panel}")

    def __call__(self, testid):
        return self.page.get_by_test_id(testid)

    def choose(self, testid, option):
        """Opens a selection and clicks; once more if the list was closed by a change of its own."""
        from playwright.sync_api import TimeoutError as Late

        for _ in range(10):
            self(testid).click()
            try:
                return self.page.get_by_role("option", name=option, exact=True).click(timeout=PATIENCE / 10)
            except Late:
                self.page.keyboard.press("Escape")
        raise AssertionError(f"{testid} has no {option}")

    def pick(self, name):
        """A robot of the library, if it is not there already."""
        self.still()
        if self.page.locator("[data-testid=robot-select] .q-field__native").text_content() == name:
            return
        with self.redrawn("inverse", "forward"):
            self.choose("robot-select", name)

    def cell(self, row, column):
        return self.page.locator(f"[data-testid=dh-table] .ag-row[row-index='{row}'] [col-id={column}]")

    def edit(self, row, column, text):
        self.still()  # tables that are shown again end what is typed
        self.cell(row, column).click()
        field = self.cell(row, column).locator("input")
        field.fill(text)
        field.press("Enter")

    def dock(self, table):
        """One of the tables below the 3D view, once its rows are there."""
        self(f"dock-{table}").click()
        self.page.wait_for_selector(f"[data-testid=dock-{table}][aria-selected=true]")
        self.cell(
            0, {"geometry": "joint", "mass": "mass", "joint": "lower", "flexible": "EI", "loops": "first"}[table]
        ).wait_for()

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

    def time(self):
        return float(self("player-time").text_content().split("/")[0])

    def fits_across(self):
        """In a narrow window: no panel is wider than it, and what does not fit is scrolled to."""
        return self.page.wait_for_function("""() => {
            const panels = [...document.querySelectorAll('.headline, .panel')].map((x) => x.getBoundingClientRect());
            const scrolls = document.querySelector('#studio').scrollHeight > innerHeight;
            return scrolls && panels.every((box) => box.left >= 0 && box.right <= innerWidth + 1 && box.width > 0);
        }""")

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

    def kept(self):
        """The files that the browser has kept for this tab, by their kind."""
        return self.page.evaluate("""async () => {
            const answer = (request) => new Promise((done, failed) => {
                request.onsuccess = () => done(request.result);
                request.onerror = () => failed(request.error);
                request.onupgradeneeded = () => request.result.createObjectStore('files'); // as the page would
            });
            const database = await answer(indexedDB.open('redyn-studio', 1));
            const store = database.transaction('files').objectStore('files');
            const [keys, files] = await Promise.all([answer(store.getAllKeys()), answer(store.getAll())]);
            database.close();
            const mine = keys.map((key, k) => [key.split(' '), files[k].name]);
            return Object.fromEntries(mine.flatMap(([[tab, kind], name]) =>
                tab === sessionStorage['redyn-tab'] ? [[kind, name]] : []));
        }""")

    def keep(self, name):
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        self.page.wait_for_timeout(700)
        self.page.screenshot(path=ARTEFACTS / f"{name}.png")

    def close(self):
        self.context.close()
