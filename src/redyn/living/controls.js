// Sliders with a field beside them, and tabs.

import { element } from "./player.js";
import { shade } from "./viewer.js";

/**
 * A row: name, slider from low to high, field and unit. Calls onInput(value) for what somebody enters; set(value) shows
 * another. The field takes numbers beyond the slider's range, but none below `least`;
 * `wraps`: the slider shows angles beyond a turn within it.
 */
export function createRow({ name, label = name, unit, low, high, least = -Infinity, colour = null, wraps = false, key, onInput }, theme) {
  const slider = element("input", { type: "range", min: low, max: high, step: "any", "aria-label": label, "data-testid": `slider-${key}` });
  const field = element("input", { type: "number", step: "any", inputmode: "decimal", "aria-label": `${label}, ${unit}`, "data-testid": `field-${key}` });
  const title = element("span", { class: "name", title: label }, name);
  if (colour) {
    title.dataset.colour = colour;
    title.classList.add("chip");
    title.style.setProperty("--colour", shade(colour, theme()));
  }
  const last = element("span", { class: "unit" }, unit);
  const node = element("div", { class: "row" }, title, slider, field, last);
  const digits = Math.max(0, 3 - Math.floor(Math.log10(high - low)));
  let shown = NaN;

  slider.addEventListener("input", () => {
    const value = Number(Number(slider.value).toFixed(Math.min(digits, 12)));
    show(value, slider);
    onInput(value);
  });
  field.addEventListener("change", () => {
    const value = field.valueAsNumber;
    if (!Number.isFinite(value) || value < least) return show(shown);
    show(value, field);
    onInput(value);
  });

  function show(value, by = null) {
    shown = value;
    if (by !== slider) slider.value = wraps ? value - 2 * Math.PI * Math.round(value / (2 * Math.PI)) : value;
    if (by !== field) field.value = Math.abs(value) < 1e-5 * (high - low) ? "0" : String(Number(value.toPrecision(Math.abs(value) < 0.1 ? 3 : 5)));
  }

  return {
    node,
    /** Shows a value, unless somebody types. */
    set(value) {
      if (value !== shown && document.activeElement !== field) show(value);
    },
    /** Whether somebody may change it. */
    enable(on) {
      if (slider.disabled === on) slider.disabled = field.disabled = !on;
    },
    /** Another text in the place of the unit; none: the unit. */
    note(text) {
      if (last.textContent !== (text || unit)) last.textContent = text || unit;
    },
  };
}

/** Tabs inside `root`: [{ key, title, node }]; onShow(key) when one is opened. */
export function createTabs(root, pages, onShow) {
  const bar = element("div", { class: "tabs", role: "tablist" });
  const buttons = pages.map(({ key, title, node }) => {
    const button = element("button", { type: "button", role: "tab", id: `tab-${key}`, "aria-controls": `page-${key}`, "data-testid": `tab-${key}` }, title);
    Object.assign(node, { id: `page-${key}` });
    node.setAttribute("role", "tabpanel");
    node.setAttribute("aria-labelledby", `tab-${key}`);
    node.classList.add("page");
    button.addEventListener("click", () => open(key));
    bar.append(button);
    return button;
  });
  root.append(bar, ...pages.map(({ node }) => node));

  function open(key) {
    pages.forEach((page, k) => {
      const on = page.key === key;
      page.node.classList.toggle("open", on);
      buttons[k].setAttribute("aria-selected", String(on));
    });
    onShow(key);
  }

  return { open };
}
