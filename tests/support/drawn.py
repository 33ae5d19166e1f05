"""Where a viewer draws a robot that bends: in a page of ours, made of the modules that it has packed."""

import numpy as np

from redyn.kinematics import link_poses
from redyn.report.scene import positions_and_quaternions

# `modules` are imported once more: the page keeps its own to itself.
START = """async (given) => {
    const unpack = async (id) => {
        const raw = Uint8Array.from(atob(document.getElementById(`packed-${id}`).textContent), (c) => c.charCodeAt(0));
        return new Response(new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
    };
    const [known, modules] = [{}, {}];
    for (const id of ["three", "solids", "contact", "bending", "viewer", "player", "modes"]) {
        if (!document.getElementById(`packed-${id}`)) continue;
        const text = (await unpack(id)).replace(/"\\.\\/(\\w+)\\.js"/g, (_, name) => JSON.stringify(known[name]));
        known[id] = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
        modules[id] = await import(known[id]);
    }
    const { THREE, OrbitControls } = modules.three;
    const { createDevice, createViewer, floats } = modules.viewer;
    const data = JSON.parse(await unpack("data"));
    const box = document.createElement("div");
    box.style.cssText = "width:64px;height:48px";
    document.body.append(box);
    const viewer = createViewer(box, createDevice(THREE), THREE, OrbitControls, data.scene ?? data.scenes[0]);
"""
ALLOWED = "Multiple instances of Three.js"  # those of the page and of START


def drawn(page, body, given):
    """What JavaScript gives that has `viewer`, `modules`, `data` and `given`."""
    return page.evaluate(f"{START}{body}\n}}", given)


def check(robot, shown, q):
    """Links and centre lines as drawn, against forward kinematics."""
    rows = positions_and_quaternions(link_poses(robot, q)[None, 1:])[0]
    found = np.array(shown["poses"])
    np.testing.assert_allclose(found[:, :3], rows[:, :3], atol=3e-6)
    np.testing.assert_allclose(np.abs((found[:, 3:] * rows[:, 3:]).sum(axis=1)), 1, atol=3e-6)
    lines = [robot.shape(q, beam.name, 201) for _, beam in robot.model.beams]
    assert len(shown["lines"]) == len(lines)
    for points, line in zip(shown["lines"], lines, strict=True):
        np.testing.assert_allclose(points[0], line[0], atol=3e-6)
        np.testing.assert_allclose(points[-1], line[-1], atol=3e-6)  # the tip, by the kinematics of the dynamics
        step = np.linalg.norm(np.diff(line, axis=0), axis=1).max()
        away = np.linalg.norm(np.array(points)[:, None] - line[None], axis=2).min(axis=1)
        assert away.max() < step
