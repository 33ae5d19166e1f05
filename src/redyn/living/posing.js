// Putting a robot into another position by hand: moving along rates, setting one coordinate, angles of quaternions.

const PART = 0.05; // rad or m: longer moves of closed loops are made in parts
const TRIES = 12;
const CLOSED = 1e-9; // rad or m: loops that are further open are not closed

/** `layout` as in coordinates.py; `motion` of motion.js. Everything works on the state of the motion, which is at rest then. */
export function createPosing(operations, layout, parameters, motion) {
  const { closed, independent } = layout;
  const { state } = motion;
  const [nq, n] = [state.q.length, state.qd.length];
  const width = independent.length;
  const [G, v, speeds] = [new Float64Array(n * width), new Float64Array(n), new Float64Array(nq)];
  const error = new Float64Array(layout.rows);

  /** Directions in which the robot can move: for each independent rate, all rates that go with it. */
  function directions() {
    if (closed) operations.transmission(state.q, parameters, G);
    return independent.map((_, k) => Float64Array.from({ length: n }, (__, i) => (closed ? G[i * width + k] : Number(i === k))));
  }

  /** How far loops are open. */
  function open() {
    if (!closed) return 0;
    operations.loop_error(state.q, parameters, error);
    return error.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  }

  /** Moves by the independent displacements u; whether the loops could be kept closed, else it stays where it was. */
  function move(u) {
    const before = Float64Array.from(state.q);
    const most = u.reduce((size, x) => Math.max(size, Math.abs(x)), 0);
    const parts = closed ? Math.max(1, Math.ceil(most / PART)) : 1;
    for (let k = 0; k < parts; k += 1) {
      v.fill(0);
      directions().forEach((row, j) => row.forEach((x, i) => (v[i] += (x * u[j]) / parts)));
      motion.rates(state.q, v, speeds);
      for (let i = 0; i < nq; i += 1) state.q[i] += speeds[i];
      state.qd.fill(0);
      motion.settle(state.q, state.qd);
    }
    if (state.q.every(Number.isFinite) && open() < CLOSED) return true;
    state.q.set(before);
    return false;
  }

  /** Sets a coordinate (a row of coordinates.py). Where loops are closed, everything moves along as far as it can. */
  function set(row, value) {
    state.qd.fill(0);
    if (row.kind === "turn") return turn(state.q, row, value);
    if (!closed) {
      state.q[row.index] = value;
      return;
    }
    for (let k = 0; k < TRIES && Math.abs(value - state.q[row.index]) > 1e-12; k += 1) {
      const along = directions().map((all) => all[row.rate]);
      const size = along.reduce((sum, x) => sum + x * x, 0);
      const by = Math.max(-4 * PART, Math.min(4 * PART, value - state.q[row.index]));
      if (!(size > 1e-6) || !move(along.map((x) => (x * by) / size))) return; // as far as it goes
    }
  }

  /** Sets an independent rate; where loops are closed, the others follow. */
  function setRate(i, value) {
    state.qd[i] = value;
    if (!closed) return;
    const u = independent.map((k) => state.qd[k]);
    state.qd.fill(0);
    directions().forEach((row, j) => row.forEach((x, k) => (state.qd[k] += x * u[j])));
  }

  return { directions, move, set, setRate, get: (row) => (row.kind === "turn" ? angles(state.q, row.index)[row.axis] : state.q[row.index]) };
}

/** Roll, pitch and yaw of a quaternion x y z w that begins at `i`: R = Rz(yaw) Ry(pitch) Rx(roll). */
export function angles(q, i) {
  const [x, y, z, w] = q.subarray(i, i + 4);
  return [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x)))),
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ];
}

/** Changes one of these angles. */
export function turn(q, { index, axis }, value) {
  const all = angles(q, index);
  all[axis] = value;
  const [[a, b, c], [r, p, y]] = [all.map((x) => Math.sin(x / 2)), all.map((x) => Math.cos(x / 2))];
  q.set([a * p * y - r * b * c, r * b * y + a * p * c, r * p * c - a * b * y, r * p * y + a * b * c], index);
}
