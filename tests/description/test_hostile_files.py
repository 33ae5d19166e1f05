"""Model files from strangers: whatever they hold, a robot or a clear error comes out, soon and in bounded memory."""

import random
import re
import time
import tracemalloc
import warnings

import pytest

import redyn
from known_robots import outcome
from redyn.description.packages import robots_folder

LINK = '<link name="{}"/>'
JOINT = '<joint name="j{0}" type="{3}"><parent link="{1}"/><child link="{2}"/></joint>'


def robot(*parts):
    return '<?xml version="1.0"?>\n<robot name="r">\n' + "\n".join(parts) + "\n</robot>\n"


def chain(n, kind="revolute"):
    links = [LINK.format(f"l{i}") for i in range(n + 1)]
    return [*links, *(JOINT.format(i, f"l{i}", f"l{i + 1}", kind) for i in range(n))]


BOMB = (
    '<!DOCTYPE robot [<!ENTITY a0 "ha">'
    + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
    + "]>"
)
GOOD = robot(*chain(2))

FILES = {
    "billion laughs": (BOMB + "<robot>&a11;</robot>", r"bad\.urdf:1: entities are not allowed"),
    "external entity": (
        '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>',
        "entities are not allowed",
    ),
    "parameter entity": ('<!DOCTYPE r [<!ENTITY % p SYSTEM "http://x/y"> %p;]><robot/>', "entities are not allowed"),
    "external DTD": ('<!DOCTYPE robot SYSTEM "http://127.0.0.1/x.dtd"><robot/>', "DOCTYPE"),
    "plain DOCTYPE": ("<!DOCTYPE robot><robot/>", "DOCTYPE"),
    "undeclared entity": ('<robot name="&x;"/>', r"bad\.urdf:1: not valid XML: undefined entity"),
    "long attribute": (robot(f'<link name="{"x" * 20_000}"/>'), r"bad\.urdf:3: <link name=...> has more than 10,000"),
    "huge attribute": (robot(f'<link name="{"x" * 40_000_000}"/>'), "a tag or comment of more than 1,000,000 bytes"),
    "huge comment": (robot(f"<!--{'x' * 40_000_000}-->"), "a tag or comment of more than"),
    "huge file": (robot(f'<link name="{"x" * 100_000_000}"/>'), r"bad\.urdf: the file is larger than 50 MB"),
    "many attributes": (robot("<link " + " ".join(f'a{i}="1"' for i in range(10**6)) + "/>"), "1,000,000 bytes"),
    "a million links": (robot(*(f'<link name="{i}"/>' for i in range(10**6))), "more than 100,000 links"),
    "a million tags": (robot("<a/>" * 10**6), "more than 200,000 elements"),
    "deep": (robot("<a>" * 10**6), "nested too deeply"),
    "much text": (robot("x" * 20_000_000), "no links"),
    "many roots": (robot(*(f'<link name="{i}"/>' for i in range(90_000))), "expected one root link, got 0, 1, .* more"),
    "loop": (
        robot(
            LINK.format("a"), LINK.format("b"), JOINT.format(0, "a", "b", "fixed"), JOINT.format(1, "b", "a", "fixed")
        ),
        r"bad\.urdf:6: loop 'j1': links 'b' and 'a' are fixed to each other",
    ),
    "loop beside a root": (
        robot(
            *(LINK.format(name) for name in "abc"),
            JOINT.format(0, "b", "c", "revolute"),
            JOINT.format(1, "c", "b", "revolute"),
        ),
        "expected one root link, got a, b",
    ),
    "its own parent": (
        robot(LINK.format("a"), LINK.format("b"), JOINT.format(0, "b", "b", "fixed")),
        "link 'b' with itself",
    ),
    "long loop": (
        robot(*chain(5_000), JOINT.format("x", "l5000", "l0", "revolute")),
        r"actuated: missing.*\(joint 'jx', line 10004, closes a loop\)$",
    ),
    "many joints to one link": (
        robot(*chain(2), *(JOINT.format(f"x{i}", "l0", "l2", "revolute") for i in range(50_000))),
        r"bad\.urdf:2: expected at most 1,000 loops, got 50,000",
    ),
    "many parts": (
        robot(*chain(20_000), LINK.format("x"), *(JOINT.format(f"x{i}", "l0", "l9", "fixed") for i in range(20_000))),
        "expected one root link, got l0, x",
    ),
    "many loops": (
        robot(*chain(2), *(f'<loop name="x{i}" type="fixed"/>' for i in range(100_000))),
        r"bad\.urdf:2: expected at most 1,000 loops, got 100,000",
    ),
    "a loop of nothing": (robot(*chain(2), "<loop/>"), r"bad\.urdf:8: <loop> needs the attribute 'type'"),
    "a coupling of nothing": (robot(*chain(2), "<coupling/>"), r"bad\.urdf:8: <coupling> '' needs a <predecessor"),
    "a gear of nothing": (robot(*chain(2), "<gear/>"), r"bad\.urdf:8: <gear> needs the attribute 'coefficients'"),
    "a loop with long names": (
        robot(*chain(2), f'<loop type="{"x" * 9_000}"/>'),
        r"bad\.urdf:8: <loop> '': type 'x{60}' is unknown; the names are revolute",
    ),
    "two links of one name": (
        robot(LINK.format("a"), LINK.format("a")),
        r"bad\.urdf:4: two links have the same name, 'a' \(the other is in line 3\)",
    ),
    "two joints of one name": (
        robot(*chain(2)).replace("j1", "j0"),
        r"bad\.urdf:7: two joints have the same name, 'j0'",
    ),
    "NaN mass": (
        robot('<link name="a"><inertial><mass value="nan"/></inertial></link>'),
        r"bad\.urdf:3: <mass value=...>: expected a finite number, got 'nan'",
    ),
    "infinite place": (
        GOOD.replace("</joint>", '<origin xyz="0 inf 0"/></joint>', 1),
        r"bad\.urdf:6: <origin xyz=...>: expected 3 finite numbers",
    ),
    "overflow": (GOOD.replace("</joint>", '<origin xyz="0 1e999 0"/></joint>', 1), "expected 3 finite numbers"),
    "absurd": (GOOD.replace("</joint>", '<origin xyz="0 1e200 0"/></joint>', 1), "expected 3 finite numbers"),
    "Python's digits": (GOOD.replace("</joint>", '<origin xyz="0 1_0 0"/></joint>', 1), "expected 3 finite numbers"),
    "other digits": (GOOD.replace("</joint>", '<origin xyz="0 \u0661 0"/></joint>', 1), "expected 3 finite numbers"),
    "xacro": (
        GOOD.replace("</joint>", '<origin xyz="${l} 0 0"/></joint>', 1),
        r"bad\.urdf:6: this is a xacro file, .*run `xacro bad\.urdf > expanded-bad\.urdf`",
    ),
    "tiny axis": (GOOD.replace("</joint>", '<axis xyz="1e-9 0 0"/></joint>', 1), r"bad\.urdf:4: link 'l1', axis"),
    "long name": (GOOD.replace("l2", "x" * 300), r"bad\.urdf:5: name: expected a name \(text of 1 to 200"),
    "line break in a name": (GOOD.replace("l2", "a&#10;b"), "control characters"),
    "moving world": (GOOD.replace("l2", "world"), r"bad\.urdf:5: link 'world' is the fixed world"),
    "only the world": (robot(LINK.format("world")), "no link but the world"),
    "nothing moves": (robot(*chain(3, "fixed")), r"bad\.urdf: links: no joint moves"),
    "no such type": (robot(*chain(1, "hinge")), r"joint type 'hinge' is not supported \(joint 'j0'\)"),
    "truncated": (GOOD[:150], r"bad\.urdf:6: not valid XML: unclosed token"),
    "cut between tags": (GOOD.replace("</robot>", ""), r"bad\.urdf:9: not valid XML: no element found"),
    "empty": ("", r"bad\.urdf:1: not valid XML: no element found"),
    "not XML at all": ("\x00\x01\x02", "not valid XML"),
    "another document": ("<html/>", "bad.urdf: expected a <robot> element, got <html>"),
    "negative rotor": (
        robot(*chain(1), '<transmission><joint name="j0"/><rotorInertia>-1</rotorInertia></transmission>'),
        r"bad\.urdf:6: the rotor inertia of joint 'j0' is negative",
    ),
    "rotor of nobody": (
        robot(*chain(1), '<transmission><joint name="j9"/><rotorInertia>1</rotorInertia></transmission>'),
        r"bad\.urdf:6: no joint is called 'j9'",
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_hostile_urdf(tmp_path, case):
    text, message = FILES[case]
    path = tmp_path / "bad.urdf"
    path.write_text(text, "utf-8")
    begun = time.process_time()
    with pytest.raises(redyn.DescriptionError, match=message) as caught:
        redyn.load(path)
    assert time.process_time() - begun < 20  # of the processor: not with the square of the size
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("case", ["huge attribute", "many attributes", "huge comment", "deep"])
def test_memory_is_bounded(tmp_path, case):
    path = tmp_path / "bad.urdf"
    path.write_text(FILES[case][0], "utf-8")
    tracemalloc.start()
    try:
        with pytest.raises(redyn.DescriptionError):
            redyn.load(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 300_000_000


ENCODINGS = {
    "UTF-8 without its dash": GOOD.replace("?>", ' encoding="UTF8"?>').replace("l2", "bras-é").encode(),
    "UTF-8 with a mark": ("\ufeff" + GOOD).encode(),
    "UTF-16": GOOD.replace("?>", ' encoding="utf-16"?>').encode("utf-16"),
    "Latin-1": GOOD.replace("?>", ' encoding="ISO-8859-1"?>').replace("l2", "bras-é").encode("latin-1"),
    "Windows": GOOD.replace("?>", ' encoding="cp1252"?>').replace("l2", "bras-é").encode("cp1252"),
}
WRONG_ENCODINGS = {
    "Latin-1 unsaid": (GOOD.replace("l2", "bras-é").encode("latin-1"), r"bad\.urdf:5: not valid XML.*not UTF-8"),
    "no such encoding": (
        GOOD.replace("?>", ' encoding="klingon"?>').encode(),
        "not valid XML.*write the file in UTF-8",
    ),
    "not of text": (GOOD.replace("?>", ' encoding="rot13"?>').encode(), "not valid XML.*write the file in UTF-8"),
    "of Python's strings": (GOOD.replace("?>", ' encoding="unicode_escape"?>').encode(), "encoding .* is unknown"),
    "no such number": (
        GOOD.replace("?>", ' encoding="iso-8859-99"?>').encode(),
        "not valid XML.*write the file in UTF-8",
    ),
    "of several bytes": (GOOD.replace("?>", ' encoding="shift_jis"?>').encode(), "not valid XML"),
    "UTF-16 in name only": (GOOD.replace("?>", ' encoding="utf-16"?>').encode(), "not valid XML"),
    "half a character": (GOOD.encode()[:-10] + b"\xc3", "not valid XML"),
}


@pytest.mark.parametrize("case", ENCODINGS)
def test_encodings(tmp_path, case):
    path = tmp_path / "good.urdf"
    path.write_bytes(ENCODINGS[case])
    assert redyn.load(path).dof == 2


@pytest.mark.parametrize("case", WRONG_ENCODINGS)
def test_wrong_encodings(tmp_path, case):
    data, message = WRONG_ENCODINGS[case]
    path = tmp_path / "bad.urdf"
    path.write_bytes(data)
    with pytest.raises(redyn.DescriptionError, match=message):
        redyn.load(path)


VALUES = [
    *("", " ", "0", "-0", "-1", "1e99", "-1e99", "1e-300", "1e-99", "nan", "inf", "0 0 0", "0 0", "1e99 1e99 1e99"),
    *("1e-300 0 0", "fixed", "prismatic", "continuous", "floating", "planar", "world", "base_link", "x" * 250, "&#9;"),
    *("../../etc/passwd", "package://../x", "é", "&amp;", "&lt;", "${x}", "0x10", "1,5", "3 4 5 6", "1e50 -1e50 1"),
]


def mutated(text, rng):
    """The text of a file with a few random changes: attributes, tags, cuts, copies, bytes."""
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        kind = rng.choice(["value", "value", "value", "attribute", "tag", "swap", "copy", "drop", "cut", "character"])
        if kind in ("value", "attribute"):
            spots = list(re.finditer(r'\s[\w:]+="[^"]*"', text))
            if spots:
                spot = rng.choice(spots)
                new = "" if kind == "attribute" else f'{spot[0].split("=")[0]}="{rng.choice(VALUES)}"'
                text = text[: spot.start()] + new + text[spot.end() :]
        elif kind in ("tag", "copy", "drop", "swap"):
            spots = list(re.finditer(r"<(\w+)[^<>]*/>|<(inertial|joint|link|visual)\b.*?</\2>", text, re.DOTALL))
            if spots:
                spot, other = rng.choice(spots), rng.choice(spots)
                new = {"copy": spot[0] * 2, "drop": "", "swap": other[0]}.get(kind, spot[0].replace("<", "<q", 1))
                text = text[: spot.start()] + new + text[spot.end() :]
        elif kind == "cut" and rng.random() < 0.3:
            text = text[: rng.randrange(len(text) + 1)]
        elif text:
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice('<>"&/\0é 9-') + text[at + 1 :]
    return text


SMALL = [
    "double_pendulum_description/urdf/double_pendulum_simple.urdf",
    "finger_edu_description/robots/finger_edu.urdf",
    "panda_description/urdf/panda.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "so_arm_description/urdf/so100.urdf",
]


@pytest.mark.parametrize("seed", range(15))
def test_mutated_files_give_a_robot_or_a_clear_error(tmp_path, seed):
    rng = random.Random(seed)
    path = tmp_path / "mutated.urdf"
    for name in SMALL * 2:
        path.write_text(mutated((robots_folder() / name).read_text("utf-8"), rng), "utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", redyn.RedynWarning)
            message = outcome(path)
        assert re.match(r"a robot|mutated\.urdf(:\d+)?: ", message), message
