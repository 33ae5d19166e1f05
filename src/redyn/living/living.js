// A living page: a robot whose dynamics run here. It puts the other modules together.

import { createMotion } from "./motion.js";
import { createPanels, createPlayer } from "./panels.js";
import { createPicture } from "./picture.js";
import { element } from "./player.js";
import { createPosing } from "./posing.js";
import { createLever, reachFor, springTo } from "./pull.js";
import * as robot from "./robot.js";
import { decode, encode } from "./share.js";
import { shade } from "./viewer.js";

const CATCH_UP = 0.1; // s of a frame that are made up for; a page that was hidden goes on where it stopped
const BUDGET = 11; // ms of a frame for the motion
const SAMPLE = 0.02; // s of motion between two points of curves, at most
const TEXTS = 100; // ms between two updates of numbers and sliders while the motion runs,
const CURVES = 50; // and of plots: eyes follow the robot, not digits
const [SLICE, WARM, SHORT] = [6, 600, 2e-3]; // ms at a time and in all, before somebody lets the robot go; s of motion
const NEAR = { mouse: 5, pen: 10, touch: 22 }; // px beside a link that count as on it
const NAMES = { coriolis_matrix_mci: "coriolis_matrix", coriolis_matrix_christoffel: "coriolis_matrix" }; // as a robot of the library has them
const VECTORS = ["q", "qd", "target", "torque"];
const byId = (id) => document.getElementById(id);

