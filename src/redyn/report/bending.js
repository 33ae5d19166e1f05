// What bends: flexible links as tubes along their bent centre lines, and deflections that are exaggerated. Mode shapes
// and elastic coordinates come from Python (bending.py); the kinematics here are those of the dynamics.

import { bytes } from "./solids.js";

const SIDES = 18; // of a tube
const CAP = 4; // rings that round an end
const SPLIT = 20000; // triangles of a shape: with more it is fine enough
const STRIPE = 0.16; // rad: half of the width of a line along a tube that shows its twist

const floats = (text) => new Float32Array(bytes(text).buffer);

/** A beam of bending.py: at(e, p, point, turn) gives the place p along it, in the axes of its root; e: its coordinates. */
export function beamOf(THREE, data) {
  const [alongY, alongZ, torsion] = data.counts;
  const bending = alongY + alongZ;
  const [x, y, z, slopeY, slopeZ, twist, H] = ["x", "y", "z", "slopeY", "slopeZ", "twist", "H"].map((key) => floats(data[key]));
  const places = x.length;
  const angles = new THREE.Euler();
  const pose = ({ position, quaternion }) => ({ position: new THREE.Vector3(...position), quaternion: new THREE.Quaternion(...quaternion) });

  function sum(rows, count, e, from, p) {
    let total = 0;
    for (let k = 0; k < count; k += 1) total += rows[k * places + p] * e[from + k];
    return total;
  }

  /** (x - e^T H e / 2, u_y, u_z), and the axes Rz(u_y') Ry(-u_z') Rx(chi). */
  function at(e, p, point, turn) {
    let shorter = 0;
    for (let k = 0; k < bending; k += 1) {
      for (let l = 0; l < bending; l += 1) shorter += e[k] * H[(k * bending + l) * places + p] * e[l];
    }
    point.set(x[p] - shorter / 2, sum(y, alongY, e, 0, p), sum(z, alongZ, e, alongY, p));
    angles.set(sum(twist, torsion, e, bending, p), -sum(slopeZ, alongZ, e, alongY, p), sum(slopeY, alongY, e, 0, p), "ZYX");
    turn.setFromEuler(angles);
  }

  /** The mass centre of the beam itself. */
  function centre(e, point) {
    const { S, P } = data;
    const rest = (from, count) => S.slice(from, from + count).reduce((total, s, k) => total + s * e[from + k], 0);
    const shorter = P.reduce((total, row, k) => total + e[k] * row.reduce((part, value, l) => part + value * e[l], 0), 0);
    return point.set(data.centre - shorter / 2, rest(0, alongY), rest(alongY, alongZ));
  }

  return { ...data, places, length: x[places - 1], count: bending + torsion, root: pose(data.root), end: pose(data.end), at, centre };
}

/** `pose` carried by `by`, into `found`, which is neither; all are { position, quaternion }. */
function carried(by, pose, found) {
  found.position.copy(pose.position).applyQuaternion(by.quaternion).add(by.position);
  found.quaternion.multiplyQuaternions(by.quaternion, pose.quaternion);
  return found;
}

/** The pose of the body at the tip of a beam, carried by `body`, with elastic coordinates e. */
export function makeTip(THREE) {
  const made = () => ({ position: new THREE.Vector3(), quaternion: new THREE.Quaternion() });
  const [root, tip, end] = [made(), made(), made()];
  return (beam, body, e, found) => {
    carried(body, beam.root, root);
    beam.at(e, beam.places - 1, tip.position, tip.quaternion);
    return carried(carried(root, tip, end), beam.end, found);
  };
}

