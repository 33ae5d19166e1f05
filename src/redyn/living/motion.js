// The motion of a robot in real time: Runge-Kutta steps of order four around the exported forward dynamics.
//
// As in the library, q-dot = coordinate_rates(q, qd); after each step quaternions are brought back to length 1 and loops
// are closed again by Newton's steps. Nothing here knows of a page, so that it runs in Node as well.

const STEP = 1e-3; // s: the longest step
const LANDING = 4; // steps after which the length of the next ones is found anew, where feet may touch the ground,
const JOLT = 0.02; // rad/s or m/s: a step whose end differs by more from what it was made with is taken in parts
const STABLE = 1.2; // longest step times the fastest decay; the method's own bound is 2.8
const SMOOTH = 0.5; // longest step times the highest frequency; the method's own bound is 2.8
const SHORTEST = 2e-6; // s
const NEAR = 1e-6; // rad/s and rad, at which slopes of friction and of stiffness are taken
const SEARCHES = [2, 12]; // least and most steps towards the fastest decay
const CLOSING = 4; // Newton's steps to close loops,
const SETTLED = 1e-13; // rad or m: until they are as short as that;
const WILD = 1e-2; // rad or m: longer ones are not taken
export const OMEGA = 8; // rad/s, and damping ratio of controllers, as a page opens
export const ZETA = 1;

/** How the joints are driven: the torque of the actuators, after the robot's own friction and springs. */
export const CONTROLS = [
  ["free", "No torque"],
  ["torque", "Torques by hand"],
  ["pd", "PD"],
  ["pdg", "PD + gravity"],
  ["computed", "Computed torque"],
];

/** The controls that a robot can have: `layout` as in coordinates.py. */
export function controlsOf({ actuators, plain, closed, rolling, elastic }) {
  const driven = actuators.filter(({ actuated }) => actuated);
  const held = driven.some(({ place }) => place !== null);
  const whole = plain && !closed && !rolling && driven.length === actuators.length && !elastic.modes.length && !elastic.gears.length;
  const grounded = rolling || closed || plain; // the weights of a floating base are not held by its joints
  const has = { free: true, torque: driven.length > 0, pd: held, pdg: held && grounded, computed: whole };
  return CONTROLS.filter(([key]) => has[key]);
}

/**
 * A robot with `operations` of its module. `layout` (coordinates.py) says how q, qd and tau are made; gains follow from
 * the inertia that each actuator moves: kp = omega^2 inertia, kd = 2 zeta omega inertia. `state`: t, q, qd, and the
 * control: control, target (as q), torque (as tau), omega, zeta.
 */
