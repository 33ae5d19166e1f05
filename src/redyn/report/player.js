// The clock of a motion and its controls: play, pause, scrub, speed, loop; space, arrows, Home and End.

const SPEEDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
const ICONS = {
  play: "M8 5v14l11-7z",
  pause: "M7 5h4v14H7zM13 5h4v14h-4z",
  loop: "M17 2l4 4-4 4V7H7a3 3 0 0 0-3 3v2H2v-2a5 5 0 0 1 5-5h10zM7 22l-4-4 4-4v3h10a3 3 0 0 0 3-3v-2h2v2a5 5 0 0 1-5 5H7z",
};

export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/**
 * Controls inside `root` for a motion of `duration` seconds; `onTime(t)` is called whenever the time changes.
 * `marks`: time intervals, [[from, to], ...], shown red above the slider.
 */
export function createPlayer(root, duration, onTime, marks = []) {
  let time = 0;
  let playing = false;
  let last = 0;
  let pending = 0;

  const button = element("button", { type: "button", class: "play", "data-testid": "player-play" });
  const slider = element("input", {
    type: "range", min: 0, max: duration, step: duration / 2000 || 1, value: 0,
    "aria-label": "Time", "data-testid": "player-slider",
  });
  const shown = element("output", { "data-testid": "player-time" });
  const speed = element("select", { "aria-label": "Speed", title: "Speed", "data-testid": "player-speed" });
  for (const s of SPEEDS) speed.append(element("option", s === 1 ? { value: s, selected: "" } : { value: s }, `${s}×`));
  const loop = element("button", {
    type: "button", class: "loop", "aria-pressed": "true", title: "Start again at the end", "aria-label": "Loop",
    "data-testid": "player-loop",
  }, icon("loop"));
  const track = element("span", { class: "track" }, slider);
  for (const [from, to] of marks) {
    const mark = element("i", { class: "mark", title: "Links touch" });
    mark.style.left = `${(100 * from) / duration}%`;
    mark.style.width = `${(100 * (to - from)) / duration}%`;
    track.append(mark);
  }
  root.append(button, track, shown, speed, loop);
  for (const control of duration > 0 ? [] : [button, slider, speed, loop]) control.disabled = true;

  const digits = duration > 0 ? Math.min(Math.max(2 - Math.floor(Math.log10(duration / 10)), 0), 6) : 2;

  function set(t) {
    time = Math.min(Math.max(t, 0), duration);
    slider.value = time;
    slider.style.setProperty("--done", `${duration > 0 ? (100 * time) / duration : 0}%`);
    shown.textContent = `${time.toFixed(digits)} / ${duration.toFixed(digits)} s`;
    onTime(time);
  }

  function step(stamp) {
    // A background page gets no frames; it continues where it stopped.
    const passed = Math.min((stamp - last) / 1000, 0.25) * Number(speed.value);
    last = stamp;
    const again = loop.getAttribute("aria-pressed") === "true";
    if (time + passed < duration) set(time + passed);
    else set(again ? (time + passed) % duration : duration);
    if (time < duration) pending = requestAnimationFrame(step); // after set, so that its redraw happens every frame
    else pause();
  }

  function look() {
    button.replaceChildren(icon(playing ? "pause" : "play"));
    button.title = playing ? "Pause (space)" : "Play (space)";
    button.setAttribute("aria-label", playing ? "Pause" : "Play");
  }

  function play() {
    if (playing || !(duration > 0)) return;
    if (time >= duration) set(0);
    playing = true;
    last = performance.now();
    pending = requestAnimationFrame(step);
    look();
  }

  function pause() {
    playing = false;
    cancelAnimationFrame(pending);
    look();
  }

  function toggle() {
    if (playing) pause();
    else play();
  }

  function key(event) {
    const at = event.target;
    const typing = "select, textarea, [contenteditable], input:not([type=range], [type=checkbox])";
    if (event.ctrlKey || event.metaKey || event.altKey || at.closest?.(typing)) return;
    // Space activates a control focused by keyboard, but not one that was clicked with the mouse.
    const pressed = event.key === " " && at.closest?.("button, a, label, input");
    if (pressed && pressed !== slider) {
      if (pressed.matches(":focus-visible")) return;
      pressed.blur();
    }
    const jump = event.shiftKey ? duration / 10 : duration / 100;
    const actions = {
      " ": toggle,
      ArrowRight: () => set(time + jump),
      ArrowLeft: () => set(time - jump),
      Home: () => set(0),
      End: () => set(duration),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  button.addEventListener("click", toggle);
  loop.addEventListener("click", () => loop.setAttribute("aria-pressed", String(loop.getAttribute("aria-pressed") !== "true")));
  slider.addEventListener("input", () => set(Number(slider.value)));
  document.addEventListener("keydown", key);
  look();
  set(0);

  return {
    seek: set,
    speed: () => Number(speed.value),
    play,
    pause,
    dispose() {
      pause();
      document.removeEventListener("keydown", key);
      root.replaceChildren();
    },
  };
}
