"""Unknown attributes and elements of a URDF, and degrees instead of radians: a misspelt name must not go unnoticed.

Every name is checked in the elements that matter for the dynamics. Elsewhere programs add their own extensions, so only
names that resemble a missing one, or that belong in another element, are reported.
"""

from __future__ import annotations

import difflib

from redyn.description.notes import Notes
from redyn.description.units import like_degrees, like_degrees_of_limit
from redyn.description.xml_file import Element

TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
MIRRORED = {"iyx": "ixy", "izx": "ixz", "izy": "iyz"}  # the lower half of the tensor, which some files also give

_ORIGINS = ("origin", "parent_origin", "child_origin")
_ENDS = ("predecessor", "successor")  # of a loop
_ATTRIBUTES = {
    "inertial": (),
    **dict.fromkeys(_ORIGINS, ("xyz", "rpy")),
    "mass": ("value",),
    "inertia": (*TENSOR, *MIRRORED),
    "mimic": ("joint", "multiplier", "offset"),
}
_LOOSE_ATTRIBUTES = {
    **dict.fromkeys(("axis", "parent_axis", "child_axis"), ("xyz",)),
    "dynamics": ("damping", "friction"),
    "limit": ("lower", "upper", "effort", "velocity"),
}
_CHILDREN = {
    "inertial": ("origin", "mass", "inertia"),
    **dict.fromkeys((*_ORIGINS, "mass", "inertia", "axis", "dynamics", "mimic"), ()),
}
_LOOSE_CHILDREN = {
    "robot": ("link", "joint", "material", "transmission", "loop", "coupling", "constraint", "gear"),
    "link": ("inertial", "visual", "collision"),
    "joint": ("parent", "child", "origin", "axis", "limit", "dynamics", "mimic"),
    "loop": (*_ENDS, "axis", "length"),
    "coupling": (*_ENDS, "ratio"),
    "constraint": ("parent", "parent_origin", "parent_axis", "child", "child_origin", "child_axis"),
    **dict.fromkeys((*_ENDS, "sucessor"), ("origin",)),
}
_CHECKED = ("link", "joint", "loop", "coupling", "constraint")
_INSIDE = ("visual", "collision", *_ENDS, "sucessor")  # what may have an origin
_ELSEWHERE = {"inertial", "inertia", "mass", "origin", "axis", "limit", "dynamics"}
_ONCE = {"link": ("inertial",), "joint": _LOOSE_CHILDREN["joint"], "inertial": _CHILDREN["inertial"]}
_NOT_MODELLED = ("loop_joint", "force_element", "cable", "deformable", "reduced_deformable")  # Drake's and Bullet's

MOST_GUESSES = 100  # notes; more would be slow and unread
UNKNOWN = "ignored: unknown there"
RADIANS = "URDF uses radians; for degrees, multiply by pi/180"


def check_words(robot: Element, notes: Notes) -> None:
    """Notes what has no effect in the links and joints of a robot."""
    _check_children(robot, notes)
    for child in robot.children:
        if child.tag in _NOT_MODELLED:
            notes.add("left out: redyn does not model it", child, f"<{child.tag}>")
        if child.tag in _CHECKED:
            _check(child, notes)


def _check(element: Element, notes: Notes) -> None:
    _check_attributes(element, notes)
    _check_units(element, notes)
    _check_children(element, notes)
    for tag in _ONCE.get(element.tag, ()):
        for again in element.all(tag)[1:]:
            notes.add("left out: the first one is used", again, f"a second <{tag}> in {_shown(element)}")
    for child in element.children:
        if child.tag in _ATTRIBUTES or child.tag in _LOOSE_ATTRIBUTES or child.tag in _INSIDE:
            _check(child, notes)


def _check_attributes(element: Element, notes: Notes) -> None:
    strict, loose = _ATTRIBUTES.get(element.tag), _LOOSE_ATTRIBUTES.get(element.tag)
    known = strict if strict is not None else loose
    if known is None:
        return
    for name in element.attributes:
        if name in known or ":" in name or name == "xmlns":
            continue
        missing = [word for word in known if word not in element.attributes]
        meant = _meant(name, missing, strict is not None, notes)
        if strict is not None or meant:
            notes.add(UNKNOWN, element, f"<{element.tag} {name[:60]}=...>{meant}")


def _check_units(element: Element, notes: Notes) -> None:
    """Notes angles that look like degrees. Invalid numbers are reported where they are read."""
    for name in ("rpy",) if element.tag in _ORIGINS else ():
        for word in element.attributes.get(name, "").split():
            if like_degrees(_number(word)):
                notes.add(RADIANS, element, f"<{element.tag} rpy=...> has {word[:60]}, more than a turn")
                break
    if element.tag == "joint" and element.attributes.get("type") == "revolute":
        for limit in element.all("limit"):
            bounds = [limit.attributes.get(name, "") for name in ("lower", "upper")]
            if any(like_degrees_of_limit(_number(bound)) for bound in bounds):
                lower, upper = (bound[:60] or "0" for bound in bounds)
                what = f"limits of joint {element.attributes.get('name', '')!r} are {lower} and {upper}"
                notes.add(RADIANS, limit, what)


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return 0.0


def _check_children(element: Element, notes: Notes) -> None:
    strict, loose = _CHILDREN.get(element.tag), _LOOSE_CHILDREN.get(element.tag)
    known = strict if strict is not None else loose
    if known is None:
        return
    for child in element.children:
        if child.tag in known or ":" in child.tag:
            continue
        missing = [word for word in known if element.tag == "robot" or element.find(word) is None]
        meant = _meant(child.tag, missing, strict is not None, notes)
        if strict is not None or meant or child.tag in _ELSEWHERE:
            notes.add(UNKNOWN, child, f"<{child.tag[:60]}> in {_shown(element)}{meant}")


def _meant(name: str, missing: list[str], strict: bool, notes: Notes) -> str:
    """A suggestion if an unknown name resembles a missing one; a distant match only if it is reported anyway."""
    if len(notes.kinds.get(UNKNOWN, ())) > MOST_GUESSES:
        return ""
    close = difflib.get_close_matches(name.lower()[:60], missing, 1, 0.6 if strict else 0.75)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _shown(element: Element) -> str:
    name = element.attributes.get("name", "")[:60]
    return f"<{element.tag}>" if element.tag == "robot" or not name else f"{element.tag} {name!r}"