export function createMotion(operations, layout, parameters, start) {
  const { plain, quaternions, closed, rolling, independent, actuators } = layout;
  const ground = layout.ground ? Float64Array.from(layout.ground) : null;
  const [nq, n, m] = [start.q.length, start.qd.length, actuators.length];
  const make = (size = n) => new Float64Array(size);
  const state = {
    t: 0, q: Float64Array.from(start.q), qd: Float64Array.from(start.qd), control: start.control,
    target: Float64Array.from(start.q), torque: make(m), omega: OMEGA, zeta: ZETA,
  };
  const tau = make(m); // of the actuators
  const pulled = make(); // of a force that somebody applies by hand, as forces on the rates
  const four = (size) => [0, 1, 2, 3].map(() => make(size));
  const work = {
    tau: make(m), a: make(), q: make(nq), rate: make(nq), k: four(n), v: four(n), s: four(nq), more: make(),
    next: make(nq), faster: make(), up: make(), down: make(), still: make(), at: make(nq), G: make(n * independent.length),
  };
  const seen = { decay: null, stiff: null }; // directions in which motion is fastest, from the step before
  let pull = null; // (q, qd, pulled, compliance?) => nothing
  let pulling = false;

  const gains = () => ({
    kp: actuators.map(({ inertia, place, actuated }) => (actuated && place !== null ? state.omega ** 2 * inertia : 0)),
    kd: actuators.map(({ inertia, place, actuated }) => (actuated && place !== null ? 2 * state.zeta * state.omega * inertia : 0)),
  });

  /** out = q-dot. */
  function rates(q, qd, out) {
    if (plain) out.set(qd);
    else operations.coordinate_rates(q, qd, parameters, out);
    return out;
  }

  /** The torques of the actuators at a state; `speeds` is q-dot. */
  function drive(q, qd, speeds, out) {
    const { control, target, omega, zeta } = state;
    if (control === "free") return out.fill(0);
    if (control === "torque") {
      for (let i = 0; i < m; i += 1) out[i] = actuators[i].actuated ? state.torque[i] : 0;
      return out;
    }
    if (control === "computed") {
      for (let i = 0; i < n; i += 1) work.a[i] = omega * omega * (target[i] - q[i]) - 2 * zeta * omega * qd[i];
      operations.inverse_dynamics(q, qd, work.a, parameters, out);
      return out;
    }
    if (control === "pdg") operations.gravity_torque(q, parameters, out);
    else out.fill(0);
    for (let i = 0; i < m; i += 1) {
      const { actuated, place, inertia } = actuators[i];
      if (!actuated) out[i] = 0;
      else if (place !== null) out[i] += inertia * omega * (omega * (target[place] - q[place]) - 2 * zeta * speeds[place]);
    }
    return out;
  }

  function accelerate(q, qd, speeds, out) {
    drive(q, qd, speeds, work.tau);
    if (pulling && !rolling) for (let i = 0; i < n; i += 1) work.tau[i] += pulled[i];
    if (ground) operations.forward_dynamics_on_ground(q, qd, work.tau, ground, parameters, out);
    else operations.forward_dynamics(q, qd, work.tau, parameters, out);
    if (!pulling || !rolling) return;
    operations.solve(q, pulled, parameters, work.more); // a pull acts on the rates; torques on the actuators alone
    for (let i = 0; i < n; i += 1) out[i] += work.more[i];
  }

  /** Brings quaternions to length 1 and closes loops, in place. */
  function settle(q, qd) {
    normalise(q);
    if (!closed) return;
    for (let k = 0; k < CLOSING; k += 1) {
      operations.projection(q, qd, parameters, work.next, work.faster);
      let step = 0;
      for (let i = 0; i < nq; i += 1) step = Math.max(step, Math.abs(work.next[i] - q[i]));
      if (!(step <= WILD)) return;
      q.set(work.next);
      normalise(q);
      if (step >= SETTLED) continue;
      qd.set(work.faster);
      return;
    }
  }

  function normalise(q) {
    for (const i of quaternions) {
      const size = Math.sqrt(q[i] * q[i] + q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3]);
      for (let k = i; k < i + 4; k += 1) q[k] /= size;
    }
  }

  function step(h) {
    const { q, qd } = state;
    const { k, v, s } = work;
    for (let stage = 0; stage < 4; stage += 1) {
      const part = stage === 0 ? 0 : stage === 3 ? h : h / 2;
      const before = stage === 0 ? 0 : stage - 1;
      for (let i = 0; i < nq; i += 1) work.q[i] = stage === 0 ? q[i] : q[i] + part * s[before][i];
      for (let i = 0; i < n; i += 1) v[stage][i] = stage === 0 ? qd[i] : qd[i] + part * k[before][i];
      rates(work.q, v[stage], s[stage]);
      accelerate(work.q, v[stage], s[stage], k[stage]);
    }
    for (let i = 0; i < nq; i += 1) q[i] += (h / 6) * (s[0][i] + 2 * s[1][i] + 2 * s[2][i] + s[3][i]);
    for (let i = 0; i < n; i += 1) qd[i] += (h / 6) * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    settle(q, qd);
    state.t += h;
  }

  /** A step of h or, where a foot meets the ground in it, a shorter one; its length. */
  function land(h) {
    const { q, qd } = state;
    const [place, speed, { t }] = [Float64Array.from(q), Float64Array.from(qd), state];
    for (let part = h; ; part /= 4) {
      step(part);
      accelerate(q, qd, rates(q, qd, work.rate), work.more);
      let jolt = 0;
      for (let i = 0; i < n; i += 1) jolt = Math.max(jolt, (part / 6) * Math.abs(work.more[i] - work.k[3][i]));
      if (jolt <= JOLT || part < 4 * SHORTEST) return part;
      q.set(place);
      qd.set(speed);
      state.t = t;
    }
  }

  /** Rates of all, given the independent ones: those themselves, or G u where loops are closed. */
  function spread(u, out) {
    if (!closed) return out.set(u);
    const width = independent.length;
    for (let i = 0; i < n; i += 1) {
      out[i] = 0;
      for (let k = 0; k < width; k += 1) out[i] += work.G[i * width + k] * u[k];
    }
    return out;
  }

  /** Accelerations at rates `by` v, or at q moved by v. */
  function slope(v, by, place, out) {
    const { q } = state;
    work.at.set(q);
    work.still.fill(0);
    if (place) {
      rates(q, v, work.rate);
      for (let i = 0; i < nq; i += 1) work.at[i] += by * work.rate[i];
      normalise(work.at);
    } else for (let i = 0; i < n; i += 1) work.still[i] = by * v[i];
    rates(work.at, work.still, work.rate);
    if (pull) pull(work.at, work.still, pulled);
    accelerate(work.at, work.still, work.rate, out);
  }

  /**
   * The largest rate (or, of places, squared frequency) with which accelerations at rest answer to rates (places): power
   * iterations, which begin with the direction found before. Near rest, since friction is steepest there.
   */
  function fastest(kind) {
    const place = kind === "stiff";
    const width = independent.length;
    const u = seen[kind] ?? Float64Array.from({ length: width }, (_, k) => 1 + 0.37 * Math.sin(7 * k + 1));
    const v = make();
    let found = 0;
    for (let k = 0; k < SEARCHES[1]; k += 1) {
      spread(u, v);
      slope(v, NEAR, place, work.up);
      slope(v, -NEAR, place, work.down);
      let [size, before] = [0, 0];
      const answer = independent.map((i) => (work.down[i] - work.up[i]) / (2 * NEAR));
      for (let i = 0; i < width; i += 1) {
        size = Math.max(size, Math.abs(answer[i]));
        before = Math.max(before, Math.abs(u[i]));
      }
      if (!(size > 1e-6 * before)) return Number.isFinite(size) ? found : NaN;
      const settled = Math.abs(size / before - found) < 0.1 * found;
      found = size / before;
      for (let i = 0; i < width; i += 1) u[i] = answer[i] / size;
      if (settled && k + 1 >= SEARCHES[0]) break;
    }
    seen[kind] = u.every(Number.isFinite) ? u : null;
    return found;
  }

  /** A step that is stable for the controller, for friction, springs, flexible links and a pull. */
  function longestStep() {
    if (closed) operations.transmission(state.q, parameters, work.G);
    const [decay, stiff] = [fastest("decay"), Math.sqrt(fastest("stiff"))];
    const bound = Math.min(STABLE / decay, SMOOTH / stiff);
    return bound >= 0 ? Math.max(Math.min(STEP, bound), SHORTEST) : STEP; // not a number: a singular state
  }

  /** Moves on by `seconds`, or less if `late()` says that there is no time left; returns the time moved. */
  function advance(seconds, late = () => false) {
    let left = seconds;
    for (let k = 0, h = 0; left > 0; k += 1) {
      if (k === 0 || (ground && k % LANDING === 0)) h = left / Math.ceil(left / longestStep());
      if (pull) pull(state.q, state.qd, pulled);
      if (ground) h = land(Math.min(h, left));
      else step(h);
      left = left - h > 1e-9 * seconds ? left - h : 0;
      if (k % 4 === 3 && late()) return seconds - left;
    }
    return seconds;
  }

  /** How much a force of 1 on each of the given directions (rows of n) moves along it, in all: their mobility. */
  function mobility(rows) {
    const { q } = state;
    const still = make();
    const speeds = rates(q, still, make(nq));
    const [kept, free, pushed] = [Float64Array.from(pulled), make(), make()];
    const was = pulling;
    pulling = true;
    pulled.fill(0);
    accelerate(q, still, speeds, free);
    let sum = 0;
    for (const row of rows) {
      pulled.set(row);
      accelerate(q, still, speeds, pushed);
      for (let i = 0; i < n; i += 1) sum += row[i] * (pushed[i] - free[i]);
    }
    pulled.set(kept);
    pulling = was;
    return sum;
  }

  return {
    state,
    advance,
    gains,
    parameters,
    longestStep,
    mobility,
    rates,
    settle,
    isFinite: () => state.q.every(Number.isFinite) && state.qd.every(Number.isFinite),
    /** Somebody pulls: a function of q, qd and the forces on the rates to write, or null. */
    setPull(next) {
      pull = next;
      pulling = Boolean(next);
      pulled.fill(0);
    },
    /** Everything about the present state, computed now. */
    now() {
      const { q, qd } = state;
      const [qdd, speeds] = [make(), rates(q, qd, make(nq))];
      if (pull) pull(q, qd, pulled);
      accelerate(q, qd, speeds, qdd);
      drive(q, qd, speeds, tau);
      return { q, qd, qdd, tau: Float64Array.from(tau), pulled: Float64Array.from(pulled) };
    },
  };
}
