// Robots as cards: filtered by group and words, opened by a click or Enter. Those of the user are kept by the browser.

import { element } from "../report/player.js";
import { send } from "./file.js";

const OWN = "redyn-robots";
const ALL = "all";
const MINE = "my robots";
const MOST = 100; // robots that are kept

function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(OWN) ?? "[]");
    return Array.isArray(found) ? found.filter((robot) => typeof robot?.text === "string") : [];
  } catch {
    return [];
  }
}

/** An error message, or nothing. */
function keepAll(robots) {
  try {
    localStorage.setItem(OWN, JSON.stringify(robots));
    return "";
  } catch {
    return "this browser has no room for it; save it as a file";
  }
}

const texts = (card) => [card.name, card.title, card.group, card.joints, card.source].join(" ").toLowerCase();

/** options: { cards, pictures: URL, url: of uploads, largest, current: name of the robot shown }. */
export function mount(root, options, emit) {
  root.classList.add("gallery");
  const search = element("input", { type: "search", placeholder: "Search", "aria-label": "Search robots", "data-testid": "gallery-search" });
  const groups = element("div", { class: "gallery-groups", role: "group", "aria-label": "Groups" });
  const keep = element("button", { type: "button", class: "small", "data-testid": "gallery-keep", title: "This browser keeps the robot that is shown, without meshes" }, `Keep ${options.current} in my robots`);
  const count = element("span", { class: "gallery-count", role: "status" });
  const grid = element("div", { class: "gallery-cards", "data-testid": "gallery-cards" });
  root.append(element("div", { class: "gallery-tools" }, search, keep, count), groups, grid);
  let group = ALL;
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) target.src = target.dataset.source;
        else if (!target.complete) target.removeAttribute("src"); // those that can be seen come first
      }
    },
    { root: grid, rootMargin: "60px" },
  );

  const mine = () => kept().map((robot, index) => ({ ...robot, group: MINE, source: `kept by this browser on ${robot.date ?? "?"}`, index }));
  const every = () => [...mine(), ...options.cards];

  function picture(card) {
    const source = card.text === undefined ? `${options.pictures}/${encodeURIComponent(card.name)}` : `data:image/svg+xml,${encodeURIComponent(card.picture ?? "")}`;
    const image = element("img", { alt: "", width: 240, height: 180 });
    image.addEventListener("error", () => image.src && image.replaceWith(element("span", { class: "no-picture" }, "no picture")));
    image.addEventListener("load", () => (image.dataset.drawn = "yes"));
    image.dataset.source = source;
    seen.observe(image);
    return image;
  }

  function made(card) {
    const open = element("button", { type: "button", class: "robot-card", "data-testid": `card-${card.name}`, title: card.source }, picture(card), element("b", {}, card.title), element("span", { class: "robot-joints" }, card.joints), element("span", { class: "robot-source" }, card.source));
    if (card.estimated) open.append(element("span", { class: "robot-mark" }, "masses estimated"));
    if (card.text === undefined) {
      open.addEventListener("click", () => emit("open", card.name));
      return open;
    }
    open.addEventListener("click", async () => {
      const file = new File([card.text], `${card.name}.yaml`);
      await send(file, options, emit);
      emit("opened"); // a message would be on the page below
    });
    const drop = element("button", { type: "button", class: "close", "aria-label": `Remove ${card.title} from my robots`, title: "Remove" }, "×");
    drop.addEventListener("click", () => {
      keepAll(kept().filter((_, index) => index !== card.index));
      show();
    });
    return element("div", { class: "own-card" }, open, drop);
  }

  function show() {
    const names = [ALL, ...new Set(options.cards.map((card) => card.group)), MINE];
    const cards = every();
    groups.replaceChildren(
      ...names.map((name) => {
        const size = name === ALL ? cards.length : cards.filter((card) => card.group === name).length;
        const chip = element("button", { type: "button", class: "small", "aria-pressed": String(name === group), "data-testid": `group-${name.replace(" ", "-")}` }, `${name} `, element("small", {}, String(size)));
        chip.addEventListener("click", () => {
          group = name;
          show();
          groups.querySelector("[aria-pressed=true]").focus();
        });
        return chip;
      }),
    );
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = cards.filter((card) => (group === ALL || card.group === group) && words.every((word) => texts(card).includes(word)));
    for (const image of grid.querySelectorAll("img")) image.removeAttribute("src"); // no longer waited for
    seen.disconnect();
    grid.replaceChildren(...found.map(made));
    if (!found.length) grid.append(element("p", { class: "run-note" }, group === MINE && !words.length ? `None yet: the button above keeps ${options.current} in this browser.` : "No robot has these words."));
    grid.scrollTop = 0;
    count.textContent = `${found.length} of ${cards.length} robots`;
  }

  search.addEventListener("input", show);
  keep.addEventListener("click", () => emit("keep"));
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return; // closes the dialog
    event.stopPropagation(); // the keys of the player and of the view
    const cards = [...grid.querySelectorAll(".robot-card")];
    if (event.target === search) {
      if (event.key === "Enter") cards[0]?.click();
      if (event.key === "ArrowDown") cards[0]?.focus();
      return;
    }
    const at = cards.indexOf(event.target);
    const columns = cards.filter((card) => card.offsetTop === cards[0].offsetTop).length;
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
    if (at < 0 || !step) return;
    event.preventDefault();
    (cards[at + step] ?? (event.key === "ArrowUp" ? search : cards[at])).focus();
  });
  show();
  requestAnimationFrame(() => search.focus());

  return {
    /** Adds a robot, or replaces the one of this name. */
    keep(robot) {
      const others = kept().filter(({ name }) => name !== robot.name);
      const date = new Date().toISOString().slice(0, 10);
      const wrong = others.length >= MOST ? `this browser keeps ${MOST} robots already; remove one first` : keepAll([...others, { ...robot, date }]);
      if (wrong) emit("refused", `${robot.name}: ${wrong}`);
      group = MINE;
      search.value = "";
      show();
    },
    dispose: () => seen.disconnect(),
  };
}
