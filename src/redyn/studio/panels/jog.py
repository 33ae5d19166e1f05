"""Sliders for the joints, and buttons that move the end effector."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from redyn.studio import messages
from redyn.studio.controls import Field, Part, box, button, text
from redyn.studio.coordinates import slider_values, sliders
from redyn.studio.entries import movable
from redyn.studio.forms import number

if TYPE_CHECKING:
    from redyn.studio.desk import Desk

METER = {
    "testid": "singular",
    "regular": "1: as far as usual; 0: singular, where the driven joints no longer determine how the others move",
    "singular": "Nearly singular: there the driven joints no longer determine how the others move, "
    "and torques become large",
}
BUSY, LONGEST = 0.005, 0.2  # s between turns of a page: from which on it waits for more messages, and at most so long
AXES = ("x", "y", "z", "rx", "ry", "rz")

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
        self._step = "0.02"
        self._heard = 0.0  # the number of the last message from the sliders that was taken into account
        self._wanted: dict[int, tuple[float, float]] = {}  # values of joints that are not taken yet, and their numbers
        self._jogging = False
        with box("panel jog-panel", "jog"):
            with box("panel-head"):
                text("Joints", tag="h2")
                button("Reset", "jog-reset", self._reset, "Back to the initial pose of the robot")
            self._part = Part("jog", jog=self._jog)
            self._meter = Part("meter", METER)
            with box("panel-head"):
                text("End effector", tag="h2")
                title = "Step of one click: metres along an axis, radians about it. Hold a button to move on"
                self._step_field = Field(self._step, self._set_step, "tip-step", "step", "short", title)
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
        self._part.call("setJoints", joints)
        for element in (self._step_field.frame, self._tip_buttons):
            element.set_visibility(state.tip_can_jog)

    def show_values(self) -> None:
        state = self._desk.state
        self._part.call("setValues", slider_values(state.robot, state.q).tolist(), self._heard)
        self._meter.show(state.regularity)
        if state.robot.model.end_effector is None:
            return self._where.show("several tips")
        x, y, z = np.round(state.robot.forward_kinematics(state.q)[:3, 3], 3) + 0.0  # no -0.000
        return self._where.show(f"x {x:.3f}   y {y:.3f}   z {z:.3f} m")

    async def _jog(self, message: Any) -> None:
        """Moves a joint. Of messages that come while the last ones are taken, only the latest of each joint counts."""
        joint = messages.index(message, "joint", self._desk.state.robot.dof)
        self._wanted[joint] = messages.number(message, "value"), messages.number(message, "number")
        if self._jogging:
            return
        self._jogging = True
        try:
            while self._wanted:
                await _gather()
                await self._take()
        finally:
            self._jogging = False

    async def _take(self) -> None:
        said: list[str] = []

        def jog() -> None:
            wanted, self._wanted = self._wanted, {}
            state = self._desk.state
            for joint, (value, sent) in wanted.items():
                self._heard = max(self._heard, sent)
                if joint < state.robot.dof:  # it may have become another robot
                    said.append(state.jog(joint, value))

        if await self._desk.attempt("pose", jog):
            self._desk.show_pose()
            if any(said):
                self._desk.notify("; ".join(filter(None, said)))
        else:
            self._wanted.clear()

    async def _reset(self) -> None:
        self._desk.state.reset()
        self._desk.show_pose()

    def _set_step(self, value: str) -> None:
        self._step = value

    async def _tip(self, axis: int, sign: int) -> None:
        def move() -> None:
            self._desk.state.jog_tip(axis, sign * number("step", self._step, 1e-6, 1.0))

        if await self._desk.attempt("pose", move, slow=True):
            self._desk.show_pose()


async def _gather() -> None:
    """Waits for messages that have arrived already: not at all if the server is idle, longer the busier it is."""
    began = time.monotonic()
    await asyncio.sleep(0)
    late = time.monotonic() - began  # how long others took before it was the turn of this page again
    if late > BUSY:
        await asyncio.sleep(min(late, LONGEST))
