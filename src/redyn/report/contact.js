// What touches the ground: wheels with their tracks and the turning centre; the ground, forces, friction cones,
// footprints and the centre of pressure. Everything drawn was computed in Python (rolling.py, standing.py).

import { bytes } from "./solids.js";

const TYRE = 0x343a40;
const MARK = 0xffd43b;
const CENTRE = 0x7048e8;
const FORCE = 0x2f9e44;
const CONE = 0x1c7ed6;
const PRESSURE = 0xe8590c;
const STICKS = 0x1c7ed6;
const SLIDES = 0xe5202e;
const ARROW = 0.6; // length of the arrow of a force equal to the robot's weight, as a share of the robot's size
const LONGEST = 2.5; // weights; stronger forces are drawn so long, in red
const GROUNDS = { light: 0xd9e0e8, dark: 0x2b3745 };
const ROLLERS = 9; // drawn on a Mecanum or omni wheel

const floats = (text) => new Float32Array(bytes(text).buffer);

/** A vector of row `low`, on the way to the one of row `high`; null where either is not a number. */
function between(THREE, rows, width, k, low, high, part) {
  const a = new THREE.Vector3().fromArray(rows, (low * width + k) * 3);
  const b = new THREE.Vector3().fromArray(rows, (high * width + k) * 3);
  a.lerp(b, part);
  return Number.isFinite(a.x + a.y + a.z) ? a : null;
}

/**
 * Wheels, disks and blades on their links; tracks and the turning centre on the floor. `kit`: what the viewer shares,
 * { THREE, tools, stage, layer, solid, paint, view, size, container }. at(low, high, part) moves them to a time.
 */
export function createRolling(kit, { wheels, tracks, centres }) {
  const { THREE, tools, stage, layer, view, container } = kit;
  const up = tools.vec(view.floor.normal);
  for (const wheel of wheels) (wheel.kind === "blade" ? drawBlade : drawWheel)(kit, wheel);

  const addTrack = layer("tracks", true);
  const points = tracks.map(floats);
  const ribbons = points.map((xyz, k) => {
    const wide = Math.max(0.45 * wheels[k].width, 0.005 * view.reach);
    const geometry = ribbon(THREE, xyz, up, wide, view.thickness * (0.05 + 0.01 * k));
    const look = new THREE.MeshBasicMaterial({ color: wheels[k].colour, transparent: true, opacity: 0.6, depthWrite: false, side: THREE.DoubleSide });
    const mesh = addTrack(new THREE.Mesh(geometry, look), stage);
    mesh.frustumCulled = false;
    mesh.renderOrder = 1;
    return geometry;
  });

  const middle = centres ? floats(centres) : null;
  const marker = new THREE.Group();
  const large = Math.max(kit.size, 0.3 * view.reach);
  const dot = tools.onTop(CENTRE, 0.95);
  const ring = new THREE.Mesh(new THREE.TorusGeometry(0.055 * large, 0.008 * large, 8, 32), dot);
  marker.add(ring, new THREE.Mesh(new THREE.CircleGeometry(0.02 * large, 20), dot));
  marker.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
  for (const part of marker.children) part.renderOrder = 4;
  const axles = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: CENTRE, transparent: true, opacity: 0.55 }));
  axles.frustumCulled = false;
  if (middle) layer("centre", true)(new THREE.Group(), stage).add(marker, axles);

  /** Lines from the centre to wheels that roll along their heading: their axles all point there. */
  function showCentre(low, high, part) {
    const at = middle && between(THREE, middle, 1, 0, low, high, part);
    marker.visible = axles.visible = Boolean(at);
    container.dataset.turning = at ? at.toArray().map((x) => x.toFixed(4)).join(" ") : "";
    if (!at) return;
    marker.position.copy(at).addScaledVector(up, 0.12 * view.thickness);
    const ends = points.flatMap((xyz, k) => {
      const foot = ["wheel", "blade"].includes(wheels[k].kind) && between(THREE, xyz, 1, 0, low, high, part);
      return foot ? [marker.position, foot.addScaledVector(up, 0.12 * view.thickness)] : [];
    });
    axles.geometry.setFromPoints(ends);
  }

  function at(low, high, part) {
    for (const geometry of ribbons) geometry.setDrawRange(0, 6 * (part > 0 ? high : low));
    container.dataset.tracks = String(ribbons.length);
    showCentre(low, high, part);
  }

  /** While poses are shown that are not part of the motion. */
  function hide() {
    for (const geometry of ribbons) geometry.setDrawRange(0, 0);
    marker.visible = axles.visible = false;
  }

  return { at, hide };
}

