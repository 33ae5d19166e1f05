"""A robot as a table in HTML, for notebooks."""

from __future__ import annotations

from html import escape

from redyn.description import RobotDescription
from redyn.description.beams import total_mass

MOST_LINKS = 40  # rows


def html_table(robot: RobotDescription, size: str, mass: float) -> str:
    """Name and size, then a row for every link."""
    heads = ("link", "joint", "type", "parent", "limits", "mass")
    rows: list[str] = []
    for link in robot.links[:MOST_LINKS]:
        limits = link.joint.limits
        cells = (
            link.name or "",
            "" if link.joint.type == "fixed" else link.joint.name or "",
            link.joint.type,
            link.parent or "",
            "" if limits is None else f"{limits[0]:.4g} ... {limits[1]:.4g}",
            f"{total_mass(link):.4g} kg",
        )
        rows.append("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>")
    if len(robot.links) > MOST_LINKS:
        rows.append(f'<tr><td colspan="{len(heads)}">and {len(robot.links) - MOST_LINKS} more</td></tr>')
    head = "".join(f"<th>{name}</th>" for name in heads)
    title = f"<b>{escape(robot.title or robot.name)}</b>: {escape(size)}, {mass:.4g} kg"
    return f"<p>{title}</p><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
