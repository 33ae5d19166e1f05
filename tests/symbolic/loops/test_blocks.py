"""How the system for the dependent rates is taken apart."""

import pytest

import redyn


def blocks(name):
    return redyn.derive(name).loops.solution.blocks


@pytest.mark.parametrize(
    ("name", "unknown"),
    [
        ("four-bar", [(2, 3)]),
        ("five-bar", [(2, 4)]),
        ("andrews", [(2, 3), (4, 5), (6, 7)]),
        ("excavator", [(2, 5), (3, 7), (9, 11), (4, 10)]),  # the cylinder of the bucket before its four-bar linkage
        ("3-rrr", [(2, 3), (5,), (7,)]),  # the platform first, then the outer links of the legs
    ],
)
def test_order_of_solution(name, unknown):
    found = blocks(name)
    assert [tuple(i + 1 for i in block.unknown) for block in found] == unknown
    known = set(redyn.derive(name).loops.closure.independent)
    for block in found:
        assert set(block.known) <= known
        known |= set(block.unknown)


def test_determinants_are_short():
    """A dead point can be read off: the sine of an angle between two links."""
    assert str(blocks("four-bar")[0].determinant) == "a_2*a_3*sin(theta_3)"
    assert str(blocks("five-bar")[0].determinant) == "a_2*a_4*sin(theta_1 + theta_2 - theta_3 - theta_4)"
    assert str(blocks("slider-crank")[0].determinant) == "-a_2*sin(theta_1 + theta_2)"
    platform = blocks("3-rrr")[0]
    assert str(platform.determinant) == "K_12*K_23 - K_13*K_22"
    assert str(platform.named[platform.places[0, 3]]) == "-a_4*sin(theta_5)"


def test_rows_that_are_always_dependent_have_no_blocks():
    assert blocks("bricard") is None
