"""The gallery: robots by pictures, groups and words, and those that the browser keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from redyn.studio import messages, pictures, uploads
from redyn.studio.controls import Part, box, button, text
from redyn.studio.opening import open_source

if TYPE_CHECKING:
    from redyn.studio.desk import Desk


async def show(desk: Desk) -> None:
    """Opens the dialog."""
    found: list[dict[str, Any]] = []
    if not await desk.attempt("gallery", lambda: found.extend(pictures.cards()), slow=True):
        return
    names = {card["name"] for card in found}

    async def choose(name: object) -> None:
        if name not in names:  # `open_source` would open a file of this machine
            raise messages.MalformedError("expected a robot of the gallery")
        dialog.close()
        await desk.open(lambda: open_source(str(name)))

    def close(_: object) -> None:
        dialog.close()

    async def keep() -> None:
        made: list[dict[str, str]] = []
        if await desk.attempt("save", lambda: made.append(pictures.own_card(desk.state))):
            drawn = await desk.pictures.of(desk.state.robot.description)
            gallery.call("keep", {**made[0], "picture": drawn})

    with ui.dialog() as dialog, box("sheet gallery-sheet", "gallery-dialog", aria_label="Robots"):
        with box("panel-head"):
            text("Robots", tag="h2")
            button("×", "close-gallery", dialog.close, "Close", "close")
        options = {
            "cards": found,
            "pictures": Part.base + pictures.PICTURES,
            "url": f"{desk.upload_url}/robot",
            "largest": uploads.LARGEST,
            "current": desk.state.robot.name,
        }
        gallery = Part(
            "gallery",
            options,
            open=choose,
            keep=lambda _: keep(),
            opened=close,
            refused=desk.refused_upload,
        )
    dialog.on_value_change(lambda event: None if event.value else dialog.delete())
    dialog.open()