/** A tube along a beam, in the axes of its root: bend(e) bends it. With `stripes`, only two lines along it. */
function makeTube(THREE, beam, radius, stripes) {
  const rings = stripes ? beam.places : beam.places + 2 * CAP;
  const turns = stripes ? [Math.PI / 2, -Math.PI / 2].flatMap((at) => [at - STRIPE, at + STRIPE]) : Array.from({ length: SIDES }, (_, j) => (2 * Math.PI * j) / SIDES);
  const circle = turns.map((angle) => [Math.cos(angle), Math.sin(angle)]);
  const sides = circle.length;
  const geometry = new THREE.BufferGeometry();
  const [position, normal] = [0, 1].map(() => new THREE.BufferAttribute(new Float32Array(3 * rings * sides), 3).setUsage(THREE.DynamicDrawUsage));
  const index = [];
  for (let i = 0; i < rings - 1; i += 1) {
    for (let j = 0; j < sides; j += stripes ? 2 : 1) {
      const [a, b] = [i * sides + j, i * sides + ((j + 1) % sides)];
      index.push(a, b + sides, a + sides, a, b, b + sides);
    }
  }
  geometry.setAttribute("position", position);
  geometry.setAttribute("normal", normal);
  geometry.setIndex(index);
  const vector = () => new THREE.Vector3();
  const points = Array.from({ length: beam.places }, vector);
  const axes = points.map(() => [vector(), vector(), vector()]); // along the tube, and two across
  const turn = new THREE.Quaternion();

  function ring(k, point, [along, across, aside], size, ahead) {
    for (const [j, [c, s]] of circle.entries()) {
      const [nx, ny, nz] = ["x", "y", "z"].map((i) => c * across[i] + s * aside[i]);
      const at = k * sides + j;
      position.setXYZ(at, point.x + radius * (size * nx + ahead * along.x), point.y + radius * (size * ny + ahead * along.y), point.z + radius * (size * nz + ahead * along.z));
      normal.setXYZ(at, size * nx + ahead * along.x, size * ny + ahead * along.y, size * nz + ahead * along.z);
    }
  }

  function bend(e) {
    for (let p = 0; p < beam.places; p += 1) {
      beam.at(e, p, points[p], turn);
      axes[p][1].set(0, 1, 0).applyQuaternion(turn);
    }
    for (let p = 0; p < beam.places; p += 1) {
      const [along, across, aside] = axes[p];
      along.subVectors(points[Math.min(p + 1, beam.places - 1)], points[Math.max(p - 1, 0)]).normalize();
      across.addScaledVector(along, -across.dot(along)).normalize(); // rings stay round where exaggeration is large
      aside.crossVectors(along, across);
    }
    const [first, last] = [0, beam.places - 1];
    const caps = stripes ? 0 : CAP;
    for (let k = 0; k < caps; k += 1) {
      const angle = ((k + 1) / caps) * (Math.PI / 2);
      const [size, ahead] = [Math.cos(angle), Math.sin(angle)];
      ring(caps - 1 - k, points[first], axes[first], size, -ahead);
      ring(caps + beam.places + k, points[last], axes[last], size, ahead);
    }
    for (let p = 0; p < beam.places; p += 1) ring(caps + p, points[p], axes[p], 1, 0);
    position.needsUpdate = normal.needsUpdate = true;
    geometry.boundingBox = geometry.boundingSphere = null;
  }

  /** The middles of its rings, as drawn. */
  function middles() {
    return points.map((_, p) => {
      const sum = new THREE.Vector3();
      for (let j = 0; j < sides; j += 1) sum.add(new THREE.Vector3().fromBufferAttribute(position, (CAP + p) * sides + j));
      return sum.divideScalar(sides);
    });
  }

  return { geometry, bend, middles };
}

