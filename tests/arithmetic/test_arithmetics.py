"""One recursion, four arithmetics: floats, arrays, a CasADi graph and SymPy symbols give the same numbers."""

import casadi
import numpy as np
import pytest
import sympy

import redyn
from random_robots import close, random_tree
from redyn.algebra import Vec3, Wrench
from redyn.arithmetic import Arrays, Floats, graph, symbols
from redyn.dynamics import convective, energy, forward, inertia, inverse, kinematics, link_motion, passive

# name: (recursion, number of joint vectors that it takes)
RECURSIONS = {
    "inverse dynamics": (lambda m, a, q, v, x: inverse.inverse_dynamics(m, a, q, v, x), 3),
    "with an external wrench": (
        lambda m, a, q, v, x: inverse.inverse_dynamics(m, a, q, v, x, external=pushed(m, a)),
        3,
    ),
    "forward dynamics": (lambda m, a, q, v, x: forward.forward_dynamics(m, a, q, v, x), 3),
    "by Cholesky": (lambda m, a, q, v, x: inertia.cholesky_forward_dynamics(m, a, q, v, x), 3),
    "solve": (lambda m, a, q, x: forward.solve(m, a, q, x), 2),
    "mass matrix": (lambda m, a, q: flat(inertia.mass_matrix(m, a, q)), 1),
    "inverse mass matrix": (lambda m, a, q: flat(forward.inverse_mass_matrix(m, a, q)), 1),
    "U and D": (lambda m, a, q: [*flat(forward.udu(m, a, q)[0]), *forward.udu(m, a, q)[1]], 1),
    "MCI": (lambda m, a, q, v: flat(convective.coriolis_matrix(m, a, q, v)), 2),
    "Christoffel": (lambda m, a, q, v: flat(convective.coriolis_matrix(m, a, q, v, "christoffel")), 2),
    "VCI": (lambda m, a, q, v: inverse.coriolis_vector(m, a, q, v), 2),
    "gravity": (lambda m, a, q: inverse.gravity_torque(m, a, q), 1),
    "friction": (lambda m, a, v: passive.friction_torque(m, a, v), 1),
    "kinetic energy": (lambda m, a, q, v: [energy.kinetic_energy(m, a, q, v)], 2),
    "potential energy": (lambda m, a, q: [energy.potential_energy(m, a, q)], 1),
    "mass centre": (lambda m, a, q: energy.com(m, a, q).components(), 1),
    "momentum": (lambda m, a, q, v: energy.momentum(m, a, q, v).components(), 2),
    "pose": (lambda m, a, q: flat(kinematics.forward_kinematics(m, a, q, tip(m))), 1),
    "Jacobian": (lambda m, a, q: flat(kinematics.jacobian(m, a, q, tip(m))), 1),
    "Jacobian rate": (lambda m, a, q, v: flat(kinematics.jacobian_rate(m, a, q, v, tip(m))), 2),
    "link motion": (lambda m, a, q, v, x: moved(link_motion.link_motion(m, a, q, v, x)), 3),
    "joint wrenches": (
        lambda m, a, q, v, x: flat([w.components() for w in inverse.user_joint_wrenches(m, a, q, v, x)]),
        3,
    ),
}


def flat(rows):
    return [entry for row in rows for entry in row]


def tip(model):
    return list(model.frames.values())[-1]


def pushed(model, arith):
    a, b, c = (arith.const(x) for x in (0.5, -2.0, 1.25))
    return [(tip(model), Wrench(Vec3(a, b, c), Vec3(c, a, b)))]


def moved(motions):
    return [
        x
        for m in motions
        for x in (
            *m.pose.o.components(),
            *m.twist.components(),
            *m.twist_rate.components(),
            *m.force.components(),
            *m.moment.components(),
        )
    ]


ROBOTS = {
    "RPR tree": random_tree(8, 3, fixed=0.0, prismatic=0.5),
    "serial with friction": random_tree(21, 3, convention="dh", fixed=0.0, prismatic=0.3, serial=True),
    "two-link": "two-link",
}


@pytest.fixture(
    scope="module", params=["two-link", "RPR tree", pytest.param("serial with friction", marks=pytest.mark.slow)]
)
def robot(request):
    return redyn.load(ROBOTS[request.param])


@pytest.mark.parametrize("name", RECURSIONS)
def test_every_recursion_in_every_arithmetic(robot, name):
    recursion, arguments = RECURSIONS[name]
    n, size = robot.dof, 3
    values = np.random.default_rng(5).uniform(-1.5, 1.5, (arguments, size, n))

    floats = np.array([recursion(robot.model, Floats(), *values[:, k].tolist()) for k in range(size)], dtype=float)

    columns = [list(argument.T) for argument in values]
    arrays = [np.broadcast_to(x, size) for x in recursion(robot.model.over(Arrays()), Arrays(), *columns)]
    close(np.array(arrays).T, floats)

    made = [graph.inputs(f"x{k}", n) for k in range(arguments)]
    traced = recursion(robot.model.over(graph.Graph()), graph.Graph(), *[nodes for _, nodes in made])
    function = casadi.Function("f", [column for column, _ in made], [casadi.vertcat(*traced)])
    for k in range(size):
        close(np.array(function(*values[:, k])).ravel(), floats[k])
    assert isinstance(function, casadi.Function)

    names = [symbols.symbols(f"x{k}_", n) for k in range(arguments)]
    expressions = recursion(robot.model.over(symbols.Symbols()), symbols.Symbols(), *names)
    evaluate = sympy.lambdify([x for row in names for x in row], list(expressions), "numpy", cse=True)
    for k in range(size):
        close(np.array(evaluate(*values[:, k].ravel()), dtype=float), floats[k])


def test_symbols_give_the_equation_of_the_page():
    """(9.42b) with the numbers of Table 9.2: i_11 has m3 a3 a2 c3, (m2 + 2 m3) a1 a2 c2 and m3 a3 a1 c23."""
    model = redyn.load("three-link").model.over(symbols.Symbols())
    q = symbols.symbols("q", 3)
    i11 = sympy.expand(sympy.simplify(inertia.mass_matrix(model, symbols.Symbols(), q)[0][0]))
    for angle, factor in ((q[2], 0.3 * 0.22 * 0.25), (q[1], (0.4 + 0.6) * 0.3 * 0.25), (q[1] + q[2], 0.3 * 0.22 * 0.3)):
        assert float(i11.coeff(sympy.cos(angle))) == pytest.approx(factor, rel=1e-14)
    assert i11.atoms(sympy.sin) == set()
