// Animates the four DH motions of each link: a frame rotates and slides from link to link.

const SECONDS = 0.9; // of one motion
const COLOURS = { x: 0xe03131, y: 0x2f9e44, z: 0x1c7ed6 };

export function createSteps(THREE, caption, emit) {
  let viewer = null;
  let steps = [];
  let at = 0; // the step that is shown
  let part = 0; // how far it is, 0 to 1
  let running = 0;
  let onward = false; // whether the next one follows by itself
  let group = null;
  let size = 0.1;

  const axisOf = (step) => new THREE.Vector3(step.axis === "x" ? 1 : 0, 0, step.axis === "z" ? 1 : 0);

  function motion(step, s) {
    const matrix = new THREE.Matrix4();
    if (step.kind === "turn") matrix.makeRotationAxis(axisOf(step), step.value * s);
    else matrix.setPosition(axisOf(step).multiplyScalar(step.value * s));
    return new THREE.Matrix4().fromArray(step.start).multiply(matrix);
  }

  function line(points, colour, width, opacity = 1) {
    const path = new THREE.CatmullRomCurve3(points, false, "catmullrom", 0);
    const look = new THREE.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true, opacity });
    const mesh = new THREE.Mesh(new THREE.TubeGeometry(path, Math.max(points.length * 2, 2), width, 8), look);
    mesh.renderOrder = 6;
    return mesh;
  }

  function triad(pose, scale, opacity) {
    const frame = new THREE.Group();
    for (const [k, name] of ["x", "y", "z"].entries()) {
      const tip = new THREE.Vector3().setComponent(k, scale);
      frame.add(line([new THREE.Vector3(), tip], COLOURS[name], scale * 0.035, opacity));
      const look = new THREE.MeshBasicMaterial({ color: COLOURS[name], depthTest: false, transparent: true, opacity });
      const head = new THREE.Mesh(new THREE.ConeGeometry(scale * 0.09, scale * 0.24, 14), look);
      head.position.copy(tip);
      head.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), tip.clone().normalize());
      head.renderOrder = 6;
      frame.add(head);
    }
    frame.applyMatrix4(pose);
    return frame;
  }

  function clear() {
    group?.traverse((object) => {
      object.geometry?.dispose();
      object.material?.dispose();
    });
    group?.removeFromParent();
    group = null;
  }

  function draw() {
    clear();
    group = new THREE.Group();
    const step = steps[at];
    const start = new THREE.Matrix4().fromArray(step.start);
    group.add(triad(start, size * 0.8, 0.35)); // where this motion began
    group.add(triad(motion(step, part), size, 1));
    const trace = [];
    const count = 24;
    for (let k = 0; k <= count; k += 1) {
      const pose = motion(step, (part * k) / count);
      const arm = step.kind === "turn" ? new THREE.Vector3(step.axis === "z" ? size * 0.75 : 0, step.axis === "x" ? size * 0.75 : 0, 0) : new THREE.Vector3();
      trace.push(arm.applyMatrix4(pose));
    }
    const length = trace.reduce((sum, p, k) => sum + (k ? p.distanceTo(trace[k - 1]) : 0), 0);
    if (length > size * 1e-3) group.add(line(trace, 0xf08c00, size * 0.03));
    viewer.overlay.add(group);
    viewer.draw();
    const number = `${(at % 4) + 1}/4`;
    caption.replaceChildren();
    const name = document.createElement("b");
    name.textContent = step.symbol;
    caption.append(`${step.link} · ${number} · `, name, ` · ${step.text}`, step.variable ? " · the joint variable" : "");
    caption.hidden = false;
  }

  function frame(stamp) {
    const step = steps[at];
    const still = Math.abs(step.value) < 1e-12;
    part = Math.min(1, (stamp - running) / (1000 * (still ? SECONDS / 3 : SECONDS)));
    draw();
    if (part < 1) return requestAnimationFrame((next) => viewer && running && frame(next));
    running = 0;
    if (onward && at < steps.length - 1) setTimeout(() => onward && viewer && show(at + 1), 150);
    else onward = false;
    return undefined;
  }

  function show(k) {
    at = Math.min(Math.max(k, 0), steps.length - 1);
    emit("step", at);
    part = 0;
    running = performance.now();
    requestAnimationFrame((stamp) => viewer && running && frame(Math.max(stamp, running)));
  }

  return {
    active: () => viewer !== null,
    enter(shown, list) {
      viewer = shown;
      steps = list;
      onward = false;
      const reach = new THREE.Vector3();
      const spots = list.map((step) => reach.clone().setFromMatrixPosition(new THREE.Matrix4().fromArray(step.start)));
      const box = new THREE.Box3().setFromPoints(spots).getSize(reach);
      size = Math.max(box.x, box.y, box.z, 0.3) * 0.16;
      show(0);
    },
    go(change) {
      if (!viewer) return;
      onward = false;
      show(at + change);
    },
    play() {
      if (!viewer) return;
      onward = !onward;
      if (onward) show(at >= steps.length - 1 ? 0 : at);
    },
    leave() {
      if (!viewer) return;
      onward = false;
      running = 0;
      clear();
      caption.hidden = true;
      viewer.draw();
      viewer = null;
      emit("step", -1);
    },
  };
}
