// The report's page: a robot in 3D, its player, and plots whose cursor follows the time.

import { createPlayer, element } from "./player.js";
import { createViewer, floats, shade } from "./viewer.js";

const SWITCHES = [
  ["meshes", "Meshes", true],
  ["trace", "Path", true],
  ["axes", "Joint axes", false],
  ["frames", "Frames", false],
  ["masses", "Mass centres", false],
];
const byId = (id) => document.getElementById(id);

/** Starts the page with three.js, a way to get Plotly, and what html.py packed. */
export async function start({ THREE, OrbitControls }, loadPlotly, data) {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let theme = dark.matches ? "dark" : "light";
  const plots = [];

  const viewer = openViewer();
  const player = createPlayer(byId("player"), data.duration, onTime, viewer?.contacts);
  setTheme(theme);
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
  byId("theme").addEventListener("click", () => setTheme(theme === "dark" ? "light" : "dark"));
  const cards = data.plots.map(makeCard);
  const Plotly = await loadPlotly();
  for (const card of cards) await drawPlot(card);
  new ResizeObserver(() => plots.forEach((plot) => Plotly.Plots.resize(plot.graph))).observe(byId("plots"));
  root.dataset.ready = "true";

  // --- 3D ---------------------------------------------------------------------------------------------------

  function openViewer() {
    try {
      const made = createViewer(byId("stage"), THREE, OrbitControls, data.scene);
      const switches = SWITCHES.filter(([what]) => what !== "meshes" || made.hasMeshes);
      for (const [what, text, on] of switches) byId("switches").append(makeSwitch(made, what, text, on));
      byId("fit").addEventListener("click", () => made.fit());
      byId("grid").textContent = [made.note, `grid ${Number(made.gridStep.toPrecision(2))} m`].filter(Boolean).join(", ");
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
    for (const plot of plots) moveCursor(plot, t);
    const pairs = viewer?.touchingAt(t) ?? [];
    byId("alarm").hidden = !pairs.length;
    const text = pairs.map(([a, b]) => `${a} and ${b}`).join(", ");
    if (pairs.length && byId("alarm").textContent !== `Touching: ${text}`) byId("alarm").textContent = `Touching: ${text}`;
    onTime.now = t;
  }

  function setTheme(name) {
    theme = name;
    root.dataset.theme = name;
    viewer?.setTheme(name);
    for (const chip of document.querySelectorAll("[data-colour]")) {
      chip.style.setProperty("--colour", shade(chip.dataset.colour, theme));
    }
    for (const plot of plots) Plotly.react(plot.graph, curves(plot), layout());
  }

  // --- plots ------------------------------------------------------------------------------------------------

  function chip(name, colour) {
    const node = element("button", { type: "button", class: "chip", "aria-pressed": "true", "data-colour": colour, title: name }, name);
    node.style.setProperty("--colour", shade(colour, theme));
    return node;
  }

  function makeCard(plot, index) {
    const legend = element("span", { class: "legend" });
    const graph = element("div", { class: "graph" });
    const cursor = element("div", { class: "cursor", hidden: "" });
    const area = element("div", { class: "area" }, graph, cursor);
    const unit = element("span", { class: "unit" }, plot.unit);
    const head = element("header", {}, element("h2", {}, plot.title), unit, legend);
    byId("plots").append(element("section", { class: "card", "data-testid": `plot-${index}` }, head, area));
    const card = { ...plot, graph, cursor, hidden: new Set(), t: floats(plot.t), y: floats(plot.values) };
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
        for (const card of affected()) setVisible(card, k, on);
      });
      legend.append(node);
    });
    legend.hidden = false;
  }

  function setVisible(card, k, on) {
    if (on) card.hidden.delete(k);
    else card.hidden.add(k);
    if (plots.includes(card)) Plotly.react(card.graph, curves(card), layout());
  }

  function curves(card) {
    const count = card.names.length;
    return card.names.map((name, k) => ({
      x: card.t,
      y: card.y.subarray(k * card.t.length, (k + 1) * card.t.length),
      name: name.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;"), // Plotly reads some HTML in names
      mode: "lines",
      visible: !card.hidden.has(k),
      line: { color: shade(card.colours[k], theme), width: count > 12 ? 1.2 : 1.8, simplify: false },
    }));
  }

  function layout() {
    const style = getComputedStyle(root);
    const colour = (name) => style.getPropertyValue(name).trim();
    const axis = { gridcolor: colour("--line"), zerolinecolor: colour("--faint"), zerolinewidth: 1, tickfont: { size: 10.5 } };
    return {
      margin: { l: 48, r: 18, t: 6, b: 22 },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: style.fontFamily, size: 11, color: colour("--soft") },
      showlegend: false,
      hovermode: "x unified",
      hoverlabel: { bgcolor: colour("--panel"), bordercolor: colour("--line"), font: { size: 11, color: colour("--ink") } },
      xaxis: { ...axis, range: [data.start, data.start + (data.duration || 1)], hoverformat: ".4~g", ticksuffix: " s", showticksuffix: "last" },
      yaxis: { ...axis, nticks: 5, zeroline: true, exponentformat: "power" },
      uirevision: "keep",
    };
  }

  async function drawPlot(card) {
    await Plotly.newPlot(card.graph, curves(card), layout(), { displayModeBar: false, doubleClick: "reset" });
    plots.push(card);
    card.graph.on("plotly_afterplot", () => moveCursor(card, onTime.now));
    card.graph.on("plotly_relayout", (change) => zoomAll(card, change));
    seekOnClick(card);
    moveCursor(card, onTime.now);
  }

  /** One zoom for all: times on the plots below one another stay comparable. */
  function zoomAll(from, change) {
    if (zoomAll.busy || !Object.keys(change).some((key) => key.startsWith("xaxis"))) return;
    zoomAll.busy = true;
    const range = [...from.graph._fullLayout.xaxis.range];
    const others = plots.filter((plot) => plot !== from);
    Promise.all(others.map((plot) => Plotly.relayout(plot.graph, { "xaxis.range": range }))).finally(() => (zoomAll.busy = false));
  }

  function seekOnClick(card) {
    let down = null;
    card.graph.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]), true);
    window.addEventListener("pointerup", (event) => {
      const still = down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4;
      down = null;
      if (!still) return;
      const axis = card.graph._fullLayout.xaxis;
      player.seek(axis.p2l(event.clientX - card.graph.getBoundingClientRect().left - axis._offset) - data.start);
    }, true);
  }

  /** A line over the plot, moved by the compositor: redrawing the plot would not keep up with the motion. */
  function moveCursor(card, t) {
    const axes = card.graph._fullLayout;
    if (!axes) return;
    const x = axes.xaxis.l2p(data.start + t);
    card.cursor.hidden = !(x >= -0.5 && x <= axes.xaxis._length + 0.5);
    card.cursor.style.transform = `translateX(${axes.xaxis._offset + x}px)`;
    card.cursor.style.top = `${axes.yaxis._offset}px`;
    card.cursor.style.height = `${axes.yaxis._length}px`;
  }
}
