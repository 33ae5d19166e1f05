// Dragging a link: poses the robot while it stands still, and pulls by a spring while it moves.

const SOFT = 10; // rad/s: of the whole robot's mass on the spring
const DAMPED = 0.5;
const FASTEST = 1500; // 1/s: damping is less where a light link would otherwise need very short steps
const TRIES = 8; // steps towards the pointer each time that it moves
const LAMBDA = 0.03; // of the reach: how far from a singular position steps become short

/**
 * What dragging needs of the robot: where a point of a link is, and how it moves with each rate. `movers` has the rates
 * that move each link, n is the number of all, `bodies` that of links.
 */
export function createLever(operations, parameters, { movers }, n) {
  const bodies = movers.length;
  const [poses, twists, unit] = [new Float64Array(16 * bodies), new Float64Array(6 * bodies), new Float64Array(n)];

  /** { x, J } of a point of a link: its place, and three rows of its velocity per unit of each rate. */
  function at(q, link, local) {
    const J = [0, 1, 2].map(() => new Float64Array(n));
    const T = 16 * (link - 1);
    operations.link_poses(q, parameters, poses);
    const r = [0, 4, 8].map((row) => poses[T + row] * local[0] + poses[T + row + 1] * local[1] + poses[T + row + 2] * local[2]);
    const x = r.map((value, k) => value + poses[T + 4 * k + 3]);
    for (const i of movers[link - 1]) {
      unit.fill(0);
      unit[i] = 1;
      operations.link_twists(q, unit, parameters, poses, twists);
      const [a, b, c, u, v, w] = twists.subarray(6 * (link - 1), 6 * link);
      J[0][i] = u + b * r[2] - c * r[1];
      J[1][i] = v + c * r[0] - a * r[2];
      J[2][i] = w + a * r[1] - b * r[0];
    }
    return { x, J };
  }

  return { at, poses };
}

/** The robot moved so that the point comes near `goal`: damped least squares, within the joints' limits. */
export function reachFor(lever, posing, { state }, { link, local, goal }, layout, rows, reach) {
  const limits = rows.filter(({ limited }) => limited);
  for (let k = 0; k < TRIES; k += 1) {
    const { x, J } = lever.at(state.q, link, local);
    const e = goal.map((value, i) => value - x[i]);
    const size = Math.hypot(...e);
    if (size < 1e-6 * reach) return;
    const cut = Math.min(1, (0.25 * reach) / size);
    const damp = (LAMBDA * reach) ** 2;
    const columns = posing.directions().map((v, j) => J.map((row) => (layout.posed[layout.independent[j]] ? row.reduce((sum, y, i) => sum + y * v[i], 0) : 0)));
    const A = [0, 1, 2].map((r) => [0, 1, 2].map((c) => columns.reduce((sum, column) => sum + column[r] * column[c], r === c ? damp : 0)));
    const y = solve3(A, e.map((value) => value * cut));
    const before = Float64Array.from(state.q);
    if (!posing.move(columns.map((column) => column[0] * y[0] + column[1] * y[1] + column[2] * y[2]))) return;
    if (layout.closed) continue; // limits would open the loops
    for (const { index, low, high } of limits) {
      state.q[index] = Math.min(Math.max(state.q[index], Math.min(low, before[index])), Math.max(high, before[index]));
    }
  }
}

/** The pull of a spring and damper between a point and `goal()`: see setPull of motion.js. */
export function springTo(lever, motion, link, local, goal, mass) {
  const k = mass * SOFT * SOFT;
  const { J } = lever.at(motion.state.q, link, local);
  const light = motion.mobility(J);
  const c = light > 0 ? Math.min(2 * DAMPED * mass * SOFT, FASTEST / light) : 2 * DAMPED * mass * SOFT;
  return (q, qd, forces) => {
    const { x, J: rows } = lever.at(q, link, local);
    const to = goal();
    const f = rows.map((row, r) => k * (to[r] - x[r]) - c * row.reduce((sum, y, i) => sum + y * qd[i], 0));
    for (let i = 0; i < forces.length; i += 1) forces[i] = rows[0][i] * f[0] + rows[1][i] * f[1] + rows[2][i] * f[2];
  };
}

function solve3(A, b) {
  const det = (m) =>
    m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
    m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
    m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  const whole = det(A);
  return [0, 1, 2].map((c) => det(A.map((row, r) => row.map((value, k) => (k === c ? b[r] : value)))) / whole);
}
