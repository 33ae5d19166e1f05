// A living page: a robot whose dynamics run here. It puts the other modules together.

import { createRow, createTabs } from "./controls.js";
import { CONTROLS, createMotion, OMEGA, ZETA } from "./motion.js";
import { element } from "./player.js";
import { createLever, reachFor, springTo } from "./pull.js";
import * as robot from "./robot.js";
import { decode, encode } from "./share.js";
import { createStrips } from "./strips.js";
import { createTables } from "./tables.js";
import { createDevice, createViewer, shade } from "./viewer.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2];
const CATCH_UP = 0.1; // s of a frame that are made up for; a page that was hidden goes on where it stopped
const BUDGET = 11; // ms of a frame for the motion
const NEAR = { mouse: 5, pen: 10, touch: 22 }; // px beside a link that count as on it
const TRAIL = 600; // points of the path of the end effector
const SWITCHES = [["meshes", "Meshes"], ["axes", "Joint axes"], ["frames", "Frames"], ["masses", "Mass centres"]];
const NAMES = { coriolis_matrix_mci: "coriolis_matrix" }; // of the module's functions, as a robot of the library has them
const byId = (id) => document.getElementById(id);

export async function start({ THREE, OrbitControls }, _loadPlotly, data) {
  const root = document.documentElement;
  const { joints } = data;
  const n = joints.length;
  const parameters = Float64Array.from(robot.nominal_parameters);
  const names = robot.parameter_names;
  const motion = createMotion(robot.operations, data.inertias, parameters, data.start);
  const { state } = motion;
  const scene = structuredClone(data.scene); // with the present lengths
  const lever = createLever(robot.operations, parameters, data.parents, joints, () => scene, n);
  const api = functions();
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let theme = dark.matches ? "dark" : "light";
  let running = false;
  let speed = 1;
  let drag = null; // { link, local, goal, point }
  let stamped = 0;
  let slow = 0; // share of real time, where the machine is too slow for it
  let opened = "joints";

  // --- panels -------------------------------------------------------------------------------------------------

  const ask = (tag, attributes, ...children) => element(tag, attributes, ...children);
  const play = ask("button", { type: "button", class: "run", "data-testid": "run" });
  const control = ask("select", { "aria-label": "Torques of the actuators", title: "Torques of the actuators", "data-testid": "control" },
    ...CONTROLS.map(([value, text]) => ask("option", { value }, text)));
  const pace = ask("select", { "aria-label": "Speed", title: "Speed", "data-testid": "speed" },
    ...SPEEDS.map((s) => ask("option", s === 1 ? { value: s, selected: "" } : { value: s }, `${s}×`)));
  const clock = ask("output", { "data-testid": "time" });
  const resetButton = ask("button", { type: "button", class: "small", title: "Everything as the page opened", "data-testid": "reset" }, "Reset");
  const shareButton = ask("button", { type: "button", class: "small", title: "A link to this state", "data-testid": "share" }, "Share");
  const link = ask("input", { type: "text", readonly: "", "aria-label": "Link to this state", "data-testid": "link" });
  const linkNote = ask("span", {}, "");
  const linkBox = ask("div", { id: "link", hidden: "" }, linkNote, link);
  byId("player").append(play, control, pace, clock, resetButton, shareButton, linkBox);

  const jointPage = ask("div", {});
  const jointTitle = ask("h3", {}, "");
  const jointRows = joints.map((joint, i) => createRow({ ...joint, name: joint.short, label: joint.name, key: `q${i}`, wraps: joint.turn && !joint.limited, onInput: (value) => setJoint(i, value) }, () => theme));
  const gainRows = {
    omega: createRow({ name: "ω", label: "Natural frequency of the controller", unit: "rad/s", low: 0, high: 30, least: 0, key: "omega", onInput: (x) => setGain("omega", x) }, () => theme),
    zeta: createRow({ name: "ζ", label: "Damping ratio of the controller", unit: "", low: 0, high: 2, least: 0, key: "zeta", onInput: (x) => setGain("zeta", x) }, () => theme),
  };
  const gainNote = ask("p", { class: "hint" });
  const gainBox = ask("section", { class: "gains" }, ask("h3", {}, "Controller"), gainRows.omega.node, gainRows.zeta.node, gainNote);
  jointPage.append(jointTitle, ...jointRows.map(({ node }) => node), gainBox,
    ask("p", { class: "hint" }, "Drag a link in the picture: it is posed while the motion is paused, and pulled by a spring while it runs."));

  const numberPage = ask("div", {});
  const nominal = ask("button", { type: "button", class: "small", "data-testid": "nominal" }, "Original values");
  const numberRows = data.sliders.map((slider, k) => createRow({
    ...slider, key: slider.name, name: slider.short, label: slider.name, least: slider.low >= 0 ? 0 : -Infinity, onInput: (value) => setParameter(k, value),
  }, () => theme));
  const groups = [...new Set(data.sliders.map(({ group }) => group))];
  for (const [g, group] of groups.entries()) {
    const rows = data.sliders.flatMap((slider, k) => (slider.group === group ? [numberRows[k].node] : []));
    const box = ask("details", { "data-testid": `group-${group}`, ...(g < 2 ? { open: "" } : {}) }, ask("summary", {}, group), ...rows);
    numberPage.append(box);
  }
  numberPage.append(nominal, ask("p", { class: "hint" },
    "A changed mass keeps its centre and the inertia about it; lengths move what follows, and axes keep their directions: the parameters of robot.free() in the library."));

  const equationPage = ask("div", {});
  const hasSprings = Array.from({ length: 3 }, (_, k) => joints.map(() => 0.3 * k + 0.1)).some((q) => robot.spring_torque(q, parameters).some(Boolean));
  const tables = createTables(equationPage, joints, api, { hasTip: data.tip !== null, hasSprings });
  const plotPage = ask("div", {});
  const colours = joints.map(({ colour }) => colour);
  const of = (key, title, unit) => ({ key, title, unit, names: joints.map(({ short }) => short), colours });
  const [rad, torque] = [units("unit"), units("force")];
  const strips = createStrips(plotPage, [
    of("q", "Joint values", rad), of("qd", "Rates", `${rad}/s`), of("tau", "Torques of the actuators", torque),
    { key: "energy", title: "Energy", unit: "J", names: ["kinetic", "potential", "total"], colours: ["#d1495b", "#1b6ca8", "#52606d"] },
  ], () => theme);
  const tabs = createTabs(byId("plots"), [
    { key: "joints", title: "Joints", node: jointPage },
    { key: "numbers", title: "Robot", node: numberPage },
    { key: "equations", title: "Equations", node: equationPage },
    { key: "plots", title: "Plots", node: plotPage },
  ], (key) => {
    opened = key;
    show();
  });

  function units(what) {
    return [...new Set(joints.map((joint) => joint[what]))].join(", ");
  }

  // --- picture ------------------------------------------------------------------------------------------------

  const viewer = openViewer();
  const trail = viewer ? makeTrail() : null;
  const band = viewer ? makeBand() : null;

  function openViewer() {
    const views = byId("views");
    try {
      views.append(ask("div", { class: "view" }));
      const made = createViewer(views.firstChild, createDevice(THREE), THREE, OrbitControls, data.scene);
      for (const [what, text] of SWITCHES.filter(([what]) => made.has(what))) {
        const box = ask("input", { type: "checkbox", "data-testid": `show-${what}` });
        box.checked = what === "meshes";
        box.addEventListener("change", () => made.show(what, box.checked));
        byId("switches").append(ask("label", {}, box, text));
      }
      byId("fit").addEventListener("click", () => made.fit());
      byId("grid").textContent = [made.note, `grid ${Number(made.gridStep.toPrecision(2))} m`].filter(Boolean).join(", ");
      for (const [type, act] of [["pointerdown", grasp], ["pointermove", move], ["pointerup", letGo], ["pointercancel", letGo]]) {
        views.addEventListener(type, act, { capture: true });
      }
      return made;
    } catch (error) {
      const why = `The 3D view needs WebGL, which this browser does not offer (${error.message}).`;
      views.replaceChildren(ask("p", { class: "message" }, why));
      return null;
    }
  }

  function makeLine(colour, count) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * count), 3));
    const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colour, transparent: true, depthTest: false, opacity: 0.85 }));
    Object.assign(line, { frustumCulled: false, renderOrder: 3, visible: false });
    viewer.overlay.add(line);
    return line;
  }

  /** The path of the end effector over the last seconds. */
  function makeTrail() {
    if (data.tip === null) return null;
    const line = makeLine(0xd1495b, TRAIL);
    const points = [];
    const draw = () => {
      const { array } = line.geometry.attributes.position;
      points.forEach((point, k) => array.set(point, 3 * k));
      line.geometry.attributes.position.needsUpdate = true;
      line.geometry.setDrawRange(0, points.length);
      line.visible = points.length > 1;
    };
    return {
      add(point) {
        points.push(point);
        if (points.length > TRAIL) points.shift();
        draw();
      },
      clear() {
        points.length = 0;
        draw();
      },
    };
  }

  function makeBand() {
    const line = makeLine(0xd6336c, 2);
    return (from, to) => {
      line.visible = Boolean(from);
      if (!from) return;
      line.geometry.attributes.position.array.set([...from, ...to]);
      line.geometry.attributes.position.needsUpdate = true;
    };
  }

  const [matrix, turn] = [new THREE.Matrix4(), new THREE.Quaternion()];

  function drawRobot() {
    if (!viewer) return;
    robot.operations.link_poses(state.q, parameters, lever.poses);
    const rows = data.rows.map((_, i) => {
      const T = lever.poses.subarray(16 * i, 16 * i + 16);
      turn.setFromRotationMatrix(matrix.set(...T));
      return [T[3], T[7], T[11], turn.x, turn.y, turn.z, turn.w];
    });
    viewer.setPoses(rows);
    if (drag && running) band(lever.at(state.q, drag.link, drag.local).x, drag.goal);
    else band(null);
  }

  /** The shape at the present lengths: each point moves in proportion to them. */
  function reshape() {
    const changed = new Map();
    for (const { parameter, moves } of data.stretches) {
      const by = parameters[parameter] - robot.nominal_parameters[parameter];
      for (const [path, slope] of moves) {
        const key = path.join("/");
        const entry = changed.get(key) ?? { path, value: [...path.reduce((node, step) => node[step], data.scene)] };
        entry.value = entry.value.map((x, k) => x + by * slope[k]);
        changed.set(key, entry);
      }
    }
    for (const { path, value } of changed.values()) {
      path.slice(0, -1).reduce((node, step) => node[step], scene)[path[path.length - 1]] = value;
    }
    viewer?.reshape(scene);
  }

  // --- dragging -----------------------------------------------------------------------------------------------

  function grasp(event) {
    if (!viewer || event.button > 0 || drag || !event.isPrimary) return;
    const hit = nearest(event.clientX, event.clientY, NEAR[event.pointerType] ?? NEAR.mouse);
    if (!hit) return;
    event.stopPropagation(); // not the camera
    event.preventDefault();
    byId("views").setPointerCapture(event.pointerId);
    const { position, target } = viewer.look();
    const away = position.map((x, k) => x - target[k]);
    drag = { link: hit.link, local: hit.local.toArray(), goal: hit.point.toArray(), through: hit.point.toArray(), away };
    if (running) motion.setPull(springTo(lever, drag.link, drag.local, () => drag.goal, data.mass));
    byId("views").classList.add("dragging");
  }

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
    reachFor(lever, state.q, drag.link, drag.local, drag.goal, joints, data.reach);
    state.qd.fill(0);
    state.target.set(state.q);
    stopped();
  }

  function letGo(event) {
    if (!drag || !event.isPrimary) return;
    event.stopPropagation();
    drag = null;
    motion.setPull(null);
    byId("views").classList.remove("dragging");
    show();
  }

  // --- what people do -----------------------------------------------------------------------------------------

  const held = () => state.control !== "free" && running; // whether joint sliders are targets

  function setJoint(i, value) {
    state.target[i] = value;
    if (!held()) {
      state.q[i] = value;
      state.qd[i] = 0;
    }
    stopped();
  }

  function setGain(which, value) {
    state[which] = value;
    show();
  }

  function setParameter(k, value) {
    parameters[k] = value;
    if (data.stretches.some(({ parameter }) => parameter === k)) reshape();
    show();
  }

  function setParameters(values) {
    parameters.set(values);
    reshape();
    show();
  }

  function setControl(value) {
    if (state.control === "free") state.target.set(state.q); // it holds where it is
    state.control = value;
    control.value = value;
    show();
  }

  function setRunning(on) {
    running = on;
    slow = 0;
    play.textContent = on ? "❚❚ Pause" : "▶ Run";
    play.setAttribute("aria-pressed", String(on));
    motion.setPull(on && drag ? springTo(lever, drag.link, drag.local, () => drag.goal, data.mass) : null);
    if (on) {
      byId("alarm").hidden = linkBox.hidden = true; // of a state that passes now
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
    const [q, qd, t] = [state.q.slice(), state.qd.slice(), state.t];
    const until = performance.now() + budget;
    const done = motion.advance(seconds, () => performance.now() > until);
    if (!motion.isFinite()) {
      state.q.set(q);
      state.qd.set(qd);
      state.t = t;
      alarm("The motion has no finite continuation here. Choose other gains or numbers, or Reset.");
      setRunning(false);
      return;
    }
    slow += 0.05 * (done / seconds - (slow || 1)) + (slow ? 0 : 1);
    if (trail && running) trail.add(tipPoint());
    const now = motion.now();
    const [T, V] = [api.kinetic_energy(now.q, now.qd), api.potential_energy(now.q)];
    strips.add(state.t, [now.q, now.qd, now.tau, [T, V, T + V]]);
    show(now);
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
    setRunning(false);
    Object.assign(state, { t: 0, control: "free", omega: OMEGA, zeta: ZETA });
    state.q.set(data.start);
    state.qd.fill(0);
    state.target.set(data.start);
    control.value = "free";
    alarm("");
    tables.reset();
    strips.clear();
    trail?.clear();
    linkBox.hidden = true;
    history.replaceState(null, "", location.pathname + location.search);
    setParameters(robot.nominal_parameters);
  }

  // --- what is shown: always computed from the present state ---------------------------------------------------

  function show(now = motion.now()) {
    drawRobot();
    const controlled = state.control !== "free";
    clock.textContent = `${state.t.toFixed(2)} s${running && slow < 0.9 ? `, ${slow.toFixed(1)}× real time` : ""}`;
    const text = held() ? `Targets of the controller (${rad})` : `Joint values q (${rad})`;
    if (jointTitle.textContent !== text) jointTitle.textContent = text;
    gainBox.hidden = !controlled;
    if (visible("joints")) {
      jointRows.forEach((row, i) => {
        row.set(held() ? state.target[i] : state.q[i]);
        row.note(held() ? `q ${Number(state.q[i].toFixed(4))}` : "");
      });
      gainRows.omega.set(state.omega);
      gainRows.zeta.set(state.zeta);
      gainNote.textContent = gainText();
    }
    if (visible("numbers")) numberRows.forEach((row, k) => row.set(parameters[k]));
    if (visible("equations")) tables.update(now);
    strips.draw();
  }

  const visible = (key) => opened === key || (key === "joints" && opened === "plots");

  function gainText() {
    if (state.control === "computed") return "τ = inverse dynamics of q̈ = ω²(target − q) − 2ζω q̇";
    const { kp, kd } = motion.gains();
    const list = (values) => values.map((x) => Number(x.toPrecision(3))).join(", ");
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

  const form = { names, nominal: robot.nominal_parameters, start: data.start, controls: CONTROLS.map(([value]) => value) };

  function address() {
    const hash = encode(state, parameters, form);
    return `${location.href.split("#")[0]}${hash ? `#${hash}` : ""}`;
  }

  async function share() {
    link.value = address();
    history.replaceState(null, "", link.value);
    linkBox.hidden = false;
    link.select();
    try {
      await navigator.clipboard.writeText(link.value);
      linkNote.textContent = "Copied:";
    } catch {
      linkNote.textContent = "Copy:";
    }
  }

  function readAddress() {
    if (!location.hash) return;
    const found = decode(location.hash, form);
    setRunning(false);
    Object.assign(state, { t: 0, control: found.control ?? "free", omega: found.omega ?? OMEGA, zeta: found.zeta ?? ZETA });
    state.q.set(found.q ?? data.start);
    state.qd.set(found.qd ?? new Array(n).fill(0));
    state.target.set(found.target ?? data.start);
    control.value = state.control;
    const values = [...robot.nominal_parameters];
    for (const [k, value] of found.parameters) values[k] = value;
    strips.clear();
    trail?.clear();
    setParameters(values);
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

  window.redyn = {
    ...api,
    name: data.scene.name,
    joint_names: robot.joint_names,
    parameter_names: names,
    nominal_parameters: robot.nominal_parameters,
    compare: robot.compare,
    self_test: robot.self_test,
    /** The numbers of the sliders. */
    get parameters() { return Array.from(parameters); },
    /** The state shown: t, q, qd, control, target, omega, zeta, and the torques and accelerations there. */
    get state() {
      const now = motion.now();
      const list = (values) => Array.from(values);
      return { ...state, q: list(state.q), qd: list(state.qd), target: list(state.target), tau: list(now.tau), qdd: list(now.qdd) };
    },
    /** Sets some of q, qd, target, control, omega, zeta, parameters. */
    set({ parameters: values = null, ...rest }) {
      for (const [key, value] of Object.entries(rest)) {
        if (["q", "qd", "target"].includes(key)) state[key].set(value);
        else if (key === "control") setControl(value);
        else state[key] = value;
      }
      if (values) setParameters(values);
      stopped();
    },
    /** Moves on by so many seconds at once. */
    advance: (seconds) => advance(seconds),
    /** Where a point of the world is in the window. */
    onScreen: (point) => viewer?.onScreen(point),
  };

  play.addEventListener("click", () => setRunning(!running));
  control.addEventListener("change", () => setControl(control.value));
  pace.addEventListener("change", () => (speed = Number(pace.value)));
  resetButton.addEventListener("click", reset);
  shareButton.addEventListener("click", share);
  nominal.addEventListener("click", () => setParameters(robot.nominal_parameters));
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
  byId("notes").append(ask("li", { "data-testid": "agrees", title: "Every function compared with results of the library, relative to the largest entry" }, text));
  setRunning(false);
  tabs.open("joints");
  setTheme(theme);
  readAddress();
  root.dataset.ready = "true";
}
