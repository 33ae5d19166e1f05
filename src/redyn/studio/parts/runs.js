// The list of runs that are compared: switch, colour and name of each, some of its numbers, and pinning or removing it.

import { element } from "../report/player.js";
import { shade } from "../report/viewer.js";
import { look } from "./look.js";
import { sample } from "./pinned.js";

export function mount(root, options, emit) {
  root.classList.add("runs");
  let last = { heads: [], rows: [] };
  const unlook = look.on(() => set(last));

  function row({ key, name, about, colour, dash, shown, pinned, numbers }, heads) {
    const send = (what, value) => emit("edit", { key, what, value });
    const box = element("input", { type: "checkbox", "aria-label": `Show ${name}`, "data-field": `${key} show` });
    box.checked = shown;
    box.addEventListener("change", () => send("show", box.checked));
    const line = sample(dash, shade(colour, look.theme));
    let called = element("span", { title: about }, name);
    const tint = element("td", { class: "tint" }, line);
    if (pinned) {
      called = element("input", { type: "text", class: "run-name", "aria-label": `Name of ${name}`, maxlength: "60", title: about, autocomplete: "off", spellcheck: "false", "data-field": `${key} name` });
      called.value = name;
      let sent = name;
      const commit = () => {
        if (!called.isConnected || called.value === sent) return;
        sent = called.value;
        send("name", sent);
      };
      called.addEventListener("keydown", (event) => event.key === "Enter" && commit());
      called.addEventListener("blur", commit);
      called.unsent = () => (called.value === sent ? null : called.value);
      const picker = element("input", { type: "color", "aria-label": `Colour of ${name}`, title: "Colour", "data-field": `${key} colour` });
      picker.value = colour;
      picker.addEventListener("change", () => send("colour", picker.value));
      tint.append(picker);
    }
    const [act, text, title] = pinned ? ["remove", "×", `Remove ${name}`] : ["pin", "Pin", `Pin: ${name}`];
    const button = element("button", { type: "button", class: "small", title, "aria-label": title, "data-field": `${key} ${act}` }, text);
    button.addEventListener("click", () => send(act, true));
    const cells = heads.map((_, k) => element("td", { class: "number" }, shown ? numbers[k] ?? "–" : ""));
    return element("tr", { "data-run": key }, element("td", {}, box), tint, element("th", { scope: "row" }, called), element("td", { class: "about", title: about }, about), ...cells, element("td", {}, button));
  }

  /** { heads: texts, rows: [{ key, name, about, colour, dash, shown, pinned, numbers: texts }] }. */
  function set(next) {
    last = next;
    const at = document.activeElement;
    const focused = root.contains(at) ? at.dataset.field : null;
    const place = focused && at.type === "text" ? at.selectionStart : null;
    const typed = focused ? at.unsent?.() ?? null : null; // stays, although the list is drawn again
    const heads = ["", "", "run", "computed", ...next.heads, ""].map((head) => element(head ? "th" : "td", head ? { scope: "col" } : {}, head));
    const table = element("table", { class: "plain" }, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...next.rows.map((one) => row(one, next.heads))));
    root.replaceChildren(...(next.rows.length ? [table] : []));
    const again = focused && (root.querySelector(`[data-field="${focused}"]`) ?? root.querySelector("button"));
    if (again) {
      again.focus();
      if (typed !== null && again.unsent) again.value = typed;
      if (place !== null && again.type === "text") again.setSelectionRange(place, place);
    }
  }

  return { set, dispose: unlook };
}