/** A strip along points on the ground, two triangles from each to the next. */
function ribbon(THREE, xyz, up, width, lift) {
  const count = xyz.length / 3;
  const corners = new Float32Array(6 * count);
  const [here, ahead, side] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3(1, 0, 0).cross(up)];
  const still = 1e-4 * width;
  for (let k = 0; k < count; k += 1) {
    here.fromArray(xyz, 3 * Math.max(k - 1, 0));
    ahead.fromArray(xyz, 3 * Math.min(k + 1, count - 1)).sub(here);
    if (ahead.length() > still) side.crossVectors(up, ahead).normalize();
    here.fromArray(xyz, 3 * k).addScaledVector(up, lift);
    for (const [j, sign] of [[0, 0.5], [1, -0.5]]) ahead.copy(here).addScaledVector(side, sign * width).toArray(corners, 6 * k + 3 * j);
  }
  const index = [];
  for (let k = 0; k + 1 < count; k += 1) index.push(2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 1, 2 * k + 3, 2 * k + 2);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(corners, 3));
  geometry.setIndex(index);
  return geometry;
}

/** A tyre or rollers around a rim, with a mark from the hub to the rim that shows how it turns. */
function drawWheel({ THREE, tools, solid, paint }, { kind, link, centre, axis, heading, radius, width, roller, colour }) {
  const { vec, along, drum, capsule } = tools;
  const [at, a, x] = [vec(centre), vec(axis), vec(heading)];
  const [tyre, rim, mark] = [[TYRE, 0.8], [colour, 0.5], [MARK, 0.5]].map(([color, roughness]) => paint({ color, roughness, metalness: 0 }));
  const round = (size, wide, edge, look) => along(solid(drum(size, wide, edge, 48), look, link), at.clone().sub(a), at.clone().add(a));
  if (kind === "roller") {
    round(0.72 * radius, 0.8 * width, 0.1 * width, rim);
    drawRollers({ THREE, solid, along, capsule }, { link, at, a, x, radius, width, roller, tyre });
  } else {
    round(radius, width, 0.3 * width, kind === "disk" ? rim : tyre);
    if (kind === "wheel") round(0.66 * radius, 1.06 * width, 0.1 * width, rim);
  }
  const reach = kind === "roller" ? 0.7 : 0.985;
  const bar = solid(new THREE.BoxGeometry((reach - 0.2) * radius, 1.12 * width, 0.1 * radius), mark, link);
  bar.position.copy(at).addScaledVector(x, (0.5 * reach + 0.1) * radius);
  bar.quaternion.setFromRotationMatrix(new THREE.Matrix4().makeBasis(x, a, x.clone().cross(a)));
}

/** Rollers whose axes have the angle of the file to the heading, where they touch the ground. */
function drawRollers({ THREE, solid, along, capsule }, { link, at, a, x, radius, width, roller, tyre }) {
  const [cosine, sine] = [Math.cos(roller), Math.sin(roller)];
  const thick = 0.17 * radius;
  const around = (1.5 * Math.PI * radius) / ROLLERS / Math.max(Math.abs(cosine), 1e-6);
  const length = Math.min(around, (width / Math.max(Math.abs(sine), 1e-6)) * 0.95, 1.1 * radius) - 2 * thick;
  for (let k = 0; k < ROLLERS; k += 1) {
    const out = x.clone().applyAxisAngle(a, (2 * Math.PI * (k + 0.5)) / ROLLERS);
    const ahead = out.clone().cross(a); // the heading, if this roller touches the ground
    const lies = ahead.multiplyScalar(cosine).addScaledVector(a, sine);
    const middle = at.clone().addScaledVector(out, radius - thick);
    along(solid(capsule(thick, Math.max(length, 0.1 * thick)), tyre, link), middle.clone().sub(lies), middle.clone().add(lies));
  }
}

/** A skate along x of its frame, on the ground at its origin. */
function drawBlade({ THREE, tools, solid, paint, size }, { link, centre, axis, heading, colour }) {
  const [at, z, x] = [centre, axis, heading].map(tools.vec);
  const look = paint({ color: colour, roughness: 0.3, metalness: 0.6 });
  const [long, high] = [0.5 * size, 0.12 * size];
  const shape = new THREE.Shape();
  shape.moveTo(-0.5 * long, high);
  shape.lineTo(-0.36 * long, 0);
  shape.lineTo(0.36 * long, 0);
  shape.quadraticCurveTo(0.5 * long, 0, 0.58 * long, high);
  shape.closePath();
  const wide = 0.06 * size;
  const geometry = new THREE.ExtrudeGeometry(shape, { depth: wide, bevelEnabled: false }).translate(0, 0, -wide / 2);
  const blade = solid(geometry, look, link); // drawn in x and y of its own, extruded along its z
  blade.quaternion.setFromRotationMatrix(new THREE.Matrix4().makeBasis(x, z, x.clone().cross(z)));
  blade.position.copy(at);
}

