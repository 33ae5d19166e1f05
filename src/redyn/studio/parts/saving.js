// The menu beside the 3D view that saves it: as a picture, or its motion as a film. See film.js.

import { element } from "../report/player.js";

const ENTRIES = [
  ["png", "Picture (PNG)"],
  ["webm", "Film (WebM)"],
  ["gif", "Film (GIF)"],
];
const NO_WEBM = "This browser makes no WebM here: it needs an encoder, and an address of this machine or with TLS. GIF works everywhere.";

function offer(name, content) {
  const address = URL.createObjectURL(content);
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

/** `seen()`: { viewers: [{ viewer, box, label }], duration, speed, name }; `begin()` is called before a film. */
export function createSaving(stage, seen, begin) {
  const opener = element("button", { type: "button", class: "small over save-view", title: "Save the view as a picture, or its motion as a film", "aria-haspopup": "menu", "aria-expanded": "false", "data-testid": "save-view" }, "Picture");
  const menu = element("div", { class: "view-menu over", role: "menu", "aria-label": "Save the view", hidden: "" });
  const bar = element("progress", { max: 1, value: 0, "aria-label": "Frames" });
  const text = element("span", { role: "status", "data-testid": "film-note" });
  const cancel = element("button", { type: "button", class: "small", "data-testid": "film-cancel" }, "Cancel");
  const progress = element("div", { class: "filming over", "data-testid": "filming", hidden: "" }, element("div", {}, text, bar, cancel));
  const entries = Object.fromEntries(ENTRIES.map(([kind, name]) => {
    const entry = element("button", { type: "button", role: "menuitem", "data-testid": `save-view-${kind}` }, name);
    entry.addEventListener("click", () => {
      open(false);
      save(kind);
    });
    return [kind, entry];
  }));
  menu.append(...Object.values(entries));
  stage.append(opener, menu, progress);
  let stop = () => {}; // of the film that is made
  let busy = false;

  async function open(on) {
    menu.hidden = !on;
    opener.setAttribute("aria-expanded", String(on));
    if (!on) return;
    const { duration } = seen();
    const { hasWebm } = await import("./webm.js");
    const able = await hasWebm();
    entries.webm.disabled = !able || !(duration > 0);
    entries.gif.disabled = !(duration > 0);
    for (const kind of ["webm", "gif"]) entries[kind].title = duration > 0 ? "At the speed of the player" : "There is no motion";
    if (!able) entries.webm.title = NO_WEBM;
    menu.dataset.ready = "yes";
    menu.querySelector("button:not(:disabled)")?.focus();
  }

  async function save(kind) {
    const { viewers, duration, speed, name } = seen();
    if (busy || !viewers.length) return;
    const { film, picture } = await import("./film.js");
    if (kind === "png") {
      offer(`${name}.png`, await picture(stage, viewers));
      return;
    }
    begin();
    let stopped = false;
    stop = () => (stopped = true);
    busy = true;
    progress.hidden = false;
    text.textContent = "Preparing";
    bar.value = 0;
    cancel.focus();
    const onFrame = (k, count) => {
      text.textContent = `Frame ${k} of ${count}`;
      bar.value = k / count;
    };
    try {
      const made = await film(stage, viewers, { kind, duration, speed, onFrame, stopped: () => stopped });
      if (made) offer(`${name}.${kind}`, made);
      progress.hidden = true;
    } catch (error) {
      if (stopped) progress.hidden = true;
      else text.textContent = `The film could not be made: ${error.message}`;
    }
    busy = false;
  }

  cancel.addEventListener("click", () => {
    stop();
    if (!busy) progress.hidden = true;
  });
  opener.addEventListener("click", () => open(menu.hidden));
  const outside = (event) => {
    if (!menu.hidden && !menu.contains(event.target) && event.target !== opener) open(false);
  };
  document.addEventListener("pointerdown", outside);
  for (const part of [menu, progress]) {
    part.addEventListener("keydown", (event) => {
      event.stopPropagation(); // the keys of the player
      const list = Object.values(entries).filter((entry) => !entry.disabled);
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (part === menu && step) list[(list.indexOf(event.target) + step + list.length) % list.length]?.focus();
      if (event.key !== "Escape") return;
      if (part === progress) stop();
      else open(false);
      opener.focus();
    });
  }

  return {
    /** Another motion is shown: a film of the last one is given up. */
    cancel: () => stop(),
    dispose() {
      stop();
      document.removeEventListener("pointerdown", outside);
    },
  };
}
