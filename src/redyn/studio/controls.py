"""Small pieces of the page: buttons, fields and selections that look alike, and the components of `parts/`.

Every control sits in, or is, an element with a `data-testid` of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from nicegui import ui
from nicegui.element import Element

Handler = Callable[..., Any]

PARTS = Path(__file__).parent / "parts"


class Part(Element, component=PARTS / "part.js"):
    """A module of `parts/` in the page. The server calls its methods; it tells the server by name what has happened."""

    base = ""  # where the modules are served; set once by the server

    def __init__(self, module: str, options: dict[str, Any] | None = None, **heard: Handler) -> None:
        super().__init__()
        self._props["source"] = f"{Part.base}/studio/{module}.js"
        self._props["options"] = options or {}
        self._heard = heard
        self.on("tell", self._tell)

    async def _tell(self, event: Any) -> None:
        told = event.args
        handler = self._heard.get(str(told.get("name"))) if isinstance(told, dict) else None
        if handler is not None:
            outcome = handler(told.get("value"))
            if outcome is not None:
                await outcome

    def call(self, name: str, *values: Any) -> None:
        """Of the module's methods, in the order of the calls."""
        self.run_method("call", name, *values)


def box(classes: str = "", testid: str = "", tag: str = "div", **attributes: str) -> Element:
    """A plain element."""
    element = ui.element(tag).classes(classes)
    if testid:
        element._props["data-testid"] = testid
    for name, value in attributes.items():
        element._props[name.replace("_", "-")] = value
    return element


def text(content: str, classes: str = "", tag: str = "span", testid: str = "") -> Element:
    """A plain element with text."""
    element = box(classes, testid, tag)
    element._text = content
    return element


def set_text(element: Element, content: str) -> None:
    if element._text != content:
        element._text = content
        element.update()


def set_attribute(element: Element, name: str, value: str | None) -> None:
    """Gives an attribute another value; None takes it away."""
    if element._props.get(name) != value:
        if value is None:
            element._props.pop(name, None)
        else:
            element._props[name] = value
        element.update()


def button(
    label: str, testid: str, on_click: Handler | None = None, title: str = "", classes: str = "small", js: str = ""
) -> Element:
    """`js`: what the browser does by itself, instead of asking the server."""
    element = box(classes, testid, "button", type="button")
    element._text = label
    if title:
        element._props["title"] = title
        element._props["aria-label"] = title
    if js:
        element.on("click", js_handler=js)
    elif on_click is not None:
        element.on("click", on_click, [])
    return element


def enable(element: Element, on: bool) -> None:
    set_attribute(element, "disabled", None if on else "")


def select(options: Any, value: Any, on_change: Handler, testid: str, label: str, classes: str = "") -> ui.select:
    """A selection that tells only of changes by the user."""
    with box(f"field {classes}", testid):
        chosen = ui.select(options, value=value, label=label).props("dense outlined options-dense")
        chosen.on("update:model-value", lambda: on_change(chosen.value))
    return chosen


def field(value: str, on_change: Handler, testid: str, label: str, classes: str = "", title: str = "") -> ui.input:
    """A field that tells when it is left or Enter is pressed."""
    with box(f"field {classes}", testid) as frame:
        if title:
            frame._props["title"] = title
        entry = ui.input(label=label, value=value).props("dense outlined autocomplete=off spellcheck=false")

        async def tell() -> None:
            outcome = on_change(entry.value or "")
            if outcome is not None:
                await outcome

        entry.on("change", tell, [])
    return entry


def menu(label: str, testid: str, title: str, entries: dict[str, tuple[str, Handler]]) -> Element:
    """A button with a menu: by test id, a text and what it does."""
    opener = button(label, testid, title=title)
    with opener, ui.menu().props("auto-close"):
        for name, (content, action) in entries.items():
            ui.menu_item(content, action).props(f"data-testid={name}")
    return opener


def tabs(names: dict[str, tuple[str, str]], chosen: str, on_choose: Handler, label: str) -> dict[str, Element]:
    """A row of tabs: by key, a text and a test id. Arrow keys move between them."""
    made: dict[str, Element] = {}
    with box("tabs", role="tablist", aria_label=label) as row:
        for key, (content, testid) in names.items():
            tab = button(content, testid, lambda key=key: on_choose(key), classes="tab")
            tab._props |= {"role": "tab", "aria-selected": "true" if key == chosen else "false"}
            made[key] = tab
    row.on(
        "keydown",
        js_handler="""(event) => {
            const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
            if (!step) return;
            event.stopPropagation();
            const tabs = [...event.currentTarget.querySelectorAll('[role=tab]')];
            const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
            next.focus();
            next.click();
        }""",
    )
    return made


def choose_tab(made: dict[str, Element], panels: dict[str, Element], chosen: str) -> None:
    for key, tab in made.items():
        set_attribute(tab, "aria-selected", "true" if key == chosen else "false")
    for key, panel in panels.items():
        panel.set_visibility(key == chosen)
