"""Torque over speed of every motor within its limits, as small SVG charts for the page and the report."""

from __future__ import annotations

import html

import numpy as np
from numpy.typing import NDArray

from redyn.report.colours import joint_colour
from redyn.simulation.sizing import JointSizing
from redyn.studio.motors import Sized

Array = NDArray[np.float64]

WIDTH, HEIGHT = 250, 172
LEFT, RIGHT, TOP, BOTTOM = 46, 8, 8, 32
MOST_POINTS = 800  # of a curve
MOST_CHARTS = 40
LEGEND = "Lines: peak torque (solid) and rated torque (dashed); dot: RMS torque at the mean speed."


def charts(found: Sized) -> str:
    """HTML: a figure for each joint that has a motor."""
    motors = [joint for joint in found.joints if joint.motor is not None][:MOST_CHARTS]
    figures = [_figure(joint.motor, joint_colour(joint.number)) for joint in motors if joint.motor is not None]
    style = "display: flex; flex-wrap: wrap; gap: 6px"
    whole = f'<p>{LEGEND}</p><div class="sizing-charts" style="{style}">{"".join(figures)}</div>'
    return whole if figures else ""


def _figure(joint: JointSizing, colour: str) -> str:
    fits = "fits" if joint.fits else "does not fit"
    name = html.escape(joint.name)
    picture = _svg(joint, colour, f"{name}: torque over speed of the motor")
    return (
        f'<figure class="sizing-chart" data-fits="{"yes" if joint.fits else "no"}">'
        f"<figcaption>{name}: {fits}</figcaption>{picture}</figure>"
    )


def _svg(joint: JointSizing, colour: str, label: str) -> str:
    motor = joint.motor
    widest = 1.04 * max(motor.max_speed, joint.motor_side.peak_speed)
    highest = 1.06 * max(motor.peak_torque, joint.motor_side.peak_torque)

    def across(x: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * x / widest

    def down(y: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y / highest

    def path(x: Array, y: Array) -> str:
        return "M" + "L".join(f"{across(a):.1f},{down(b):.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True))

    knee = motor.max_speed if motor.rated_speed is None else motor.rated_speed
    curve = np.array([0.0, knee, motor.max_speed, motor.max_speed]), motor.peak_torque * np.array([1.0, 1.0, 0.0, 0.0])
    if knee == motor.max_speed:
        curve[1][2] = motor.peak_torque
    speeds = np.linspace(0.0, motor.max_speed, 200)
    speeds = np.append(speeds, motor.max_speed)
    rated = np.append(np.minimum(motor.available(speeds[:-1]), motor.rated_torque), 0.0)
    step = -(-len(joint.motor_speed) // MOST_POINTS)
    motion = np.abs(joint.motor_speed[::step]), np.abs(joint.motor_torque[::step])
    floor, side = down(0.0), across(0.0)
    parts = [
        f'<path d="{path(*curve)}L{side:.1f},{floor:.1f}Z" fill="currentColor" fill-opacity="0.07"/>',
        f'<path d="{path(*curve)}" fill="none" stroke="currentColor" stroke-width="1.4"/>',
        f'<path d="{path(speeds, rated)}" fill="none" stroke="currentColor" stroke-dasharray="4 3"/>',
        f'<path class="sizing-motion" d="{path(*motion)}" fill="none" stroke="{colour}" stroke-width="1.8"/>',
        f'<circle cx="{across(float(np.abs(joint.motor_speed).mean())):.1f}" '
        f'cy="{down(joint.motor_side.rms_torque):.1f}" r="4" fill="{colour}" stroke="currentColor"/>',
        f'<path d="M{side},{TOP}V{floor:.1f}H{WIDTH - RIGHT}" fill="none" stroke="currentColor" stroke-opacity="0.6"/>',
    ]
    for value in _ticks(widest):
        x = across(value)
        parts.append(f'<text x="{x:.1f}" y="{floor + 12:.1f}" text-anchor="middle">{value:g}</text>')
    for value in _ticks(highest):
        y = down(value)
        parts.append(f'<text x="{side - 4:.1f}" y="{y + 3:.1f}" text-anchor="end">{value:g}</text>')
    parts += [
        f'<text x="{(side + WIDTH - RIGHT) / 2:.1f}" y="{HEIGHT - 5}" text-anchor="middle">motor speed (rad/s)</text>',
        f'<text transform="translate(10 {(TOP + floor) / 2:.1f}) rotate(-90)" text-anchor="middle">torque (Nm)</text>',
    ]
    style = "font: 10px system-ui, sans-serif; fill: currentColor"
    return (
        f'<svg role="img" aria-label="{label}" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">'
        f'<g style="{style}">{"".join(parts)}</g></svg>'
    )


def _ticks(most: float) -> list[float]:
    """Round numbers from 0 on, about four.

    >>> _ticks(1.06), _ticks(330.0)
    ([0.0, 0.5, 1.0], [0.0, 100.0, 200.0, 300.0])
    """
    power = 10.0 ** np.floor(np.log10(most / 2))
    step = float(next(k * power for k in (1, 2, 5, 10) if most / (k * power) <= 4.0))
    return [float(f"{k * step:.6g}") for k in range(int(most / step) + 1)]
