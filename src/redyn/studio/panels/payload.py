"""The payload, in the panels of inverse and forward dynamics: one for both."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from redyn.studio.controls import Field, box

if TYPE_CHECKING:
    from redyn.studio.desk import Desk

MASS = (
    "A body on the end effector, in inverse and forward dynamics; empty: none. Controllers know it; kinematics and "
    "equations are those of the robot without it"
)
MORE = {
    "com": ("payload centre (m)", "Its mass centre in the end effector's frame: x, y, z; empty: at its origin"),
    "inertia": ("inertia (kg m²)", "About the mass centre: xx, yy, zz, or xx, xy, xz, yy, yz, zz; empty: a point"),
}


class PayloadFields:
    """The mass is a field of the form; with one, there is a row for the rest."""

    def __init__(self, desk: Desk, panel: str) -> None:
        self._desk, self._panel = desk, panel
        self._mass = Field("", partial(desk.set_payload, "mass"), f"payload-{panel}", "payload (kg)", "short", MASS)
        self._row, self._more = None, dict[str, Field]()

    def row(self) -> None:
        """Builds the row."""
        with box("form", f"payload-row-{self._panel}") as self._row:
            for name, (label, title) in MORE.items():
                change = partial(self._desk.set_payload, name)
                self._more[name] = Field("", change, f"payload-{name}-{self._panel}", label, "wide-field", title)

    def show(self) -> None:
        form = self._desk.state.payload
        self._mass.show(form.mass)
        for name, entry in self._more.items():
            entry.show(getattr(form, name))
        if self._row is not None:
            self._row.set_visibility(form.given)
