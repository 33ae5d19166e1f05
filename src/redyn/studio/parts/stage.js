// The robot in 3D with its switches, the player below it, and the steps of a DH table.

import { createDeflection } from "../report/deflection.js";
import { createPlayer, element } from "../report/player.js";
import { createDevice, createViewer, touchingText } from "../report/viewer.js";
import { clock } from "./clock.js";
import { createOverlays } from "./overlays.js";
import { createSaving } from "./saving.js";
import { createSteps } from "./steps.js";
import { look } from "./look.js";

const SWITCHES = [
  ["trace", "Path", true],
  ["axes", "Joint axes", false],
  ["frames", "Frames", false],
  ["masses", "Mass centres", false],
  ["ellipsoids", "Inertia", false],
  ["tracks", "Tracks", true],
  ["centre", "Turning centre", true],
  ["forces", "Forces", true],
  ["cones", "Friction cones", false],
  ["prints", "Footprints", true],
  ["pressure", "Centre of pressure", true],
  ["follow", "Follow", false],
];
const OFTEN = new Set(["trace", "axes", "frames", "masses", "ellipsoids"]); // the others are shown if there is such a thing

export async function mount(root, options, emit) {
  root.classList.add("stage-and-player");
  const views = element("div", { class: "views" });
  const switches = element("div", { class: "switches over" });
  const fit = element("button", { type: "button", class: "small over fit-view", title: "Fit the robot at its current pose (F) or its whole motion (Shift+F)", "data-testid": "fit" }, "Fit");
  const alarm = element("div", { class: "alarm over", role: "status", "data-testid": "touching", hidden: "" });
  const scale = element("div", { class: "scale over" });
  const caption = element("div", { class: "dh-caption over", role: "status", "data-testid": "dh-caption", hidden: "" });
  const stage = element("div", { class: "stage", "data-testid": "view3d" }, views, switches, fit, alarm, scale, caption);
  const controls = element("div", { class: "player", "data-testid": "player" });
  root.append(stage, controls);

  const labels = {};
  const shown = Object.fromEntries(SWITCHES.map(([what, , on]) => [what, on]));
  for (const [what, text] of SWITCHES) {
    const box = element("input", { type: "checkbox", "data-testid": `show-${what}` });
    box.checked = shown[what];
    box.addEventListener("change", () => {
      shown[what] = box.checked;
      for (const viewer of viewers) if (viewer.has(what)) viewer.show(what, box.checked);
    });
    labels[what] = element("label", {}, box, text);
    labels[what].hidden = !OFTEN.has(what);
    switches.append(labels[what]);
  }

  const deflection = createDeflection(describe);
  switches.append(deflection.node);

  const devices = []; // one per view, reused for the next robot
  let viewers = [];
  let players = null;
  let jogged = false;
  let moved = false; // whether the user has turned or zoomed the view
  let names = []; // of what each view shows, if there are several
  let file = "robot";
  let pending = 0;
  let lastSent = -1;
  const saving = createSaving(stage, seen, () => {
    players?.pause();
    steps.leave();
  });
  const { THREE, OrbitControls } = await import("../three.js");
  const steps = createSteps(THREE, caption, emit);
  const overlays = createOverlays(THREE);
  for (const touch of ["pointerdown", "wheel"]) views.addEventListener(touch, () => (moved = true), { passive: true });
  fit.addEventListener("click", (event) => fitAll(!event.shiftKey));
  const unlook = look.on(() => viewers.forEach((viewer) => viewer.setTheme(look.theme)));
  const unclock = clock.on(onTime);

  /** What can be saved as a picture or a film. */
  function seen() {
    const label = (name) => [name, deflection.text()].filter(Boolean).join(", ");
    const each = viewers.map((viewer, k) => ({ viewer, box: views.children[k], label: label(names[k]) }));
    return { viewers: each, duration: clock.duration, speed: players?.speed() ?? 1, name: file };
  }

  /** scenes: one robot, or two side by side. keep: keep a camera that the user has moved. t: the time to show. */
  function load({ scenes, keep, t, start }) {
    moved &&= keep && viewers.length === scenes.length;
    const before = moved ? viewers.map((viewer) => viewer.look()) : [];
    saving.cancel();
    players?.dispose();
    steps.leave();
    names = scenes.map(({ label }) => (scenes.length > 1 ? label : ""));
    file = scenes[0]?.name || "robot";
    for (const viewer of viewers) viewer.dispose();
    views.replaceChildren(...scenes.map(() => element("div", { class: "view" })));
    try {
      viewers = scenes.map((scene, k) => {
        devices[k] ??= createDevice(THREE);
        return createViewer(views.children[k], devices[k], THREE, OrbitControls, scene);
      });
    } catch (error) {
      viewers = [];
      views.replaceChildren(element("p", { class: "message" }, `The 3D view needs WebGL, which this browser does not offer (${error.message}).`));
    }
    viewers.forEach((viewer, k) => {
      viewer.setTheme(look.theme);
      for (const [what, on] of Object.entries(shown)) if (viewer.has(what)) viewer.show(what, on);
      if (before[k]) viewer.look(before[k]);
      if (scenes.length > 1) views.children[k].append(element("div", { class: "which" }, scenes[k].label));
    });
    overlays.enter(viewers[0] ?? null);
    viewers[0]?.draftPushes(drafts);
    for (const [what, label] of Object.entries(labels)) label.hidden = !OFTEN.has(what) && !viewers.some((viewer) => viewer.has(what));
    deflection.use(viewers);
    jogged = false;
    clock.start = start ?? 0;
    clock.duration = Math.max(0, ...viewers.map((viewer) => viewer.duration));
    players = createPlayer(controls, clock.duration, (at) => clock.set(at), viewers.flatMap((viewer) => viewer.contacts));
    clock.seek = players.seek;
    lastSent = t ?? 0;
    players.seek(t ?? 0);
    root.dataset.loaded = String(Number(root.dataset.loaded ?? 0) + 1);
  }

  function describe() {
    const step = viewers.length ? `grid ${Number(viewers[0].gridStep.toPrecision(2))} m` : "";
    scale.textContent = [viewers[0]?.key, deflection.text(), step].filter(Boolean).join(", ");
  }

  function onTime(t) {
    if (steps.active()) steps.leave();
    jogged = false;
    for (const viewer of viewers) viewer.setTime(Math.min(t, viewer.duration));
    const pairs = viewers.flatMap((viewer) => viewer.touchingAt(Math.min(t, viewer.duration)));
    alarm.hidden = !pairs.length;
    const text = touchingText(pairs);
    if (pairs.length && alarm.textContent !== text) alarm.textContent = text;
    clearTimeout(pending);
    const now = performance.now();
    // The server is sent the time at intervals, and always the last one.
    const late = () => {
      if (clock.now === lastSent) return;
      lastSent = clock.now;
      onTime.sent = performance.now();
      emit("time", clock.now);
    };
    if (now - (onTime.sent ?? 0) > 300) late();
    else pending = setTimeout(late, 120);
  }

  // Dragging a push: an arrow from the point of the link that was pressed.
  let pushing = false; // whether a press on a link begins one
  let drafts = []; // pushes of the next run
  let push = null; // { link, local, plane, point }
  const label = element("div", { class: "dh-caption over", role: "status", "data-testid": "push-caption", hidden: "" });
  stage.append(label);

  /** 9.81 N per kilogram of the robot for an arrow as long as its reach. */
  function forceTo(event) {
    const at = viewers[0].ray(event.clientX, event.clientY).ray.intersectPlane(push.plane, new THREE.Vector3());
    return at ? at.sub(push.point).multiplyScalar((9.81 * viewers[0].mass) / viewers[0].reach) : null;
  }

  function press(event) {
    if (!pushing || event.button !== 0 || !viewers.length || !views.children[0].contains(event.target)) return;
    const caster = viewers[0].ray(event.clientX, event.clientY);
    const hit = viewers[0].pick(caster);
    if (!hit) return;
    event.stopPropagation(); // the view does not turn
    event.preventDefault();
    players?.pause();
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(caster.ray.direction.clone().negate(), hit.point);
    push = { ...hit, plane, force: null };
    window.addEventListener("pointermove", stretch);
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, letGo);
  }

  function stretch(event) {
    push.force = forceTo(event) ?? push.force;
    if (!push.force) return;
    const [position, force] = [push.local.toArray(), push.force.toArray()];
    viewers[0].draftPushes([...drafts, { link: push.link, position, force, start: 0, stop: 0 }]);
    label.hidden = false;
    label.textContent = `${Number(push.force.length().toPrecision(3))} N`;
  }

  function unstretch() {
    window.removeEventListener("pointermove", stretch);
    for (const end of ["pointerup", "pointercancel"]) window.removeEventListener(end, letGo);
    label.hidden = true;
  }

  function letGo(event) {
    unstretch();
    const { link, local, force } = push;
    push = null;
    viewers[0]?.draftPushes(drafts);
    if (event.type !== "pointerup" || !force || force.length() < 1e-9) return;
    emit("push", { link, x: local.x, y: local.y, z: local.z, fx: force.x, fy: force.y, fz: force.z });
  }

  views.addEventListener("pointerdown", press, { capture: true });

  // Dragging the handle of the kinematics tab: the next place is sent once the last one has been answered.
  let drag = null; // { at: where a ray drags it to, place: not sent yet, waiting: for an answer, over }

  function grasp(event) {
    const at = event.button === 0 && viewers.length ? overlays.grasp(viewers[0].ray(event.clientX, event.clientY)) : null;
    if (!at) return;
    event.stopPropagation(); // the view does not turn
    event.preventDefault();
    moved = true;
    drag = { at, place: null, waiting: false, over: false };
    window.addEventListener("pointermove", pull);
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, release);
  }

  function pull(event) {
    drag.place = drag.at(viewers[0].ray(event.clientX, event.clientY)) ?? drag.place;
    send();
  }

  function deaf() {
    window.removeEventListener("pointermove", pull);
    for (const end of ["pointerup", "pointercancel"]) window.removeEventListener(end, release);
  }

  function release() {
    deaf();
    drag.over = true;
    send();
  }

  function send() {
    if (!drag?.place || drag.waiting) return;
    const [x, y, z] = drag.place;
    drag.place = null;
    drag.waiting = true;
    emit("drag", { x, y, z });
  }

  views.addEventListener("pointerdown", grasp, { capture: true });

  /** Shows a pose that is not part of the motion. */
  function setPoses(rows) {
    players?.pause();
    jogged = true;
    alarm.hidden = true;
    viewers[0]?.setPoses(rows);
    steps.leave();
  }

  /** Animates a DH table from the step `at`; see steps.js. */
  function dh(list) {
    players?.pause();
    if (viewers.length) steps.enter(viewers[0], list);
  }

  function key(event) {
    const typing = event.target.closest?.("input:not([type=checkbox], [type=range]), textarea, select, [contenteditable], .ag-root-wrapper");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || event.key.toLowerCase() !== "f") return;
    fitAll(!event.shiftKey);
  }
  document.addEventListener("keydown", key);

  /** Fits the robot at its current pose, or its whole motion. */
  function fitAll(now) {
    moved = now; // a fit of the whole motion is redone for the next motion; a fit of the pose stays
    for (const viewer of viewers) viewer.fit({ now });
    root.dataset.fitted = String(Number(root.dataset.fitted ?? 0) + 1);
  }

  return {
    load,
    setPoses,
    /** Draws something of the kinematics tab: see overlays.js. */
    overlay(kind, data) {
      overlays.set(kind, data);
      if (data && ["ghosts", "cloud"].includes(kind) && !moved) viewers[0]?.fit({ now: true }); // there is more to see
      if (kind === "handle") views.children[0]?.toggleAttribute("data-handle", Boolean(data));
      root.dataset[kind] = data ? String(data.poses?.length ?? 1) : "0";
    },
    /** The robot has followed the handle as far as it can. */
    dragged() {
      if (!drag) return;
      drag.waiting = false;
      if (drag.place) send();
      else if (drag.over) drag = null;
    },
    /** Whether a press on a link draws a push. */
    dragPushes(on) {
      pushing = on;
      views.toggleAttribute("data-pushing", on);
    },
    /** The pushes of the next run: pale arrows. */
    draftPushes(list) {
      drafts = list;
      root.dataset.drafts = String(list.length);
      viewers[0]?.draftPushes(list);
    },
    dh,
    dhStep: (change) => steps.go(change),
    dhPlay: () => steps.play(),
    dhLeave: () => {
      steps.leave();
      if (!jogged) for (const viewer of viewers) viewer.setTime(Math.min(clock.now, viewer.duration));
    },
    play: () => players?.play(),
    dispose() {
      document.removeEventListener("keydown", key);
      unlook();
      unclock();
      saving.dispose();
      overlays.dispose();
      deaf();
      unstretch();
      players?.dispose();
      for (const viewer of viewers) viewer.dispose();
      for (const device of devices) device.dispose();
    },
  };
}
