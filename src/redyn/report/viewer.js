// Draws a robot in 3D and plays its motion.
//
// The HTML report and the studio both use this module. three.js is passed in, and all it knows of the robot is the
// `scene` from scene.py. Angles and poses are computed in Python; the browser only interpolates, unless deflections are
// exaggerated (bending.js). Nothing is drawn unless something has changed.

import { createBending } from "./bending.js";
import { createRolling, createStanding } from "./contact.js";
import { bytes, gridStep, makeTools } from "./solids.js";

const THEMES = {
  light: { shell: 0xbcc6d2, base: 0x7b8794, rod: 0xc3cad3, minor: 0xb9c3cf, major: 0x8795a6, shadow: 0.2, light: 1.0 },
  dark: { shell: 0xc6ced8, base: 0x55606d, rod: 0xaeb7c2, minor: 0x33404f, major: 0x4e6075, shadow: 0.45, light: 0.8 },
};
const INKS = { light: ["#1f2933", "#ffffff"], dark: ["#e6edf3", "#10171f"] }; // of names, and around them
const ALARM = 0xe5202e;
const TRACE = 0xd1495b;
const PAYLOAD = 0xb0702a;
const PUSH = 0xd6336c;
const LONGEST_PUSH = 0.45; // of the robot's reach; weaker pushes are drawn shorter
const SLOW = 50; // ms between frames; slower: draw coarser
const FAST = 30; // ms between frames; faster: draw finer again
const COARSE = [1, 1, 0.8, 0.6]; // pixels drawn per pixel shown, level by level
const FINEST = 2; // the same without a GPU, once nothing moves
const MANY = 500; // triangles; without a GPU, a mesh with more is simplified while it moves,
const CELLS = 80; // to so many cells along the robot's reach
const LATER = 2000; // ms until the parts of a robot are disposed: the next one may share their compiled shaders

/** Little-endian 32-bit floats from base64. */
export function floats(text) {
  return new Float32Array(bytes(text).buffer);
}

/** Text about pairs of links that touch: the first ones by name. */
export function touchingText(pairs) {
  const named = pairs.slice(0, 3).map(([a, b]) => `${a} and ${b}`);
  return `Touching: ${named.join(", ")}${pairs.length > 3 ? `, ${pairs.length - 3} more` : ""}`;
}

/** A joint's colour, lighter on a dark page. */
export function shade(colour, theme) {
  if (theme !== "dark") return colour;
  const part = (k) => Math.round(parseInt(colour.slice(k, k + 2), 16) * 0.68 + 255 * 0.32);
  return `#${[1, 3, 5].map((k) => part(k).toString(16).padStart(2, "0")).join("")}`;
}

/** Whether there is no GPU behind WebGL. */
function drawsInSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/**
 * A canvas and the environment light, reused by successive viewers, so that compiled shaders are shared.
 * Without a GPU, antialiasing costs more than everything else, and environment reflections more than lights.
 */
export function createDevice(THREE) {
  const software = drawsInSoftware();
  const renderer = new THREE.WebGLRenderer({ antialias: !software, alpha: true });
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = THREE.PCFSoftShadowMap;
  renderer.toneMapping = software ? THREE.NoToneMapping : THREE.NeutralToneMapping; // keeps the joints' colours
  renderer.domElement.style.cssText = "display:block;width:100%;height:100%;touch-action:none";
  const environment = software ? null : makeTools(THREE).studioLight(renderer);
  return {
    renderer,
    environment,
    software,
    dispose() {
      environment?.dispose();
      renderer.dispose();
    },
  };
}

/**
 * A viewer inside `container`, which must have a size, on a device that may outlive it.
 * show(what, on): what is "frames", "masses", "ellipsoids", "trace", "axes" or "meshes" (off: the model); "tracks" and
 * "centre" of robots that roll; "forces", "cones", "pressure" and "prints" of those on the ground; "follow": the camera
 * moves along; has(what): whether there is any such thing. touchingAt(t):
 * names of the pairs that touch then; contacts: when any do, [[from, to], ...]. hasMeshes: whether the robot's file gave
 * shapes. setPoses(rows): sets poses of the moving links that are not part of the motion, x y z and quaternion x y z w;
 * of a robot that bends, a last row has its elastic coordinates (`pose_rows` of scene.py). exaggerate(factor): deflections
 * are drawn so many times as large; mostDeflection: up to how many times is sensible, 0 if nothing bends; beams: what
 * bends, see bending.js. reshape(scene): with the points of another scene of the same robot, of other lengths. drawn(): where the moving links are on the screen, { poses, lines }.
 * onScreen(point): where that is in the window. pick(ray): the moving link that it meets. draftPushes(list): pushes, as those of the scene, that are always drawn.
 * copy(rows, material): a copy of the robot at such poses, for the overlay. look() returns the camera position,
 * look(there) sets it. still(context, box, t): draws the robot there as well, finely, now or (t) at another time, and
 * leaves the page's own picture to the next draw(). `overlay` is a group in world coordinates for what the page draws itself; call draw() after a
 * change.
 */
