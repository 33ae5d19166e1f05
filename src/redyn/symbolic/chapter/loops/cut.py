"""The loops of a robot, the joints at which they are cut, the conditions of these, and how many motions are left."""

from __future__ import annotations

import numpy as np

from redyn.model import ROW_NAMES, Loop
from redyn.symbolic.chapter.blocks import (
    Block,
    Chapter,
    Code,
    Heading,
    Table,
    Text,
    number_vector,
    vector,
    word,
)
from redyn.symbolic.chapter.loops.references import CHAUDHARY, SAHA
from redyn.symbolic.chapter.loops.setting import LoopSetting
from redyn.symbolic.chapter.opening import remarks, source
from redyn.symbolic.chapter.sketch import sketch
from redyn.words import counted

FORBIDS = (
    "rotation about $x$",
    "rotation about $y$",
    "rotation about $z$",
    "translation along $x$",
    "translation along $y$",
    "translation along $z$",
    "rotation about the normal of both axes",
    "a change of the distance",
    "a difference of the two joints",
)
_PLANAR = {0, 1, 5}  # rows that parallel axes leave without effect


def mechanism(chapter: Chapter, at: LoopSetting) -> None:
    robot, model = at.robot, at.robot.model
    loops, cut = len(model.loops), "one joint" if len(model.loops) == 1 else "one joint each"
    chapter.add(
        Heading("The mechanism and its cuts"),
        Text(
            f"The robot {word(robot.name)} has {counted(len(model.bodies), 'moving link')} and "
            f"{counted(len(robot.joint_names) + loops, 'joint')}, which form {counted(loops, 'closed loop')}. The "
            f"book's recursions need a tree, in which one path leads from every link to the ground. So {_loops(loops)} "
            f"cut at {cut}, {SAHA}, {CHAUDHARY}. What is left is the spanning tree: its equations of motion are "
            "derived as for any other robot. The cut joints then return twice: as conditions on the joint variables of "
            "the tree, and as wrenches on its links."
        ),
    )
    if at.tree is not None:
        chapter.add(sketch(at.tree))
        remarks(chapter, at.tree)
    else:
        source(chapter, robot)
    chapter.add(*_cuts(at))
    driven = ", ".join(word(name) for name in robot.actuated)
    chapter.add(Text(f"Actuated: {driven}. The other joints are passive, and so are the cut ones."))


def _loops(count: int) -> str:
    return "the loop is" if count == 1 else "every loop is"


def _cuts(at: LoopSetting) -> list[Block]:
    rows: list[tuple[str, ...]] = []
    for k, loop in enumerate(at.model_loops, start=1):
        if loop.kind == "gear":
            a, b = (at.named_link(frame.link) for frame in (loop.A, loop.B))
            rows.append((f"{k} ({word(loop.name)})", loop.kind, a, "", b, ""))
            continue
        ends: list[str] = []
        for frame, own in zip((loop.A, loop.B), _frames(at, k - 1), strict=True):
            ends += [at.named_link(frame.link), own]
        rows.append((f"{k} ({word(loop.name)})", loop.kind, *ends))
    drawn = "; $P_k$ in the drawing is where $A$ and $B$ of loop $k$ meet" if at.tree is not None else ""
    header = ("loop", "cut joint", "$A$ on", "origin of $A$", "$B$ on", "origin of $B$")
    return [
        Text(
            "A cut joint is described by two frames, $A$ on the first link and $B$ on the second, both with the axis "
            "of the joint as $z$. Their origins, in the axes of their links:"
        ),
        Table(header, tuple(rows), f"The cut joints{drawn}."),
    ]


def _frames(at: LoopSetting, k: int) -> tuple[str, str]:
    if at.eqs is not None:
        loop = at.eqs.symbolic.loops[k]
        return f"${vector(loop.A.pose.o.components())}$", f"${vector(loop.B.pose.o.components())}$"
    own = at.model_loops[k]
    a, b = (np.array(frame.pose.o.components(), dtype=np.float64) for frame in (own.A, own.B))
    return f"${number_vector(a)}$", f"${number_vector(b)}$"


# --- conditions and mobility ----------------------------------------------------------------------------------------


def conditions(chapter: Chapter, at: LoopSetting) -> None:
    kept = len(at.closure.rows)
    every = len(at.robot.model.rows)
    chapter.add(
        Heading("Conditions of the cut joints, and mobility"),
        Text(
            "A joint forbids some motions of $B$ relative to $A$. Each is one condition, a row; components are along "
            "the axes of $A$."
        ),
        Table(("row", "forbidden", *(_title(at, k) for k in range(len(_shown(at))))), _verdicts(at), _caption(at)),
    )
    if kept < every:
        chapter.add(Text(_why_redundant(at)), Code("robot.undetermined"))
    chapter.add(*_mobility(at))


