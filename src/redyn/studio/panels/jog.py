"""Sliders for the joints, and buttons that move the end effector."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from redyn.errors import InputError
from redyn.report.plots import turning
from redyn.studio import messages
from redyn.studio.controls import Field, Part, box, button, text
from redyn.studio.coordinates import slider_values, sliders
from redyn.studio.entries import movable
from redyn.studio.units import RADIANS

if TYPE_CHECKING:
    from redyn.studio.desk import Desk

METER = {
    "testid": "singular",
    "regular": "1: as far as usual; 0: singular, where the driven joints no longer determine how the others move",
    "singular": "Nearly singular: there the driven joints no longer determine how the others move, "
    "and torques become large",
}
AXES = ("x", "y", "z", "rx", "ry", "rz")

STEPS = {"along": "m", "about": "rad"}
ALONG = "Step of one click along an axis. Hold a button to move on"
ABOUT = "Step of one click about an axis. Hold a button to move on"

# A button that is held moves on; the next step waits until the last one is done.
HOLD = """(event) => {
    const button = event.target.closest('button');
    if (!button) return;
    const again = () => document.querySelector('#studio[data-busy]') || button.click();
    let timer = setTimeout(() => { timer = setInterval(again, 60); }, 400);
    const stop = () => { clearTimeout(timer); clearInterval(timer); };
    for (const end of ['pointerup', 'pointercancel']) window.addEventListener(end, stop, {once: true});
    button.addEventListener('pointerleave', stop, {once: true});
}"""


class JogPanel:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._steps = {"along": "0.02", "about": "pi/90"}  # m and rad
        self._heard = 0.0  # the number of the last message from the sliders
        with box("panel jog-panel", "jog"):
            with box("panel-head"):
                text("Joints", tag="h2")
                button("Reset", "jog-reset", self._reset, "Back to the initial pose of the robot")
            self._part = Part("jog", jog=self._jog)
            self._meter = Part("meter", METER)
            with box("panel-head"):
                text("End effector", tag="h2")
                with box("tip-steps") as self._step_box:
                    self._step_fields = {
                        "along": Field("", partial(self._set_step, "along"), "tip-step", "m", "tiny", ALONG),
                        "about": Field("", partial(self._set_step, "about"), "tip-turn", "rad", "tiny", ABOUT),
                    }
            self._tip_buttons = box("tip", "tip").on("pointerdown", js_handler=HOLD)
            with self._tip_buttons:
                for k, axis in enumerate(AXES):
                    with box("tip-axis", f"tip-{axis}"):
                        button("−", f"tip-{axis}-minus", partial(self._tip, k, -1), f"{axis} less", "small icon")
                        text(axis, "axis-name")
                        button("+", f"tip-{axis}-plus", partial(self._tip, k, 1), f"{axis} more", "small icon")
            self._where = Part("line", {"testid": "tip-position"})

    def show(self) -> None:
        state = self._desk.state
        values = slider_values(state.robot, state.q).tolist()
        free = zip(sliders(state.robot), values, movable(state.robot), strict=True)
        joints = [{**slider, "value": x, "passive": not moves} for slider, x, moves in free]
        angles = state.angles
        self._part.call("setJoints", joints, {"factor": angles.factor, "unit": angles.sign, "digits": angles.digits})
        for name, field in self._step_fields.items():
            field.show(angles.shown(self._steps[name], STEPS[name]))
            field.name(angles.of(STEPS[name]))
        for element in (self._step_box, self._tip_buttons):
            element.set_visibility(state.tip_can_jog)

    def show_values(self) -> None:
        state = self._desk.state
        self._part.call("setValues", slider_values(state.robot, state.q).tolist(), self._heard)
        self._meter.call("set", state.regularity)
        if state.robot.model.end_effector is None:
            return self._where.call("set", "several tips")
        x, y, z = np.round(state.robot.forward_kinematics(state.q)[:3, 3], 3) + 0.0  # no -0.000
        return self._where.call("set", f"x {x:.3f}   y {y:.3f}   z {z:.3f} m")

    async def _jog(self, message: Any) -> None:
        typed, sent = messages.entry(message, "value"), messages.number(message, "number")
        moved = 0.0 if isinstance(typed, str) else messages.number(message, "value")
        said: list[str] = []

        def jog() -> None:
            self._heard = max(self._heard, sent)
            state = self._desk.state
            joint = messages.index(message, "joint", state.robot.dof)
            value = moved
            if isinstance(typed, str):
                unit = "rad" if turning(state.robot)[joint] else "m"
                value = state.angles.value(state.robot.velocity_names[joint], messages.text(typed), unit)
            said.append(state.jog(joint, value))

        if await self._desk.attempt("pose", jog):
            self._desk.show_pose()
            if said[0]:
                self._desk.notify(said[0])
        elif isinstance(typed, str):
            self.show_values()  # what was typed is no number

    async def _reset(self) -> None:
        self._desk.state.reset()
        self._desk.show_pose()

    def _set_step(self, name: str, value: str) -> None:
        self._steps[name] = self._desk.state.angles.typed(value, STEPS[name])

    async def _tip(self, axis: int, sign: int) -> None:
        def move() -> None:
            name = "along" if axis < 3 else "about"
            step = RADIANS.value("step", self._steps[name], STEPS[name])
            if not 1e-6 <= step <= 1.0:
                raise InputError("step: expected a number from 1e-6 to 1 m, or to 1 rad")
            self._desk.state.jog_tip(axis, sign * step)

        if await self._desk.attempt("pose", move, slow=True):
            self._desk.show_pose()
