// The pinned runs that the plots of a panel show too: how their curves are drawn, each with a switch.

import { element } from "../report/player.js";

/** A short line, drawn as the curves of a run are. */
export function sample(dash, colour = "currentColor") {
  const pattern = { solid: "", dash: "9px,9px" }[dash] ?? dash;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "line-sample");
  svg.setAttribute("aria-hidden", "true");
  svg.innerHTML = `<line x1="0" y1="4" x2="34" y2="4" stroke-width="2.5"/>`;
  svg.firstChild.setAttribute("stroke", colour);
  svg.firstChild.setAttribute("stroke-dasharray", pattern);
  return svg;
}

/** options: { testid }. */
export function mount(root, options, emit) {
  root.classList.add("pinned");
  root.dataset.testid = options.testid;

  /** pins: [{ key, name, dash, shown }]. */
  function set(pins) {
    const focused = root.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    root.replaceChildren(element("span", { class: "pinned-label" }, "pinned:"), ...pins.map((pin) => {
      const chip = element("button", { type: "button", class: "chip pin-chip", "data-key": pin.key, "aria-pressed": String(pin.shown), title: `${pin.name}: show or hide` }, sample(pin.dash), pin.name);
      chip.addEventListener("click", () => emit("show", { key: pin.key, on: !pin.shown }));
      return chip;
    }));
    if (focused) root.querySelector(`[data-key="${focused}"]`)?.focus();
  }

  return { set };
}