export function createViewer(container, { renderer, environment, software }, THREE, OrbitControls, scene) {
  const tools = makeTools(THREE, software ? 0.4 : 1);
  const { vec, along, drum, capsule, ball, arrow, axesOf, onTop } = tools;
  const view = scene.view;
  const up = vec(view.up);
  const thick = view.thickness;
  const times = floats(scene.times);
  const poses = floats(scene.poses);
  const flags = bytes(scene.touching.flags);
  const pairs = scene.touching.pairs;
  const stride = (scene.links.length - 1) * 7;
  const shapes = scene.shapes ?? { meshes: [], placed: [], modelled: [] };
  const materials = {};
  const skins = {}; // materials of the shapes in the robot's file
  const sticks = []; // parts drawn from the model: [link, mesh]
  const places = []; // functions of a scene that put a part where that has it: see reshape
  const groups = {};
  let now = 0;
  let posed = null; // rows of setPoses, while they are shown
  let deflection = 1; // times that it is drawn
  let theme = "light";
  let pending = 0;
  let alive = true;
  let quiet = false; // while another picture than the page's is made
  const finest = software ? 1 : 0; // level while things move
  const pace = { last: 0, mean: (SLOW + FAST) / 2, level: finest, rest: 0 };

  // --- stage ------------------------------------------------------------------------------------------------

  const canvas = renderer.domElement;
  const labels = document.createElement("div");
  labels.style.cssText = "position:absolute;inset:0;overflow:hidden;pointer-events:none";
  if (getComputedStyle(container).position === "static") container.style.position = "relative";
  const paper = document.createElement("canvas"); // for printing: browsers discard the WebGL buffer
  paper.className = "paper";
  container.append(canvas, labels);
  window.addEventListener("beforeprint", drawOnPaper);
  window.addEventListener("afterprint", clearPaper);

  const stage = new THREE.Scene();
  stage.environment = environment;
  // A planar robot is viewed from far away, so that perspective is negligible.
  const camera = new THREE.PerspectiveCamera(view.planar ? 10 : 32, 1, view.reach / 100, view.reach * 100);
  camera.up.copy(up);
  const controls = new OrbitControls(camera, canvas);
  controls.enableDamping = true;
  controls.dampingFactor = 0.12;
  controls.addEventListener("change", draw);

  const sun = new THREE.DirectionalLight(0xffffff);
  const sky = new THREE.HemisphereLight(0xffffff, 0x8d99a6);
  sky.position.copy(up);
  stage.add(sun, sun.target, sky);
  placeSun();

  function placeSun() {
    const middle = centre();
    const aside = new THREE.Vector3().crossVectors(up, vec(view.from)).normalize();
    const R = view.reach;
    sun.position.copy(middle).addScaledVector(up, 2.6 * R).addScaledVector(aside, -1.3 * R);
    sun.position.addScaledVector(vec(view.from), view.planar ? 3.4 * R : 1.2 * R);
    sun.target.position.copy(middle);
    sun.shadow.mapSize.set(2048, 2048);
    sun.shadow.normalBias = thick * 0.08;
    sun.shadow.radius = 5;
    Object.assign(sun.shadow.camera, { left: -2 * R, right: 2 * R, top: 2 * R, bottom: -2 * R, near: R / 10, far: 9 * R });
  }

  function centre() {
    return new THREE.Box3().setFromPoints(view.points.map(vec)).getCenter(new THREE.Vector3());
  }

  // --- the robot --------------------------------------------------------------------------------------------

  function paint({ roughness, metalness, ...options }) {
    if (software) return new THREE.MeshLambertMaterial(options);
    return new THREE.MeshStandardMaterial({ roughness, metalness, ...options });
  }

  function material(name, options) {
    materials[name] ??= paint({ roughness: 0.42, metalness: 0.05, ...options });
    return materials[name];
  }

  /** A part of the model of link `link`, attached to that link or to another. */
  function solid(geometry, look, link, carrier = link) {
    const mesh = new THREE.Mesh(geometry, look);
    mesh.castShadow = mesh.receiveShadow = true;
    bodies[carrier].add(mesh);
    sticks.push([link, mesh]);
    return mesh;
  }

  const bodies = scene.links.map(() => new THREE.Group());
  stage.add(...bodies);
  const wheeled = new Set((scene.rolling?.wheels ?? []).filter(({ kind }) => kind !== "blade").map(({ link }) => link));

  for (const [i, link] of scene.links.entries()) {
    const shell = material(`shell${i}`, {});
    for (const [k, { start, end, radius, kind }] of link.solids.entries()) {
      if (wheeled.has(i) && kind !== "rod") continue; // drawn as a wheel
      const [a, b] = [vec(start), vec(end)];
      const look = kind === "rod" ? material(`rod${i}`, { metalness: 0.85, roughness: 0.28 }) : shell;
      const part = along(solid(capsule(radius, a.distanceTo(b)), look, i), a, b);
      places.push(({ links }) => stretch(part, radius, links[i].solids[k]));
    }
  }

  function stretch(part, radius, { start, end }) {
    const [a, b] = [vec(start), vec(end)];
    part.geometry.dispose();
    part.geometry = capsule(radius, a.distanceTo(b));
    along(part, a, b);
  }

  for (const [k, joint] of scene.joints.entries()) {
    const look = material(`joint${joint.link}`, { roughness: 0.36 });
    const r = joint.radius;
    if (["free", "planar", "mode"].includes(joint.kind) || wheeled.has(joint.link)) continue; // not attached; drawn as a wheel
    if (["spherical", "universal"].includes(joint.kind)) {
      const mesh = solid(ball(1.5 * r), look, joint.link);
      mesh.position.copy(vec(joint.point));
      places.push(({ joints }) => mesh.position.set(...joints[k].point));
    } else if (joint.kind !== "prismatic") {
      const [at, axis] = [vec(joint.drum), vec(joint.axis)];
      const mesh = solid(drum(1.28 * r, 2.7 * r, 0.22 * r), look, joint.link);
      along(mesh, at.clone().sub(axis), at.clone().add(axis));
      places.push(({ joints }) => mesh.position.set(...joints[k].drum));
    } else {
      const [at, axis] = [vec(joint.socket), vec(joint.socketAxis)];
      const housing = solid(new THREE.BoxGeometry(2.7 * r, 4.4 * r, 2.7 * r), look, joint.link, joint.parent);
      along(housing, at.clone().sub(axis), at.clone().add(axis));
      places.push(({ joints }) => housing.position.set(...joints[k].socket));
      for (const side of [-1, 1]) {
        const collar = solid(drum(1.05 * r, 0.7 * r, 0.15 * r), material("base", {}), joint.link, joint.parent);
        along(collar, at.clone().sub(axis), at.clone().add(axis)).position.addScaledVector(axis, side * 2.35 * r);
        places.push(({ joints }) => collar.position.set(...joints[k].socket).addScaledVector(axis, side * 2.35 * r));
      }
    }
  }

  // Joints that close loops: a pin on the second link in a ring on the first, and a line across the gap while it is open.
  const gaps = scene.loops.map((loop) => {
    const r = loop.radius;
    const [first, second] = loop.links;
    const round = ["spherical", "universal", "distance"].includes(loop.kind);
    const ends = [0, 1].map((k) => {
      const look = material(`loop${k}`, { roughness: 0.36 });
      const mesh = solid(round ? ball((k ? 1.5 : 1.2) * r) : drum((k ? 0.75 : 1.28) * r, (k ? 3.3 : 2.5) * r, 0.2 * r), look, loop.links[k]);
      const [at, axis] = [vec(loop.points[k]), vec(loop.axes[k])];
      if (round) mesh.position.copy(at);
      else along(mesh, at.clone().sub(axis), at.clone().add(axis));
      return { body: bodies[loop.links[k]], at };
    });
    const look = new THREE.LineDashedMaterial({ color: ALARM, dashSize: 0.8 * r, gapSize: 0.5 * r, depthTest: false });
    const line = new THREE.Line(new THREE.BufferGeometry().setFromPoints([vec([0, 0, 0]), vec([0, 0, 1])]), look);
    line.renderOrder = 5;
    stage.add(line);
    return { name: loop.name, kind: loop.kind, links: [first, second], ends, line };
  });

  /** Lines across open loops. A rod of constant length is drawn as one; sliding joints may be apart. */
  function showGaps() {
    for (const { kind, ends, line } of gaps) {
      const [a, b] = ends.map(({ body, at }) => at.clone().applyQuaternion(body.quaternion).add(body.position));
      const rod = kind === "distance";
      const opens = deflection === 1 && ["revolute", "spherical", "universal", "fixed"].includes(kind); // exaggeration opens loops
      line.visible = rod || (opens && a.distanceTo(b) > 1e-4 * view.reach);
      if (!line.visible) continue;
      line.material.color.set(rod ? THEMES[theme].rod : ALARM);
      line.geometry.setFromPoints([a, b]);
      line.computeLineDistances();
    }
  }

  for (const [k, { top, bottom, radius }] of view.mounts.entries()) {
    const [a, b] = [vec(bottom), vec(top)];
    const height = a.distanceTo(b);
    const look = material("base", {});
    const column = along(solid(drum(radius, height, Math.min(0.2 * radius, height / 3)), look, 0), a, b);
    const foot = Math.min(0.5 * thick, height / 2);
    const rim = a.clone().addScaledVector(b.clone().sub(a).normalize(), foot);
    const base = along(solid(drum(1.9 * radius, foot, foot / 3), look, 0), a, rim);
    const [columnAt, baseAt] = [column.position.clone(), base.position.clone()];
    places.push((next) => { // the whole mount moves with its top
      const moved = vec(next.view.mounts[k].top).sub(b);
      column.position.copy(columnAt).add(moved);
      base.position.copy(baseAt).add(moved);
    });
  }

  // --- the floor --------------------------------------------------------------------------------------------

  const step = gridStep(view.reach / 5);
  const grid = tools.floorGrid(view, step, software ? tools.plainLines : tools.smoothLines);
  stage.add(grid.shadow, grid.lines);

  // --- toggles ----------------------------------------------------------------------

  function layer(name, on) {
    groups[name] = [];
    return (object, parent) => {
      object.visible = on;
      parent.add(object);
      groups[name].push(object);
      return object;
    };
  }

  const kit = { THREE, tools, stage, layer, solid, paint, view, container, step, size: scene.size ?? view.reach };
  const touchdown = [];
  if (scene.rolling) touchdown.push(createRolling(kit, scene.rolling));
  const standing = scene.standing ? createStanding(kit, scene.standing) : null;
  if (standing) touchdown.push(standing);
  grid.shadow.visible = grid.lines.visible = standing?.flat ?? true;

  // A camera that moves along with the robot, level with the ground.
  const followed = bodies[scene.moves] && scene.moves ? bodies[scene.moves] : null;
  const was = new THREE.Vector3();
  let following = false;

  function follow() {
    if (!followed) return;
    const moved = followed.position.clone().sub(was);
    moved.addScaledVector(up, -moved.dot(up));
    was.copy(followed.position);
    if (!following) return;
    camera.position.add(moved);
    controls.target.add(moved);
    controls.update();
  }

  const addFrame = layer("frames", false);
  const named = scene.frames.map((frame, k) => {
    const triad = addFrame(axesOf(3.4 * thick), bodies[frame.link]);
    places.push(({ frames }) => triad.position.set(...frames[k].position));
    triad.position.set(...frame.position);
    triad.quaternion.set(...frame.quaternion);
    const label = document.createElement("span");
    label.textContent = frame.name;
    label.style.cssText = "position:absolute;left:0;top:0;font:600 11px system-ui,sans-serif;white-space:nowrap";
    labels.append(label);
    return { triad, label };
  });
  addFrame(axesOf(4.6 * thick), stage);

  const addMass = layer("masses", false);
  const heaviest = Math.max(...[...scene.links, ...(scene.bending?.beams ?? [])].map(({ mass }) => mass), 1e-12);
  const checks = tools.checkered();
  for (const [i, link] of scene.links.entries()) {
    if (!(i > 0 && link.mass > 0)) continue;
    const mark = markMass(link.mass, bodies[i]);
    mark.position.set(...link.com);
    places.push(({ links }) => mark.position.set(...links[i].com));
  }

  function markMass(mass, carrier) {
    const size = thick * (0.35 + 0.75 * Math.cbrt(mass / heaviest));
    const look = new THREE.MeshBasicMaterial({ map: checks, depthTest: false, transparent: true });
    const mark = addMass(new THREE.Mesh(ball(size), look), carrier);
    mark.renderOrder = 4;
    return mark;
  }

  const bending = scene.bending ? createBending({ THREE, tools, solid, material, addMass: markMass }, scene.bending, bodies) : null;

  const addEllipsoid = layer("ellipsoids", false);
  for (const [i, link] of scene.links.entries()) {
    if (!link.ellipsoid) continue;
    const look = paint({ transparent: true, opacity: 0.45, depthWrite: false, roughness: 0.6, metalness: 0 });
    materials[`ellipsoid${i}`] = look;
    const body = addEllipsoid(new THREE.Mesh(ball(1), look), bodies[i]);
    body.position.set(...link.com);
    places.push(({ links }) => body.position.set(...links[i].com));
    body.quaternion.set(...link.ellipsoid.quaternion);
    body.scale.set(...link.ellipsoid.radii.map((r) => Math.max(r, 0.15 * thick))); // keep a rod visible
    body.renderOrder = 2;
  }

  const held = []; // the payload
  if (scene.payload) {
    const { link, from, position, mass } = scene.payload;
    const look = material("payload", { color: PAYLOAD });
    const size = thick * Math.min(Math.max(1.7 * Math.cbrt(mass / heaviest), 0.8), 2.6);
    const body = new THREE.Mesh(ball(size), look);
    body.position.set(...position);
    const [a, b] = [vec(from), vec(position)];
    const rod = a.distanceTo(b) > 1e-9 ? [along(new THREE.Mesh(drum(0.3 * thick, a.distanceTo(b), 0.05 * thick), look), a, b)] : [];
    for (const mesh of [body, ...rod]) {
      mesh.castShadow = true;
      bodies[link].add(mesh);
      held.push(mesh);
    }
  }

  // Pushes, while they act: arrows from the point on which the force acts.
  const strongest = Math.max(...(scene.pushes ?? []).map(({ force }) => Math.hypot(...force)), 1e-12);
  const pushes = (scene.pushes ?? []).map((push) => pushArrow(push, 0.95));
  let drafts = []; // pushes of the next run, always drawn

  function pushArrow(push, opacity) {
    const to = vec(push.force).multiplyScalar((LONGEST_PUSH * view.reach) / Math.max(strongest, Math.hypot(...push.force)));
    to.setLength(Math.max(to.length(), 0.12 * view.reach));
    const shape = arrow(to, 0.011 * view.reach, onTop(PUSH, opacity));
    stage.add(shape);
    return { ...push, at: vec(push.position), shape };
  }

  function showPushes(t) {
    let acting = 0;
    for (const { link, at, start, stop, shape } of pushes) {
      shape.visible = t !== null && t >= start && t < stop;
      acting += Number(shape.visible);
      place(shape, link, at);
    }
    for (const { link, at, shape } of drafts) place(shape, link, at);
    container.dataset.pushes = String(acting);
  }

  function place(shape, link, at) {
    shape.position.copy(at).applyQuaternion(bodies[link].quaternion).add(bodies[link].position);
  }

  /** Pale arrows of pushes that are not part of the motion. */
  function draftPushes(list) {
    for (const { shape } of drafts) {
      shape.traverse((part) => {
        part.geometry?.dispose();
        part.material?.dispose();
      });
      shape.removeFromParent();
    }
    drafts = list.filter(({ link }) => bodies[link]).map((push) => pushArrow(push, 0.35));
    showPushes(posed ? null : now);
    draw();
  }

  /** The moving link that a ray meets first, and where, in the world and in its axes; null: none. */
  function pick(caster) {
    const parts = [...sticks.map(([, mesh]) => mesh), ...groups.meshes, ...held].filter((part) => part.visible);
    for (const { object, point } of caster.intersectObjects(parts, true)) {
      if (bending?.isTube(object)) {
        const [end, local] = bending.nearest(object, point); // what bends has no axes of its own
        return end ? { link: end, point: bodies[end].localToWorld(local.clone()), local } : null;
      }
      let at = object;
      while (at && !bodies.includes(at)) at = at.parent;
      const link = bodies.indexOf(at);
      if (link < 1) return null; // the base is in front
      return { link, point, local: bodies[link].worldToLocal(point.clone()) };
    }
    return null;
  }

  const overlay = new THREE.Group();
  stage.add(overlay);

  const addAxis = layer("axes", false);
  for (const [k, joint] of scene.joints.entries()) {
    if (joint.kind === "mode") continue;
    const half = vec(joint.axis).multiplyScalar(5 * thick);
    const look = onTop(0, 0.9);
    materials[`axis${joint.link}`] = look;
    const line = arrow(half.clone().multiplyScalar(2), 0.1 * thick, look);
    line.position.copy(vec(joint.point)).sub(half);
    places.push(({ joints }) => line.position.set(...joints[k].point).sub(half));
    addAxis(line, bodies[joint.link]);
  }

  const addShape = layer("meshes", true);
  for (const [k, [own, shape]] of tools.dressed(shapes, skin).entries()) {
    const { beam } = shapes.placed[k];
    const [link, group] = beam === undefined ? [own, shape] : bending.dress(shape, beam);
    addShape(group, bodies[link]);
    if (beam === undefined) places.push((next) => group.position.set(...next.shapes.placed[k].position));
  }
  const heavy = software ? meshesWithCoarser() : [];
  const modelled = new Set(shapes.modelled);

  /** The meshes with many triangles, each with a simplified one for use during motion. */
  function meshesWithCoarser() {
    const made = new Map();
    const found = [];
    for (const shape of groups.meshes) {
      shape.traverse((mesh) => {
        const fine = mesh.geometry;
        if (!fine?.index || fine.index.count < 3 * MANY) return;
        if (!made.has(fine)) made.set(fine, tools.coarser(fine, view.reach / CELLS / Math.max(...shape.scale.toArray())));
        found.push({ mesh, fine, coarse: made.get(fine) });
      });
    }
    return found;
  }

  /** One double-sided material per colour and link: many files have triangles of the wrong orientation. */
  function skin(link, colour, opacity) {
    const clear = opacity < 1 ? { transparent: true, opacity, depthWrite: false } : {};
    const look = { roughness: 0.5, metalness: 0.05, side: THREE.DoubleSide, ...clear };
    skins[`${link} ${colour} ${opacity}`] ??= { link, colour, material: paint(look) };
    return skins[`${link} ${colour} ${opacity}`].material;
  }

  const addTrace = layer("trace", true);
  const traces = scene.traces.map(({ frame, points }) => makeTrace(scene.frames[frame], floats(points)));

  /** A thin tube for the path so far and a paler one for the whole path; follow(points) draws another path. */
  function makeTrace(frame, xyz) {
    const points = [];
    for (let k = 0; k < xyz.length; k += 3) points.push(new THREE.Vector3().fromArray(xyz, k));
    const beams = (scene.bending?.beams ?? []).filter(({ tip }) => tip === frame.link);
    const size = 1.15 * Math.max(...[...scene.links[frame.link].solids, ...beams].map((s) => s.radius), 0.4 * thick);
    const pen = new THREE.Mesh(ball(size), material("pen", { color: TRACE }));
    addTrace(pen, bodies[frame.link]).position.set(...frame.position);
    const widths = [0.07, 0.13];
    const lines = [0.3, 1].map((opacity) => {
      const look = new THREE.MeshBasicMaterial({ color: TRACE, transparent: true, opacity });
      return addTrace(new THREE.Mesh(new THREE.BufferGeometry(), look), stage);
    });
    const trace = { frame, points, travelled: null, follow };

    function follow(path) {
      const length = path.reduce((sum, p, k) => sum + (k ? p.distanceTo(path[k - 1]) : 0), 0);
      const made = widths.map((width) => (length < thick ? null : tools.tube(path, width * thick)));
      for (const [k, line] of lines.entries()) {
        line.geometry.dispose();
        line.geometry = made[k]?.geometry ?? new THREE.BufferGeometry();
      }
      trace.travelled = made[1];
    }

    follow(points);
    return trace;
  }

  // --- time -------------------------------------------------------------------------------------------------

  /** The frame before `t`, and the fraction of the way to the next one, 0 to 1. */
  function frameAt(t) {
    let [low, high] = [0, times.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= t) low = middle;
      else high = middle;
    }
    const gap = times[high] - times[low];
    return [low, high, gap > 0 ? Math.min(Math.max((t - times[low]) / gap, 0), 1) : 0];
  }

  const [turn, nextTurn] = [new THREE.Quaternion(), new THREE.Quaternion()];
  const next = new THREE.Vector3();
  const alarm = new THREE.Color(ALARM);

  function setTime(t) {
    now = t;
    posed = null;
    const [low, high, part] = frameAt(t);
    for (let i = 1; i < bodies.length; i += 1) {
      const [a, b] = [low * stride + (i - 1) * 7, high * stride + (i - 1) * 7];
      bodies[i].position.fromArray(poses, a).lerp(next.fromArray(poses, b), part);
      bodies[i].quaternion.copy(turn.fromArray(poses, a + 3).slerp(nextTurn.fromArray(poses, b + 3), part));
    }
    bending?.at(low, high, part);
    bending?.show();
    for (const { points, travelled } of traces) {
      if (!travelled) continue;
      const done = Math.round(((low + part) / Math.max(points.length - 1, 1)) * travelled.rings);
      travelled.geometry.setDrawRange(0, done * travelled.corners);
    }
    const touching = new Set(pairsAt(t).flat());
    for (let i = 0; i < bodies.length; i += 1) {
      materials[`shell${i}`].color.set(touching.has(i) ? ALARM : THEMES[theme].shell);
    }
    for (const { link, colour, material } of Object.values(skins)) {
      material.color.set(colour ?? THEMES[theme].shell);
      if (touching.has(link)) material.color.lerp(alarm, 0.5); // contact is decided by the model: keep the link's own colours recognisable
    }
    showGaps();
    showPushes(t);
    for (const thing of touchdown) thing.at(low, high, part, t);
    follow();
    draw();
  }

  function setPoses(rows) {
    posed = rows;
    for (const [i, body] of bodies.slice(1).entries()) {
      body.position.fromArray(rows[i]);
      body.quaternion.fromArray(rows[i], 3);
    }
    bending?.set(rows[bodies.length - 1]);
    bending?.show();
    showGaps();
    showPushes(null);
    for (const thing of touchdown) thing.hide();
    follow();
    draw();
  }

  /** The parts of the links where another scene of the same robot has them, with other lengths. */
  function reshape(next) {
    for (const put of places) put(next);
    draw();
  }

  /** Where the moving links are drawn, as rows of setPoses, and the centre lines of those that bend. */
  function drawn() {
    const poses = bodies.slice(1).map(({ position, quaternion }) => [...position.toArray(), ...quaternion.toArray()]);
    return { poses, lines: bending?.lines() ?? [] };
  }

  /** A copy of the moving links at other poses, of one material. It shares the geometry of the robot, but for what bends. */
  function copy(rows, look) {
    const parts = new Set([...sticks.map(([, mesh]) => mesh), ...groups.meshes]);
    const whole = new THREE.Group();
    const copied = bodies.map(() => new THREE.Group());
    for (const [i, body] of copied.entries()) {
      if (i === 0) continue;
      for (const part of bodies[i].children) {
        if (parts.has(part) && part.visible && !bending?.isTube(part.children[0] ?? part)) body.add(part.clone());
      }
      body.position.fromArray(rows[i - 1]);
      body.quaternion.fromArray(rows[i - 1], 3);
    }
    const elastic = rows[bodies.length - 1] ?? [];
    for (const [link, tube] of bending?.copies(elastic, look) ?? []) copied[link].add(tube);
    if (bending && deflection !== 1) bending.move(copied, elastic);
    whole.add(...copied);
    whole.traverse((part) => {
      if (part.isMesh) Object.assign(part, { material: look, castShadow: false, receiveShadow: false });
    });
    return whole;
  }

  /** Draws deflections so many times as large; what touches, and forces of contact, stay as they were computed. */
  function exaggerate(factor) {
    if (!bending || factor === deflection) return;
    deflection = factor;
    bending.exaggerate(factor);
    const paths = factor === 1 ? traces.map(({ points }) => points) : bending.paths(poses, traces.map(({ frame }) => frame));
    traces.forEach((trace, k) => trace.follow(paths[k]));
    const shown = posed;
    setTime(now);
    if (shown) setPoses(shown);
    container.dataset.deflection = String(factor);
  }

  function pairsAt(t) {
    const [low, high, part] = frameAt(t);
    const k = part < 1 ? low : high;
    return pairs.filter((_, p) => flags[k * pairs.length + p]);
  }

  /** The time intervals in which links touch, [[from, to], ...]. */
  function contacts() {
    const spans = [];
    for (let k = 0; k < times.length && pairs.length; k += 1) {
      if (!flags.subarray(k * pairs.length, (k + 1) * pairs.length).some(Boolean)) continue;
      const until = times[Math.min(k + 1, times.length - 1)];
      if (spans.length && spans[spans.length - 1][1] === times[k]) spans[spans.length - 1][1] = until;
      else spans.push([times[k], until]);
    }
    return spans;
  }

  // --- drawing ----------------------------------------------------------------------------------------------

  function draw() {
    if (!pending && alive && !quiet) pending = requestAnimationFrame(render);
  }

  function render(stamp) {
    pending = 0;
    if (controls.update()) draw();
    keepUp(stamp);
    renderer.render(stage, camera);
    if (groups.frames[0]?.visible) placeLabels();
  }

  /**
   * On a machine without a fast GPU, drops the shadows during motion, then reduces the resolution, and restores both
   * once nothing moves.
   */
  function keepUp(stamp) {
    const passed = stamp - pace.last;
    pace.last = stamp;
    // Capped: one long frame, in which a shader was compiled, is not representative.
    if (passed < 1000) pace.mean += 0.15 * (Math.min(passed, 200) - pace.mean);
    const change = pace.mean > SLOW ? 1 : pace.mean < FAST ? -1 : 0;
    const level = Math.min(Math.max(pace.level + change, finest), COARSE.length - 1);
    if (level !== pace.level) Object.assign(pace, { level, mean: (SLOW + FAST) / 2 });
    clearTimeout(pace.rest);
    if (pace.level) pace.rest = setTimeout(drawFinely, 300);
    setQuality(pace.level);
  }

  function drawFinely() {
    setQuality(0);
    renderer.render(stage, camera);
  }

  function setQuality(level) {
    // Without a GPU, supersampling replaces antialiasing.
    const ratio = level ? COARSE[level] : software ? FINEST : Math.min(window.devicePixelRatio || 1, 2);
    sun.castShadow = level === 0;
    grid.shadow.visible = level === 0 && grid.lines.visible;
    for (const { mesh, fine, coarse } of heavy) mesh.geometry = level ? coarse : fine;
    if (renderer.getPixelRatio() !== ratio) renderer.setPixelRatio(ratio);
  }

  function drawOnPaper() {
    setQuality(0);
    renderer.render(stage, camera);
    [paper.width, paper.height] = [canvas.width, canvas.height];
    paper.getContext("2d").drawImage(canvas, 0, 0);
    container.append(paper);
  }

  function clearPaper() {
    paper.remove();
    draw();
  }

  /** Names of the frames with their places in the container. */
  function labelPlaces() {
    const taken = [];
    return named.map(({ triad, label }) => {
      const at = triad.getWorldPosition(new THREE.Vector3()).project(camera);
      const x = Math.round(((at.x + 1) / 2) * container.clientWidth) + 8;
      let y = Math.round(((1 - at.y) / 2) * container.clientHeight) - 18;
      while (taken.some(([u, v]) => Math.abs(u - x) < 60 && Math.abs(v - y) < 13)) y -= 13; // frames may coincide
      taken.push([x, y]);
      return { label, x, y };
    });
  }

  function placeLabels() {
    for (const { label, x, y } of labelPlaces()) label.style.transform = `translate(${x}px, ${y}px)`;
  }

  /** box: { left, top, width, height, ratio: pixels drawn per pixel of the page }. */
  function still(context, { left, top, width, height, ratio }, t) {
    const [time, rows] = [now, posed];
    quiet = true;
    if (t !== null) setTime(Math.min(t, times[times.length - 1]));
    setQuality(0);
    if (renderer.getPixelRatio() !== ratio) renderer.setPixelRatio(ratio);
    renderer.render(stage, camera);
    context.drawImage(canvas, left, top, width, height);
    if (groups.frames[0]?.visible) writeLabels(context, left, top, width / container.clientWidth);
    if (t !== null) setTime(time);
    if (t !== null && rows) setPoses(rows);
    quiet = false;
  }

  function writeLabels(context, left, top, scale) {
    const [ink, halo] = INKS[theme];
    Object.assign(context, { font: `600 ${11 * scale}px system-ui, sans-serif`, fillStyle: ink, strokeStyle: halo });
    Object.assign(context, { lineWidth: 3 * scale, lineJoin: "round", textBaseline: "top" });
    for (const { label, x, y } of labelPlaces()) {
      context.strokeText(label.textContent, left + x * scale, top + y * scale);
      context.fillText(label.textContent, left + x * scale, top + y * scale);
    }
    context.textBaseline = "alphabetic";
  }

  function show(what, on) {
    if (what === "follow") return setFollowing(on);
    if (!groups[what]) throw new Error(`show: expected ${Object.keys(groups).join(", ")}, got ${what}`);
    for (const object of groups[what]) object.visible = on;
    if (what === "frames") labels.hidden = !on;
    if (what === "meshes" && shapes.placed.length) {
      for (const [link, mesh] of sticks) mesh.visible = !on || modelled.has(link);
      grid.setLevel(on ? view.floor.meshes : view.floor.level);
    }
    draw();
  }

  function setFollowing(on) {
    if (following === on || !followed) return;
    following = on;
    fit({ now: on });
  }

  const has = (what) => (what === "follow" ? Boolean(followed) && times.length > 1 : what === "meshes" ? shapes.placed.length > 0 : Boolean(groups[what]?.length));

  /** Corners of the visible robot at its current pose, and of the overlay; those of the whole motion if nothing of it is visible. */
  function corners() {
    stage.updateMatrixWorld();
    const found = [];
    const add = (mesh) => {
      if (!mesh.geometry) return;
      mesh.geometry.boundingBox ?? mesh.geometry.computeBoundingBox();
      const { min, max } = mesh.geometry.boundingBox;
      for (let k = 0; k < 8; k += 1) {
        const corner = new THREE.Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z);
        found.push(corner.applyMatrix4(mesh.matrixWorld));
      }
    };
    for (const [, mesh] of sticks) if (mesh.visible) add(mesh);
    held.forEach(add);
    for (const shape of groups.meshes) if (shape.visible) shape.traverse(add);
    overlay.traverseVisible(add);
    return found.length ? found : view.points.map(vec);
  }

  /** Views the whole motion, or (`now`) the robot at its current pose, from the best side. */
  function fit({ now: standing = false } = {}) {
    const away = vec(view.from).normalize();
    const right = new THREE.Vector3().crossVectors(up, away).normalize();
    const top = new THREE.Vector3().crossVectors(away, right);
    const slopeUp = Math.tan((camera.fov * Math.PI) / 360);
    const slopeRight = slopeUp * camera.aspect;
    const points = standing ? corners() : view.points.map(vec);
    const target = new THREE.Box3().setFromPoints(points).getCenter(new THREE.Vector3());
    let distance = 0;
    // Iterate: each pass recentres what perspective has moved.
    for (let pass = 0; pass < 3; pass += 1) {
      const seen = points.map((p) => {
        const q = p.clone().sub(target);
        return { x: q.dot(right), y: q.dot(top), z: q.dot(away) };
      });
      const margin = (standing ? 0.4 : 1.9) * thick; // points of the motion are those of axes, without thickness
      distance = Math.max(
        ...seen.map(({ x, y, z }) => z + Math.max((Math.abs(x) + margin) / slopeRight, (Math.abs(y) + margin) / slopeUp)),
      );
      const across = seen.map(({ x, z }) => x / (distance - z));
      const upward = seen.map(({ y, z }) => y / (distance - z));
      target.addScaledVector(right, ((Math.max(...across) + Math.min(...across)) / 2) * distance);
      target.addScaledVector(top, ((Math.max(...upward) + Math.min(...upward)) / 2) * distance);
    }
    controls.target.copy(target);
    camera.position.copy(target).addScaledVector(away, distance * 1.12);
    controls.update();
    draw();
  }

  /** The ray from the camera through a point of the window, as a raycaster. */
  function ray(x, y) {
    const box = canvas.getBoundingClientRect();
    const caster = new THREE.Raycaster();
    const at = new THREE.Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height);
    caster.setFromCamera(at, camera);
    return caster;
  }

  /** Where a point of the world is in the window, [x, y]. */
  function onScreen(point) {
    const box = canvas.getBoundingClientRect();
    const at = vec(point).project(camera);
    return [box.left + ((at.x + 1) / 2) * box.width, box.top + ((1 - at.y) / 2) * box.height];
  }

  function look(there) {
    if (there) {
      camera.position.fromArray(there.position);
      controls.target.fromArray(there.target);
      controls.update();
      draw();
    }
    return { position: camera.position.toArray(), target: controls.target.toArray() };
  }

  function setTheme(name) {
    theme = name;
    const look = THEMES[theme];
    for (const [key, value] of Object.entries(materials)) {
      if (key.startsWith("shell") || ["pen", "payload"].includes(key)) continue; // setTime colours shells; a pen has the colour of its trace
      if (key.startsWith("rod")) value.color.set(look.rod);
      else if (key === "base") value.color.set(look.base);
      else if (key.startsWith("loop")) value.color.set(key === "loop0" ? look.base : look.rod);
      else value.color.set(shade(scene.joints[Number(key.replace(/\D+/, "")) - 1].colour, theme));
    }
    grid.setColours(look.minor, look.major);
    grid.shadow.material.opacity = look.shadow;
    standing?.setTheme(theme);
    renderer.toneMappingExposure = look.light;
    sun.intensity = environment ? 1.7 : 2.0 * look.light; // no exposure without tone mapping
    sky.intensity = environment ? 0.5 : 1.6 * look.light;
    const shown = posed;
    setTime(now);
    if (shown) setPoses(shown);
    const [ink, halo] = INKS[theme];
    labels.style.color = ink;
    labels.style.textShadow = `0 0 3px ${halo}, 0 0 3px ${halo}, 0 0 2px ${halo}`;
  }

  function resize() {
    const [width, height] = [container.clientWidth, container.clientHeight];
    if (!width || !height) return;
    renderer.setSize(width, height, false);
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    draw();
  }

  function dispose() {
    alive = false;
    cancelAnimationFrame(pending);
    clearTimeout(pace.rest);
    watcher.disconnect();
    controls.dispose();
    window.removeEventListener("beforeprint", drawOnPaper);
    window.removeEventListener("afterprint", clearPaper);
    for (const node of [canvas, labels, paper]) node.remove();
    setTimeout(release, LATER);
  }

  function release() {
    tools.release(stage);
    sun.dispose(); // with its shadow map
    for (const { fine, coarse } of heavy) [fine, coarse].forEach((geometry) => geometry.dispose());
  }

  const watcher = new ResizeObserver(resize);
  watcher.observe(container);
  labels.hidden = true;
  show("meshes", true);
  resize();
  setTheme("light");
  fit();

  return {
    setTime,
    setPoses,
    reshape,
    copy,
    ray,
    onScreen,
    pick,
    draftPushes,
    show,
    fit,
    look,
    still,
    overlay,
    draw,
    setTheme,
    resize,
    dispose,
    duration: times[times.length - 1],
    gridStep: step,
    reach: view.reach,
    mass: scene.links.reduce((sum, link) => sum + link.mass, bending?.mass ?? 0),
    exaggerate,
    drawn,
    beams: bending?.beams ?? [],
    mostDeflection: scene.bending?.most ?? 0,
    has,
    hasMeshes: shapes.placed.length > 0,
    note: shapes.note ?? "",
    key: [standing?.note, bending?.note].filter(Boolean).join(", "),
    contacts: contacts(),
    touchingAt: (t) => pairsAt(t).map(([a, b]) => [scene.links[a].name, scene.links[b].name]),
  };
}
