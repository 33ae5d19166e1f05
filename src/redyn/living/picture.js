// The picture: the robot at the present state, the path of its end effector, and the band by which a link is pulled.

import { element } from "./player.js";
import { createDevice, createViewer } from "./viewer.js";

const TRAIL = 600; // points of the path of the end effector
const FAR = 1.7; // times the distance from which the robot alone fills the picture
const SWITCHES = [["follow", "Follow"], ["meshes", "Meshes"], ["axes", "Joint axes"], ["frames", "Frames"], ["masses", "Mass centres"]];
const byId = (id) => document.getElementById(id);

/**
 * The viewer in the page, or null where there is no WebGL. `operations` and `parameters` of the robot; `spent(ms)` is told
 * how long WebGL's calls took.
 */
export function createPicture({ THREE, OrbitControls }, data, operations, nominal, parameters, spent) {
  const views = byId("views");
  let viewer;
  let following = false;
  try {
    views.append(element("div", { class: "view" }));
    const device = createDevice(THREE);
    const render = device.renderer.render.bind(device.renderer);
    device.renderer.render = (...given) => {
      const before = performance.now();
      render(...given);
      spent(performance.now() - before);
    };
    viewer = createViewer(views.firstChild, device, THREE, OrbitControls, data.scene);
  } catch (error) {
    const why = `The 3D view needs WebGL, which this browser does not offer (${error.message}).`;
    views.replaceChildren(element("p", { class: "message" }, why));
    return null;
  }
  for (const [what, text] of SWITCHES.filter(([name]) => viewer.has(name))) {
    const box = element("input", { type: "checkbox", "data-testid": `show-${what}` });
    box.checked = what === "meshes" || what === "follow";
    box.addEventListener("change", () => {
      if (what === "follow") following = box.checked;
      viewer.show(what, box.checked);
    });
    byId("switches").append(element("label", {}, box, text));
  }
  byId("fit").addEventListener("click", () => viewer.fit());
  byId("grid").textContent = [viewer.note, `grid ${Number(viewer.gridStep.toPrecision(2))} m`].filter(Boolean).join(", ");

  const scene = structuredClone(data.scene); // with the present lengths
  const { modes, gears } = data.layout.elastic;
  const poses = new Float64Array(16 * data.layout.movers.length);
  const rows = data.layout.movers.map(() => new Array(7).fill(0));
  const elastic = new Array(modes.length + gears.length).fill(0);
  const [matrix, turn] = [new THREE.Matrix4(), new THREE.Quaternion()];
  const { up } = data.scene.view;
  const sinks = data.scene.moves > 0 && !data.layout.ground && !data.layout.rolling;
  let height = sinks ? data.rows[data.scene.moves - 1].slice(0, 3).reduce((sum, x, k) => sum + x * up[k], 0) : 0;
  const band = makeLine(0xd6336c, 2);
  const trail = data.tip === null ? null : makeTrail();

  function makeLine(colour, count) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * count), 3));
    const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colour, transparent: true, depthTest: false, opacity: 0.85 }));
    Object.assign(line, { frustumCulled: false, renderOrder: 3, visible: false });
    viewer.overlay.add(line);
    return line;
  }

  /** The path of the end effector over the last seconds: a ring of points, of which only the new one is written. */
  function makeTrail() {
    const line = makeLine(0xd1495b, 2 * TRAIL);
    const { array } = line.geometry.attributes.position;
    let [first, count] = [0, 0];
    const update = () => {
      line.geometry.attributes.position.needsUpdate = true;
      line.geometry.setDrawRange(first, count);
      line.visible = count > 1;
    };
    return {
      add([x, y, z]) {
        if (first + count === 2 * TRAIL) {
          array.copyWithin(0, 3 * (first + 1), 3 * (first + count));
          [first, count] = [0, count - 1];
        }
        array.set([x, y, z], 3 * (first + count));
        if (count === TRAIL) first += 1;
        else count += 1;
        update();
      },
      clear() {
        [first, count] = [0, 0];
        update();
      },
    };
  }

  /** The robot at q; from and to: ends of the band, or null. */
  function draw(q, from = null, to = null) {
    operations.link_poses(q, parameters, poses);
    for (let i = 0; i < rows.length; i += 1) {
      const [T, row] = [16 * i, rows[i]];
      matrix.set(poses[T], poses[T + 1], poses[T + 2], 0, poses[T + 4], poses[T + 5], poses[T + 6], 0, poses[T + 8], poses[T + 9], poses[T + 10], 0, 0, 0, 0, 1);
      turn.setFromRotationMatrix(matrix);
      [row[0], row[1], row[2]] = [poses[T + 3], poses[T + 7], poses[T + 11]];
      [row[3], row[4], row[5], row[6]] = [turn.x, turn.y, turn.z, turn.w];
    }
    modes.forEach((place, k) => (elastic[k] = q[place]));
    gears.forEach(([motor, link], k) => (elastic[modes.length + k] = q[link] - q[motor]));
    band.visible = Boolean(from);
    if (from) {
      band.geometry.attributes.position.array.set([...from, ...to]);
      band.geometry.attributes.position.needsUpdate = true;
    }
    viewer.setPoses(elastic.length ? [...rows, elastic] : rows);
    if (sinks) climb();
  }

  /** The viewer follows a robot level with the ground; where there is none, it may also fall. */
  function climb() {
    const high = rows[data.scene.moves - 1].slice(0, 3).reduce((sum, x, k) => sum + x * up[k], 0);
    const by = high - height;
    height = high;
    if (!following || !by) return;
    const { position, target } = viewer.look();
    viewer.look({ position: position.map((x, k) => x + by * up[k]), target: target.map((x, k) => x + by * up[k]) });
  }

  /** The shape at the present lengths: each point moves in proportion to them. */
  function reshape() {
    const changed = new Map();
    for (const { parameter, moves } of data.stretches) {
      const by = parameters[parameter] - nominal[parameter];
      for (const [path, slope] of moves) {
        const key = path.join("/");
        const entry = changed.get(key) ?? { path, value: [...path.reduce((node, step) => node[step], data.scene)] };
        entry.value = entry.value.map((x, k) => x + by * slope[k]);
        changed.set(key, entry);
      }
    }
    for (const { path, value } of changed.values()) {
      path.slice(0, -1).reduce((node, step) => node[step], scene)[path[path.length - 1]] = value;
    }
    viewer.reshape(scene);
  }

  /** The camera goes along with a robot that travels, from far enough to see where. */
  function follow() {
    if (!viewer.has("follow")) return;
    viewer.show("follow", true);
    following = true;
    const { position, target } = viewer.look();
    viewer.look({ position: position.map((x, k) => target[k] + FAR * (x - target[k])), target });
  }

  return { viewer, draw, reshape, follow, trail, root: views };
}