/** The ground and what stands on it; at(low, high, part, t) moves it to a time. */
export function createStanding(kit, data) {
  const { THREE, tools, stage, layer, view, size, container, step } = kit;
  const count = data.names.length;
  const [points, forces, normals, pressure, prints] = ["points", "forces", "normals", "pressure", "prints"].map((key) => floats(data[key]));
  const Y = new THREE.Vector3(0, 1, 0);
  const up = tools.vec(view.up);
  const ground = data.surface && drawGround(kit, data.surface, data.axes.map(tools.vec));

  const addForce = layer("forces", true);
  const addCone = layer("cones", false);
  const [plain, strong] = [tools.onTop(FORCE, 0.9), tools.onTop(SLIDES, 0.9)];
  const shaft = new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0);
  const head = new THREE.ConeGeometry(1, 1, 16).translate(0, 0.5, 0);
  const cone = new THREE.ConeGeometry(1, 1, 28, 1, true).rotateX(Math.PI).translate(0, 0.5, 0);
  const glass = new THREE.MeshBasicMaterial({ color: CONE, transparent: true, opacity: 0.2, depthWrite: false, side: THREE.DoubleSide });
  const arrows = data.names.map(() => {
    const holder = addForce(new THREE.Group(), stage);
    const shape = new THREE.Group();
    shape.add(new THREE.Mesh(shaft, plain), new THREE.Mesh(head, plain));
    for (const part of shape.children) part.renderOrder = 5;
    holder.add(shape);
    const around = addCone(new THREE.Group(), stage);
    around.add(new THREE.Mesh(cone, glass));
    return { shape, cone: around.children[0] };
  });

  const addPressure = layer("pressure", true);
  const spot = tools.onTop(PRESSURE, 0.95);
  const centre = new THREE.Group();
  const ring = new THREE.Mesh(new THREE.TorusGeometry(0.045 * size, 0.007 * size, 8, 28), spot);
  centre.add(ring, new THREE.Mesh(new THREE.CircleGeometry(0.018 * size, 18), spot));
  for (const part of centre.children) part.renderOrder = 4;
  centre.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
  addPressure(new THREE.Group(), stage).add(centre);

  const addPrint = layer("prints", true);
  const [printed, marks] = drawPrints();

  function drawPrints() {
    const total = prints.length / 8;
    const look = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.75, depthWrite: false, side: THREE.DoubleSide });
    const mesh = addPrint(new THREE.InstancedMesh(new THREE.CircleGeometry(1, 18), look, Math.max(total, 1)), stage);
    mesh.renderOrder = 1;
    mesh.frustumCulled = false;
    const [sticks, slides] = [new THREE.Color(STICKS), new THREE.Color(SLIDES)];
    const [turn, large] = [new THREE.Quaternion(), new THREE.Vector3().setScalar(data.printSize)];
    const begins = Array.from({ length: total }, (_, k) => {
      const [t, x, y, z, nx, ny, nz, slip] = prints.subarray(8 * k, 8 * k + 8);
      const normal = new THREE.Vector3(nx, ny, nz).normalize();
      turn.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
      const at = new THREE.Vector3(x, y, z).addScaledVector(normal, 0.002 * size);
      mesh.setMatrixAt(k, new THREE.Matrix4().compose(at, turn, large));
      mesh.setColorAt(k, sticks.clone().lerp(slides, Math.min(slip / data.slips, 1)));
      return t;
    });
    mesh.count = 0;
    return [mesh, begins];
  }

  function showArrow({ shape, cone: around }, at, force, normal) {
    const strength = force ? force.length() / data.weight : 0;
    const visible = Boolean(at) && strength > 1e-3;
    shape.visible = visible;
    const bearing = visible ? force.dot(normal) / data.weight : 0;
    around.visible = bearing > 1e-3;
    if (!visible) return 0;
    const length = Math.min(strength, LONGEST) * ARROW * size;
    const thick = Math.min(0.011 * size, 0.12 * length);
    const look = strength > LONGEST ? strong : plain;
    const [stem, tip] = shape.children;
    stem.material = tip.material = look;
    stem.scale.set(thick, Math.max(length - 5 * thick, 1e-9), thick);
    tip.scale.set(2.4 * thick, 5 * thick, 2.4 * thick);
    tip.position.set(0, length - 5 * thick, 0);
    shape.position.copy(at);
    shape.quaternion.setFromUnitVectors(Y, force.normalize());
    const tall = Math.min(bearing, LONGEST) * ARROW * size;
    around.scale.set(tall * data.friction, Math.max(tall, 1e-9), tall * data.friction);
    around.position.copy(at);
    around.quaternion.setFromUnitVectors(Y, normal.normalize());
    return 1;
  }

  function at(low, high, part, t) {
    let bearing = 0;
    for (let k = 0; k < count; k += 1) {
      const [point, force, normal] = [points, forces, normals].map((rows) => between(THREE, rows, count, k, low, high, part));
      bearing += showArrow(arrows[k], point, force, normal);
    }
    const pressed = between(THREE, pressure, 1, 0, low, high, part);
    centre.visible = Boolean(pressed);
    if (pressed) centre.position.copy(pressed).addScaledVector(up, 0.004 * size);
    let seen = 0;
    while (seen < marks.length && marks[seen] <= t) seen += 1;
    printed.count = seen;
    container.dataset.contacts = String(bearing);
    container.dataset.prints = String(seen);
  }

  function hide() {
    for (const { shape, cone: around } of arrows) shape.visible = around.visible = false;
    centre.visible = false;
    printed.count = 0;
  }

  const metres = Number((ARROW * size).toPrecision(2));
  const newtons = Number(data.weight.toPrecision(3));
  const note = `force arrows: ${metres} m for the weight, ${newtons} N; footprints: blue holds, red slips at ${data.slips} m/s or more`;
  return { at, hide, note, flat: !ground, setTheme: (theme) => ground?.setTheme(theme), step };
}

