// What the kinematics tab draws into the 3D view: translucent copies of the robot, an ellipsoid of velocities, a cloud
// of points that the end effector reaches.

import { floats } from "../report/viewer.js";

const GHOST = 0x2f80c2;
const BEYOND = 0xc8553d; // of a solution beyond the joint limits
const ELLIPSOID = 0xe08e0b;
const CLOUD = 0x1f8a70;
const PALE = 0.16;
const STRONG = 0.6; // the opacity of the copy that is pointed at
const SHARE = 0.16; // the size of an ellipsoid's longest axis, of the robot's reach

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
  const wanted = { ghosts: null, ellipsoid: null, cloud: null };
  const makers = { ghosts, ellipsoid, cloud };
  listeners.add(emphasise);

  function ghosts({ poses, within }) {
    const group = new THREE.Group();
    poses.forEach((rows, k) => {
      // Behind what is drawn at the same place: the robot itself, where it shows a solution.
      const look = new THREE.MeshLambertMaterial({ color: within[k] ? GHOST : BEYOND, transparent: true, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 8 });
      group.add(viewer.copy(rows, look));
      group.children[k].userData.look = look;
    });
    return group;
  }

  function emphasise() {
    for (const [k, copy] of (drawn.ghosts?.children ?? []).entries()) {
      copy.userData.look.opacity = k === pointed.at ? STRONG : PALE;
      copy.userData.look.depthWrite = k === pointed.at;
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

  function remove(kind) {
    drawn[kind]?.traverse((object) => {
      if (kind !== "ghosts") object.geometry?.dispose(); // copies share those of the robot
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
    /** The next viewer, which may show another robot: the server then says what to draw. */
    enter(next) {
      for (const kind of Object.keys(drawn)) remove(kind);
      viewer = next;
      for (const [kind, data] of Object.entries(wanted)) if (viewer) set(kind, data);
    },
    clear() {
      for (const kind of Object.keys(wanted)) set(kind, null);
    },
    dispose: () => listeners.delete(emphasise),
  };
}
