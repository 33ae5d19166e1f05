// Taught points: a row each, with the leg that leads there, its time, dwell and blend.

import { element } from "../report/player.js";
import { shade } from "../report/viewer.js";
import { look } from "./look.js";
import { here, inUnit, short } from "./rows.js";

const FIELDS = [
  ["duration", "time", "Seconds of the leg; empty: as long as the limits of speed and acceleration ask for"],
  ["dwell", "dwell", "Seconds for which the robot stands still there"],
  ["blend", "blend", "The next leg begins within so many metres of the point, as 0.05, or so many seconds earlier, as 0.2 s"],
];
const ACTIONS = [
  ["go", "▶", "Move the robot there"],
  ["up", "↑", "Earlier"],
  ["down", "↓", "Later"],
  ["remove", "×", "Remove"],
];

/** options: { legs }. */
export function mount(root, options, emit) {
  root.classList.add("rows", "points");
  const unlook = look.on(recolour);

  function recolour() {
    for (const head of root.querySelectorAll("[data-colour]")) head.style.setProperty("--colour", shade(head.dataset.colour, look.theme));
  }

  function input(text, label, testid, place) {
    const field = element("input", { type: "text", "aria-label": label, "data-testid": testid, autocomplete: "off", spellcheck: "false" });
    let value = text;
    field.value = short(value, 3);
    field.addEventListener("change", () => emit("edit", { ...place, text: (value = field.value) }));
    field.addEventListener("focus", () => {
      field.value = value;
      field.select();
    });
    field.addEventListener("blur", () => (field.value = short(value, 3)));
    return field;
  }

  function leg(point, k) {
    if (!k) return element("span", { class: "first-point" }, "start");
    const choice = element("select", { "aria-label": `leg to point ${k + 1}`, "data-testid": `point-${k + 1}-leg` }, ...options.legs.map((name) => element("option", { value: name }, name)));
    choice.value = point.leg;
    choice.addEventListener("change", () => emit("edit", { point: k, field: "leg", text: choice.value }));
    return choice;
  }

  function via(point, k) {
    const cell = element("td", { class: "via" });
    if (!k || point.leg !== "circle") return cell;
    cell.append(input(point.via, `point on the circle to point ${k + 1}: x, y, z`, `point-${k + 1}-via`, { point: k, field: "via" }),
      here("Take the position of the end effector", `point-${k + 1}-via-here`, () => emit("act", { point: k, what: "via" })));
    return cell;
  }

  /** heads: [{ name, colour }]; unit: of joint values; points: [{ q, leg, via, duration, dwell, blend }], all as text. */
  function set({ heads, unit, points }) {
    const circles = points.some((point, k) => k && point.leg === "circle");
    const head = element("tr", {},
      element("td", {}, ...inUnit(unit)), element("th", { scope: "col", title: "How the point is reached from the one before" }, "leg"),
      ...heads.map(({ name, colour }) => element("th", { scope: "col", "data-colour": colour, title: name }, name)),
      ...(circles ? [element("th", { scope: "col", title: "A point that the circle passes: x, y, z" }, "via (m)")] : []),
      ...FIELDS.map(([, title, hint]) => element("th", { scope: "col", title: hint }, title)),
      element("td", {}));
    const body = points.map((point, k) => {
      const name = `point ${k + 1}`;
      const title = element("th", { scope: "row" }, String(k + 1), here(`${name}: use this pose`, `point-${k + 1}-here`, () => emit("act", { point: k, what: "here" })));
      const values = heads.map((joint, j) => element("td", {}, input(point.q[j], `${name}: ${joint.name}`, `point-${k + 1}-${j + 1}`, { point: k, joint: j })));
      const more = FIELDS.map(([field, word]) => {
        const cell = element("td", { class: "brief" });
        if (k || field === "dwell") cell.append(input(point[field], `${name}: ${word}`, `point-${k + 1}-${field}`, { point: k, field }));
        return cell;
      });
      const buttons = ACTIONS.map(([what, sign, hint]) => {
        const button = element("button", { type: "button", class: "here", title: hint, "aria-label": `${name}: ${hint.toLowerCase()}`, "data-testid": `point-${k + 1}-${what}` }, sign);
        button.disabled = (what === "up" && !k) || (what === "down" && k === points.length - 1);
        button.addEventListener("click", () => emit("act", { point: k, what }));
        return button;
      });
      return element("tr", { "data-testid": `point-${k + 1}` }, title, element("td", {}, leg(point, k)), ...values, ...(circles ? [via(point, k)] : []), ...more, element("td", { class: "acts" }, ...buttons));
    });
    const none = element("p", { class: "run-note" }, "No points yet. Move the robot with its sliders, then press Teach.");
    root.replaceChildren(points.length ? element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)) : none);
    recolour();
  }

  return { set, dispose: unlook };
}
