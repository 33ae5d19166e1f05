"""The option --ground: what the robot stands on, alone or with values, and the tables and data of its contacts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.table import Table
from typer.core import TyperCommand

from redyn.errors import DescriptionError, InputError

if TYPE_CHECKING:
    from redyn.simulation import Run

OPTION = "--ground"
GroundOption = Annotated[
    list[str] | None,
    typer.Option(
        OPTION,
        metavar="[KEY=VALUE,...]",
        help="Let it stand or fall on the ground of its file, or a level one; with values as in a file `friction=0.5, "
        "slope=10 deg`: also height, stiffness, dissipation, slip, law, contacts. May be repeated.",
    ),
]


class GroundCommand(TyperCommand):
    """A command whose option --ground may come without a value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given: list[str] = []
        for k, word in enumerate(args):
            given.append(word)
            follows = args[k + 1] if k + 1 < len(args) else ""
            if word == OPTION and (follows.startswith("-") or "=" not in follows):
                given.append("")
        return super().parse_args(ctx, given)


def read_ground(texts: list[str] | None) -> dict[str, Any] | bool | None:
    """What `simulate` takes: None without the option, True for the file's own ground, else its values.

    >>> read_ground(["friction=0.5, slope=10 deg", "contacts=[{link: foot, radius: 0.02}]"])
    {'friction': '0.5', 'slope': '10 deg', 'contacts': [{'link': 'foot', 'radius': '0.02'}]}
    """
    if texts is None or not len(texts):
        return None
    values: dict[str, Any] = {}
    for part in (part for text in texts for part in re.split(r",\s*(?=\w+\s*=)", text) if part.strip()):
        key, sign, value = (piece.strip() for piece in part.partition("="))
        if not (key and sign and value):
            raise InputError(f"{OPTION}: expected KEY=VALUE such as friction=0.5, got {part.strip()[:60]!r}")
        if key in values:
            raise InputError(f"{OPTION}: {key} is given twice")
        values[key] = _value(key, value)
    return values or True


def _value(key: str, text: str) -> Any:
    """Lists as in a robot file; all else is left to the checks of the ground."""
    if text[0] not in "[{":
        return text
    from redyn.description.yaml_file import mapping

    try:
        return mapping(f"{key}: {text}", OPTION, "a list")[key]
    except DescriptionError as error:
        raise InputError(str(error)) from None


def contact_table(run: Run) -> Table | None:
    """Of every contact: how long it touched the ground, its largest force and slip, and its force at the end."""
    contacts = run.ground_contacts
    if contacts is None:
        return None
    table = Table(
        "contact", "on the ground (s)", "largest force (N)", "fastest slip (m/s)", "force at the end (N)", box=None
    )
    bears = contacts.gaps < 0.0
    strength = np.linalg.norm(contacts.forces, axis=2)
    spent = bears.mean(axis=0) * (run.t[-1] - run.t[0])
    slip = np.where(bears, contacts.slip, 0.0).max(axis=0)
    for k, name in enumerate(contacts.names):
        cells = (spent[k], strength[:, k].max(), slip[k], strength[-1, k])
        table.add_row(name, *(f"{value:.4g}" for value in cells))
    return table


def contact_data(run: Run) -> dict[str, Any]:
    """For JSON: null stands for the centre of pressure in flight."""
    contacts, ground = run.ground_contacts, run.ground
    if contacts is None or ground is None:
        return {}
    pressure = contacts.centre_of_pressure
    return {
        "ground": {
            "law": ground.law,
            "stiffness": ground.stiffness,
            "friction": ground.friction,
            "contacts": list(contacts.names),
            "points": contacts.points.tolist(),
            "forces": contacts.forces.tolist(),
            "gaps": contacts.gaps.tolist(),
            "slip": contacts.slip.tolist(),
            "centre_of_pressure": [row.tolist() if np.isfinite(row).all() else None for row in pressure],
        }
    }
