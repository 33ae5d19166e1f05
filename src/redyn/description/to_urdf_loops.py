"""The loops of a robot as elements of a URDF: <loop> and <coupling> of URDF+, and our own <gear> (see urdf_loops)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from redyn.description.loops import loop_frames, placed, rigid_parts
from redyn.description.schema import LinkDescription, LoopDescription, PlacedFrame, RobotDescription

Quoted = Callable[[str | None], str]

_ALONG_Z = ("revolute", "prismatic", "cylindrical", "planar")  # the frames have z along the axis


def loop_elements(robot: RobotDescription, quoted: Quoted) -> Iterator[str]:
    """The lines of all loops; `quoted` makes an attribute's value of a name."""
    parts = rigid_parts(robot.links)
    carriers = {str(link.joint.name): link for link in robot.links}
    for loop, found in zip(robot.loops, loop_frames(robot), strict=True):
        if loop.joint == "gear":
            yield from _gear(loop, [carriers[name] for name in loop.between], parts, quoted)
            continue
        frames = loop.frames or tuple(placed(T) for T in found)
        yield f'  <loop name={quoted(loop.name)} type="{loop.joint}">'
        for tag, link, frame in zip(("predecessor", "successor"), loop.between, frames, strict=True):
            yield f"    <{tag} link={quoted(link)}>{_origin(frame)}</{tag}>"
        if loop.joint in _ALONG_Z:
            yield '    <axis xyz="0 0 1"/>'
        if loop.length is not None:
            yield f'    <length value="{loop.length!r}"/>'
        yield "  </loop>"


def _origin(frame: PlacedFrame) -> str:
    return f'<origin xyz="{numbers_text(frame.xyz)}" rpy="{numbers_text(frame.rpy)}"/>'


def numbers_text(values: tuple[float, ...]) -> str:
    """Whole digits, and no negative zero."""
    return " ".join(repr(value + 0.0) for value in values)


def _gear(loop: LoopDescription, ends: list[LinkDescription], parts: dict[str, str], quoted: Quoted) -> Iterator[str]:
    """A <coupling> has a ratio only, and its links must be one joint away from a common one."""
    numbers = loop.coefficients or ()
    common = len({parts[str(link.parent)] for link in ends}) == 1
    if not common or len(numbers) != 2 or numbers[0]:
        first, second = (quoted(name) for name in loop.between)
        listed = f'coefficients="{numbers_text(numbers)}"'
        yield f"  <gear name={quoted(loop.name)} first={first} second={second} {listed}/>"
        return
    yield f"  <coupling name={quoted(loop.name)}>"
    for tag, link in zip(("predecessor", "successor"), ends, strict=True):
        yield f"    <{tag} link={quoted(link.name)}/>"
    yield f'    <ratio value="{numbers[1]!r}"/>'
    yield "  </coupling>"
