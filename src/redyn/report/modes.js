// A page of natural modes: one is chosen from a table and played in 3D, in slow motion. See modes.py.

import { makeTip } from "./bending.js";
import { createPlayer, element } from "./player.js";
import { createDevice, createViewer, floats } from "./viewer.js";

const SECONDS = 2; // of a cycle on the screen
const MOST = 3; // times the amplitude with which the page opens
const SWITCHES = [
  ["meshes", "Meshes", true],
  ["axes", "Joint axes", false],
  ["frames", "Frames", false],
  ["masses", "Mass centres", false],
];
const REST = { light: 0x5c7080, dark: 0xa9b8c6 };
const byId = (id) => document.getElementById(id);
const digits = (x, count = 4) => Number(x.toPrecision(count)).toString();

/** A time or a length with a prefix: 63 ms, 6 cm. */
function measured(x, unit) {
  const steps = unit === "m" ? [[1, "m"], [0.01, "cm"], [0.001, "mm"]] : [[1, "s"], [0.001, "ms"]];
  const [size, name] = steps.find(([least]) => x >= least) ?? steps[steps.length - 1];
  return `${digits(x / size, 2)} ${name}`;
}

/** How links move: rows(mode, amplitude), for setPoses of the viewer. */
export function createSwing(THREE, beams, parents, rest) {
  const pose = ([x, y, z, ...turn]) => ({ position: new THREE.Vector3(x, y, z), quaternion: new THREE.Quaternion(...turn) });
  const count = parents.length;
  const still = [pose([0, 0, 0, 0, 0, 0, 1]), ...rest.slice(0, count).map(pose)];
  const elastic = rest[count] ?? [];
  const tips = new Map();
  let start = 0;
  for (const beam of beams) {
    tips.set(beam.tip, { beam, start });
    start += beam.count;
  }
  const tipOf = makeTip(THREE);
  const [w, v, cross, twice] = [0, 1, 2, 3].map(() => new THREE.Vector3());
  const turn = new THREE.Quaternion();
  const back = new THREE.Quaternion();

  /** Moves a pose by a twist in its own axes, for a time s: the exponential. */
  function advance({ position, quaternion }, twist, s) {
    w.fromArray(twist).multiplyScalar(s);
    v.fromArray(twist, 3).multiplyScalar(s);
    const angle = w.length();
    const small = angle < 1e-4;
    const b = small ? 0.5 - angle ** 2 / 24 : (1 - Math.cos(angle)) / angle ** 2;
    const c = small ? 1 / 6 - angle ** 2 / 120 : (angle - Math.sin(angle)) / angle ** 3;
    cross.crossVectors(w, v);
    twice.crossVectors(w, cross);
    position.add(v.addScaledVector(cross, b).addScaledVector(twice, c).applyQuaternion(quaternion));
    if (angle > 0) quaternion.multiply(turn.setFromAxisAngle(w.divideScalar(angle), angle));
  }

  return function rows({ twists, elastic: rates }, s) {
    const values = elastic.map((value, k) => value + s * rates[k]);
    const list = still.map(({ position, quaternion }) => ({ position: position.clone(), quaternion: quaternion.clone() }));
    for (let i = 1; i <= count; i += 1) {
      const tip = tips.get(i);
      if (tip) {
        tipOf(tip.beam, list[tip.beam.link], values.slice(tip.start, tip.start + tip.beam.count), list[i]);
        continue;
      }
      const [parent, before] = [list[parents[i - 1]], still[parents[i - 1]]];
      back.copy(before.quaternion).conjugate();
      list[i].position.sub(before.position).applyQuaternion(back).applyQuaternion(parent.quaternion).add(parent.position);
      list[i].quaternion.premultiply(back).premultiply(parent.quaternion);
      advance(list[i], twists.subarray((i - 1) * 6, i * 6), s);
    }
    const found = list.slice(1).map(({ position, quaternion }) => [...position.toArray(), ...quaternion.toArray()]);
    return values.length ? [...found, values] : found;
  };
}

