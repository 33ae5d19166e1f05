// Rows of fields, one column per joint value or velocity: start and stop of a motion, the state a simulation begins from.

import { element } from "../report/player.js";
import { shade } from "../report/viewer.js";
import { look } from "./look.js";

/** A long number is rounded for display, and shown in full while edited. */
export function short(text, digits = 4) {
  return new RegExp(`^-?[0-9.e+-]{${digits + 4},}$`).test(text) ? String(Number(Number(text).toPrecision(digits))) : text;
}

/** A small button that takes the pose shown. */
export function here(title, testid, action) {
  const button = element("button", { type: "button", class: "here", title, "aria-label": title, "data-testid": testid }, "here");
  button.addEventListener("click", action);
  return button;
}

/** The unit of numbers without one, behind a name. */
export function inUnit(unit) {
  return unit ? [" ", element("span", { class: "unit" }, unit)] : [];
}

/** options: { rows: [{ id, label }], testid }. */
export function mount(root, options, emit) {
  root.classList.add("rows");
  const unlook = look.on(recolour);

  function recolour() {
    for (const head of root.querySelectorAll("[data-colour]")) head.style.setProperty("--colour", shade(head.dataset.colour, look.theme));
  }

  function table({ heads: columns, rows }) {
    const heads = columns.map(({ name, colour, unit }) => element("th", { scope: "col", "data-colour": colour, title: name }, name, ...inUnit(unit)));
    const head = element("tr", {}, element("td", {}), ...heads);
    const body = rows.map(({ id, label, values, hint, unit, use }) => {
      const cells = columns.map(({ name }, k) => {
        const field = element("input", { type: "text", "aria-label": `${label} of ${name}`, "data-testid": `${id}-${k + 1}`, autocomplete: "off", spellcheck: "false" });
        let value = values[k];
        field.value = short(value);
        field.addEventListener("change", () => emit("edit", { row: id, joint: k, text: (value = field.value) }));
        field.addEventListener("focus", () => {
          field.value = value;
          field.select();
        });
        field.addEventListener("blur", () => (field.value = short(value)));
        return element("td", {}, field);
      });
      const heading = element("th", { scope: "row", title: hint ?? "" }, label, ...inUnit(unit));
      if (use) heading.append(here(`${label}: use this pose`, `${id}-use`, () => emit("use", id)));
      return element("tr", { "data-row": id }, heading, ...cells);
    });
    return element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
  }

  /** groups: [{ heads: [{ name, colour, unit }], rows: [{ id, label, values, hint, unit, use }] }], a table each; use: the pose shown may be taken. */
  function set(groups) {
    root.replaceChildren(...groups.map(table));
    recolour();
  }

  return { set, dispose: unlook };
}
