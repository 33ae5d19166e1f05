// The joint positions that reach a pose, a row each: pointing at one shows it in the view, its button goes there.

import { element } from "../report/player.js";
import { shade } from "../report/viewer.js";
import { look } from "./look.js";
import { pointed } from "./overlays.js";

export function mount(root, options, emit) {
  root.classList.add("rows", "solutions");
  const unlook = look.on(recolour);
  let rows = [];

  function recolour() {
    for (const head of root.querySelectorAll("[data-colour]")) head.style.setProperty("--colour", shade(head.dataset.colour, look.theme));
  }

  /** heads: [{ name, colour }]; solutions: [{ values, note, within }]; at: the one that the robot shows, -1: none. */
  function set({ heads, solutions, at }) {
    pointed.set(-1);
    if (!solutions.length) {
      rows = [];
      return root.replaceChildren();
    }
    const titles = heads.map(({ name, colour }) => element("th", { scope: "col", "data-colour": colour, title: name }, name));
    rows = solutions.map(({ values, note, within }, k) => {
      const go = element("button", { type: "button", class: "small", title: "Move the robot there", "aria-label": `Go to solution ${k + 1}`, "data-testid": `go-${k + 1}` }, "Go");
      const cells = values.map((value) => element("td", {}, value));
      const row = element("tr", { "data-testid": `solution-${k + 1}` }, element("th", { scope: "row" }, go), ...cells, element("td", { class: "solution-note" }, note));
      row.toggleAttribute("data-beyond", !within);
      for (const [event, at] of [["pointerenter", k], ["pointerleave", -1], ["focusin", k], ["focusout", -1]]) row.addEventListener(event, () => pointed.set(at));
      row.addEventListener("click", () => emit("go", k));
      return row;
    });
    const head = element("tr", {}, element("td", {}), ...titles, element("th", { scope: "col" }, ""));
    root.replaceChildren(element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)));
    recolour();
    return mark(at);
  }

  /** Marks the solution that the robot shows. */
  function mark(at) {
    rows.forEach((row, k) => {
      if (k === at) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    });
  }

  return { set, mark, dispose: unlook };
}