/** Triangles of a geometry, split so that none is longer than `longest` along x: { position, normal }, three by three. */
function fineAlongX(geometry, longest) {
  const plain = geometry.index ? geometry.toNonIndexed() : geometry;
  const [position, normal] = ["position", "normal"].map((name) => plain.getAttribute(name));
  const corner = (k) => [position, normal].flatMap((row) => [row.getX(k), row.getY(k), row.getZ(k)]);
  const waiting = [];
  for (let k = 0; k < position.count; k += 3) waiting.push([corner(k), corner(k + 1), corner(k + 2)]);
  const [found, few] = [[], position.count < 3 * SPLIT];
  while (waiting.length) {
    const corners = waiting.pop();
    const spans = [0, 1, 2].map((k) => Math.abs(corners[k][0] - corners[(k + 1) % 3][0]));
    const k = spans.indexOf(Math.max(...spans));
    if (!few || spans[k] <= longest) {
      found.push(...corners);
      continue;
    }
    const [a, b, c] = [corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]];
    const middle = a.map((value, i) => (value + b[i]) / 2);
    waiting.push([a, middle, c], [middle, b, c]);
  }
  return { position: found.flatMap((row) => row.slice(0, 3)), normal: found.flatMap((row) => row.slice(3)) };
}

/** A shape of the robot's file on a beam, given along the straight one in the axes of its root: bend(e) bends it. */
function makeBent(THREE, beam, { position: given, normal: facing }) {
  const geometry = new THREE.BufferGeometry();
  const [position, normal] = [given, facing].map((rows) => new THREE.BufferAttribute(Float32Array.from(rows), 3).setUsage(THREE.DynamicDrawUsage));
  geometry.setAttribute("position", position);
  geometry.setAttribute("normal", normal);
  const last = beam.places - 1;
  const length = beam.length;
  const points = Array.from({ length: beam.places }, () => new THREE.Vector3());
  const turns = points.map(() => new THREE.Quaternion());
  const [one, other] = [new THREE.Vector3(), new THREE.Vector3()];

  function bend(e) {
    points.forEach((point, p) => beam.at(e, p, point, turns[p]));
    for (let k = 0; k < position.count; k += 1) {
      const [x, y, z] = [given[3 * k], given[3 * k + 1], given[3 * k + 2]];
      const along = Math.min(Math.max(x / length, 0), 1) * last;
      const p = Math.min(Math.floor(along), last - 1);
      const beyond = x < 0 ? x : Math.max(x - length, 0);
      one.set(beyond, y, z).applyQuaternion(turns[p]).add(points[p]);
      other.set(beyond, y, z).applyQuaternion(turns[p + 1]).add(points[p + 1]);
      one.lerp(other, along - p);
      position.setXYZ(k, one.x, one.y, one.z);
      one.fromArray(facing, 3 * k).applyQuaternion(turns[Math.round(along)]);
      normal.setXYZ(k, one.x, one.y, one.z);
    }
    position.needsUpdate = normal.needsUpdate = true;
    geometry.boundingBox = geometry.boundingSphere = null;
  }

  return { geometry, bend };
}

/**
 * Tubes on the bodies of a viewer. `kit`: { THREE, tools, solid, material, addMass }, addMass(mass) makes a mark of a mass centre.
 * at(low, high, part) and set(values) choose elastic coordinates, then show() moves the bodies, which have their computed
 * poses, and bends the tubes. exaggerate(factor); paths(poses, frames): where frames come by in the whole motion;
 * copies(values, look): tubes by the number of the body that carries them; nearest(mesh, point): the end of a tube;
 * dress(group, k): shapes that bend with beam k, and the body that carries them.
 */
