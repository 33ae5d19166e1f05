// What the kinematics tab draws into the 3D view: translucent copies of the robot, an ellipsoid of velocities, a cloud
// of points that the end effector reaches, and a handle by which it is dragged.

import { floats } from "../report/viewer.js";

const GHOST = 0x2f80c2;
const BEYOND = 0xc8553d; // of a solution beyond the joint limits
const ELLIPSOID = 0xe08e0b;
const CLOUD = 0x1f8a70;
const AXES = [0xd6336c, 0x2f9e44, 0x1c7ed6]; // of the handle
const BALL = 0xffffff;
const HANDLE = 0.14; // the length of its arrows, of the robot's reach
const PALE = 0.16;
const STRONG = 0.6; // the opacity of the copy that is pointed at
const SHARE = 0.13; // the size of an ellipsoid's longest axis, of the robot's reach

const listeners = new Set();

/** The solution of the list that is pointed at; -1: none. */
export const pointed = {
  at: -1,
  set(at) {
    if (pointed.at === at) return;
    pointed.at = at;
    for (const listener of listeners) listener();
  },
};

/** Keeps what is to be drawn, and draws it again in the next viewer. */
export function createOverlays(THREE) {
  let viewer = null;
  const drawn = {}; // by kind, a group in the overlay of the viewer
  const wanted = { ghosts: null, ellipsoid: null, cloud: null, handle: null };
  const makers = { ghosts, ellipsoid, cloud, handle };
  listeners.add(emphasise);

  function ghosts({ poses, within }) {
    const group = new THREE.Group();
    poses.forEach((rows, k) => {
      // Behind what is drawn at the same place: the robot itself, where it shows a solution.
      const look = new THREE.MeshLambertMaterial({ color: within[k] ? GHOST : BEYOND, transparent: true, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 8 });
      const copy = viewer.copy(rows, look);
      copy.userData = { look, usual: within[k] || !within.includes(true) };
      group.add(copy);
    });
    return group;
  }

  /** Solutions beyond the joint limits are drawn only if they are pointed at, unless there are no others. */
  function emphasise() {
    for (const [k, copy] of (drawn.ghosts?.children ?? []).entries()) {
      const { look, usual } = copy.userData;
      copy.visible = usual || k === pointed.at;
      look.opacity = k === pointed.at ? STRONG : PALE;
      look.depthWrite = k === pointed.at;
    }
    viewer?.draw();
  }

  function ellipsoid({ centre, radii, quaternion }) {
    const look = new THREE.MeshLambertMaterial({ color: ELLIPSOID, transparent: true, opacity: 0.45, depthWrite: false });
    const mesh = new THREE.Mesh(new THREE.SphereGeometry(1, 32, 20), look);
    const scale = (SHARE * viewer.reach) / Math.max(...radii, 1e-9);
    mesh.position.set(...centre);
    mesh.quaternion.set(...quaternion);
    mesh.scale.set(...radii.map((r) => Math.max(r * scale, 0.004 * viewer.reach)));
    mesh.renderOrder = 2;
    return mesh;
  }

  function cloud({ points, flat }) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(floats(points), 3));
    const look = new THREE.PointsMaterial({ color: CLOUD, size: flat ? 3 : 1.5, sizeAttenuation: false, transparent: true, opacity: flat ? 0.8 : 0.4, depthWrite: false });
    return new THREE.Points(geometry, look);
  }

  /** A ball that is dragged parallel to the screen, and arrows along which it is dragged. */
  function handle({ position }) {
    const group = new THREE.Group();
    const size = HANDLE * viewer.reach;
    const look = (color) => new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.9 });
    const add = (geometry, colour, along, axis) => {
      const mesh = new THREE.Mesh(geometry, look(colour));
      mesh.userData.axis = axis;
      mesh.renderOrder = 7;
      if (axis) {
        mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), axis);
        mesh.position.copy(axis).multiplyScalar(along * size);
      }
      group.add(mesh);
    };
    AXES.forEach((colour, k) => {
      const axis = new THREE.Vector3().setComponent(k, 1);
      add(new THREE.CylinderGeometry(0.025 * size, 0.025 * size, size, 8), colour, 0.5, axis);
      add(new THREE.ConeGeometry(0.1 * size, 0.28 * size, 16), colour, 1.1, axis);
    });
    add(new THREE.SphereGeometry(0.13 * size, 20, 14), BALL, 0, null);
    group.position.set(...position);
    return group;
  }

  /** Takes hold of the handle where a ray meets it: returns where a later ray drags it to, or null. */
  function grasp(caster) {
    if (!drawn.handle) return null;
    const [hit] = caster.intersectObject(drawn.handle);
    if (!hit) return null;
    const { axis } = hit.object.userData;
    const start = drawn.handle.position.clone();
    const away = caster.ray.direction.clone();
    // Along an arrow, in the plane through it that faces the viewer most.
    const normal = axis ? away.clone().addScaledVector(axis, -away.dot(axis)) : away;
    if (normal.lengthSq() < 1e-6) return null;
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal.normalize(), hit.point);
    return (next) => {
      const at = next.ray.intersectPlane(plane, new THREE.Vector3());
      if (!at) return null;
      const shift = at.sub(hit.point);
      return (axis ? start.clone().addScaledVector(axis, shift.dot(axis)) : start.clone().add(shift)).toArray();
    };
  }

  function remove(kind) {
    drawn[kind]?.traverse((object) => {
      if (kind !== "ghosts" || object.geometry?.userData.own) object.geometry?.dispose(); // copies share those of the robot
      object.material?.dispose();
    });
    drawn[kind]?.removeFromParent();
    delete drawn[kind];
  }

  /** What of one kind is to be drawn; null: nothing. */
  function set(kind, data) {
    wanted[kind] = data;
    remove(kind);
    if (data && viewer) {
      drawn[kind] = makers[kind](data);
      viewer.overlay.add(drawn[kind]);
    }
    emphasise();
  }

  return {
    set,
    grasp,
    /** The next viewer, which may show another robot: the server then says what to draw. */
    enter(next) {
      for (const kind of Object.keys(drawn)) remove(kind);
      viewer = next;
      for (const [kind, data] of Object.entries(wanted)) if (viewer) set(kind, data);
    },
    dispose: () => listeners.delete(emphasise),
  };
}
