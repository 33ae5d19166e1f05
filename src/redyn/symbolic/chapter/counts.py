"""Operation counts of the recursions and formulas."""

from __future__ import annotations

from redyn.symbolic.chapter.blocks import Chapter, Code, Heading, Table, Text
from redyn.symbolic.chapter.setting import Context, total_operations

_KERNELS = {
    "inverse_dynamics": "inverse dynamics, (9.32)-(9.35)",
    "solve": "accelerations with $\\g{varphi}$ given, (9.39)-(9.41)",
    "forward_dynamics": "full forward dynamics, $\\g{varphi}$ included",
    "mass_matrix": "inertia matrix, (9.15)",
    "coriolis_matrix_mci": "convective matrix, (9.16)",
}


def counts(chapter: Chapter, at: Context) -> None:
    robot, n = at.eqs.robot, at.n
    rows: list[tuple[str, ...]] = []
    for name, title in _KERNELS.items():
        if name in ("solve", "forward_dynamics") and not at.forward_possible:
            continue
        found = robot.operation_count(name)
        rows.append((title, str(found.multiplications), str(found.additions)))
    chapter.add(
        Heading("Operations"),
        Text(
            "The recursions of this robot, with its numbers folded in, as redyn compiles them. Divisions count as "
            "multiplications, subtractions as additions; sines and cosines are not counted."
        ),
        Table(("recursion", "multiplications", "additions"), tuple(rows), "Operations of the compiled recursions."),
    )
    if at.serial and not at.prismatic:
        chapter.add(
            Text(
                "For a general arm of $n$ revolute joints the book's Table 9.1 gives the recursion (9.32)-(9.33), in "
                f"the row of RIDIM, $120n - 44$ multiplications and $97n - 55$ additions: {120 * n - 44} and "
                f"{97 * n - 55} for $n = {n}$. Zeros and right angles of this arm save operations."
            )
        )
    if at.short:
        eqs = at.eqs
        written = [
            (title, str(total_operations(list(eqs.quantity(name)))))
            for name, title in (
                ("mass_matrix", "$\\b{I}$"),
                ("coriolis_matrix", "$\\b{C}$"),
                ("coriolis_vector", "$\\b{h}$"),
                ("gravity_torque", "$\\g{gamma}$"),
            )
        ]
        steps = eqs.steps("inverse_dynamics")
        written.append(("the torques as named steps", str(steps.operations)))
        chapter.add(
            Table(
                ("formula", "operations as written"),
                tuple(written),
                "Operations of the formulas of this chapter, powers included.",
            ),
        )
    chapter.add(Code("robot.operation_count('inverse_dynamics')"))
