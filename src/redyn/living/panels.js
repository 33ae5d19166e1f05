// The panels beside the picture: player, joints, numbers of the robot, equations and plots.

import { createRow, createTabs } from "./controls.js";
import { controlsOf } from "./motion.js";
import { element } from "./player.js";
import { createStrips } from "./strips.js";
import { createTables } from "./tables.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2];
const ENERGY = { key: "energy", title: "Energy", unit: "J", names: ["kinetic", "potential", "total"], colours: ["#d1495b", "#1b6ca8", "#52606d"] };

/** Buttons and choices below the picture, appended to `root`. */
export function createPlayer(root, layout) {
  const made = {
    play: element("button", { type: "button", class: "run", "data-testid": "run" }),
    control: element("select", { "aria-label": "Torques of the actuators", title: "Torques of the actuators", "data-testid": "control" },
      ...controlsOf(layout).map(([value, text]) => element("option", { value }, text))),
    pace: element("select", { "aria-label": "Speed", title: "Speed", "data-testid": "speed" },
      ...SPEEDS.map((s) => element("option", s === 1 ? { value: s, selected: "" } : { value: s }, `${s}×`))),
    clock: element("output", { "data-testid": "time" }),
    reset: element("button", { type: "button", class: "small", title: "Everything as the page opened", "data-testid": "reset" }, "Reset"),
    share: element("button", { type: "button", class: "small", title: "A link to this state", "data-testid": "share" }, "Share"),
    link: element("input", { type: "text", readonly: "", "aria-label": "Link to this state", "data-testid": "link" }),
    linkNote: element("span", {}, ""),
  };
  made.linkBox = element("div", { id: "link", hidden: "" }, made.linkNote, made.link);
  root.append(made.play, made.control, made.pace, made.clock, made.reset, made.share, made.linkBox);
  return made;
}

/**
 * The tabs inside `root`. `act`: what people do, { setCoordinate(row, value), setRate(k, value), setTorque(i, value),
 * setGain(which, value), setParameter(k, value), setNominal(), opened(key) }; `theme()`: light or dark.
 */
