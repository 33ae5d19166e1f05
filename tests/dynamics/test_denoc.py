"""The dense view agrees with the recursions and with the identities of the book, on trees as on chains."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redyn
from random_robots import close, on_floats, random_state, trees

seeds = st.integers(0, 10**9)


@given(trees, seeds)
def test_dense_matrices_equal_the_recursions(data, seed):
    robot = on_floats(redyn.load(data, friction=False))
    q, qd, qdd = random_state(robot, seed)
    view = robot.denoc(q, qd, qdd)
    condition = np.linalg.cond(view.GIM)
    close(view.GIM, robot.mass_matrix(q))  # N^T M N = GIM
    close(view.MCI, robot.coriolis_matrix(q, qd))  # element by element, (9.10b)
    close(view.VCI, robot.coriolis_vector(q, qd))
    rotors = np.array([link.joint.armature for link in robot.model.links]) * qdd
    close(view.tau + rotors, robot.inverse_dynamics(q, qd, qdd))
    U, D = robot.udu(q)
    close(view.U, U, condition)
    close(view.D, D, condition)
    close(view.N.T @ view.w_C, np.zeros(robot.dof), max(1.0, np.abs(view.w_C).max()))  # (9.9b)


@given(trees, seeds)
def test_analytical_expressions(data, seed):
    robot = on_floats(redyn.load(data))
    q, qd, qdd = random_state(robot, seed)
    view = robot.denoc(q, qd, qdd)
    n = range(1, robot.dof + 1)
    close([[view.gim_element(i, j) for j in n] for i in n], view.GIM)  # (9.15b)
    close([[view.mci_element(i, j) for j in n] for i in n], view.MCI)  # (9.16k)
    close(view.m_tilde, view.M_tilde_i[:, 3, 3])  # (9.14a)
    close(view.delta_tilde, view.M_tilde_i[:, [5, 3, 4], [1, 2, 0]])  # (9.14b) in (9.12c)
    close(view.I_tilde, view.M_tilde_i[:, :3, :3])  # (9.14c)
    for i in n:
        composite = sum(view.B(k, i).T @ view.M_i[k - 1] @ view.B(k, i) for k in n if view.carries(i, k))
        close(view.M_tilde_i[i - 1], composite)  # (9.11c), corrected
        for j in n:
            if view.carries(j, i):
                close(
                    view.M_tilde[6 * i - 6 : 6 * i, 6 * j - 6 : 6 * j], view.M_tilde_i[i - 1] @ view.B(i, j)
                )  # (9.11b)
                close(view.M_tilde_l[6 * i - 6 : 6 * i, 6 * j - 6 : 6 * j], view.H_tilde(i, j)) if i != j else None
                close(
                    view.M_tilde_e[6 * i - 6 : 6 * i, 6 * j - 6 : 6 * j], view.M_tilde_prime_i[i - 1] @ view.B(i, j)
                )  # (9.16i)
    close(view.N_d.T @ (view.M_tilde_l + view.M_tilde_omega + view.M_tilde_e) @ view.N_d, view.MCI)  # (9.16a)
    close(view.N_d.T @ view.w_tilde_prime, view.VCI)  # (9.17)
    close(view.t_prime, view.N_dot @ view.qd)
    close(view.N_d.T @ view.w_tilde_E, view.N.T @ view.w)  # (9.20), (9.9b)
    close(view.t_dot, view.N @ qdd + view.t_prime)


@given(trees, seeds)
def test_reverse_gaussian_elimination(data, seed):
    """Saha 2003, Appendix B: every E_k clears column k above the diagonal; E = E_2 ... E_n, U = E^-1, L_2 = D U^T."""
    robot = on_floats(redyn.load(data))
    q, qd, _ = random_state(robot, seed)
    view = robot.denoc(q, qd)
    n, scale = robot.dof, np.linalg.cond(view.GIM)
    E, L = np.eye(n), view.GIM
    for step in view.elimination:
        E = step.E @ E
        L = step.L
        close(L[: step.k - 1, step.k - 1], np.zeros(step.k - 1), scale)
        lam = np.eye(n)[step.k - 1]
        close(step.E, np.eye(n) - np.outer(step.alpha, lam))  # (20)
        close(np.linalg.inv(step.E), np.eye(n) + np.outer(step.alpha, lam))  # (8)
    close(E @ view.GIM, L, scale)  # (7)
    close(np.linalg.inv(E), view.U, scale)  # (9)
    close(L, np.diag(view.D) @ view.U.T, scale)  # (10)
    for i in range(1, n + 1):
        close(view.psi_hat[i - 1], view.M_hat_i[i - 1] @ view.p[i - 1])  # (26)
        dyad = np.outer(view.psi_hat[i - 1], view.psi[i - 1])
        close(view.M_bar_i[i - 1], view.M_hat_i[i - 1] - dyad)  # (28)


def test_vectors_of_the_book_for_a_dh_chain():
    """c_{i,i-1} = -d_i - r_{i-1}; r_i in frame i+1 is the table's; B_ij B_jk = B_ik, B_ii = 1 (9.5a)."""
    robot = redyn.load("stanford")
    q, qd, _ = random_state(robot, 4)
    view = robot.denoc(q, qd)
    for i, link in enumerate(robot.description.links, start=1):
        R = robot.forward_kinematics(q, i)[:3, :3]
        close(R.T @ view.r[i - 1], link.r)
        if i > 1:
            close(view.c(i, i - 1), -view.d[i - 1] - view.r[i - 2])
    close(view.B(6, 4) @ view.B(4, 2), view.B(6, 2))
    close(view.B(3, 3), np.eye(6))
    # (9.32) link by link, with the e b_dot that the printed d_dot lacks
    for i in range(2, 7):
        close(view.t_i(i), view.B(i, i - 1) @ view.t_i(i - 1) + view.p[i - 1] * qd[i - 1])
        slides = view.e[i - 1] * qd[i - 1] if robot.model.links[i - 1].joint.kind == "prismatic" else 0.0
        r_dot = np.cross(view.t_i(i - 1)[:3], view.r[i - 2])
        d_dot = np.cross(view.t_i(i)[:3], view.d[i - 1]) + slides
        lower = view.B_dot(i, i - 1)[3:, :3]
        close(np.array([lower[2, 1], lower[0, 2], lower[1, 0]]), -(r_dot + d_dot))  # (9.16d), corrected


def test_errata_bite():
    """The printed (9.41a), psi_hat for psi, does not solve the equations; the corrected one does."""
    robot = redyn.load("puma")
    q, _, phi = random_state(robot, 1)
    view = robot.denoc(q)
    x = np.linalg.solve(view.GIM, phi)
    mu = view.B(2, 1) @ (view.p[0] * x[0])
    phi_hat = np.linalg.solve(view.U, phi)
    close(phi_hat[1] / view.m_hat[1] - view.psi[1] @ mu, x[1])
    assert abs(phi_hat[1] / view.m_hat[1] - view.psi_hat[1] @ mu - x[1]) > 0.05


def test_prints_well():
    text = str(redyn.load("two-link").denoc([0.3, 0.4], [1, 2], [0, 1]))
    for piece in ("e_i", "d_i", "r_i", "p_i", "GIM", "MCI", "VCI", "D = diag"):
        assert piece in text
    assert max(len(line) for line in text.splitlines()) <= 120
    assert "moves no inertia" in str(redyn.load("kuka-kr5-printed").denoc(np.zeros(6)))


def test_takes_one_state():
    with pytest.raises(redyn.InputError, match="one state"):
        redyn.load("two-link").denoc(np.zeros((3, 2)))