export async function start(three, _loadPlotly, data) {
  const root = document.documentElement;
  const { layout } = data;
  const parameters = Float64Array.from(robot.nominal_parameters);
  const names = robot.parameter_names;
  const motion = createMotion(robot.operations, layout, parameters, data.start);
  const { state } = motion;
  const posing = createPosing(robot.operations, layout, parameters, motion);
  const lever = createLever(robot.operations, parameters, layout, state.qd.length);
  const api = functions();
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let theme = dark.matches ? "dark" : "light";
  let running = false;
  let speed = 1;
  let drag = null; // { link, local, goal, through, away }
  let stamped = 0;
  let slow = 0; // share of real time, where the machine is too slow for it
  const written = { texts: 0, curves: 0 }; // when they were updated
  const pace = { frames: 0, script: 0, motion: 0, drawing: 0, longest: 0 }; // ms of our own code, and of WebGL's calls, in all

  const player = createPlayer(byId("player"), layout);
  const panels = createPanels(byId("plots"), data, api, {
    setCoordinate, setRate, setTorque, setGain, setParameter, setNominal: () => setParameters(robot.nominal_parameters), opened: () => show(),
  }, () => theme);
  const picture = createPicture(three, data, robot.operations, robot.nominal_parameters, parameters, (ms) => (pace.drawing += ms));
  const { viewer = null, trail = null } = picture ?? {};
  for (const [type, act] of [["pointerdown", grasp], ["pointermove", move], ["pointerup", letGo], ["pointercancel", letGo]]) {
    picture?.root.addEventListener(type, act, { capture: true });
  }

  // --- dragging -----------------------------------------------------------------------------------------------

  function grasp(event) {
    if (event.button > 0 || drag || !event.isPrimary) return;
    const hit = nearest(event.clientX, event.clientY, NEAR[event.pointerType] ?? NEAR.mouse);
    if (!hit) return;
    event.stopPropagation(); // not the camera
    event.preventDefault();
    picture.root.setPointerCapture(event.pointerId);
    const { position, target } = viewer.look();
    const away = position.map((x, k) => x - target[k]);
    drag = { link: hit.link, local: hit.local.toArray(), goal: hit.point.toArray(), through: hit.point.toArray(), away };
    if (running) motion.setPull(spring());
    picture.root.classList.add("dragging");
  }

  const spring = () => springTo(lever, motion, drag.link, drag.local, () => drag.goal, data.mass);

  /** What a pointer is on or, since links are thin and fingers are not, beside. */
  function nearest(x, y, within) {
    for (const radius of [0, within / 2, within]) {
      for (let k = 0; k < (radius ? 8 : 1); k += 1) {
        const angle = (k * Math.PI) / 4;
        const hit = viewer.pick(viewer.ray(x + radius * Math.cos(angle), y + radius * Math.sin(angle)));
        if (hit) return hit;
      }
    }
    return null;
  }

  function move(event) {
    if (!drag || !event.isPrimary) return;
    event.stopPropagation();
    const { origin, direction } = viewer.ray(event.clientX, event.clientY).ray;
    const [o, d] = [origin.toArray(), direction.toArray()];
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const t = dot(drag.away, drag.through.map((x, k) => x - o[k])) / dot(drag.away, d);
    drag.goal = o.map((x, k) => x + t * d[k]);
    if (running) return;
    reachFor(lever, posing, motion, drag, layout, data.coordinates, data.reach);
    state.qd.fill(0);
    state.target.set(state.q);
    stopped();
  }

  function letGo(event) {
    if (!drag || !event.isPrimary) return;
    event.stopPropagation();
    drag = null;
    motion.setPull(null);
    picture.root.classList.remove("dragging");
    show();
  }

  // --- what people do -----------------------------------------------------------------------------------------

  const controlled = () => ["pd", "pdg", "computed"].includes(state.control);
  const held = () => controlled() && running; // whether joint sliders are targets

  function setCoordinate(row, value) {
    if (held()) state.target[row.index] = value;
    else {
      posing.set(row, value);
      state.target.set(state.q);
    }
    stopped();
  }

  function setRate(i, value) {
    posing.setRate(i, value);
    stopped();
  }

  function setTorque(i, value) {
    state.torque[i] = value;
    show();
  }

  function setGain(which, value) {
    state[which] = value;
    show();
  }

  function setParameter(k, value) {
    parameters[k] = value;
    if (data.stretches.some(({ parameter }) => parameter === k)) picture?.reshape();
    show();
  }

  function setParameters(values) {
    parameters.set(values);
    picture?.reshape();
    show();
  }

  function setControl(value) {
    if (!controlled()) state.target.set(state.q); // it holds where it is
    state.control = value;
    player.control.value = value;
    show();
  }

  function setRunning(on) {
    running = on;
    slow = 0;
    player.play.textContent = on ? "❚❚ Pause" : "▶ Run";
    player.play.setAttribute("aria-pressed", String(on));
    motion.setPull(on && drag ? spring() : null);
    if (on) {
      byId("alarm").hidden = player.linkBox.hidden = true; // of a state that passes now
      requestAnimationFrame(first);
    }
    show();
  }

  function first(stamp) {
    stamped = stamp;
    requestAnimationFrame(frame);
  }

  /** After a state that is not a continuation: its curves begin anew. */
  function stopped() {
    if (!running) trail?.clear();
    show();
  }

  function frame(stamp) {
    if (!running) return;
    const seconds = Math.min((stamp - stamped) / 1000, CATCH_UP) * speed;
    stamped = stamp;
    if (seconds > 0) advance(seconds, BUDGET);
    if (running) requestAnimationFrame(frame); // after the redraw was asked for, which is then of this frame
  }

  function advance(seconds, budget = Infinity) {
    const began = performance.now();
    const before = VECTORS.map((key) => state[key].slice());
    const { t } = state;
    const parts = Math.ceil(seconds / SAMPLE); // of each, a point of the path and of the curves
    let [done, moving] = [0, 0];
    for (let k = 0; k < parts && performance.now() <= began + budget; k += 1) {
      const part = performance.now();
      done += motion.advance(seconds / parts, () => performance.now() > began + budget);
      moving += performance.now() - part;
      if (!motion.isFinite()) break;
      if (trail && running) trail.add(tipPoint());
      const now = motion.now();
      panels.record(state.t, now, posing.get, [api.kinetic_energy(now.q, now.qd), api.potential_energy(now.q)]);
    }
    if (!motion.isFinite()) {
      VECTORS.forEach((key, k) => state[key].set(before[k]));
      state.t = t;
      alarm("The motion has no finite continuation here. Choose other gains or numbers, or Reset.");
      setRunning(false);
      return;
    }
    slow += 0.05 * (done / seconds - (slow || 1)) + (slow ? 0 : 1);
    show(running);
    const spent = performance.now() - began;
    pace.frames += 1;
    pace.script += spent;
    pace.motion += moving;
    pace.longest = Math.max(pace.longest, spent);
  }

  function tipPoint() {
    const pose = robot.forward_kinematics(state.q, parameters);
    return [pose[0][3], pose[1][3], pose[2][3]];
  }

  function alarm(text) {
    byId("alarm").textContent = text;
    byId("alarm").hidden = !text;
  }

  function reset() {
    open(decode("", form));
    alarm("");
    panels.tables.reset();
    player.linkBox.hidden = true;
    history.replaceState(null, "", location.pathname + location.search);
  }

  // --- what is shown: always computed from the present state ---------------------------------------------------

  /** The robot, and beside it the numbers; while it moves on (`gently`) these only some times a second. */
  function show(gently = false) {
    const pulled = drag && running ? lever.at(state.q, drag.link, drag.local).x : null;
    picture?.draw(state.q, pulled, drag?.goal);
    const moment = performance.now();
    if (!gently || moment - written.texts > TEXTS) {
      written.texts = moment;
      player.clock.textContent = `${state.t.toFixed(2)} s${running && slow < 0.9 ? `, ${slow.toFixed(1)}× real time` : ""}`;
      panels.show(state, motion.now(), posing.get, parameters, held(), controlled() ? gainText() : "");
    }
    if (!gently || moment - written.curves > CURVES) {
      written.curves = moment;
      panels.strips.draw();
    }
  }

  function gainText() {
    if (state.control === "computed") return "τ = inverse dynamics of q̈ = ω²(target − q) − 2ζω q̇";
    const { kp, kd } = motion.gains();
    const list = (values) => values.filter(Boolean).map((x) => Number(x.toPrecision(3))).join(", ");
    return `τ = kp (target − q) − kd q̇${state.control === "pdg" ? " + γ(q)" : ""};  kp = ω² m: ${list(kp)};  kd = 2ζω m: ${list(kd)}`;
  }

  function setTheme(name) {
    theme = name;
    root.dataset.theme = name;
    viewer?.setTheme(name);
    for (const chip of document.querySelectorAll("[data-colour]")) chip.style.setProperty("--colour", shade(chip.dataset.colour, theme));
    show();
  }

  // --- links --------------------------------------------------------------------------------------------------

  const form = {
    names, nominal: robot.nominal_parameters, start: data.start, torques: data.torques.length,
    controls: [...player.control.options].map(({ value }) => value),
  };

  function address() {
    const hash = encode(state, parameters, form);
    return `${location.href.split("#")[0]}${hash ? `#${hash}` : ""}`;
  }

  async function share() {
    player.link.value = address();
    history.replaceState(null, "", player.link.value);
    player.linkBox.hidden = false;
    player.link.select();
    try {
      await navigator.clipboard.writeText(player.link.value);
      player.linkNote.textContent = "Copied:";
    } catch {
      player.linkNote.textContent = "Copy:";
    }
  }

  /** Shows a state that was shared, as `decode` gives it. */
  function open(found) {
    setRunning(false);
    for (const key of VECTORS) state[key].set(found[key]);
    Object.assign(state, { t: 0, control: found.control, omega: found.omega, zeta: found.zeta });
    player.control.value = state.control;
    const values = [...robot.nominal_parameters];
    for (const [k, value] of found.parameters) values[k] = value;
    panels.strips.clear();
    trail?.clear();
    setParameters(values);
  }

  function readAddress() {
    if (!location.hash) return;
    const found = decode(location.hash, form);
    open(found);
    alarm(found.errors.length ? `Not understood in the address: ${found.errors.join(", ").slice(0, 80)}` : "");
  }

  // --- the console --------------------------------------------------------------------------------------------

  /** The robot's functions; the last argument, its parameters, is by default what the sliders say. */
  function functions() {
    const made = {};
    for (const [name, { names: inputs }] of Object.entries(robot.signatures)) {
      made[NAMES[name] ?? name] = (...given) => robot[name](...given.slice(0, inputs.length - 1), given[inputs.length - 1] ?? parameters);
    }
    return made;
  }

  const list = (values) => Array.from(values);

  window.redyn = {
    ...api,
    name: data.scene.name,
    joint_names: robot.joint_names,
    velocity_names: data.rates.map(({ name }) => name),
    torque_names: data.torques.map(({ name }) => name),
    parameter_names: names,
    nominal_parameters: robot.nominal_parameters,
    compare: robot.compare,
    self_test: robot.self_test,
    /** The numbers of the sliders. */
    get parameters() { return list(parameters); },
    /** The state shown: t, q, qd, control, target, torque, omega, zeta, and the torques and accelerations there. */
    get state() {
      const now = motion.now();
      return { ...state, ...Object.fromEntries(VECTORS.map((key) => [key, list(state[key])])), tau: list(now.tau), qdd: list(now.qdd) };
    },
    /** Since the page opened: frames of motion, ms of its own code and of the integration in them, the longest; ms in WebGL's calls. */
    get pace() { return { ...pace }; },
    /** Sets some of q, qd, target, torque, control, omega, zeta, parameters. Loops are closed if they are not open far. */
    set({ parameters: values = null, ...rest }) {
      for (const [key, value] of Object.entries(rest)) {
        if (VECTORS.includes(key)) state[key].set(value);
        else if (key === "control") setControl(value);
        else state[key] = value;
      }
      if (rest.q || rest.qd) motion.settle(state.q, state.qd);
      if (values) setParameters(values);
      stopped();
    },
    /** Moves on by so many seconds at once. */
    advance: (seconds) => advance(seconds),
    /** Where a point of the world is in the window. */
    onScreen: (point) => viewer?.onScreen(point),
  };

  player.play.addEventListener("click", () => setRunning(!running));
  player.control.addEventListener("change", () => setControl(player.control.value));
  player.pace.addEventListener("change", () => (speed = Number(player.pace.value)));
  player.reset.addEventListener("click", reset);
  player.share.addEventListener("click", share);
  window.addEventListener("hashchange", readAddress);
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
  byId("theme").addEventListener("click", () => setTheme(theme === "dark" ? "light" : "dark"));
  document.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target.closest?.("input, select, button, summary, textarea")) return;
    event.preventDefault();
    setRunning(!running);
  });

  const found = robot.compare();
  const worst = Math.max(...found.map(({ error, tolerance }) => error / tolerance)) * 1e-11;
  const agrees = found.every((one) => one.agrees);
  const text = agrees ? `agrees with redyn here: ${worst.toExponential(0)}` : "differs from redyn in this browser";
  byId("notes").append(element("li", { "data-testid": "agrees", title: "Every function compared with results of the library, relative to the largest entry" }, text));
  player.control.value = state.control;
  setRunning(false);
  panels.tabs.open("joints");
  setTheme(theme);
  picture?.follow();
  readAddress();
  root.dataset.ready = "true";
  warm(createMotion(robot.operations, layout, parameters, data.start), () => running);
}

/** While nothing else happens, a motion that nobody sees: engines compile what has run often, and the first frames are smooth. */
function warm(motion, busy) {
  const later = window.requestIdleCallback ?? ((act) => setTimeout(() => act({ timeRemaining: () => 5 }), 50));
  let spent = 0;
  const go = (deadline) => {
    const began = performance.now();
    while (!busy() && motion.isFinite() && deadline.timeRemaining() > 1 && performance.now() < began + SLICE) motion.advance(SHORT);
    spent += performance.now() - began;
    if (spent < WARM && !busy() && motion.isFinite()) later(go);
  };
  later(go);
}
