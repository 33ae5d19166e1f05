// Dragging a link: poses the robot while it stands still, and pulls by a spring while it moves.

const SOFT = 10; // rad/s: of the whole robot's mass on the spring
const DAMPED = 0.5;
const FASTEST = 1500; // 1/s: damping is less where a light link would otherwise need very short steps
const TRIES = 8; // steps towards the pointer each time that it moves
const LAMBDA = 0.03; // of the reach: how far from a singular position steps become short

/**
 * What dragging needs of the robot: where a point of a link is, and how it moves with each joint. `joints` have the axis
 * and point of each joint on its link, `turn` and `slide`: how far it turns and moves it per unit of q.
 */
export function createLever(operations, parameters, parents, joints, scene, n) {
  const poses = new Float64Array(16 * n);
  const apply = (link, v, w) => {
    const T = 16 * (link - 1);
    return [0, 4, 8].map((r) => poses[T + r] * v[0] + poses[T + r + 1] * v[1] + poses[T + r + 2] * v[2] + w * poses[T + r + 3]);
  };

  /** { x, J } of a point of a link: its place, and a column of velocities per unit rate of each joint. */
  function at(q, link, local) {
    operations.link_poses(q, parameters, poses);
    const x = apply(link, local, 1);
    const J = joints.map(() => [0, 0, 0]);
    for (let body = link; body > 0; body = parents[body - 1]) {
      const { turn, slide } = joints[body - 1];
      const place = scene().joints[body - 1];
      const [a, o] = [apply(body, place.axis, 0), apply(body, place.point, 1)];
      const r = x.map((value, k) => value - o[k]);
      const across = [a[1] * r[2] - a[2] * r[1], a[2] * r[0] - a[0] * r[2], a[0] * r[1] - a[1] * r[0]];
      J[body - 1] = across.map((value, k) => turn * value + slide * a[k]);
    }
    return { x, J };
  }

  return { at, poses };
}

/** q moved so that the point comes near `goal`: damped least squares, in place, within the joints' limits. */
export function reachFor(lever, q, link, local, goal, joints, reach) {
  for (let k = 0; k < TRIES; k += 1) {
    const { x, J } = lever.at(q, link, local);
    const e = goal.map((value, i) => value - x[i]);
    const size = Math.hypot(...e);
    if (size < 1e-6 * reach) return;
    const cut = Math.min(1, (0.25 * reach) / size);
    const damp = (LAMBDA * reach) ** 2;
    const A = [0, 1, 2].map((r) => [0, 1, 2].map((c) => J.reduce((sum, column) => sum + column[r] * column[c], r === c ? damp : 0)));
    const y = solve3(A, e.map((value) => value * cut));
    J.forEach((column, i) => {
      const next = q[i] + column[0] * y[0] + column[1] * y[1] + column[2] * y[2];
      const { limited, low, high } = joints[i];
      q[i] = limited ? Math.min(Math.max(next, Math.min(low, q[i])), Math.max(high, q[i])) : next;
    });
  }
}

/** The pull of a spring and damper between a point and `goal()`: see setPull of motion.js. */
export function springTo(lever, link, local, goal, mass) {
  const k = mass * SOFT * SOFT;
  let c = 2 * DAMPED * mass * SOFT;
  return (q, qd, torques, mobility = null) => {
    const { x, J } = lever.at(q, link, local);
    const light = mobility ? J.reduce((sum, column, i) => sum + mobility[i] * (column[0] ** 2 + column[1] ** 2 + column[2] ** 2), 0) : 0;
    if (light > 0) c = Math.min(2 * DAMPED * mass * SOFT, FASTEST / light);
    const to = goal();
    const v = [0, 1, 2].map((r) => J.reduce((sum, column, i) => sum + column[r] * qd[i], 0));
    const f = to.map((value, r) => k * (value - x[r]) - c * v[r]);
    J.forEach((column, i) => (torques[i] = column[0] * f[0] + column[1] * f[1] + column[2] * f[2]));
    return c * light + 2 * Math.sqrt(k * light);
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
