// The motion of a robot in real time: Runge-Kutta steps of order four around the exported forward dynamics.
//
// Nothing here knows of a page, so that it runs in Node as well.

const STEP = 1e-3; // s: the longest step
const STABLE = 1.2; // longest step times the fastest decay; the method's own bound is 2.8
const SHORTEST = 2e-6; // s
const NEAR = 1e-6; // rad/s, at which the slope of friction is taken
export const OMEGA = 8; // rad/s, and damping ratio of controllers, as a page opens
export const ZETA = 1;

/** How the joints are driven: the torque of the actuators, after the robot's own friction and springs. */
export const CONTROLS = [
  ["free", "No torque: falls"],
  ["pd", "PD"],
  ["pdg", "PD + gravity"],
  ["computed", "Computed torque"],
];

/**
 * A robot with `operations` of its module, n joints and the inertia that each of them moves, from which gains are made:
 * kp = omega^2 inertia, kd = 2 zeta omega inertia. `state`: t, q, qd, and the control: control, target, omega, zeta.
 */
export function createMotion(operations, inertias, parameters, start) {
  const n = inertias.length;
  const make = () => new Float64Array(n);
  const state = { t: 0, q: Float64Array.from(start), qd: make(), control: "free", target: Float64Array.from(start), omega: OMEGA, zeta: ZETA };
  const tau = make(); // of the actuators
  const pulled = make(); // of a force that somebody applies by hand
  const work = { tau: make(), a: make(), q: make(), qd: make(), k: [make(), make(), make(), make()], v: [make(), make(), make(), make()] };
  const mass = new Float64Array(n * n);
  let pull = null; // (q, qd, pulled) => its fastest decay, 1/s

  const gains = () => ({
    kp: inertias.map((m) => state.omega ** 2 * m),
    kd: inertias.map((m) => 2 * state.zeta * state.omega * m),
  });

  /** The torques of the actuators at a state. */
  function drive(q, qd, out) {
    const { control, target, omega, zeta } = state;
    if (control === "free") return out.fill(0);
    if (control === "computed") {
      for (let i = 0; i < n; i += 1) work.a[i] = omega * omega * (target[i] - q[i]) - 2 * zeta * omega * qd[i];
      operations.inverse_dynamics(q, qd, work.a, parameters, out);
      return out;
    }
    if (control === "pdg") operations.gravity_torque(q, parameters, out);
    else out.fill(0);
    for (let i = 0; i < n; i += 1) {
      out[i] += inertias[i] * omega * (omega * (target[i] - q[i]) - 2 * zeta * qd[i]);
    }
    return out;
  }

  function accelerate(q, qd, out) {
    drive(q, qd, work.tau);
    for (let i = 0; i < n; i += 1) work.tau[i] += pulled[i];
    operations.forward_dynamics(q, qd, work.tau, parameters, out);
  }

  function step(h) {
    const { q, qd } = state;
    const { k, v } = work;
    for (let stage = 0; stage < 4; stage += 1) {
      const part = stage === 0 ? 0 : stage === 3 ? h : h / 2;
      const [slope, speed] = stage === 0 ? [k[0], v[0]] : [k[stage - 1], v[stage - 1]];
      for (let i = 0; i < n; i += 1) {
        work.q[i] = stage === 0 ? q[i] : q[i] + part * speed[i];
        v[stage][i] = stage === 0 ? qd[i] : qd[i] + part * slope[i];
      }
      accelerate(work.q, v[stage], k[stage]);
    }
    for (let i = 0; i < n; i += 1) {
      q[i] += (h / 6) * (v[0][i] + 2 * v[1][i] + 2 * v[2][i] + v[3][i]);
      qd[i] += (h / 6) * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
    state.t += h;
  }

  /** A step that is stable for the controller, for friction and for a pull: decay rates are traces of M^-1 D. */
  function longestStep() {
    operations.mass_matrix(state.q, parameters, mass);
    const mobility = inverseDiagonal(mass, n);
    const [plus, minus] = [work.tau, work.a];
    operations.friction_torque(work.q.fill(NEAR), parameters, plus);
    operations.friction_torque(work.q.fill(-NEAR), parameters, minus);
    const held = state.control === "pd" || state.control === "pdg";
    let [decay, stiff] = [state.control === "computed" ? 2 * state.zeta * state.omega : 0, 0];
    for (let i = 0; i < n; i += 1) {
      const damping = (plus[i] - minus[i]) / (2 * NEAR) + (held ? 2 * state.zeta * state.omega * inertias[i] : 0);
      decay += mobility[i] * damping;
      stiff += held ? mobility[i] * state.omega ** 2 * inertias[i] : 0;
    }
    if (pull) decay += pull(state.q, state.qd, pulled, mobility);
    const fastest = Math.max(decay, 4 * Math.sqrt(stiff));
    return fastest >= 0 ? Math.max(Math.min(STEP, STABLE / fastest), SHORTEST) : STEP; // not a number: a singular state
  }

  /** Moves on by `seconds`, or less if `late()` says that there is no time left; returns the time moved. */
  function advance(seconds, late = () => false) {
    const count = Math.max(1, Math.ceil(seconds / longestStep()));
    const h = seconds / count;
    for (let k = 0; k < count; k += 1) {
      if (pull) pull(state.q, state.qd, pulled);
      step(h);
      if (k % 16 === 15 && late()) return (k + 1) * h;
    }
    return seconds;
  }

  return {
    state,
    advance,
    gains,
    parameters,
    longestStep,
    isFinite: () => state.q.every(Number.isFinite) && state.qd.every(Number.isFinite),
    /** Somebody pulls: a function of q, qd and the torques to write, or null. */
    setPull(next) {
      pull = next;
      pulled.fill(0);
    },
    /** Everything about the present state, computed now. */
    now() {
      const { q, qd } = state;
      const qdd = make();
      if (pull) pull(q, qd, pulled);
      accelerate(q, qd, qdd);
      drive(q, qd, tau);
      return { q, qd, qdd, tau: Float64Array.from(tau), pulled: Float64Array.from(pulled) };
    },
  };
}

/** The diagonal of the inverse of a positive definite matrix, by Cholesky's factor. */
export function inverseDiagonal(matrix, n) {
  const L = Float64Array.from(matrix);
  for (let j = 0; j < n; j += 1) {
    for (let i = j; i < n; i += 1) {
      let sum = L[i * n + j];
      for (let k = 0; k < j; k += 1) sum -= L[i * n + k] * L[j * n + k];
      L[i * n + j] = i === j ? Math.sqrt(sum) : sum / L[j * n + j];
    }
  }
  return Array.from({ length: n }, (_, column) => { // squares of a column of L^-1
    const x = new Float64Array(n);
    let total = 0;
    for (let i = column; i < n; i += 1) {
      let sum = i === column ? 1 : 0;
      for (let k = column; k < i; k += 1) sum -= L[i * n + k] * x[k];
      x[i] = sum / L[i * n + i];
      total += x[i] * x[i];
    }
    return total;
  });
}
