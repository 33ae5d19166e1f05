"""Numbers at a state, agreement and references."""

from __future__ import annotations

import numpy as np

from redyn.symbolic.chapter.agreement import table_of_agreement
from redyn.symbolic.chapter.blocks import Chapter, Code, Equation, Heading, Text, number_matrix, number_vector
from redyn.symbolic.chapter.flexible.references import listed
from redyn.symbolic.chapter.flexible.setting import FlexibleSetting
from redyn.symbolic.notation import Typesetter

_write = Typesetter().write


def numbers(chapter: Chapter, at: FlexibleSetting) -> None:
    chapter.add(
        Heading("At one state"),
        Equation(
            (
                rf"\b{{q}} = {number_vector(at.q)}",
                rf"\dot{{\b{{q}}}} = {number_vector(at.qd)}",
                rf"\ddot{{\b{{q}}}} = {number_vector(at.qdd)}",
            )
        ),
        Text("the terms of the equations are (SI units)"),
        Equation((rf"\b{{M}} = {number_matrix(_rounded(at.number('mass_matrix')))}",)),
        *(Equation((rf"{letter} = {number_vector(at.number(name))}",)) for name, letter in at.present),
        Equation((rf"\g{{tau}} = {number_vector(at.number('inverse_dynamics'))}",)),
        Code("np.allclose(eqs.evaluate('torque', q, qd, qdd), robot.inverse_dynamics(q, qd, qdd))"),
    )
    driven = [i for i, link in enumerate(at.robot.model.links) if link.joint.actuated]
    if len(driven) == at.eqs.dof or not driven or at.eqs.contradictions or at.eqs.valueless:
        return
    tau, qdd = at.robot.driven(at.q, at.qd, at.qdd[driven])
    names = ", ".join(f"${_write(at.eqs.qdd[i])}$" for i in driven)
    chapter.add(
        Text(
            "These torques would have to push on all coordinates to give exactly these accelerations. Where no "
            f"actuator acts, nothing pushes: if {names} alone {'is' if len(driven) == 1 else 'are'} prescribed, the "
            "other accelerations follow from their rows, and the torques from the rest:"
        ),
        Equation(
            (
                rf"\g{{tau}} = {number_vector(np.asarray(tau))}",
                rf"\ddot{{\b{{q}}}} = {number_vector(np.asarray(qdd))}",
            )
        ),
        Code(f"robot.driven(q, qd, qdd[{driven}])"),
    )


def _rounded(
    values: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Without rounding errors of zero."""
    return np.where(np.abs(values) < 1e-12 * np.abs(values).max(), 0.0, values)


def agreement(chapter: Chapter, at: FlexibleSetting) -> None:
    how = (
        "Lagrange's equations are derived from the energies of the particles of each beam, without the recursions; "
        "both, and the robot's compiled functions:"
        if at.beams
        else "Three derivations, and the robot's compiled functions:"
    )
    table_of_agreement(chapter, at.eqs, how)


def references(chapter: Chapter, at: FlexibleSetting) -> None:
    chapter.add(Heading("References"), *(Text(reference) for reference in listed(bool(at.beams), bool(at.gears))))
