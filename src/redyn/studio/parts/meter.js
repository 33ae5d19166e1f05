// How far the pose is from a singular one: a bar with a number, red when little is left.

import { element } from "../report/player.js";

const LOW = 0.1; // below, it is red

/** options: testid; regular and singular, which say what a low and a high value mean. */
export function mount(root, options) {
  root.classList.add("meter");
  const done = element("div", { class: "bar-done" });
  const bar = element("div", { class: "bar" }, done);
  const value = element("span", { class: "meter-value", "data-testid": `${options.testid}-value` });
  const name = "distance from singularity";
  const box = element("div", { class: "meter-box", role: "meter", "aria-label": name, "aria-valuemin": 0, "aria-valuemax": 1, "data-testid": `${options.testid}-meter` },
    element("span", { class: "meter-name" }, name), value, bar);
  root.append(box);
  root.hidden = true;

  /** share: 0 (singular) to 1 (as far from it as usual); null hides the meter. */
  function set(share) {
    root.hidden = share === null;
    if (share === null) return;
    const low = share < LOW;
    done.style.width = `${Math.round(1000 * share) / 10}%`;
    value.textContent = share < 0.005 ? "0" : share.toFixed(2);
    box.setAttribute("aria-valuenow", share.toFixed(3));
    box.toggleAttribute("data-low", low);
    box.title = low ? options.singular : options.regular;
  }

  return { set };
}
