// The report's page: a robot in 3D, its player, and plots whose cursor follows the time.

import { createCharts, sameCurves } from "./charts.js";
import { createDeflection } from "./deflection.js";
import { createPlayer, element } from "./player.js";
import { bytes } from "./solids.js";
import { createDevice, createViewer, floats, shade, touchingText } from "./viewer.js";

const SWITCHES = [ // of those things that there are
  ["meshes", "Meshes"],
  ["trace", "Path"],
  ["axes", "Joint axes"],
  ["frames", "Frames"],
  ["masses", "Mass centres"],
  ["tracks", "Tracks"],
  ["centre", "Turning centre"],
  ["forces", "Forces"],
  ["cones", "Friction cones"],
  ["prints", "Footprints"],
  ["pressure", "Centre of pressure"],
  ["follow", "Follow"],
];
const byId = (id) => document.getElementById(id);

/** Starts the page with three.js, a loader for Plotly, and the data packed by html.py. */
export async function start({ THREE, OrbitControls }, loadPlotly, data) {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let theme = dark.matches ? "dark" : "light";
  const charts = createCharts({
    theme: () => theme,
    range: () => [data.start, data.start + data.duration],
    seek: (t) => player.seek(t),
  });

  const viewers = openViewers();
  const player = createPlayer(byId("player"), data.duration, onTime, viewers.flatMap((viewer) => viewer.contacts));
  setTheme(theme);
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
  byId("theme").addEventListener("click", () => setTheme(theme === "dark" ? "light" : "dark"));
  const cards = data.plots.map(makeCard);
  if (data.plots.length) await charts.use(await loadPlotly());
  else document.body.classList.add("alone");
  new ResizeObserver(charts.resize).observe(byId("plots"));
  player.seek(data.opens);
  root.dataset.ready = "true";

  // --- 3D ---------------------------------------------------------------------------------------------------

  function openViewers() {
    const views = byId("views");
    try {
      views.append(...data.scenes.map(() => element("div", { class: "view" }))); // all at once, so that each has its final size
      const made = data.scenes.map((scene, k) => {
        const viewer = createViewer(views.children[k], createDevice(THREE), THREE, OrbitControls, scene);
        if (scene.label) views.children[k].append(element("div", { class: "which" }, scene.label));
        return viewer;
      });
      const some = ([what]) => made.some((viewer) => viewer.has(what));
      const switches = SWITCHES.filter(some);
      for (const [what, text] of switches) {
        const on = what === "meshes" || data.shown.includes(what);
        for (const viewer of made) if (viewer.has(what)) viewer.show(what, on);
        byId("switches").append(makeSwitch(made, what, text, on));
      }
      byId("fit").addEventListener("click", () => made.forEach((viewer) => viewer.fit({ now: true })));
      const red = made.some((viewer) => viewer.contacts.length) ? "red above the time line: links touch" : "";
      const step = `grid ${Number(made[0].gridStep.toPrecision(2))} m`;
      const describe = () => {
        byId("grid").textContent = [made[0].note, made[0].key, red, deflection.text(), step].filter(Boolean).join(", ");
      };
      const deflection = createDeflection(describe);
      byId("switches").append(deflection.node);
      deflection.use(made);
      return made;
    } catch (error) {
      const why = `The 3D view needs WebGL, which this browser does not offer (${error.message}).`;
      views.replaceChildren(element("p", { class: "message" }, why));
      return [];
    }
  }

  function makeSwitch(made, what, text, on) {
    const box = element("input", { type: "checkbox", "data-testid": `show-${what}` });
    box.checked = on;
    box.addEventListener("change", () => made.forEach((viewer) => viewer.has(what) && viewer.show(what, box.checked)));
    return element("label", {}, box, text);
  }

  function onTime(t) {
    for (const viewer of viewers) viewer.setTime(Math.min(t, viewer.duration));
    charts.setTime(t);
    const pairs = viewers.flatMap((viewer) => viewer.touchingAt(Math.min(t, viewer.duration)));
    byId("alarm").hidden = !pairs.length;
    const text = touchingText(pairs);
    if (pairs.length && byId("alarm").textContent !== text) byId("alarm").textContent = text;
  }

  function setTheme(name) {
    theme = name;
    root.dataset.theme = name;
    for (const viewer of viewers) viewer.setTheme(name);
    for (const chip of document.querySelectorAll("[data-colour]")) {
      chip.style.setProperty("--colour", shade(chip.dataset.colour, theme));
    }
    charts.redrawAll();
  }

  // --- plots ------------------------------------------------------------------------------------------------

  function chip(name, colour) {
    const node = element("button", { type: "button", class: "chip", "aria-pressed": "true", "data-colour": colour, title: name }, name);
    node.style.setProperty("--colour", shade(colour, theme));
    return node;
  }

  function makeCard(plot, index) {
    const legend = element("span", { class: "legend" });
    const area = element("div", { class: "area" });
    const unit = element("span", { class: "unit" }, plot.unit);
    const head = element("header", {}, element("h2", {}, plot.title), unit, legend);
    byId("plots").append(element("section", { class: "card", "data-testid": `plot-${index}` }, head, area));
    const own = plot.ts ? { ts: plot.ts.map(floats), xs: plot.xs.map(floats), ys: plot.ys.map(floats) } : {};
    const chart = charts.add(area, { ...plot, ...own, t: floats(plot.t), y: floats(plot.values), beyond: bytes(plot.beyond) });
    const card = { joints: plot.joints, chart };
    if (!plot.joints) fillLegend(legend, plot, () => [card]);
    else if (!byId("joints").children.length) fillLegend(byId("joints"), plot, () => cards.filter((c) => c.joints));
    return card;
  }

  /** Chips that toggle a curve; those of joints act on all plots of joints. */
  function fillLegend(legend, plot, affected) {
    plot.names.slice(0, plot.legend).forEach((name, k) => {
      const node = chip(name, plot.colours[k]);
      node.addEventListener("click", () => {
        const on = node.getAttribute("aria-pressed") !== "true";
        node.setAttribute("aria-pressed", String(on));
        for (const { chart } of affected()) {
          for (const curve of sameCurves(chart.plot, name)) chart.setVisible(curve, on);
        }
      });
      legend.append(node);
    });
    legend.hidden = false;
  }
}
