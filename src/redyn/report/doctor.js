// The page of a diagnosis: the robot with ellipsoids of inertia, the findings, what other programs say, all links.

import { element } from "./player.js";
import { createDevice, createViewer } from "./viewer.js";

const SWITCHES = [
  ["meshes", "Shapes", true],
  ["axes", "Joint axes", false],
  ["frames", "Frames", false],
];
const COLOURS = { error: 0xc81e2b, warning: 0xd98200, note: 0x17639b, "": 0x2f8f5b };
const WORDS = { error: "Error", warning: "Warning", note: "Note" };
const THIN = 0.004; // of the reach: the least half-axis that can be seen
const byId = (id) => document.getElementById(id);
const digits = (x, count = 4) => (x === null || x === undefined ? "" : Number(x.toPrecision(count)).toString());

const sentence = (text) => text[0].toUpperCase() + text.slice(1) + (/[.?]$/.test(text) ? "" : ".");

/** Starts the page with three.js and the data packed by page.py. */
export async function start({ THREE, OrbitControls }, _, data) {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const marks = new Map(); // ellipsoids by link
  let theme = dark.matches ? "dark" : "light";
  let chosen = "";
  document.body.classList.add("doctor");
  byId("player").hidden = true;
  const viewer = openViewer();
  byId("plots").append(...[findings(), programs(), bodies()].filter(Boolean));
  setTheme(theme);
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
  byId("theme").addEventListener("click", () => setTheme(theme === "dark" ? "light" : "dark"));
  const first = data.findings.find(({ part, severity }) => part === "link" && severity !== "note");
  if (first) choose(first.name);
  root.dataset.ready = "true";

  function openViewer() {
    const views = byId("views");
    if (!data.scene) {
      views.replaceChildren(element("p", { class: "message" }, data.problem));
      byId("fit").hidden = true;
      return null;
    }
    try {
      views.append(element("div", { class: "view" }));
      const made = createViewer(views.firstChild, createDevice(THREE), THREE, OrbitControls, data.scene);
      for (const [what, text, on] of SWITCHES.filter(([what]) => made.has(what))) {
        made.show(what, on);
        byId("switches").append(makeSwitch(what, text, on, (shown) => made.show(what, shown)));
      }
      const group = new THREE.Group();
      const ball = new THREE.SphereGeometry(1, 32, 20);
      for (const { name, severity, ellipsoid } of data.bodies) {
        if (!ellipsoid) continue;
        const look = new THREE.MeshLambertMaterial({ color: COLOURS[severity], transparent: true, opacity: 0.4, depthWrite: false });
        const body = new THREE.Mesh(ball, look);
        const least = THIN * made.reach;
        body.position.set(...ellipsoid.position);
        body.quaternion.set(...ellipsoid.quaternion);
        body.scale.set(...(ellipsoid.radii ?? [6 * least, 6 * least, 6 * least]).map((r) => Math.max(r, least)));
        body.renderOrder = 3;
        group.add(body);
        marks.set(name, body);
      }
      made.overlay.add(group);
      const showAll = (shown) => {
        group.visible = shown;
        made.draw();
      };
      byId("switches").append(makeSwitch("ellipsoids", "Ellipsoids of inertia", true, showAll));
      byId("fit").addEventListener("click", () => made.fit());
      byId("grid").textContent = "Each ellipsoid has the mass and inertia of its link: it should fill its shapes";
      return made;
    } catch (error) {
      const why = `The 3D view needs WebGL, which this browser does not offer (${error.message}).`;
      views.replaceChildren(element("p", { class: "message" }, why));
      return null;
    }
  }

  function makeSwitch(what, text, on, show) {
    const box = element("input", { type: "checkbox", "data-testid": `show-${what}` });
    box.checked = on;
    box.addEventListener("change", () => show(box.checked));
    return element("label", {}, box, text);
  }

  /** Emphasises the ellipsoid and the findings of a link. */
  function choose(name) {
    chosen = name === chosen ? "" : name;
    for (const [link, { material }] of marks) {
      material.opacity = !chosen ? 0.4 : link === chosen ? 0.75 : 0.15;
    }
    for (const node of document.querySelectorAll("[data-link]")) {
      node.setAttribute("aria-selected", String(Boolean(chosen) && node.dataset.link === chosen));
    }
    viewer?.draw();
  }

  function pickable(node, name) {
    node.dataset.link = name;
    node.tabIndex = 0;
    node.addEventListener("click", () => choose(name));
    node.addEventListener("keydown", (event) => event.key === "Enter" && choose(name));
    return node;
  }

  function card(id, title, ...inside) {
    const head = element("header", {}, element("h2", {}, title));
    return element("section", { class: "card doctor-card", id, "data-testid": id }, head, element("div", {}, ...inside));
  }

  function findings() {
    if (!data.findings.length) return card("findings", "Findings", element("p", {}, "Nothing was found."));
    const list = data.findings.map(({ severity, where, line, what, right, code, part, name }) => {
      const place = line === null ? where : `${where} (line ${line})`;
      const item = element(
        "li", { class: `finding ${severity}` },
        element("p", { class: "place" }, element("b", {}, WORDS[severity]), ` ${place} `, element("code", {}, code)),
        element("p", {}, sentence(what) + " "),
      );
      if (right) item.lastChild.append(element("i", {}, sentence(right)));
      return part === "link" && marks.has(name) ? pickable(item, name) : item;
    });
    return card("findings", `Findings (${data.findings.length})`, element("ul", {}, ...list));
  }

  function programs() {
    if (!data.programs.length) return null;
    const list = data.programs.map(({ program, version, verdict, why, accepts, differences }) => {
      const kind = !accepts ? "error" : differences.length ? "warning" : "fine";
      const item = element("li", { class: `finding ${kind}` }, element("p", { class: "place" }, element("b", {}, `${program} ${version}`)), element("p", {}, verdict));
      if (why) item.append(element("p", {}, element("i", {}, `Because of ${why}`)));
      return item;
    });
    return card("programs", "Other programs", element("ul", {}, ...list), element("p", { class: "small-print" }, data.agreed));
  }

  function bodies() {
    if (!data.bodies.length) return null;
    const titles = ["link", "kg", "mass centre, m", "principal moments, kg m²", "kg/m³"];
    const head = element("tr", {}, ...titles.map((text) => element("th", { scope: "col" }, text)));
    const rows = data.bodies.map(({ name, mass, com, moments, density, severity }) => {
      const cells = [digits(mass), com?.map((x) => digits(x, 3)).join(", ") ?? "", moments?.map((x) => digits(x, 3)).join(", ") ?? "", digits(density, 3)];
      const row = element("tr", { class: severity, "aria-selected": "false" }, element("th", { scope: "row" }, name), ...cells.map((text) => element("td", {}, text)));
      return marks.has(name) ? pickable(row, name) : row;
    });
    const table = element("table", { class: "plain" }, element("thead", {}, head), element("tbody", {}, ...rows));
    return card("bodies", "Links", table, element("p", { class: "small-print" }, "Densities are of convex hulls of the shapes, so those of hollow links are low."));
  }

  function setTheme(name) {
    theme = name;
    root.dataset.theme = name;
    viewer?.setTheme(name);
  }
}
