"""Frames at the ends of flexible links: `NAME.root`, where its joint holds it, and `NAME.tip`.

They are named wherever a frame is: as the parent of a link, the end effector, the end of a loop, the link of a contact.
A link whose parent is the flexible link itself is placed as if that were rigid, and is carried by its tip.
"""

from __future__ import annotations

from collections.abc import Iterable

from redyn.description.schema import LinkDescription

ROOT, TIP = "root", "tip"


def end_frames(link: LinkDescription) -> list[str]:
    """The names of the frames at the ends of a link; none where it is rigid."""
    return [] if link.flexible is None else [f"{link.name}.{end}" for end in (ROOT, TIP)]


def frame_links(links: Iterable[LinkDescription]) -> dict[str, str]:
    """Every frame that may be named, and the link that it is of.

    >>> beam = {"rho_A": 1, "EI": 1, "length": 1}
    >>> frame_links([LinkDescription.model_validate({"name": "arm", "joint": "revolute", "flexible": beam})])
    {'arm': 'arm', 'arm.root': 'arm', 'arm.tip': 'arm'}
    """
    return {name: str(link.name) for link in links for name in (str(link.name), *end_frames(link))}
