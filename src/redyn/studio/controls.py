"""Small pieces of the page: buttons, fields and selections that look alike, and the components of `parts/`.

Every control sits in, or is, an element with a `data-testid` of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, cast
from weakref import WeakKeyDictionary

from nicegui import Client, core, json, ui
from nicegui.element import Element

from redyn.studio import messages

Action = Callable[[], Any]  # click handler; may be asynchronous
OnChange = Callable[[Any], Any]  # takes the new value; may be asynchronous

PARTS = Path(__file__).parent / "parts"


class Part(Element, component=PARTS / "part.js"):
    """A module of `parts/` in the page. The server calls its methods; it sends named events to the server."""

    base = ""  # where the modules are served; set once by the server

    def __init__(self, module: str, options: dict[str, Any] | None = None, **handlers: OnChange) -> None:
        super().__init__()
        self.classes("part")
        self.props["source"] = f"{Part.base}/studio/{module}.js"
        self.props["options"] = options or {}
        self._handlers = handlers
        self._shown: tuple[Any, ...] | None = None
        self.on("part", self._receive)

    async def _receive(self, event: Any) -> None:
        handler = self._handlers.get(str(messages.entry(event.args, "name")))
        if handler is not None:
            await _finish(handler(event.args.get("value")))

    def call(self, name: str, *values: Any) -> None:
        """Calls methods of the module, in order. All calls of one moment go to the page in one message."""
        if self.is_deleted or self.client.is_deleted or not core.is_loop_running():
            return
        waiting = _calls.setdefault(self.client, [])
        if not waiting:
            asyncio.get_running_loop().call_soon(_send_calls, self.client)
        # Not "return runMethod", as NiceGUI writes: browsers would parse it twice, and plots and scenes are long.
        waiting.append(f'runMethod({self.id}, "call", {json.dumps([name, *values])})')

    def show(self, *values: Any) -> None:
        """Calls the method `set` of the module, unless it shows these values already."""
        if self._shown != values:
            self._shown = values
            self.call("set", *values)


_calls: WeakKeyDictionary[Client, list[str]] = WeakKeyDictionary()  # not sent yet


def _send_calls(client: Client) -> None:
    code = "; ".join(_calls.pop(client, []))
    if code and not client.is_deleted:
        cast(Any, client).run_javascript(code)


async def _finish(outcome: Any) -> None:
    if isinstance(outcome, Awaitable):
        await cast("Awaitable[Any]", outcome)


def box(classes: str = "", testid: str = "", tag: str = "div", **attributes: str) -> Element:
    """A plain element."""
    element = ui.element(tag).classes(classes)
    if testid:
        element.props["data-testid"] = testid
    for name, value in attributes.items():
        element.props[name.replace("_", "-")] = value
    return element


def text(content: str, classes: str = "", tag: str = "span", testid: str = "") -> Element:
    """A plain element with text."""
    element = box(classes, testid, tag)
    cast(Any, element)._text = content  # what NiceGUI's own elements with text do
    return element


def set_text(element: Element, content: str) -> None:
    if cast(Any, element)._text != content:
        cast(Any, element)._text = content
        element.update()


def set_attribute(element: Element, name: str, value: str | None) -> None:
    """Sets an attribute; None removes it."""
    props = cast("dict[str, Any]", element.props)
    if props.get(name) != value:
        if value is None:
            props.pop(name, None)
        else:
            props[name] = value
        element.update()


def button(
    label: str, testid: str, on_click: Action | None = None, title: str = "", classes: str = "small", js: str = ""
) -> Element:
    """`js`: handled in the browser instead of the server. If the label is a symbol, screen readers read the title."""
    element = text(label, classes, "button", testid)
    element.props["type"] = "button"
    if title:
        element.props["title"] = title
        if not any(letter.isalpha() for letter in label):
            element.props["aria-label"] = title
    if js:
        element.on("click", js_handler=js)
    elif on_click is not None:
        element.on("click", on_click, [])
    return element


def enable(element: Element, on: bool) -> None:
    set_attribute(element, "disabled", None if on else "")


def block(element: Element, reason: str, usual: str) -> None:
    """Disables a button if there is a reason, shown as its title; `usual` is its title otherwise."""
    enable(element, not reason)
    set_attribute(element, "title", reason or usual)


class Choice:
    """A selection that reports only changes by the user."""

    def __init__(
        self, options: Any, value: Any, on_change: OnChange, testid: str, label: str, classes: str = ""
    ) -> None:
        with box(f"field {classes}", testid) as self.frame:
            self._select = cast(Any, ui.select)(options, value=value, label=label)
            # All options are in the page at once, where a search or a screen reader finds them.
            self._select.props("dense outlined options-dense virtual-scroll-slice-size=200")
            self._select.on("update:model-value", lambda: on_change(self._select.value))

    def show(self, value: Any, options: Any = None) -> None:
        """Sets the value, and the options if given."""
        if options is None:
            self._select.set_value(value)
        else:
            self._select.set_options(options, value=value)


class Field:
    """A field that reports when it loses focus or Enter is pressed."""

    def __init__(
        self, value: str, on_change: OnChange, testid: str, label: str, classes: str = "", title: str = ""
    ) -> None:
        with box(f"field {classes}", testid) as self.frame:
            if title:
                self.frame.props["title"] = title
            self._input = ui.input(label=label, value=value).props(
                "dense outlined stack-label autocomplete=off spellcheck=false"
            )
            self._input.on("change", lambda: on_change(messages.text(self._input.value)), [])

    def show(self, value: str) -> None:
        self._input.set_value(value)

    def name(self, label: str) -> None:
        """Another label, such as one with another unit."""
        set_attribute(self._input, "label", label)


class Switch:
    """A checkbox that reports only changes by the user."""

    def __init__(self, label: str, value: bool, on_change: OnChange, testid: str, title: str = "") -> None:
        with box("field switch", testid) as self.frame:
            if title:
                self.frame.props["title"] = title
            self._box = ui.checkbox(label, value=value).props("dense")
            self._box.on("update:model-value", lambda: on_change(bool(self._box.value)))

    def show(self, value: bool, usable: bool = True) -> None:
        self._box.set_value(value)
        self._box.set_enabled(usable)


def menu(label: str, testid: str, title: str, entries: dict[str, tuple[str, Action]]) -> Element:
    """A button with a menu: test id -> (text, action). It does not open while disabled."""
    opener = button(label, testid, title=title)
    with opener, ui.menu().props("auto-close"):
        for name, (content, action) in entries.items():
            ui.menu_item(content, action).props(f"data-testid={name}")
    return opener


def tabs(names: dict[str, tuple[str, str]], chosen: str, on_choose: OnChange, label: str) -> dict[str, Element]:
    """A row of tabs: key -> (text, test id). Arrow keys move between them."""
    made: dict[str, Element] = {}
    with box("tabs", role="tablist", aria_label=label) as row:
        for key, (content, testid) in names.items():
            tab = button(content, testid, partial(on_choose, key), classes="tab")
            tab.props["role"] = "tab"
            tab.props["aria-selected"] = "true" if key == chosen else "false"
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
