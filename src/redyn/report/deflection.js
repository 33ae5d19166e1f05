// A slider that exaggerates deflections in the 3D view. The HTML report and the studio both use it.

import { element } from "./player.js";

const STOPS = [1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000];
const TITLE = "Draws bending, torsion and the twist of elastic gears so many times as large, and moves everything beyond them along. Links that touch, and forces of contact, stay as they were computed.";

/**
 * `onChange(factor)` is called whenever the factor changes. node: a label for the page; use(viewers): offers what these
 * viewers can show, which is nothing where no robot bends, and gives them the factor; text(): what to write beside a
 * picture, empty where deflections are drawn as they are.
 */
export function createDeflection(onChange) {
  let stops = [1];
  let factor = 1;
  let shown = [];
  const slider = element("input", { type: "range", min: 0, max: 0, step: 1, value: 0, "aria-label": "Deflection", "data-testid": "deflection" });
  const number = element("output", { "data-testid": "deflection-factor" });
  const node = element("label", { class: "deflection", title: TITLE }, "Deflection", slider, number);
  node.hidden = true;
  // Arrow keys control this slider, not the player, while it has the focus.
  node.addEventListener("keydown", (event) => event.key !== " " && event.stopPropagation());
  slider.addEventListener("input", () => set(stops[Number(slider.value)]));

  function set(next) {
    factor = next;
    slider.value = stops.indexOf(factor);
    number.textContent = `×${factor}`;
    slider.setAttribute("aria-valuetext", `times ${factor}`);
    node.toggleAttribute("data-more", factor !== 1);
    for (const viewer of shown) viewer.exaggerate(factor);
    onChange(factor);
  }

  function use(viewers) {
    shown = viewers;
    const most = Math.max(0, ...viewers.map((viewer) => viewer.mostDeflection));
    stops = STOPS.filter((stop) => stop <= Math.max(most, 1));
    slider.max = stops.length - 1;
    slider.dataset.stops = stops.join(" ");
    node.hidden = most === 0;
    set(stops.includes(factor) ? factor : stops[stops.length - 1]);
  }

  return { node, use, text: () => (factor === 1 || node.hidden ? "" : `deflection ×${factor}`) };
}