def _shown(at: LoopSetting) -> tuple[Loop, ...]:
    """The loops with a column each; all of one kind and verdict share one."""
    return at.model_loops[:1] if _alike(at) else at.model_loops


def _alike(at: LoopSetting) -> bool:
    patterns = {(loop.kind, *(_verdict(at, k, row) for row in loop.rows)) for k, loop in enumerate(at.model_loops)}
    return len(patterns) == 1


def _title(at: LoopSetting, k: int) -> str:
    if _alike(at):
        return f"loop {word(at.model_loops[0].name)}" if len(at.model_loops) == 1 else "every loop"
    return f"loop {word(at.model_loops[k].name)}"


def _verdicts(at: LoopSetting) -> tuple[tuple[str, ...], ...]:
    shown = _shown(at)
    numbers = sorted({row for loop in shown for row in loop.rows})
    return tuple(
        (
            ROW_NAMES[row],
            FORBIDS[row],
            *(_verdict(at, k, row) if row in loop.rows else "" for k, loop in enumerate(shown)),
        )
        for row in numbers
    )


def _verdict(at: LoopSetting, k: int, row: int) -> str:
    before = sum(len(loop.rows) for loop in at.model_loops[:k])
    place = before + at.model_loops[k].rows.index(row)
    if place in at.closure.rows:
        return "a condition"
    return "holds always" if row in at.idle[k] else "follows from the others"


def _caption(at: LoopSetting) -> str:
    kept, every = len(at.closure.rows), len(at.robot.model.rows)
    return f"{counted(every, 'row')}, of which {'all are needed' if kept == every else f'{kept} are needed'}."


def _why_redundant(at: LoopSetting) -> str:
    planar = all(set(at.idle[k]) >= _PLANAR & set(loop.rows) for k, loop in enumerate(at.model_loops))
    reason = (
        "The axes of all joints of the loop are parallel to $z$ of $A$. So no motion of the tree, whether or not the "
        "loop is closed, turns $z$ of $B$ away from it or moves $B$ along it: these rows are zero whatever the joint "
        "variables are"
        if planar
        else "The other rows are constant combinations of these at every closed position that was visited"
    )
    return (
        f"{reason}. They are left out: they restrict nothing, and the motion does not tell what the joint carries "
        f"along them. A rigid joint may be loaded there by the way it was assembled; redyn gives NaN for it and names "
        f"the rows: {', '.join(word(name) for name in at.robot.undetermined)}."
    )


def _mobility(at: LoopSetting) -> list[Block]:
    robot, model = at.robot, at.robot.model
    links, joints = len(model.bodies) + 1, len(robot.joint_names) + len(model.loops)
    freedoms = robot.dof + sum(6 - len(loop.rows) for loop in model.loops)
    space = 6 * (links - 1 - joints) + freedoms
    rows = [("Kutzbach, in space", f"$6 ({links} - 1 - {joints}) + {freedoms}$", f"${space}$")]
    planar = at.tree is not None and at.tree.planar and all(loop.kind == "revolute" for loop in model.loops)
    plane = 3 * (links - 1 - joints) + freedoms
    if planar:
        rows.append(("Grübler, in the plane", f"$3 ({links} - 1 - {joints}) + {freedoms}$", f"${plane}$"))
    rank, mobility = at.closure.rank, robot.mobility
    rows.append((r"rank of $\b{J}$", f"${robot.dof} - {rank}$", f"${mobility}$"))
    found: list[Block] = [
        Text(
            f"How many rates are independent? With $N = {links}$ links (the ground included), $j = {joints}$ joints "
            f"(the cut ones included) and $\\sum f_i = {freedoms}$ freedoms of the joints, the count of Kutzbach is "
            f"$6(N - 1 - j) + \\sum f_i$; in the plane, that of Grübler has 3 for 6. They count rows, and are right if "
            "no row is redundant. The rank of $\\b{J}$, derived below, decides: of the "
            f"{counted(robot.dof, 'rate')} of the tree, its independent rows leave the difference."
        ),
        Table(("count", "", "mobility"), tuple(rows), "Mobility."),
    ]
    if space != mobility:
        reason = (
            "The count in space includes the rows that hold always."
            if len(at.closure.rows) == rank
            else f"At every closed position the {len(at.closure.rows)} rows have rank {rank}, each time in another "
            "way: the mechanism moves only because its lengths are what they are."
        )
        found.append(Text(reason))
    return found
