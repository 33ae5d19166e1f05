"""Sliders for the joints, and buttons that move the end effector."""

from __future__ import annotations

import asyncio
import time
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
BUSY, LONGEST = 0.005, 0.2  # s between turns of a page: from which on it waits for more messages, and at most so long
AXES = ("x", "y", "z", "rx", "ry", "rz")

STEPS = {"along": "m", "about": "rad"}
ALONG = "Step of one click along an axis. Hold a button to move on"
SAG = "Joints stay, and what bends or gives goes to where it rests under its weight"
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
        self._heard = 0.0  # the number of the last message from the sliders that was taken into account
        # Values of joints that are not taken yet, as typed or as numbers, and the numbers of their messages.
        self._wanted: dict[int, tuple[float | str, float]] = {}
        self._taker: asyncio.Task[Any] | None = None  # moves joints to what is wanted
        with box("panel jog-panel", "jog"):
            with box("panel-head"):
                text("Joints", tag="h2")
                with box("pair"):
                    self._sag_button = button("Sag", "jog-sag", self._sag, SAG)
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
        self._sag_button.set_visibility(state.can_sag)

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
        joint = messages.index(message, "joint", self._desk.state.robot.model.tangent)
        typed = messages.entry(message, "value")
        value = messages.text(typed) if isinstance(typed, str) else messages.number(message, "value")
        self._wanted[joint] = value, messages.number(message, "number")
        if self._taker is not None:
            return
        self._taker = asyncio.current_task()
        try:
            while self._wanted:
                await _gather()
                await self._take()
        finally:
            self._taker = None

    async def taken(self) -> None:
        """Waits until values that were sent count: who types a value and then presses a button means that value."""
        if self._taker is not None and self._taker is not asyncio.current_task():
            await asyncio.wait([self._taker])

    async def _take(self) -> None:
        said: list[str] = []

        def jog() -> None:
            wanted, self._wanted = self._wanted, {}
            state = self._desk.state
            for joint, (value, sent) in wanted.items():
                self._heard = max(self._heard, sent)
                if joint < state.robot.model.tangent:  # it may have become another robot
                    said.append(state.jog(joint, self._number(joint, value)))

        if await self._desk.attempt("pose", jog):
            self._desk.show_pose()
            if any(said):
                self._desk.notify("; ".join(filter(None, said)))
        else:
            self._wanted.clear()
            self.show_values()  # what was typed is no number

    def _number(self, joint: int, value: float | str) -> float:
        """In SI units, whatever the unit of angles in which it was typed."""
        state = self._desk.state
        if not isinstance(value, str):
            return value
        unit = "rad" if turning(state.robot, "coordinates")[joint] else "m"
        return state.angles.value(state.robot.model.located[joint].joint.label, value, unit)

    async def _sag(self) -> None:
        if await self._desk.attempt("pose", self._desk.state.sag, slow=True):
            self._desk.show_pose()

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


async def _gather() -> None:
    """Waits for messages that have arrived already: not at all if the server is idle, longer the busier it is."""
    began = time.monotonic()
    await asyncio.sleep(0)
    late = time.monotonic() - began  # how long others took before it was the turn of this page again
    if late > BUSY:
        await asyncio.sleep(min(late, LONGEST))
