"""Columns of the tables, as AG Grid wants them."""

from __future__ import annotations

import json
from typing import Any, get_args

from redyn.description.schema import WORLD, JointType
from redyn.studio.flexible_cells import FLEXIBLE, KEPT
from redyn.studio.loop_rows import TYPES as LOOP_TYPES
from redyn.studio.loop_rows import loop_columns as shown_loop_columns
from redyn.studio.table import CENTRE, INERTIA, JOINT, VARIABLE, YES, Draft
from redyn.studio.units import Angles

Column = dict[str, Any]

HEADS = {
    "a": ("a (m)", "distance between z axes, along x"),
    "b": ("b (m)", "distance between x axes, along z"),
    "d": ("d (m)", "distance between x axes, along z"),
    "alpha": ("α (rad)", "angle between z axes, about x"),
    "theta": ("θ (rad)", "angle between x axes, about z"),
    "xyz": ("xyz (m)", "position of the joint in the parent's frame"),
    "rpy": ("rpy (rad)", "roll, pitch and yaw of the joint in the parent's frame"),
    "axis": ("axis", "of the joint, in its own frame"),
    "axis2": ("axis 2", "second axis of a universal joint"),
    "pitch": ("pitch (m/rad)", "of a helical joint"),
    "initial": ("at start", "initial joint value, rad or m; of a free joint x, y, z and the quaternion x, y, z, w"),
    "mass": ("m (kg)", "mass"),
    "lower": ("lower", "lower limit, rad or m"),
    "upper": ("upper", "upper limit, rad or m"),
    "speed": ("speed", "maximum rate, rad/s or m/s"),
    "effort": ("effort", "maximum torque or force, Nm or N"),
    "damping": ("damping", "viscous friction, Nms/rad or Ns/m, whatever angles are shown in"),
    "coulomb": ("Coulomb", "Coulomb friction, Nm or N"),
    "armature": ("armature", "rotor inertia, kg m² or kg"),
    "rho_A": ("ρA", "mass per length (kg/m) of a flexible link, a beam along x; empty cells: the link is rigid"),
    "EI": ("EI", "stiffness against bending (N m²): one number, or two, EIy and EIz"),
    "GJ": ("GJ", "stiffness against torsion (N m²), which modes that twist need"),
    "rho_Ip": ("ρIp", "polar moment of inertia per length (kg m)"),
    "length": ("L", "length of the beam (m), from its joint on; in DH tables it is a"),
    "modes": ("modes", "how many mode shapes bend along y, bend along z, and twist, such as 2, 0, 0"),
    "ratio": ("ζ", "damping ratio of every mode of the bare beam"),
    "gear_stiffness": ("k gear", "stiffness of an elastic gear, Nm/rad or N/m, between motor and link; empty: rigid"),
    "gear_damping": ("d gear", "damping of an elastic gear, Nms/rad or Ns/m"),
    KEPT: ("also", "what else the file says of the beam; it is kept, and edited in the YAML file"),
    "offset": ("offset", "constant added to the joint variable, rad or m"),
}
LOOP_HEADS = {
    "at": ("at (m)", "where the joint is on the first link, x, y, z in its frame"),
    "meets": (
        "meets (m)",
        "the same point in the frame of the second link; empty: where the first one is in the initial pose",
    ),
    "axis": ("axis", "of the joint, in the frames of both links; empty: z"),
    "length": ("length (m)", "of the rod between both points"),
    "coefficients": ("polynomial", "q of the second joint = c0 + c1 q + ... of the first"),
    "frame1": ("frame on the first", "of the joint: x, y, z (m), roll, pitch, yaw (rad); its z is the axis"),
    "frame2": ("frame on the second", "of the joint: x, y, z (m), roll, pitch, yaw (rad); its z is the axis"),
}
DRIVEN = "whether the joint has a motor; the others are passive and follow"
WIDER = {"EI": 54, "modes": 58, "gear_stiffness": 58, "gear_damping": 58}
BOX = "(p) => (typeof p.value === 'boolean' ? {component: 'agCheckboxCellRenderer'} : undefined)"
DH_TYPES = ["revolute", "prismatic", "fixed"]
WORDS = {KEPT, "name", "parent", "joint", "driven", "first", "second", "gap"}
# Long numbers are rounded for display, and shown in full while edited.
SHORT = (
    "(p) => typeof p.value === 'string' ? p.value.replace(/(?<![\\w.])-?[0-9][0-9.e+-]{7,}(?!\\w)/g, "
    "(x) => isNaN(x) ? x : String(Number(Number(x).toPrecision(4)))) : p.value"
)


