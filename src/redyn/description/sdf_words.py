"""Unknown elements in an SDF model where they matter for its dynamics: a misspelt name must not go unnoticed."""

from __future__ import annotations

import difflib

from redyn.description.notes import Notes
from redyn.description.urdf_words import MOST_GUESSES, TENSOR, UNKNOWN
from redyn.description.xml_file import Element

_AXIS = ("xyz", "dynamics", "limit", "mimic", "use_parent_model_frame", "initial_position")
_KNOWN = {
    "joint": (
        *("parent", "child", "pose", "frame", "axis", "axis2", "gearbox_ratio", "gearbox_reference_body"),
        *("thread_pitch", "screw_thread_pitch", "physics", "sensor"),
    ),
    "axis": _AXIS,
    "axis2": _AXIS,
    "dynamics": ("damping", "friction", "spring_reference", "spring_stiffness"),
    "limit": ("lower", "upper", "effort", "velocity", "stiffness", "dissipation"),
    "mimic": ("multiplier", "offset", "reference"),
    "inertial": ("mass", "pose", "frame", "inertia", "density", "auto_inertia_params", "fluid_added_mass"),
    "inertia": TENSOR,
}
_NOT_MODELLED = {"fluid_added_mass", "initial_position"}


def check_words(model: Element, notes: Notes) -> None:
    """Notes elements without a meaning, and those that redyn leaves out."""
    for part in model.children:
        if part.tag == "joint":
            _check(part, notes)
        elif part.tag == "link":
            for element in part.all("inertial"):
                _check(element, notes)


def _check(element: Element, notes: Notes) -> None:
    known = _KNOWN.get(element.tag)
    for child in element.children if known is not None else ():
        if child.tag in _NOT_MODELLED:
            notes.add("left out: redyn does not model it", child, f"<{child.tag}>")
        elif known is not None and child.tag not in known and ":" not in child.tag:
            few = len(notes.kinds.get(UNKNOWN, ())) < MOST_GUESSES
            close = difflib.get_close_matches(child.tag.lower()[:60], known, 1) if few else []
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            notes.add(UNKNOWN, child, f"<{child.tag[:60]}> in <{element.tag}>{hint}")
        else:
            _check(child, notes)