export function createPanels(root, data, api, act, theme) {
  const { coordinates, rates, torques, layout, sliders } = data;
  const leans = layout.rolling && layout.quaternions.length > 0; // a disk: any change would lift it off the ground
  const row = (options) => createRow(options, theme);
  const unitsOf = (rows) => [...new Set(rows.map(({ unit }) => unit))].join(", ");

  // --- joints -------------------------------------------------------------------------------------------------

  const shown = leans ? [] : coordinates.filter(({ kind }) => !(layout.closed && kind === "turn"));
  const moved = shown.filter(({ mode }) => !mode);
  const handles = shown.map((own) => ({
    own,
    actuator: layout.actuators.findIndex(({ actuated, place }) => own.kind === "single" && actuated && place === own.index),
    row: row({ ...own, name: own.short, label: own.name, key: `q${coordinates.indexOf(own)}`, onInput: (value) => act.setCoordinate(own, value) }),
  }));
  const title = element("h3", {}, "");
  const joints = handles.filter(({ own }) => !own.mode).map(({ row: { node } }) => node);
  const modes = handles.filter(({ own }) => own.mode).map(({ row: { node } }) => node);
  const independent = layout.independent.map((i) => ({ ...rates[i], i }));
  const rateRows = independent.map(({ i, ...rate }) => row({
    ...rate, name: rate.short, label: `Rate of ${rate.name}`, low: -rate.high, key: `qd${i}`, onInput: (value) => act.setRate(i, value),
  }));
  const torqueRows = torques.map((torque, i) => (torque.actuated ? row({
    ...torque, name: torque.short, label: `Torque of ${torque.name}`, low: -torque.high, key: `tau${i}`, onInput: (value) => act.setTorque(i, value),
  }) : null));
  const gainRows = {
    omega: row({ name: "ω", label: "Natural frequency of the controller", unit: "rad/s", low: 0, high: 30, least: 0, key: "omega", onInput: (x) => act.setGain("omega", x) }),
    zeta: row({ name: "ζ", label: "Damping ratio of the controller", unit: "", low: 0, high: 2, least: 0, key: "zeta", onInput: (x) => act.setGain("zeta", x) }),
  };
  const gainNote = element("p", { class: "hint" });
  const gainBox = element("section", { class: "gains" }, element("h3", {}, "Controller"), gainRows.omega.node, gainRows.zeta.node, gainNote);
  const torqueBox = element("section", { class: "gains" }, element("h3", {}, `Torques τ (${unitsOf(torques)})`), ...torqueRows.filter(Boolean).map(({ node }) => node));
  const box = (key, text, rows, open) => element("details", { "data-testid": `group-${key}`, ...(open ? { open: "" } : {}) }, element("summary", {}, text), ...rows);
  const livelyStart = data.start.qd.some(Boolean);
  const jointPage = element("div", {}, torqueBox, gainBox, title, ...joints,
    ...(modes.length ? [box("modes", "Elastic coordinates", modes, true)] : []),
    box("rates", layout.rolling ? "Rates u, which are independent" : "Rates q̇", rateRows.map(({ node }) => node), livelyStart),
    element("p", { class: "hint" }, hint()));

  function hint() {
    const pull = "Drag a link in the picture: it is posed while the motion is paused, and pulled by a spring while it runs.";
    if (layout.closed) return `${pull} A joint moves all others of its loops along, as far as they go.`;
    if (layout.rolling) return `${pull} Wheels roll along.`;
    return pull;
  }

  // --- numbers of the robot -----------------------------------------------------------------------------------

  const numberRows = sliders.map((slider, k) => row({
    ...slider, key: slider.name, name: slider.short, label: slider.name, least: slider.low >= 0 ? 0 : -Infinity, onInput: (value) => act.setParameter(k, value),
  }));
  const groups = [...new Set(sliders.map(({ group }) => group))];
  const nominal = element("button", { type: "button", class: "small", "data-testid": "nominal" }, "Original values");
  nominal.addEventListener("click", act.setNominal);
  const numberPage = element("div", {},
    ...groups.map((group, g) => box(group, group, sliders.flatMap((slider, k) => (slider.group === group ? [numberRows[k].node] : [])), g < 2)),
    nominal, element("p", { class: "hint" },
      "A changed mass keeps its centre and the inertia about it; lengths move what follows, and axes keep their directions: the parameters of robot.free() in the library."));

  // --- equations and plots ------------------------------------------------------------------------------------

  const equationPage = element("div", {});
  const somewhere = Array.from({ length: 3 }, (_, k) => data.start.q.map((x, i) => x + 0.3 * k + 0.01 * i));
  const hasSprings = somewhere.some((q) => api.spring_torque(q).some(Boolean));
  const tables = createTables(equationPage, data, api, { hasTip: data.tip !== null, hasSprings });
  const plotPage = element("div", {});
  const plot = (key, heading, rows) => ({ key, title: heading, unit: unitsOf(rows), names: rows.map(({ short }) => short), colours: rows.map(({ colour }) => colour) });
  const drawn = {
    q: coordinates.filter(({ mode }) => !mode),
    modes: coordinates.filter(({ mode }) => mode),
    qd: rates.filter(({ mode }) => !mode),
    tau: torques.filter(({ actuated }) => actuated),
  };
  const plots = [
    plot("q", "Joint values", drawn.q),
    ...(drawn.modes.length ? [plot("modes", "Elastic coordinates", drawn.modes)] : []),
    plot("qd", layout.rolling ? "Independent rates" : "Rates", drawn.qd),
    ...(drawn.tau.length ? [plot("tau", "Torques of the actuators", drawn.tau)] : []),
    ENERGY,
  ];
  plotPage.style.setProperty("--strips", plots.length);
  const strips = createStrips(plotPage, plots, theme);
  const which = (list, all) => list.map((one) => all.indexOf(one));
  const [ofRates, ofTorques] = [which(drawn.qd, rates), which(drawn.tau, torques)];

  let opened = "joints";
  const tabs = createTabs(root, [
    { key: "joints", title: "Joints", node: jointPage },
    { key: "numbers", title: "Robot", node: numberPage },
    { key: "equations", title: "Equations", node: equationPage },
    { key: "plots", title: "Plots", node: plotPage },
  ], (key) => {
    opened = key;
    act.opened();
  });
  const visible = (key) => opened === key || (key === "joints" && opened === "plots");

  /** A sample for the plots; `now` as of motion.js, `read(row)` a coordinate, `energies` [T, V]. */
  function record(t, now, read, [T, V]) {
    const values = { q: drawn.q.map((one) => read(one)), modes: drawn.modes.map((one) => read(one)), qd: ofRates.map((i) => now.qd[i]), tau: ofTorques.map((i) => now.tau[i]), energy: [T, V, T + V] };
    strips.add(t, plots.map(({ key }) => values[key]));
  }

  /** Everything that is seen of a state; `held`: whether the joints' sliders are targets of a controller that runs. */
  function show(state, now, read, parameters, held, text) {
    gainBox.hidden = !["pd", "pdg", "computed"].includes(state.control);
    torqueBox.hidden = state.control !== "torque";
    if (visible("joints")) {
      const heading = leans ? "A rolling disk: set its rates" : held ? `Targets of the controller (${unitsOf(moved)})` : `Joint values q (${unitsOf(moved)})`;
      if (title.textContent !== heading) title.textContent = heading;
      for (const { own, actuator, row: handle } of handles) {
        const target = held && actuator >= 0;
        handle.enable(!held || target);
        handle.set(target ? state.target[own.index] : read(own));
        handle.note(target ? `q ${Number(read(own).toFixed(4))}` : "");
      }
      rateRows.forEach((one, k) => one.set(state.qd[independent[k].i]));
      torqueRows.forEach((one, i) => one?.set(state.torque[i]));
      gainRows.omega.set(state.omega);
      gainRows.zeta.set(state.zeta);
      if (gainNote.textContent !== text) gainNote.textContent = text;
    }
    if (visible("numbers")) numberRows.forEach((one, k) => one.set(parameters[k]));
    if (visible("equations")) tables.update({ ...now, read });
  }

  return { show, record, strips, tables, tabs };
}
