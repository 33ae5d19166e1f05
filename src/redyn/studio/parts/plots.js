// A grid of plots that share the page's clock. Each can be saved as PNG, SVG and CSV.

import { createCharts, sameCurves } from "../report/charts.js";
import { element } from "../report/player.js";
import { bytes } from "../report/solids.js";
import { shade } from "../report/viewer.js";
import { clock } from "./clock.js";
import { look } from "./look.js";

let plotly = null;

function loadPlotly() {
  plotly ??= new Promise((done, failed) => {
    const script = element("script", { src: new URL("../plotly.js", import.meta.url).href });
    script.onload = () => done(window.Plotly);
    script.onerror = failed;
    document.head.append(script);
  });
  return plotly;
}

function doubles(text) {
  return new Float64Array(bytes(text).buffer);
}

/** Curves with times of their own. */
function own({ ts, xs, ys }) {
  return ts ? { ts: ts.map(doubles), xs: xs.map(doubles), ys: ys.map(doubles) } : {};
}

function save(name, address) {
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

/** options.cards: [{ id, title, wide?, optional? }]; an optional one is hidden while it is empty. Each gets data-testid `plot-<id>`. Tables come from the server, with all rows. */
export async function mount(root, options, emit) {
  root.classList.add("plots");
  let range = [0, 1];
  let prefix = "";
  const charts = createCharts({ theme: () => look.theme, range: () => range, seek: (t) => clock.seek(t) });
  const hidden = new Set(); // names of joints that are switched off, in all plots of joints
  const cards = Object.fromEntries(options.cards.map((card) => [card.id, makeCard(card)]));
  let shown = false; // cached: querying visibility every frame would force a layout every frame
  const watcher = new ResizeObserver(([entry]) => {
    shown = entry.contentRect.width > 0;
    tighten();
    charts.resize();
    if (shown) charts.setTime(clock.now);
  });
  watcher.observe(root);
  const unclock = clock.on((t) => {
    if (shown) charts.setTime(t);
  });
  const unlook = look.on(() => {
    requestAnimationFrame(() => {
      charts.redrawAll();
      charts.resize();
      recolour();
    });
  });
  const begun = loadPlotly().then((loaded) => charts.use(loaded));
  let asked = 0; // sets of plots so far: while one is drawn, others may come
  let drawing = Promise.resolve();

  function makeCard({ id, title, wide, optional }) {
    const legend = element("span", { class: "legend" });
    const area = element("div", { class: "area" });
    const name = element("h2", {}, title);
    const unit = element("span", { class: "unit" });
    const menu = element("span", { class: "save" });
    const head = element("header", {}, name, unit, legend, menu);
    const section = element("section", { class: wide ? "card wide" : "card", "data-testid": `plot-${id}` }, head, area);
    const chart = charts.add(area, { names: [], colours: [], t: new Float64Array(), y: new Float64Array() });
    for (const kind of ["PNG", "SVG", "CSV"]) {
      const button = element("button", { type: "button", title: `Save as ${kind}`, "data-testid": `save-${id}-${kind.toLowerCase()}` }, kind);
      button.addEventListener("click", () => download(id, kind));
      menu.append(button);
    }
    root.append(section);
    section.hidden = Boolean(optional);
    return { section, name, unit, legend, chart, title, optional, plot: null };
  }

  async function download(id, kind) {
    const card = cards[id];
    if (!card.plot) return;
    const file = `${prefix}-${id}`;
    if (kind === "CSV") {
      emit("csv", id);
      return;
    }
    const loaded = await loadPlotly();
    const { data, layout } = card.chart.graph;
    const heading = `${card.name.textContent} (${card.unit.textContent})`.replace(/&/g, "&amp;").replace(/</g, "&lt;");
    const ground = getComputedStyle(document.documentElement).getPropertyValue("--panel").trim();
    const picture = { data, layout: { ...layout, paper_bgcolor: ground, showlegend: true, title: { text: heading }, margin: { l: 60, r: 20, t: 50, b: 40 } } };
    const address = await loaded.toImage(picture, { format: kind.toLowerCase(), width: 1000, height: 560, scale: kind === "PNG" ? 2 : 1 });
    save(`${file}.${kind.toLowerCase()}`, address);
  }

  function recolour() {
    for (const chip of root.querySelectorAll("[data-colour]")) chip.style.setProperty("--colour", shade(chip.dataset.colour, look.theme));
  }

  function fillLegend(card, plot) {
    card.legend.replaceChildren(...plot.names.slice(0, plot.legend).map((name, k) => {
      const off = plot.joints && hidden.has(name);
      const chip = element("button", { type: "button", class: "chip", "aria-pressed": String(!off), "data-colour": plot.colours[k], title: `${name}: show or hide` }, name);
      chip.addEventListener("click", () => toggle(card, plot, k, chip.getAttribute("aria-pressed") !== "true"));
      return chip;
    }));
    recolour();
  }

  /** Where not all names fit, only colours are shown, with the names as tooltips. */
  function tighten() {
    for (const { legend } of Object.values(cards)) {
      delete legend.dataset.tight;
      if (legend.scrollWidth > legend.clientWidth) legend.dataset.tight = "";
    }
  }

  function toggle(card, plot, k, on) {
    const name = plot.names[k];
    const affected = plot.joints ? Object.values(cards).filter((other) => other.plot?.joints) : [card];
    if (plot.joints && on) hidden.delete(name);
    else if (plot.joints) hidden.add(name);
    for (const other of affected) {
      const at = other.plot.names.indexOf(name);
      if (at < 0) continue;
      for (const curve of sameCurves(other.plot, name)) other.chart.setVisible(curve, on);
      other.legend.children[at]?.setAttribute("aria-pressed", String(on));
    }
  }

  /**
   * plots: by id { title, unit, names, legend, colours, joints, dashes, t, values }; missing ones are cleared.
   * One set after the other, as Plotly draws in pieces: of two at once, each could leave some of its own behind. Only the
   * latest of those that wait is drawn. `data-asked` and `data-drawn` say how many came, and which one is there.
   */
  function setPlots(set) {
    const number = ++asked;
    root.dataset.asked = String(number);
    drawing = drawing.catch(() => {}).then(() => (number === asked ? drawPlots(set, number) : undefined));
    return drawing;
  }

  async function drawPlots({ plots, start, duration, name }, number) {
    range = [start, start + duration];
    prefix = name;
    for (const [id, card] of Object.entries(cards)) {
      const plot = plots[id];
      card.plot = plot ?? null;
      card.section.hidden = Boolean(card.optional && !plot);
      card.section.dataset.curves = plot ? String(plot.names.length) : "0";
      const empty = { names: [], colours: [], t: new Float64Array(), y: new Float64Array() };
      const data = plot ? { ...plot, ...own(plot), t: doubles(plot.t), y: doubles(plot.values), beyond: bytes(plot.beyond) } : empty;
      card.name.textContent = plot?.title ?? card.title;
      card.unit.textContent = plot?.unit ?? "";
      card.chart.hidden = new Set(plot?.joints ? [...hidden].flatMap((name) => sameCurves(plot, name)) : []);
      fillLegend(card, data);
      const off = card.chart.hidden;
      await card.chart.setPlot(data);
      if (off.size) off.forEach((k) => card.chart.setVisible(k, false));
    }
    root.classList.toggle("many", Object.values(cards).some(({ optional, plot }) => optional && plot));
    await begun; // the first set comes before Plotly does
    tighten();
    charts.resize(); // those that were hidden
    if (shown) charts.setTime(clock.now);
    root.dataset.drawn = String(number);
  }

  /** Disables saving while there is a reason, shown as tooltip. */
  function block(reason) {
    for (const button of root.querySelectorAll(".save button")) {
      button.disabled = Boolean(reason);
      button.title = reason || `Save as ${button.textContent}`;
    }
  }

  return {
    setPlots,
    block,
    refresh() {
      charts.resize();
      charts.setTime(clock.now);
    },
    dispose() {
      unclock();
      unlook();
      watcher.disconnect();
    },
  };
}
