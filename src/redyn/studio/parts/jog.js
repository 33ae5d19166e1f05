// A slider and a number per joint.

import { element } from "../report/player.js";
import { shade } from "../report/viewer.js";
import { look } from "./look.js";

const PAUSE = 40; // ms between messages while a slider moves; the next one waits for the answer to the last one,
const PATIENCE = 1000; // but not longer than this

/**
 * setJoints(joints, angle): [{ name, colour, low, high, limited, value, turns, passive }], angles in radians, and how they
 * are shown, { factor, unit, digits }. What is typed goes to the server as text. Passive joints follow the others: they are shown last and cannot be moved.
 */
export function mount(root, options, emit) {
  root.classList.add("jog");
  let rows = [];
  const waiting = new Map(); // joint to timer: what one joint has still to say, another one does not replace
  let last = 0;
  let asked = 0; // the number of the last message,
  let answered = 0; // and of the last one whose answer has come
  let sent = 0; // messages so far: each has a number, which the server returns with the values it led to
  const unlook = look.on(recolour);
  // Arrow keys control the slider, not the player, while it has the focus.
  root.addEventListener("keydown", (event) => event.stopPropagation());

  function recolour() {
    for (const row of rows) row.box.style.setProperty("--colour", shade(row.joint.colour, look.theme));
  }

  // `now`: what was typed does not wait, since a button may be pressed next.
  function send(k, value, now = false) {
    clearTimeout(waiting.get(k));
    waiting.delete(k);
    const number = ++sent;
    rows[k].sent = number;
    const go = () => {
      const since = performance.now() - last;
      if (!now && since < (answered < asked ? PATIENCE : PAUSE)) return waiting.set(k, setTimeout(go, PAUSE / 2));
      waiting.delete(k);
      last = performance.now();
      asked = number;
      return emit("jog", { joint: k, value, number });
    };
    go();
  }

  function makeRow(joint, k, angle) {
    const { factor, unit: sign, digits } = joint.turns ? angle : { factor: 1, unit: "m", digits: joint.bends ? 4 : 3 };
    const [low, high] = [joint.low * factor, joint.high * factor];
    const slack = 1e-6 * Math.max(1, Math.abs(low), Math.abs(high));
    const slider = element("input", { type: "range", min: low, max: high, step: joint.turns && digits < 3 ? 0.5 : (high - low) / 400, "aria-label": joint.name });
    const number = element("input", { type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", "aria-label": `${joint.name} as a number`, title: `${sign.trim()}; pi/2 and 90 deg are understood` });
    const title = element("span", { class: "joint-name", title: joint.name }, joint.name);
    const unit = element("span", { class: "unit" }, sign.trim());
    const box = element("div", { class: "joint", "data-testid": `joint-slider-${k + 1}` }, title, slider, number, unit);
    slider.disabled = number.disabled = joint.passive;
    box.toggleAttribute("data-passive", joint.passive);
    let typing = false;
    const show = (value) => {
      const shown = value * factor;
      slider.value = shown;
      if (!typing) number.value = Number(shown.toFixed(digits));
      slider.style.setProperty("--done", `${(100 * (shown - low)) / (high - low || 1)}%`);
      const beyond = joint.limited && (shown < low - slack || shown > high + slack);
      box.toggleAttribute("data-beyond", beyond);
      box.title = beyond ? `${joint.name} is beyond its limits` : joint.passive ? "passive: it follows the driven joints" : "";
    };
    slider.addEventListener("input", () => {
      show(Number(slider.value) / factor);
      send(k, Number(slider.value) / factor);
    });
    number.addEventListener("input", () => (typing = true));
    const nudge = (step) => {
      const moved = Number((Number(number.value) + step).toFixed(digits));
      if (!Number.isFinite(moved)) return;
      number.value = moved;
      send(k, String(moved));
    };
    number.addEventListener("keydown", ({ key }) => {
      const step = { ArrowUp: 1, ArrowDown: -1 }[key];
      if (step) nudge(step * (joint.turns && digits < 3 ? 1 : joint.bends ? 0.001 : 0.01));
    });
    number.addEventListener("change", () => {
      typing = false;
      if (!number.value.trim()) return show(Number(slider.value) / factor);
      return send(k, number.value, true); // the server reads it, clamps it to the limits and reports it
    });
    show(joint.value);
    return { box, joint, show, sent: 0 };
  }

  function setJoints(joints, angle) {
    for (const timer of waiting.values()) clearTimeout(timer); // the joints of another robot
    waiting.clear();
    rows = joints.map((joint, k) => makeRow(joint, k, angle));
    const passive = rows.filter((row) => row.joint.passive);
    const heading = passive.length ? [element("div", { class: "followers" }, "these follow:")] : [];
    root.replaceChildren(...[...rows.filter((row) => !row.joint.passive), ...passive].map((row) => row.box));
    passive[0]?.box.before(...heading);
    recolour();
  }

  return {
    setJoints,
    // A joint that has moved on since those values were computed is not moved back.
    setValues: (values, heard) => {
      answered = Math.max(answered, heard);
      rows.forEach((row, k) => row.sent <= heard && row.show(values[k]));
    },
    dispose: unlook,
  };
}
