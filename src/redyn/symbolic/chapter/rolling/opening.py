"""The robot, its wheels, coordinates and constants."""

from __future__ import annotations

from redyn.symbolic.chapter.blocks import Chapter, Equation, Heading, Table, Text, number, word
from redyn.symbolic.chapter.rolling.references import SAHA
from redyn.symbolic.chapter.rolling.setting import RollingSetting, latex_of
from redyn.words import counted

_KINDS = {"wheel": "wheel", "roller": "wheel with rollers", "disk": "disk", "blade": "blade"}


def robot(chapter: Chapter, at: RollingSetting) -> None:
    rolling, eqs = at.eqs.rolling.rolling, at.eqs
    count = len(rolling.contacts)
    chapter.add(
        Heading("The robot and its wheels"),
        Text(
            f"The robot {word(eqs.name)} is a tree with {counted(eqs.dof, 'rate')}, of which {_touching(count)} the "
            "ground. What touches it rolls, and does not slip: that ties rates to each other, not positions, so that "
            "$\\b{q}$ keeps all coordinates of the tree while its rates follow from a few independent ones, "
            "$\\dot{\\b{q}} = \\b{S}(\\b{q}) \\b{u}$. $\\b{S}$ is the natural orthogonal complement of the rolling "
            f"conditions, which the method was extended to by Saha and Angeles {SAHA}."
        ),
    )
    if at.robot.description.source:
        chapter.add(Text(f"Source: {word(at.robot.description.source)}."))
    labels = [link.joint.label for link in at.robot.model.links]
    meaning = [_meaning(link.joint.kind, label) for link, label in zip(at.robot.model.links, labels, strict=True)]
    independent = set(rolling.independent)
    rows = [
        (f"${latex_of(x)}$", word(label), kind, "yes" if i in independent else "")
        for i, (x, label, kind) in enumerate(zip(eqs.q, labels, meaning, strict=True))
    ]
    chapter.add(Table(("coordinate", "joint", "meaning", "rate is independent"), tuple(rows), "The tree."))
    if eqs.symbolic.body_rates:
        chapter.add(
            Text(
                "The velocity of the base is taken in its own axes, $v_x$ ahead and $v_y$ to the left: "
                "$\\dot{x} = v_x \\cos \\psi - v_y \\sin \\psi$ and $\\dot{y} = v_x \\sin \\psi + v_y \\cos \\psi$. No "
                "heading is then singular."
            )
        )
    if eqs.free is not None:
        chapter.add(*_euler())


def _touching(count: int) -> str:
    return "one part touches" if count == 1 else f"{counted(count, 'part')} touch"


def _meaning(kind: str, label: str) -> str:
    planar = {"x": "position of the base along $x$", "y": "along $y$", "angle": "heading of the base"}
    own = {
        "z": "height",
        "psi": "heading, about the vertical",
        "theta": "lean, from the ground",
        "phi": "spin, about the axle",
    }
    part = label.rpartition(".")[2]
    if "." in label and part in planar:
        return planar[part]
    return own.get(label, "angle of the joint" if kind == "revolute" else "position along the joint")


def _euler() -> list[Text | Equation]:
    return [
        Text(
            "The robot itself moves on a free joint, whose quaternion has no readable closed form. Here it is a chain "
            "of six joints instead: its centre moves by $x$, $y$ and $z$, it turns by $\\psi$ about the vertical, "
            "leans by $\\theta$ about the heading $\\b{e}_1 = [\\cos \\psi, \\sin \\psi, 0]^T$ (upright: "
            "$\\theta = \\pi/2$) and spins by $\\phi$ about its axle $\\b{e}_3$. $\\b{e}_2$ leads from the contact "
            "to the centre. Both descriptions are related by"
        ),
        Equation(
            (
                r"\b{R} = \b{R}_z(\psi) \b{R}_x(\theta) \b{R}_z(\phi), \quad "
                r"\g{omega} = \dot{\psi} \b{z} + \dot{\theta} \b{e}_1 + \dot{\phi} \b{e}_3",
            )
        ),
        Text(
            "and rolling is $\\b{v}_C = \\g{omega} \\times R \\b{e}_2$. These angles are singular where the disk lies "
            "flat, $\\sin \\theta = 0$, and there a disk has no single point of contact either."
        ),
    ]


def constants(chapter: Chapter, at: RollingSetting) -> None:
    contacts, symbolic = at.robot.model.contacts, at.eqs.symbolic.contacts
    rows = [
        (
            word(contact.name),
            _KINDS[contact.kind],
            word(at.robot.model.links[contact.carrier - 1].name),
            f"${_length(own.radius)}$" if contact.radius else "",
        )
        for contact, own in zip(contacts, symbolic, strict=True)
    ]
    chapter.add(Table(("link", "kind", "carried by", "radius"), tuple(rows), "What touches the ground."))
    names = list(dict.fromkeys(link.name for link in at.robot.model.links))
    known = [
        (f"${latex_of(x)}$", _described(str(x), names), f"${number(value)}$") for x, value in at.eqs.values.items()
    ]
    chapter.add(
        Text(
            "Equal constants share a symbol, and so do equal wheels. Mass centres $d$ and inertias $I$ (about the mass "
            "centre) are in the axes of the file; SI units:"
        ),
        Table(("constant", "meaning", "value"), tuple(known)),
    )


def _length(x: object) -> str:
    return latex_of(x) if str(x).isidentifier() else number(float(str(x)))


def _described(name: str, links: list[str]) -> str:
    letter, _, rest = name.partition("_")
    wheel = rest.startswith("w")
    owner = int(rest.rstrip("xyz") or 0) if rest.rstrip("xyz").isdigit() else 0
    of = "of a wheel" if wheel else f"of {word(links[owner - 1])}" if owner and letter in ("m", "d", "I") else ""
    words = {
        "R": "radius",
        "m": f"mass {of}",
        "g": "gravity",
        "l": "distance along $x$",
        "b": "distance along $y$",
        "h": "distance along $z$",
        "d": f"mass centre {of}",
        "alpha": "angle of a roller",
    }
    if letter == "I":
        round_one = wheel or rest in ("", "t")
        about = ", across the axle" if rest.endswith("t") else ", about the axle"
        return f"{f'inertia {of}'.strip()}{about if round_one else ''}"
    return words.get(letter, letter).strip()
