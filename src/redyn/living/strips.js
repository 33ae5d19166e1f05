// Curves over the last seconds, drawn on canvases: as light as a page that runs at sixty frames a second needs.

import { element } from "./player.js";
import { shade } from "./viewer.js";

const WINDOW = 8; // s
const MOST = 3000; // samples kept

/** Charts inside `root`: `plots` are [{ title, unit, names, colours }], `theme()` says which colours to use. */
export function createStrips(root, plots, theme) {
  const times = [];
  const charts = plots.map((plot) => {
    const canvas = element("canvas");
    const legend = element("span", { class: "legend" });
    plot.names.forEach((name, k) => {
      const chip = element("span", { class: "chip", "data-colour": plot.colours[k], title: name }, name);
      chip.style.setProperty("--colour", shade(plot.colours[k], theme()));
      legend.append(chip);
    });
    const head = element("header", {}, element("h2", {}, plot.title), element("span", { class: "unit" }, plot.unit), legend);
    root.append(element("section", { class: "strip", "data-testid": `strip-${plot.key}` }, head, element("div", { class: "paper-strip" }, canvas)));
    return { ...plot, canvas, rows: [], width: 0, height: 0 };
  });
  // Sizes are taken when they change: to read them after every change of a text would lay the page out anew each time.
  const watcher = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      Object.assign(charts.find(({ canvas }) => canvas === target), { width: contentRect.width, height: contentRect.height });
    }
    draw();
  });
  for (const { canvas } of charts) watcher.observe(canvas);

  /** One row of values for each plot. */
  function add(t, rows) {
    if (times.length && t <= times[times.length - 1]) clear();
    times.push(t);
    charts.forEach((chart, k) => chart.rows.push(Float64Array.from(rows[k])));
    const old = times.findIndex((time) => time >= t - WINDOW);
    const drop = Math.max(old - 1, times.length - MOST, 0);
    if (drop > 60) {
      times.splice(0, drop);
      for (const chart of charts) chart.rows.splice(0, drop);
    }
  }

  function clear() {
    times.length = 0;
    for (const chart of charts) chart.rows.length = 0;
  }

  function draw() {
    if (!charts.some(({ width }) => width)) return; // not shown
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    for (const chart of charts) drawOne(chart, { line: colour("--line"), soft: colour("--soft"), faint: colour("--faint") });
  }

  function drawOne({ canvas, rows, colours, width, height }, ink) {
    if (!width || !height) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const box = { left: 46, right: width - 8, top: 5, bottom: height - 16 };
    const last = times.length ? times[times.length - 1] : 0;
    const from = Math.max(last - WINDOW, times[0] ?? 0);
    const to = Math.max(last, from + WINDOW);
    const first = Math.max(times.findIndex((t) => t >= from) - 1, 0);
    const [low, high] = extent(rows, first);
    const x = (t) => box.left + ((t - from) / (to - from)) * (box.right - box.left);
    const y = (v) => box.bottom - ((v - low) / (high - low)) * (box.bottom - box.top);
    Object.assign(pen, { font: "10.5px system-ui, sans-serif", textBaseline: "middle", textAlign: "right", lineWidth: 1 });
    for (const value of ticks(low, high, Math.max(4, Math.floor(height / 26)))) {
      pen.strokeStyle = value === 0 ? ink.faint : ink.line;
      segment(pen, box.left, y(value), box.right, y(value));
      pen.fillStyle = ink.soft;
      pen.fillText(short(value), box.left - 5, y(value));
    }
    Object.assign(pen, { textBaseline: "alphabetic", textAlign: "center" });
    for (const value of ticks(from, to, Math.max(2, Math.floor(width / 80)))) {
      pen.strokeStyle = ink.line;
      segment(pen, x(value), box.top, x(value), box.bottom);
      pen.fillText(`${short(value)} s`, Math.min(x(value), box.right - 8), height - 3);
    }
    pen.save();
    pen.beginPath();
    pen.rect(box.left, 0, box.right - box.left, height);
    pen.clip();
    Object.assign(pen, { lineWidth: 1.6, lineJoin: "round" });
    colours.forEach((own, k) => {
      pen.strokeStyle = shade(own, theme());
      pen.beginPath();
      for (let i = first; i < rows.length; i += 1) pen.lineTo(x(times[i]), y(rows[i][k]));
      pen.stroke();
    });
    pen.restore();
  }

  return { add, clear, draw, get times() { return times; } };
}

function segment(pen, x1, y1, x2, y2) {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

function extent(rows, first) {
  let [low, high] = [Infinity, -Infinity];
  for (let i = first; i < rows.length; i += 1) {
    for (const value of rows[i]) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (!(low <= high)) return [-1, 1];
  const margin = 0.08 * (high - low) || Math.max(0.1 * Math.abs(low), 0.1);
  return [low - margin, high + margin];
}

function ticks(low, high, most) {
  const raw = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high; k += 1) found.push(k === 0 ? 0 : k * step);
  return found;
}

function short(value) {
  return Math.abs(value) >= 1e5 ? value.toExponential(0) : String(Number(value.toPrecision(4)));
}
