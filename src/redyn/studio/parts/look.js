// Appearance of the page: light or dark, normal or large type. Stored by the browser; listeners are notified.

const root = document.documentElement;
const listeners = new Set();
const kept = (name) => {
  try {
    return localStorage.getItem(`redyn-${name}`);
  } catch {
    return null; // no storage here: the page works without
  }
};

export const look = {
  theme: kept("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"),
  large: kept("large") === "yes",
  on(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  set(changes) {
    Object.assign(look, changes);
    try {
      localStorage.setItem("redyn-theme", look.theme);
      localStorage.setItem("redyn-large", look.large ? "yes" : "no");
    } catch {
      // as above
    }
    apply();
  },
};

function apply() {
  root.dataset.theme = look.theme;
  root.dataset.large = look.large ? "yes" : "no";
  quasar();
  for (const listener of listeners) listener();
}

/** Quasar and AG Grid depend on a class of the body, which NiceGUI sets once it has started. */
function quasar(tries = 100) {
  const dark = look.theme === "dark";
  if (document.body?.classList.contains(dark ? "body--dark" : "body--light")) return;
  if (typeof setDark === "function" && document.querySelector("#studio")) setDark(dark);
  if (tries) setTimeout(() => quasar(tries - 1), 100);
}

apply();
window.redynLook = {
  theme: () => look.set({ theme: look.theme === "dark" ? "light" : "dark" }),
  large: () => look.set({ large: !look.large }),
};