export function createBending({ THREE, tools, solid, material, addMass }, data, bodies) {
  const made = () => ({ position: new THREE.Vector3(), quaternion: new THREE.Quaternion() });
  const beams = data.beams.map((beam) => beamOf(THREE, beam));
  const starts = beams.map((_, k) => beams.slice(0, k).reduce((sum, beam) => sum + beam.count, 0));
  const inBending = beams.reduce((sum, beam) => sum + beam.count, 0);
  const width = inBending + data.gears.length;
  const tips = new Map(beams.map((beam, k) => [beam.tip, k]));
  const gears = new Map(data.gears.map((gear, k) => [gear.link, { slides: gear.slides, value: inBending + k, point: new THREE.Vector3(...gear.point), axis: new THREE.Vector3(...gear.axis) }]));
  const motion = floats(data.values);
  const tipOf = makeTip(THREE);
  const before = bodies.map(made); // computed poses
  const between = made();
  const give = new THREE.Quaternion();
  const shift = new THREE.Vector3();
  let values = new Float64Array(width);
  let factor = 1;

  const tubes = beams.map((beam) => {
    const group = new THREE.Group();
    group.position.copy(beam.root.position);
    group.quaternion.copy(beam.root.quaternion);
    bodies[beam.link].add(group);
    const parts = [makeTube(THREE, beam, beam.radius, false)];
    if (beam.counts[2]) parts.push(makeTube(THREE, beam, 1.015 * beam.radius, true));
    const meshes = parts.map(({ geometry }, k) => {
      const mesh = solid(geometry, k ? material("base", {}) : material(`shell${beam.tip}`, {}), beam.tip, beam.link);
      mesh.frustumCulled = false;
      mesh.userData.beam = beam;
      group.add(mesh);
      return mesh;
    });
    const mark = beam.mass > 0 ? addMass(beam.mass, group) : null;
    return { parts, meshes, mark, group };
  });

  // Beside a link that its gear has twisted, a needle shows where it would be if the gear did not give.
  const needles = data.gears.filter(({ needle }) => needle).map(({ link, needle }) => {
    const [start, end] = [needle.start, needle.end].map((point) => new THREE.Vector3(...point));
    const mesh = solid(tools.capsule(needle.radius, start.distanceTo(end)), material(`joint${link}`, {}), link);
    const holder = new THREE.Group();
    bodies[link].add(holder);
    holder.add(tools.along(mesh, start, end));
    return { holder, ...gears.get(link) };
  });

  /** Turns a needle back by what the link is ahead of its motor. */
  function placeNeedle({ holder, slides, value, point, axis }) {
    const back = -factor * values[value];
    if (slides) return holder.position.copy(axis).multiplyScalar(back);
    holder.quaternion.setFromAxisAngle(axis, back);
    return holder.position.copy(point).applyQuaternion(holder.quaternion).negate().add(point);
  }

  const dressed = beams.map(() => []); // shapes of the robot's file, by beam: { rest, mesh, bend }

  /** Has a group of meshes, placed on the body at the tip of beam `k` while that is straight, bend along with it. */
  function dress(group, k) {
    const beam = beams[k];
    group.updateMatrix();
    const toRoot = new THREE.Matrix4().compose(beam.end.position, beam.end.quaternion, new THREE.Vector3(1, 1, 1));
    toRoot.premultiply(new THREE.Matrix4().makeTranslation(beam.length, 0, 0)).multiply(group.matrix);
    for (const mesh of group.children) {
      const rest = fineAlongX(mesh.geometry.clone().applyMatrix4(toRoot), beam.length / 32);
      const { geometry, bend } = makeBent(THREE, beam, rest);
      mesh.geometry = geometry;
      mesh.frustumCulled = false;
      mesh.userData.beam = beam;
      dressed[k].push({ rest, mesh, bend });
    }
    group.position.copy(beam.root.position);
    group.quaternion.copy(beam.root.quaternion);
    group.scale.set(1, 1, 1);
    return [beam.link, group];
  }

  const scaled = (e, k) => e.slice(starts[k], starts[k] + beams[k].count).map((value) => factor * value);

  /** Moves poses, which are those computed with elastic coordinates e, to where exaggeration has them. */
  function move(list, e) {
    list.forEach(({ position, quaternion }, i) => {
      before[i].position.copy(position);
      before[i].quaternion.copy(quaternion);
    });
    for (let i = 1; i < list.length; i += 1) {
      if (tips.has(i)) {
        const k = tips.get(i);
        tipOf(beams[k], list[beams[k].link], scaled(e, k), list[i]);
        continue;
      }
      const parent = data.parents[i - 1];
      between.quaternion.copy(before[parent].quaternion).conjugate();
      between.position.subVectors(before[i].position, before[parent].position).applyQuaternion(between.quaternion);
      between.quaternion.multiply(before[i].quaternion);
      carried(list[parent], between, list[i]);
      if (gears.has(i)) further(gears.get(i), list[i], e);
    }
  }

  /** A link beyond an elastic gear: further along or about its axis. */
  function further({ slides, value, point, axis }, pose, e) {
    const more = (factor - 1) * e[value];
    if (slides) {
      shift.copy(axis).multiplyScalar(more);
    } else {
      give.setFromAxisAngle(axis, more);
      shift.copy(point).applyQuaternion(give).negate().add(point);
    }
    pose.position.add(shift.applyQuaternion(pose.quaternion));
    if (!slides) pose.quaternion.multiply(give);
  }

  function at(low, high, part) {
    for (let k = 0; k < width; k += 1) values[k] = (1 - part) * motion[low * width + k] + part * motion[high * width + k];
  }

  function show() {
    if (factor !== 1) move(bodies, values);
    for (const [k, { parts, mark }] of tubes.entries()) {
      const e = scaled(values, k);
      for (const { bend } of [...parts, ...dressed[k]]) bend(e);
      if (mark) beams[k].centre(e, mark.position);
    }
    needles.forEach(placeNeedle);
  }

  /** For each { link, position } the points through which it comes, as { x, y, z }. */
  function paths(poses, frames) {
    const list = bodies.map(made);
    const found = frames.map(() => []);
    const stride = 7 * (bodies.length - 1);
    for (let n = 0; n < poses.length / stride; n += 1) {
      for (let i = 1; i < bodies.length; i += 1) {
        list[i].position.fromArray(poses, n * stride + (i - 1) * 7);
        list[i].quaternion.fromArray(poses, n * stride + (i - 1) * 7 + 3);
      }
      if (factor !== 1) move(list, motion.subarray(n * width, (n + 1) * width));
      for (const [k, { link, position }] of frames.entries()) {
        found[k].push(new THREE.Vector3(...position).applyQuaternion(list[link].quaternion).add(list[link].position));
      }
    }
    return found;
  }

  /** Tubes of their own, bent as `values` say: [[body, mesh], ...]. */
  function copies(e, look) {
    return tubes.flatMap(({ meshes }, k) => {
      const tube = meshes[0].visible ? [makeTube(THREE, beams[k], beams[k].radius, false)] : [];
      const shapes = dressed[k].filter(({ mesh }) => mesh.parent.visible).map(({ rest }) => makeBent(THREE, beams[k], rest));
      return [...tube, ...shapes].map(({ geometry, bend }) => {
        bend(scaled(e, k));
        geometry.userData.own = true;
        const mesh = new THREE.Mesh(geometry, look);
        mesh.position.copy(beams[k].root.position);
        mesh.quaternion.copy(beams[k].root.quaternion);
        return [beams[k].link, mesh];
      });
    });
  }

  /** The body of that end of a tube which is nearer to a point of the world, and where the end is in its axes. */
  function nearest({ userData: { beam } }, point) {
    const ends = [[beam.link, beam.root.position], [beam.tip, beam.end.position.clone().negate().applyQuaternion(beam.end.quaternion.clone().conjugate())]];
    const away = ([link, local]) => bodies[link].localToWorld(local.clone()).distanceTo(point);
    return away(ends[0]) < away(ends[1]) ? ends[0] : ends[1];
  }

  /** The centre lines of all tubes in the world, as drawn: [[[x, y, z], ...], ...]. */
  function lines() {
    return tubes.map(({ parts: [tube], group }) => {
      group.updateWorldMatrix(true, false);
      return tube.middles().map((point) => group.localToWorld(point).toArray());
    });
  }

  return {
    at,
    show,
    lines,
    move,
    paths,
    copies,
    dress,
    nearest,
    beams,
    set: (given) => (values = Float64Array.from({ length: width }, (_, k) => given?.[k] ?? 0)),
    exaggerate: (by) => (factor = by),
    note: needles.length ? "needles: motors" : "",
    isTube: (mesh) => Boolean(mesh.userData.beam),
    mass: beams.reduce((sum, beam) => sum + beam.mass, 0),
  };
}