/** Ground that is not flat: a mesh, and grid lines on it. */
function drawGround({ THREE, stage, paint, step, view }, { x, y, heights }, [ahead, aside, up]) {
  const [xs, ys, zs] = [x, y, heights].map(floats);
  const [m, n] = [xs.length, ys.length];
  const corners = new Float32Array(3 * m * n);
  const place = (a, b, z) => ahead.clone().multiplyScalar(a).addScaledVector(aside, b).addScaledVector(up, z);
  for (let i = 0; i < m; i += 1) for (let j = 0; j < n; j += 1) place(xs[i], ys[j], zs[i * n + j]).toArray(corners, 3 * (i * n + j));
  const index = [];
  for (let i = 0; i + 1 < m; i += 1) {
    for (let j = 0; j + 1 < n; j += 1) {
      const a = i * n + j;
      index.push(a, a + n, a + 1, a + 1, a + n, a + n + 1);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(corners, 3));
  geometry.setIndex(index);
  geometry.computeVertexNormals();
  const look = paint({ color: GROUNDS.light, roughness: 0.95, metalness: 0, side: THREE.DoubleSide });
  Object.assign(look, { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }); // lines lie on it
  const mesh = new THREE.Mesh(geometry, look);
  mesh.receiveShadow = true;
  const ink = new THREE.LineBasicMaterial({ color: 0x8795a6, transparent: true, opacity: 0.6 });
  const lines = new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(gridOn()), ink);
  stage.add(mesh, lines);

  /** The height at x = `at` along all y (or the other way round), between two lines of the mesh. */
  function across(places, at, height) {
    let k = 0;
    while (k + 2 < places.length && places[k + 1] < at) k += 1;
    const part = (at - places[k]) / (places[k + 1] - places[k]);
    return (j) => (1 - part) * height(k, j) + part * height(k + 1, j);
  }

  function gridOn() {
    const found = [];
    const lift = 0.06 * view.thickness;
    const draw = (places, others, height, point) => {
      for (let k = Math.ceil(places[0] / step); k * step <= places[places.length - 1]; k += 1) {
        const z = across(places, k * step, height);
        for (let j = 0; j + 1 < others.length; j += 1) {
          for (const i of [j, j + 1]) found.push(point(k * step, others[i], z(i) + lift));
        }
      }
    };
    draw(xs, ys, (i, j) => zs[i * n + j], place);
    draw(ys, xs, (j, i) => zs[i * n + j], (b, a, z) => place(a, b, z));
    return found;
  }

  function setTheme(theme) {
    look.color.set(GROUNDS[theme]);
    ink.color.set(theme === "dark" ? 0x4e6075 : 0x8795a6);
  }

  return { setTheme };
}
