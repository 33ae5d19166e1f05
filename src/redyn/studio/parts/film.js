// Saves what the 3D view shows: the pose as a picture, the motion as a film. Its frames are drawn at fixed times, one
// after the other, so that a slow machine gives the same film.

import { createGif, makePalette } from "./gif.js";
import { createWebm } from "./webm.js";

const FINE = 2; // pixels of a picture per pixel of the page
const KINDS = {
  webm: { width: 1280, fine: 2, interval: 1 / 30, most: 1800 }, // s between frames, and how many at most
  gif: { width: 640, fine: 1, interval: 5 / 100, most: 600 },
};
const SAMPLES = 6; // frames from which the colours of a GIF are taken

const breath = () => new Promise((done) => setTimeout(done));

/** The views of the stage on one canvas, side by side, as on the page. */
function createPaper(stage, viewers, ratio) {
  const page = stage.getBoundingClientRect();
  const even = (x) => 2 * Math.max(1, Math.round((x * ratio) / 2));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [even(page.width), even(page.height)];
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const [across, down] = [canvas.width / page.width, canvas.height / page.height];
  const style = getComputedStyle(stage);

  /** The ground of `.stage`: an ellipse of colours to the farthest corner. */
  function ground() {
    const shade = context.createRadialGradient(0, 0, 0, 0, 0, Math.SQRT2);
    shade.addColorStop(0, style.getPropertyValue("--sky").trim());
    shade.addColorStop(1, style.getPropertyValue("--haze").trim());
    context.setTransform(canvas.width / 2, 0, 0, 0.7 * canvas.height, canvas.width / 2, 0.3 * canvas.height);
    context.fillStyle = shade;
    context.fillRect(-1, -0.3 / 0.7, 2, 1 / 0.7);
    context.resetTransform();
  }

  return {
    canvas,
    context,
    /** At a time, or (null) as it is on the page. */
    draw(t) {
      ground();
      for (const { viewer, box, label } of viewers) {
        const own = box.getBoundingClientRect();
        const left = Math.round((own.left - page.left) * across);
        viewer.still(context, { left, top: 0, width: Math.round(own.width * across), height: canvas.height, ratio }, t);
        if (!label) continue;
        context.font = `650 ${13 * down}px system-ui, sans-serif`;
        context.fillStyle = style.getPropertyValue("--soft").trim();
        context.fillText(label, left + 12 * across, canvas.height - 10 * down);
      }
    },
    pixels: () => context.getImageData(0, 0, canvas.width, canvas.height).data,
  };
}

function ended(viewers) {
  for (const { viewer } of viewers) viewer.draw();
}

/** The views as they are, as PNG. `viewers`: [{ viewer, box, label }]. */
export async function picture(stage, viewers) {
  const paper = createPaper(stage, viewers, FINE);
  paper.draw(null);
  ended(viewers);
  return new Promise((done) => paper.canvas.toBlob(done, "image/png"));
}

/** Times of the frames of a film of `duration` seconds: how many, s from one to the next. */
export function frames(kind, duration) {
  const { interval, most } = KINDS[kind];
  if (kind === "webm") {
    const count = Math.min(Math.max(Math.round(duration / interval), 1), most);
    return { count, interval: duration / count };
  }
  const delay = Math.max(Math.round(100 * interval), Math.ceil((100 * duration) / most)); // whole hundredths of a second
  return { count: Math.max(Math.floor((100 * duration) / delay + 1e-9), 1), interval: delay / 100 };
}

/**
 * The motion, `duration` seconds long, played at `speed`. onFrame(k, count) after each frame; it is given up once
 * `stopped()`, and null comes back.
 */
export async function film(stage, viewers, { kind, duration, speed, onFrame, stopped }) {
  const length = duration / speed;
  const { count, interval } = frames(kind, length);
  const { width, fine } = KINDS[kind];
  const paper = createPaper(stage, viewers, Math.min(fine, (width * Math.min(viewers.length, 1.5)) / stage.clientWidth));
  const motion = (k) => Math.min(k * interval * speed, duration);
  const { canvas } = paper;
  let writer = null;
  try {
    if (kind === "webm") writer = createWebm(canvas.width, canvas.height, Math.max(1, 1 / interval));
    else {
      const samples = [];
      for (let k = 0; k < Math.min(SAMPLES, count) && !stopped(); k += 1) {
        paper.draw((duration * (k + 0.5)) / Math.min(SAMPLES, count));
        samples.push(paper.pixels().slice());
        await breath();
      }
      if (stopped()) return null;
      writer = createGif(canvas.width, canvas.height, makePalette(samples));
    }
    for (let k = 0; k < count; k += 1) {
      if (stopped()) return null;
      paper.draw(motion(k));
      if (kind === "webm") await writer.add(canvas, k * interval, interval);
      else writer.add(paper.pixels(), Math.round(100 * (k < count - 1 ? interval : Math.max(length - k * interval, 0.02))));
      onFrame(k + 1, count);
      await breath();
    }
    const made = await writer.finish(length);
    return stopped() ? null : made;
  } finally {
    writer?.close?.();
    ended(viewers);
  }
}