/** Starts the page with three.js and the data packed by modes.py. */
export async function start({ THREE, OrbitControls }, _, data) {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const modes = data.modes.map((mode) => ({ ...mode, twists: floats(mode.twists) }));
  let theme = dark.matches ? "dark" : "light";
  let chosen = 0;
  let share = data.share; // largest displacement, of the robot's reach
  let phase = 0;
  let slower = "";
  let player = null; // which calls onTime while it is made

  const amplitude = makeAmplitude();
  const { viewer, rest, swing } = openViewer();
  const details = element("section", { class: "card modes", id: "chosen", "data-testid": "chosen" });
  const table = makeTable();
  byId("plots").append(table, details);
  player = createPlayer(byId("player"), SECONDS, onTime);
  setTheme(theme);
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
  byId("theme").addEventListener("click", () => setTheme(theme === "dark" ? "light" : "dark"));
  document.addEventListener("keydown", key);
  choose(0);
  player.play();
  root.dataset.ready = "true";

  function openViewer() {
    const views = byId("views");
    try {
      views.append(element("div", { class: "view" }));
      const made = createViewer(views.firstChild, createDevice(THREE), THREE, OrbitControls, data.scene);
      for (const [what, text, on] of SWITCHES.filter(([what]) => made.has(what))) {
        made.show(what, on);
        byId("switches").append(makeSwitch(what, text, on, (shown) => made.show(what, shown)));
      }
      const look = new THREE.MeshLambertMaterial({ color: REST.light, transparent: true, opacity: 0.22, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 8 }); // behind the robot
      const copy = made.copy(data.rows, look);
      made.overlay.add(copy);
      const showRest = (shown) => {
        copy.visible = shown;
        made.draw();
      };
      byId("switches").append(makeSwitch("rest", "At rest", true, showRest), amplitude.node);
      byId("fit").addEventListener("click", () => made.fit());
      byId("fit").title = "Fit the robot and its modes";
      return { viewer: made, rest: look, swing: createSwing(THREE, made.beams, data.parents, data.rows) };
    } catch (error) {
      const why = `The 3D view needs WebGL, which this browser does not offer (${error.message}).`;
      views.replaceChildren(element("p", { class: "message" }, why));
      return { viewer: null };
    }
  }

  function makeSwitch(what, text, on, show) {
    const box = element("input", { type: "checkbox", "data-testid": `show-${what}` });
    box.checked = on;
    box.addEventListener("change", () => show(box.checked));
    return element("label", {}, box, text);
  }

  function makeAmplitude() {
    const slider = element("input", { type: "range", min: 0, max: MOST * data.share, step: data.share / 40, "aria-label": "Amplitude", "data-testid": "amplitude" });
    const output = element("output", { "data-testid": "amplitude-size" });
    const title = "The largest displacement of any point. A mode has a shape but no size: how far it swings depends on what excites it.";
    const node = element("label", { class: "amplitude", title }, "Amplitude", slider, output);
    slider.value = share;
    node.addEventListener("keydown", (event) => event.key !== " " && event.stopPropagation()); // not the player's keys
    slider.addEventListener("input", () => {
      share = Number(slider.value);
      show();
    });
    return { node, output };
  }

  // --- the mode that is shown ----------------------------------------------------------------------------------

  function onTime(t) {
    phase = t / SECONDS;
    if (viewer) viewer.setPoses(swing(modes[chosen], (share / modes[chosen].size) * Math.sin(2 * Math.PI * phase)));
    describePace();
  }

  /** Everything that depends on the amplitude. */
  function show() {
    const { moved, turned, size } = modes[chosen];
    const [length, angle] = [(share / size) * moved, ((share / size) * turned * 180) / Math.PI];
    amplitude.output.textContent = length > 1e-3 * data.reach * share ? measured(length, "m") : `${digits(angle, 2)}°`;
    onTime(phase * SECONDS);
  }

  function describePace() {
    const { omega } = modes[chosen];
    const [real, seen] = [(2 * Math.PI) / omega, SECONDS / (player?.speed() ?? 1)];
    const ratio = seen / real;
    const pace = ratio >= 1 ? `${digits(ratio, 2)} times slower` : `${digits(1 / ratio, 2)} times faster`;
    const text = `A cycle takes ${measured(real, "s")} in reality and ${measured(seen, "s")} here: ${pace}. Damping is left out.`;
    if (text === slower || !byId("pace")) return;
    slower = text;
    byId("pace").textContent = text;
  }

  function choose(k) {
    chosen = Math.min(Math.max(k, 0), modes.length - 1);
    const { omega, damping, shares } = modes[chosen];
    const name = `Mode ${chosen + 1}: ${digits(omega / (2 * Math.PI))} Hz`;
    const bars = shares.map(([rate, part]) => {
      const bar = element("i");
      bar.style.cssText = `width:${50 * Math.abs(part)}%;left:${part < 0 ? 50 - 50 * Math.abs(part) : 50}%`;
      return element("div", { class: "bar-row" }, element("span", {}, rate), element("span", { class: "bar-track" }, bar), element("span", {}, digits(part, 3)));
    });
    slower = "";
    details.replaceChildren(
      element("header", {}, element("h2", { "data-testid": "mode-name" }, name), element("span", { class: "unit" }, `${digits(omega)} rad/s, damping ratio ${digits(damping, 3)}`)),
      element("div", {}, element("p", { id: "pace", "data-testid": "pace" }), element("p", {}, "Amplitudes as shares of the largest (m and rad alike):"), ...bars),
    );
    for (const [k, row] of [...table.querySelectorAll("tbody tr")].entries()) row.setAttribute("aria-selected", String(k === chosen));
    table.querySelectorAll("tbody tr")[chosen].scrollIntoView({ block: "nearest" });
    const step = viewer ? `grid ${Number(viewer.gridStep.toPrecision(2))} m` : "";
    byId("grid").textContent = [viewer?.note, name, step].filter(Boolean).join(", ");
    show();
  }

  function makeTable() {
    const head = element("tr", {}, ...["mode", "Hz", "rad/s", "damping ratio", "moves most"].map((text) => element("th", { scope: "col" }, text)));
    const rows = modes.map(({ omega, damping, shares }, k) => {
      const cells = [digits(omega / (2 * Math.PI)), digits(omega), digits(damping, 3)].map((text) => element("td", {}, text));
      const moves = element("td", { class: "moves" }, shares.slice(0, 3).map(([rate]) => rate).join(", "));
      const row = element("tr", { tabindex: 0, "aria-selected": "false", "data-testid": `mode-${k + 1}` }, element("th", { scope: "row" }, String(k + 1)), ...cells, moves);
      row.addEventListener("click", () => choose(k));
      row.addEventListener("keydown", (event) => event.key === "Enter" && choose(k));
      return row;
    });
    const whole = element("table", { class: "plain" }, element("thead", {}, head), element("tbody", {}, ...rows));
    return element("section", { class: "card modes", id: "table", "data-testid": "modes" }, whole);
  }

  function key(event) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select")) return;
    event.preventDefault();
    choose(chosen + step);
  }

  function setTheme(name) {
    theme = name;
    root.dataset.theme = name;
    rest?.color.set(REST[name]);
    viewer?.setTheme(name);
  }
}
