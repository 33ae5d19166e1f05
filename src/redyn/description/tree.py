"""The tree in the joints of a file that may form loops: joints that would close one are cut."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Ends(NamedTuple):
    """A joint and the links that it connects."""

    joint: str
    parent: str
    child: str


class Tree(NamedTuple):
    carried: dict[str, Ends]  # by link
    cuts: list[Ends]

    def root(self, link: str) -> str:
        """The link that carries a link in the end."""
        while link in self.carried:
            link = self.carried[link].parent
        return link


def spanning_tree(joints: Iterable[Ends], ground: str) -> Tree:
    """In the order of the file, a joint carries its child unless another one does, or the child carries its parent.

    Nothing carries the link `ground`. The joints that are left are the cuts.

    >>> spanning_tree([Ends("j1", "a", "b"), Ends("j2", "b", "c"), Ends("j3", "c", "a")], "world").cuts
    [Ends(joint='j3', parent='c', child='a')]
    """
    carried: dict[str, Ends] = {}
    cuts: list[Ends] = []
    above: dict[str, str] = {}  # some link nearer to the root of the same part, as in union-find

    def root(link: str) -> str:
        while (up := above.get(link)) is not None:
            above[link] = link = above.get(up, up)
        return link

    for ends in joints:
        if ends.child in carried or ends.child == ground or root(ends.parent) == ends.child:
            cuts.append(ends)
        else:
            carried[ends.child] = ends
            above[ends.child] = ends.parent
    return Tree(carried, cuts)
