// A plot over time with a cursor that follows the clock. The HTML report and the studio draw theirs with this module.

import { element } from "./player.js";
import { shade } from "./viewer.js";

/** Escapes text for Plotly, which interprets some HTML in names. */
function plain(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/** Indices of the curve with this name and of the same of other runs, which follow the legend, with labels of their runs. */
export function sameCurves({ names, legend }, name) {
  return names.flatMap((curve, k) => ((k < legend ? curve === name : curve.startsWith(`${name}, `)) ? [k] : []));
}

/**
 * Charts that share a clock. `settings`: theme() is "light" or "dark"; range() the first and last time of the motion;
 * seek(t) is called with the time, counted from the first, of a click. Colours and the font come from the page's own
 * style: --line, --faint, --soft, --panel, --ink; `--plot-font` is the size of numbers, 11px unless set.
 */
export function createCharts(settings) {
  const charts = new Set();
  let Plotly = null;
  let now = 0;
  let zooming = false;

  /**
   * A chart in `area`, of { names, colours, t, y (curve after curve), dashes?, red?, beyond?, lines? }; drawn once `use`
   * has Plotly. Instead of t and y, curves may have times and values of their own: { ts, xs, ys }, over time, or against
   * something else if `against` says what. `red`: indices of the curves that exceed a limit; `beyond`: for each of them a byte per time, nonzero where
   * it is red; `lines`: the limits; `bars`: each curve is a row of bars, where it is not zero,
   * with short names in `ticks`.
   */
  function add(area, plot) {
    const graph = element("div", { class: "graph" });
    const cursor = element("div", { class: "cursor", hidden: "" });
    area.append(graph, cursor);
    const chart = { graph, cursor, plot, hidden: new Set(), drawn: false, setPlot, setVisible, remove };

    async function setPlot(next) {
      if (next.names.join("\n") !== chart.plot.names.join("\n")) chart.hidden.clear();
      chart.plot = next;
      if (chart.drawn) await redraw(chart, { zoom: "reset" });
    }

    function setVisible(k, on) {
      if (on) chart.hidden.delete(k);
      else chart.hidden.add(k);
      if (chart.drawn) redraw(chart);
    }

    function remove() {
      charts.delete(chart);
      if (chart.drawn) Plotly.purge(graph);
      graph.remove();
      cursor.remove();
    }

    charts.add(chart);
    return chart;
  }

  async function use(loaded) {
    Plotly = loaded;
    for (const chart of charts) await draw(chart);
  }

  async function draw(chart) {
    if (chart.drawn || !Plotly) return;
    chart.drawn = true;
    await Plotly.newPlot(chart.graph, curves(chart), layout(chart), { displayModeBar: false, doubleClick: "reset" });
    chart.graph.on("plotly_afterplot", () => moveCursor(chart));
    chart.graph.on("plotly_relayout", (change) => zoomAll(chart, change));
    seekOnClick(chart);
    moveCursor(chart);
  }

  function redraw(chart, { zoom } = {}) {
    if (zoom === "reset") chart.revision = (chart.revision ?? 0) + 1;
    return Plotly.react(chart.graph, curves(chart), layout(chart));
  }

  function redrawAll() {
    for (const chart of charts) if (chart.drawn) redraw(chart);
  }

  function resize() {
    for (const chart of charts) if (chart.drawn && chart.graph.clientWidth) Plotly.Plots.resize(chart.graph);
  }

  function curves({ plot, hidden }) {
    const theme = settings.theme();
    const values = (k) => plot.ys?.[k] ?? plot.y.subarray(k * plot.t.length, (k + 1) * plot.t.length);
    if (plot.bars) return bars(plot, values, hidden, theme);
    const all = plot.names.map((name, k) => ({
      x: plot.xs?.[k] ?? plot.t,
      y: values(k),
      name: plain(name),
      mode: "lines",
      visible: !hidden.has(k),
      line: {
        color: shade(plot.colours[k], theme),
        width: plot.names.length > 12 ? 1.2 : 1.8,
        dash: plot.dashes?.[k] ?? "solid",
        simplify: false,
      },
    }));
    const alarm = getComputedStyle(document.documentElement).getPropertyValue("--alarm").trim();
    const red = (plot.red ?? []).map((k, n) => ({
      x: plot.t,
      y: values(k).map((y, i) => (plot.beyond[n * plot.t.length + i] ? y : NaN)),
      name: `${plain(plot.names[k])}, beyond its limit`,
      meta: "beyond",
      mode: "lines+markers", // so that a single sample is visible
      marker: { size: 3 },
      visible: !hidden.has(k),
      hoverinfo: "skip",
      line: { color: alarm, width: 4 },
    }));
    return [...all, ...red];
  }

  /** Thick lines in rows, the first on top. */
  function bars({ names, colours, t }, values, hidden, theme) {
    return names.map((name, k) => ({
      x: t,
      y: Float32Array.from(values(k), (on) => (on ? names.length - k : NaN)),
      name: plain(name),
      mode: "lines",
      hoverinfo: "name+x",
      visible: !hidden.has(k),
      line: { color: shade(colours[k], theme), width: names.length > 8 ? 5 : 11, simplify: false },
    }));
  }

  function layout(chart) {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const size = parseFloat(colour("--plot-font")) || 11;
    const axis = { gridcolor: colour("--line"), zerolinecolor: colour("--faint"), zerolinewidth: 1, tickfont: { size: size - 0.5 } };
    const [from, to] = settings.range();
    const { against } = chart.plot;
    const time = { ...axis, range: [from, to > from ? to : from + 1], hoverformat: ".4~g", ticksuffix: " s", showticksuffix: "last" };
    const other = { ...axis, title: { text: plain(against ?? ""), standoff: 4 }, hoverformat: ".4~g", automargin: true, exponentformat: "power" };
    return {
      margin: { l: 4.4 * size, r: 18, t: 6, b: 2 * size },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: style.fontFamily, size, color: colour("--soft") },
      showlegend: false,
      hovermode: against ? "closest" : "x unified",
      hoverlabel: { bgcolor: colour("--panel"), bordercolor: colour("--line"), font: { size, color: colour("--ink") } },
      xaxis: against ? other : time,
      yaxis: chart.plot.bars ? rows(chart.plot, axis) : { ...axis, nticks: 5, zeroline: true, exponentformat: "power" },
      shapes: (chart.plot.lines ?? []).map((y) => ({
        type: "line", xref: "paper", x0: 0, x1: 1, y0: y, y1: y, layer: "below", line: { color: colour("--alarm"), width: 1, dash: "dot" },
      })),
      uirevision: chart.revision ?? 0, // unchanged: keeps the zoom
    };
  }

  /** An axis with a short name at every row of bars. */
  function rows({ names, ticks }, axis) {
    const tickvals = names.map((_, k) => names.length - k);
    const ticktext = ticks.map(plain);
    return { ...axis, tickmode: "array", tickvals, ticktext, range: [0.4, names.length + 0.6], zeroline: false, fixedrange: true };
  }

  /** Shared zoom: the time axes of all plots stay aligned. */
  function zoomAll(from, change) {
    if (zooming || from.plot.against || !Object.keys(change).some((key) => key.startsWith("xaxis"))) return;
    zooming = true;
    const range = [...from.graph._fullLayout.xaxis.range];
    const others = [...charts].filter((chart) => chart !== from && chart.drawn && !chart.plot.against);
    Promise.all(others.map((chart) => Plotly.relayout(chart.graph, { "xaxis.range": range }))).finally(() => (zooming = false));
  }

  function seekOnClick(chart) {
    const { graph } = chart;
    let down = null;
    graph.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]), true);
    window.addEventListener("pointerup", (event) => {
      const still = down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4;
      down = null;
      if (!still || chart.plot.against) return;
      const axis = graph._fullLayout.xaxis;
      settings.seek(axis.p2l(event.clientX - graph.getBoundingClientRect().left - axis._offset) - settings.range()[0]);
    }, true);
  }

  /** A line over the plot, moved by the compositor: redrawing the plot would be too slow. */
  function moveCursor({ graph, cursor, plot, hidden }) {
    const axes = graph._fullLayout;
    if (!axes) return;
    cursor.classList.toggle("dot", Boolean(plot.against));
    if (plot.against) return moveDot(axes, cursor, plot, hidden);
    const x = axes.xaxis.l2p(settings.range()[0] + now);
    const outside = !(x >= -0.5 && x <= axes.xaxis._length + 0.5);
    if (cursor.hidden !== outside) cursor.hidden = outside;
    cursor.style.transform = `translateX(${axes.xaxis._offset + x}px)`;
    const [top, height] = [`${axes.yaxis._offset}px`, `${axes.yaxis._length}px`];
    if (cursor.style.top !== top) cursor.style.top = top;
    if (cursor.style.height !== height) cursor.style.height = height;
  }

  /** Against another signal: a dot on the first curve, where it is at that time. */
  function moveDot(axes, cursor, plot, hidden) {
    const k = plot.names.findIndex((_, k) => !hidden.has(k));
    const t = plot.ts[k];
    const at = settings.range()[0] + now;
    const inside = t?.length && at <= t[t.length - 1] + 1e-9;
    if (cursor.hidden === Boolean(inside)) cursor.hidden = !inside;
    if (!inside) return;
    let [low, high] = [0, t.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (t[middle] < at) low = middle + 1;
      else high = middle;
    }
    const [x, y] = [axes.xaxis.l2p(plot.xs[k][low]), axes.yaxis.l2p(plot.ys[k][low])];
    cursor.style.transform = `translate(${axes.xaxis._offset + x}px, ${axes.yaxis._offset + y}px)`;
    cursor.style.top = cursor.style.height = "";
  }

  /** Moves every cursor to the time `t`, counted from the first. */
  function setTime(t) {
    now = t;
    for (const chart of charts) moveCursor(chart);
  }

  return { add, use, draw, redrawAll, resize, setTime };
}
