"""Mode shapes of beams: exact roots, published numbers, finite elements for tapered ones."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import brentq

import redyn
from redyn.algebra import Vec3
from redyn.description.beams import Section
from redyn.model.beam import Load, with_modes

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "golden_flex.json").read_text())


def uniform(length=0.5, rho=0.2, EI=1.0, GJ=0.8, polar=1e-3):
    same = [np.array([[x, x]]) for x in (rho, EI, EI, GJ, polar)]
    return Section(np.array([0.0, length]), *same)


def modes(section, counts, load=None, stiffening=True):
    return with_modes("beam", section, counts, load or Load(), 0.01, stiffening, Vec3(0.0, 0.0, 0.0), ())


def exact_roots(count, M, J, D):
    """beta L of a clamped beam of unit mass, length and stiffness with a body at its tip: its boundary conditions."""

    def determinant(b):
        c, s, ch, sh = np.cos(b), np.sin(b), np.cosh(b), np.sinh(b)
        p, slope = np.array([ch - c, sh - s]), b * np.array([sh + s, ch - c])
        bend, shear = b**2 * np.array([ch + c, sh + s]), b**3 * np.array([sh - s, ch + c])
        rows = [bend - b**4 * (J * slope + D * p), shear + b**4 * (M * p + D * slope)]
        return np.linalg.det(np.array(rows) / np.cosh(b))

    places = np.arange(0.05, 40, 0.01)
    values = [determinant(b) for b in places]
    found = [k for k in range(len(places) - 1) if values[k] * values[k + 1] < 0][:count]
    return [brentq(determinant, places[k], places[k + 1], xtol=1e-14) for k in found]


@pytest.mark.parametrize("load", [(0, 0, 0), (1.0, 0.0, 0.0), (0.5, 0.2, 0.1), (12.0, 5.353, 0.0), (0.3, 0.4, -0.2)])
def test_frequencies_of_uniform_beams(load):
    unit = uniform(1.0, 1.0, 1.0)
    M, J, D = load
    beam = modes(unit, (5, 0, 0), Load(M, D, (0.0, J, J))).beam
    np.testing.assert_allclose(np.sqrt(beam.curves.y.frequencies), exact_roots(5, M, J, D), rtol=1e-11)


def test_torsion():
    """Free at the tip: sines of amplitude 1. With a body there: beta tan(beta) = Ip / J."""
    beam = modes(uniform(), (0, 0, 3)).beam
    speed = np.sqrt(0.8 / 1e-3)
    np.testing.assert_allclose(beam.curves.torsion.frequencies, speed * np.pi / 1.0 * np.array([1, 3, 5]), rtol=1e-12)
    x = np.linspace(0, 0.5, 7)
    np.testing.assert_allclose(beam.curves.torsion.at(x)[1], np.sin(3 * np.pi * x / 1.0), atol=1e-12)
    loaded = modes(uniform(), (0, 0, 1), Load(inertia=(2e-3, 0.0, 0.0))).beam
    root = brentq(lambda b: b * np.tan(b) - 0.25, 0.1, 1.5)
    np.testing.assert_allclose(loaded.curves.torsion.frequencies, speed * root / 0.5, rtol=1e-11)


def test_published_numbers():
    """De Luca and Siciliano (1991), to the digits that they print."""
    published = GOLDEN["de_luca_siciliano_modes"]["published"]
    robot = redyn.load("flexible-two-link")
    beams = [beam for _, beam in robot.model.beams]
    found = {
        "f": [f for beam in beams for f in beam.curves.y.frequencies / (2 * np.pi)],
        "phi_e": [x for beam in beams for x in beam.tip],
        "slope_e": [x for beam in beams for x in beam.slope],
        "v": [x for beam in beams for x in beam.S],
        "w": [x for beam in beams for x in beam.W],
    }
    for key, values in found.items():
        digits = 2 if key == "f" else 3
        assert [round(x, digits) for x in values] == published[key], key


def test_scale():
    """Modal mass with the load is the mass of the beam, and curvature is positive at the root."""
    load = Load(1.2, 0.1, (0.0, 0.13, 0.13))
    beam = modes(uniform(), (3, 0, 0), load).beam
    for k in range(3):
        phi, slope = beam.tip[k], beam.slope[k]
        total = beam.G[k][k] + 1.2 * phi**2 + 0.13 * slope**2 + 2 * 0.1 * phi * slope
        assert total == pytest.approx(0.1, rel=1e-12)
        assert beam.curves.y.at(np.zeros(1), 2)[k, 0] > 0


def finite_elements(section, EI, load, count=80, wanted=4):
    """Frequencies by cubic Hermite elements, whose integrals are taken at Gauss points."""
    edges = np.unique(np.concatenate([np.linspace(0, section.length, count + 1), section.stations]))
    size = 2 * len(edges)
    M, K = np.zeros((size, size)), np.zeros((size, size))
    nodes, weights = np.polynomial.legendre.leggauss(5)
    for k, (a, b) in enumerate(pairwise(edges)):
        h, s = b - a, (nodes + 1) / 2
        panel = np.searchsorted(section.stations, (a + b) / 2) - 1
        start, end = section.stations[panel : panel + 2]
        share = (a + h * s - start) / (end - start)
        rho, stiff = (v[panel, 0] + share * (v[panel, 1] - v[panel, 0]) for v in (section.rho_A, EI))
        shape = [1 - 3 * s**2 + 2 * s**3, h * (s - 2 * s**2 + s**3), 3 * s**2 - 2 * s**3, h * (s**3 - s**2)]
        bend = [(12 * s - 6) / h**2, (6 * s - 4) / h, (6 - 12 * s) / h**2, (6 * s - 2) / h]
        at = slice(2 * k, 2 * k + 4)
        for matrix, functions, density in ((M, np.array(shape), rho), (K, np.array(bend), stiff)):
            matrix[at, at] += (functions * (density * weights * h / 2)) @ functions.T
    M[-2:, -2:] += load
    return np.sqrt(eigh(K[2:, 2:], M[2:, 2:], eigvals_only=True)[:wanted])


def test_tapered_beams_against_finite_elements():
    rng = np.random.default_rng(0)
    stations = np.array([0.0, 0.2, 0.5, 0.7])
    rho, EI = rng.uniform(0.2, 1, (3, 2)), rng.uniform(1, 9, (3, 2))  # with steps at the stations
    section = Section(stations, rho, EI, EI, EI, rho * 1e-3)
    load = Load(0.3, 0.02, (0.0, 0.004, 0.004))
    found = modes(section, (4, 0, 0), load).beam.curves.y.frequencies
    body = np.array([[0.3, 0.02], [0.02, 0.004]])
    np.testing.assert_allclose(found, finite_elements(section, EI, body), rtol=1e-5)


def test_stiffness_is_what_frequencies_say():
    beam, stiffness, damping = modes(uniform(), (3, 2, 1), Load(0.1, 0.0, (1e-4, 5e-4, 5e-4)))
    curves = beam.curves
    for found, shapes, mass in ((stiffness[:3], curves.y, 0.1), (stiffness[3:5], curves.z, 0.1)):
        np.testing.assert_allclose(found, shapes.frequencies**2 * mass, rtol=1e-11)
    bare = [beam.G[k][k] for k in range(5)] + [beam.TT[0][0]]
    np.testing.assert_allclose(damping, 0.02 * np.sqrt(np.array(stiffness) * bare), rtol=1e-13)


def test_static_weight():
    """More modes come nearer to rho g L^4 / 8 EI: the truth has the ratios."""
    for count, ratio in GOLDEN["static_weight_ratio_to_rhoA_g_L4_8EI"].items():
        beam = {
            "rho_A": 0.2,
            "EI": 1.0,
            "modes": [int(count), 0, 0],
            "load": "none",
            "length": 0.5,
            "stiffening": False,
        }
        links = [{"joint": "fixed", "flexible": beam}]
        robot = redyn.load({"name": "shelf", "convention": "frames", "gravity": [0, -1e-3, 0], "links": links})
        q = robot.sag(robot.neutral())
        sunk = -robot.forward_kinematics(q)[1, 3]
        assert sunk / (0.2e-3 * 0.5**4 / 8) == pytest.approx(ratio, rel=1e-6)
