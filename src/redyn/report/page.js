// The report's page: a robot in 3D, its player, and plots whose cursor follows the time.

import { createCharts } from "./charts.js";
import { createPlayer, element } from "./player.js";
import { createDevice, createViewer, floats, shade, touchingText } from "./viewer.js";

const SWITCHES = [
  ["meshes", "Meshes"],
  ["trace", "Path"],
  ["axes", "Joint axes"],
  ["frames", "Frames"],
  ["masses", "Mass centres"],
];
const byId = (id) => document.getElementById(id);

/** Starts the page with three.js, a way to get Plotly, and what html.py packed. */
export async function start({ THREE, OrbitControls }, loadPlotly, data) {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let theme = dark.matches ? "dark" : "light";
  const charts = createCharts({
    theme: () => theme,
    range: () => [data.start, data.start + data.duration],
    seek: (t) => player.seek(t),
  });

  const viewer = openViewer();
  const player = createPlayer(byId("player"), data.duration, onTime, viewer?.contacts);
  setTheme(theme);
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
  byId("theme").addEventListener("click", () => setTheme(theme === "dark" ? "light" : "dark"));
  const cards = data.plots.map(makeCard);
  await charts.use(await loadPlotly());
  new ResizeObserver(charts.resize).observe(byId("plots"));
  player.seek(data.opens);
  root.dataset.ready = "true";

  // --- 3D ---------------------------------------------------------------------------------------------------

  function openViewer() {
    try {
      const made = createViewer(byId("stage"), createDevice(THREE), THREE, OrbitControls, data.scene);
      const switches = SWITCHES.filter(([what]) => what !== "meshes" || made.hasMeshes);
      for (const [what, text] of switches) {
        const on = what === "meshes" || data.shown.includes(what);
        made.show(what, on);
        byId("switches").append(makeSwitch(made, what, text, on));
      }
      byId("fit").addEventListener("click", () => made.fit());
      const red = made.contacts.length ? "red above the time line: links touch" : "";
      byId("grid").textContent = [made.note, red, `grid ${Number(made.gridStep.toPrecision(2))} m`].filter(Boolean).join(", ");
      return made;
    } catch (error) {
      const why = `The 3D view needs WebGL, which this browser does not offer (${error.message}).`;
      byId("stage").append(element("p", { class: "message" }, why));
      return null;
    }
  }

  function makeSwitch(made, what, text, on) {
    const box = element("input", { type: "checkbox", "data-testid": `show-${what}` });
    box.checked = on;
    box.addEventListener("change", () => made.show(what, box.checked));
    return element("label", {}, box, text);
  }

  function onTime(t) {
    viewer?.setTime(t);
    charts.setTime(t);
    const pairs = viewer?.touchingAt(t) ?? [];
    byId("alarm").hidden = !pairs.length;
    const text = touchingText(pairs);
    if (pairs.length && byId("alarm").textContent !== text) byId("alarm").textContent = text;
  }

  function setTheme(name) {
    theme = name;
    root.dataset.theme = name;
    viewer?.setTheme(name);
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
    const chart = charts.add(area, { ...plot, t: floats(plot.t), y: floats(plot.values) });
    const card = { joints: plot.joints, chart };
    if (!plot.joints) fillLegend(legend, plot, () => [card]);
    else if (!byId("joints").children.length) fillLegend(byId("joints"), plot, () => cards.filter((c) => c.joints));
    return card;
  }

  /** Chips that switch a curve on and off; those of the joints act on all the plots that show joints. */
  function fillLegend(legend, plot, affected) {
    plot.names.forEach((name, k) => {
      const node = chip(name, plot.colours[k]);
      node.addEventListener("click", () => {
        const on = node.getAttribute("aria-pressed") !== "true";
        node.setAttribute("aria-pressed", String(on));
        for (const card of affected()) card.chart.setVisible(k, on);
      });
      legend.append(node);
    });
    legend.hidden = false;
  }
}
