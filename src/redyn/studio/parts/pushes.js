// Pushes of a simulation: a row each, with the link, the point, the force, when it begins and how long it acts.

import { element } from "../report/player.js";

const FIELDS = [
  ["point", "point (m)", "Where it acts, in the link's frame: x, y, z"],
  ["force", "force (N)", "In world axes: x, y, z"],
  ["size", "size (N)", "How strong it is; a change keeps its direction"],
  ["start", "from (s)", "When it begins"],
  ["duration", "for (s)", "How long it acts"],
];

export function mount(root, options, emit) {
  root.classList.add("rows", "pushes");
  root.dataset.testid = "push-list";

  function field(push, k, [name, label]) {
    const input = element("input", { type: "text", "aria-label": `${label} of push ${k + 1}`, "data-testid": `push-${k + 1}-${name}`, autocomplete: "off", spellcheck: "false" });
    input.value = push[name];
    input.addEventListener("focus", () => input.select());
    input.addEventListener("change", () => emit("edit", { push: k, field: name, text: input.value }));
    return element("td", { class: ["point", "force"].includes(name) ? "three" : "" }, input);
  }

  function row(push, k, links) {
    const names = links.includes(push.link) ? links : [push.link, ...links];
    const link = element("select", { "aria-label": `link of push ${k + 1}`, "data-testid": `push-${k + 1}-link` }, ...names.map((name) => element("option", { value: name }, name)));
    link.value = push.link;
    link.addEventListener("change", () => emit("edit", { push: k, field: "link", text: link.value }));
    const remove = element("button", { type: "button", class: "here", title: `Remove push ${k + 1}`, "aria-label": `Remove push ${k + 1}`, "data-testid": `push-${k + 1}-remove` }, "×");
    remove.addEventListener("click", () => emit("remove", k));
    return element("tr", {}, element("td", {}, link), ...FIELDS.map((each) => field(push, k, each)), element("td", {}, remove));
  }

  /** links: names; pushes: [{ link, point, force, size, start, duration }], all as text. */
  function set({ links, pushes }) {
    const focused = document.activeElement?.dataset?.testid;
    const heads = [["link", "link", "On which it acts"], ...FIELDS].map(([, label, title]) => element("th", { scope: "col", title }, label));
    root.dataset.count = String(pushes.length);
    root.replaceChildren(
      element("table", {}, element("thead", {}, element("tr", {}, ...heads, element("td", {}))), element("tbody", {}, ...pushes.map((push, k) => row(push, k, links)))),
    );
    if (focused?.startsWith("push-")) root.querySelector(`[data-testid="${focused}"]`)?.focus(); // what Tab has reached
  }

  return { set, dispose() {} };
}