def link_columns(draft: Draft, tab: str, angles: Angles) -> list[Column]:
    """Of the tables of links: geometry, mass or joint."""
    columns: list[Column] = [{"field": "name", "headerName": "link", "pinned": "left", "width": 68, "flex": 0}]
    heads = dict(HEADS)
    if tab == "mass":
        letter = "r" if draft.robot["centre"] == "r" else "c"
        meaning = "from the mass centre to the link frame" if letter == "r" else "mass centre in the link frame"
        heads |= {c: (f"{letter}{c} (m)", meaning) for c in CENTRE}
        heads |= {c: (f"I{c}", "inertia about the mass centre, kg m²") for c in INERTIA}
        shown = ["mass", *CENTRE, *INERTIA]
    elif tab == "joint":
        shown = list(JOINT)
    elif tab == "flexible":
        shown = [*FLEXIBLE, KEPT]
    else:
        shown = list(draft.columns())
        types = list(get_args(JointType)) if draft.convention == "frames" else DH_TYPES
        parents = [WORLD, *draft.frames]
        columns += [
            {**_selection("parent", "parent", 64, parents), "headerTooltip": "the link or the world that carries it"},
            _selection("joint", "joint", 84, types),
        ]
        if draft.loops:
            columns.append(_driven())
    for column in shown:
        title, meaning = heads[column]
        columns.append({"field": column, "headerName": angles.of(title), "headerTooltip": angles.of(meaning)})
        if column == KEPT:
            columns[-1] |= {"editable": False, "minWidth": 72}
        if column in WIDER:
            columns[-1] |= {"minWidth": WIDER[column]}
    return [_with_errors(column) for column in columns]


def loop_columns(draft: Draft, angles: Angles) -> list[Column]:
    """Of the table of loops."""
    links = [WORLD, *(row["name"] for row in draft.rows)]
    joints = [draft.joint_name(i) for i, row in enumerate(draft.rows) if row["joint"] != "fixed"]
    ends = f"(p) => ({{values: p.data.joint === 'gear' ? {json.dumps(joints)} : {json.dumps(links)}}})"
    between = {"width": 66, "flex": 0, "cellEditor": "agSelectCellEditor", ":cellEditorParams": ends}
    columns: list[Column] = [
        {"field": "name", "headerName": "loop", "pinned": "left", "width": 52, "flex": 0},
        {"field": "first", "headerName": "between", "headerTooltip": "its first link", **between},
        {"field": "second", "headerName": "and", "headerTooltip": "its second link, or the world", **between},
        {**_selection("joint", "joint", 78, list(LOOP_TYPES)), "headerTooltip": "the joint that closes the loop"},
    ]
    for column in shown_loop_columns(draft.loops):
        if column in LOOP_HEADS:
            title, meaning = LOOP_HEADS[column]
            wide = 44 if column == "axis" else 98
            columns.append(
                {"field": column, "headerName": title, "headerTooltip": angles.of(meaning), "minWidth": wide}
            )
    columns.append(
        {
            "field": "gap",
            "headerName": "gap",
            "headerTooltip": "how far the loop is open in the initial pose",
            "width": 58,
            "flex": 0,
            "editable": False,
            "cellClassRules": {"cell-open": "data.gap && data.gap !== 'closed'"},
        }
    )
    return [_with_errors(column) for column in columns]


def variable(draft: Draft, joint: str) -> str:
    """The column of the joint variable in a DH table."""
    return VARIABLE.get(draft.convention, {}).get(joint, "")


def driven_cell(row: dict[str, str]) -> bool | None:
    """What the checkbox shows: None, and no box, for a joint that does not move."""
    return None if row["joint"] == "fixed" else row["driven"] == YES


def _selection(field: str, title: str, width: int, values: list[str]) -> Column:
    choice = {"cellEditor": "agSelectCellEditor", "cellEditorParams": {"values": values}}
    return {"field": field, "headerName": title, "width": width, "flex": 0, **choice}


def _driven() -> Column:
    return {
        "field": "driven",
        "headerName": "driven",
        "headerTooltip": DRIVEN,
        "width": 56,
        "flex": 0,
        "cellEditor": "agCheckboxCellEditor",
        "singleClickEdit": False,  # a click belongs to the box
        "cellDataType": False,  # fixed joints have no box
        ":cellRendererSelector": BOX,
        ":editable": "(p) => p.data.driven !== null",
    }


def _with_errors(column: Column) -> Column:
    """Cells with errors are red and say what is wrong; joint variables are in italics."""
    name = column["field"]
    rules = {"cell-error": f"data.errors.{name}", "cell-variable": f"data.variable == '{name}'"}
    tooltip = (
        f"(p) => p.data && (p.data.errors['{name}'] || (p.data.variable === '{name}' "
        "? 'the joint variable: its initial value' : undefined))"
    )
    numbers = {} if name in WORDS else {":valueFormatter": SHORT}
    return {
        **column,
        "cellClassRules": rules | column.get("cellClassRules", {}),
        ":tooltipValueGetter": tooltip,
        **numbers,
    }
