// The parts that viewer.js assembles, made with the given three.js.

/** The largest of 1, 2, 5, 10 ... that is at most `wanted`. */
export function gridStep(wanted) {
  const power = 10 ** Math.floor(Math.log10(wanted));
  return [5, 2, 1].map((k) => k * power).find((s) => s <= wanted * 1.0001);
}

/** Decodes base64 to bytes. */
export function bytes(text) {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

/** `detail`: 1, or less on slow machines. */
export function makeTools(THREE, detail = 1) {
  const Y = new THREE.Vector3(0, 1, 0);
  const vec = (v) => new THREE.Vector3(...v);
  const parts = (most) => Math.max(3, Math.round(most * detail));

  /** Places a mesh modelled along y between two points. */
  function along(mesh, start, end) {
    mesh.position.addVectors(start, end).multiplyScalar(0.5);
    mesh.quaternion.setFromUnitVectors(Y, end.clone().sub(start).normalize());
    return mesh;
  }

  /** A round body about y with rounded edges. */
  function drum(radius, height, edge, sides = parts(48)) {
    const profile = [new THREE.Vector2(0, -height / 2)];
    for (const [x, y, turn] of [[radius - edge, -height / 2 + edge, -90], [radius - edge, height / 2 - edge, 0]]) {
      const corners = parts(6);
      for (let k = 0; k <= corners; k += 1) {
        const angle = ((turn + (90 * k) / corners) * Math.PI) / 180;
        profile.push(new THREE.Vector2(x + edge * Math.cos(angle), y + edge * Math.sin(angle)));
      }
    }
    profile.push(new THREE.Vector2(0, height / 2));
    return new THREE.LatheGeometry(profile, sides);
  }

  function capsule(radius, length) {
    return new THREE.CapsuleGeometry(radius, length, parts(12), parts(32));
  }

  function ball(radius) {
    return new THREE.SphereGeometry(radius, parts(36), parts(24));
  }

  /** A tube through points, one ring per sample, so that its parameter is proportional to time. */
  function tube(points, radius) {
    const path = new THREE.CatmullRomCurve3(points);
    path.getPointAt = path.getPoint;
    path.getTangentAt = path.getTangent;
    const [rings, sides] = [Math.min(points.length - 1, parts(600)), parts(6)];
    return { geometry: new THREE.TubeGeometry(path, rings, radius, sides), rings, corners: 6 * sides };
  }

  /** x red, y green, z blue; drawn over the solids, since frames sit inside them. */
  function axesOf(length) {
    const triad = new THREE.Group();
    for (const [k, colour] of [[0, 0xe03131], [1, 0x2f9e44], [2, 0x1c7ed6]]) {
      triad.add(arrow(new THREE.Vector3().setComponent(k, length), length * 0.03, onTop(colour, 1)));
    }
    return triad;
  }

  function onTop(colour, opacity) {
    return new THREE.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true, opacity });
  }

  function arrow(to, radius, look) {
    const shape = new THREE.Group();
    const neck = to.clone().multiplyScalar(1 - (6 * radius) / to.length());
    const zero = new THREE.Vector3();
    const shaft = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, neck.length(), 10), look);
    const head = new THREE.Mesh(new THREE.ConeGeometry(2.4 * radius, 6 * radius, 16), look);
    shape.add(along(shaft, zero, neck), along(head, neck, to));
    for (const part of shape.children) part.renderOrder = 3;
    return shape;
  }

  /** The usual symbol of a mass centre: quarters in black and yellow. */
  function checkered() {
    const picture = document.createElement("canvas");
    picture.width = picture.height = 64;
    const pen = picture.getContext("2d");
    for (const [x, y] of [[0, 0], [1, 0], [2, 0], [3, 0], [0, 1], [1, 1], [2, 1], [3, 1]]) {
      pen.fillStyle = (x + y) % 2 ? "#ffd43b" : "#212529";
      pen.fillRect(16 * x, 32 * y, 16, 32);
    }
    const texture = new THREE.CanvasTexture(picture);
    texture.colorSpace = THREE.SRGBColorSpace;
    return texture;
  }

  /** Grid lines every step, stronger every fifth, fading out with distance; and the shadows on it. */
  function floorGrid(view, step, drawLines) {
    const size = 12 * view.reach;
    const shadow = new THREE.Mesh(new THREE.PlaneGeometry(size, size), new THREE.ShadowMaterial());
    const { lines, setColours } = drawLines(shadow.geometry, step, 2.6 * view.reach);
    const normal = vec(view.floor.normal);
    const setLevel = (level) => {
      shadow.position.copy(normal).multiplyScalar(level);
      lines.position.copy(normal).multiplyScalar(level + view.thickness * 0.02); // offset to avoid z-fighting
    };
    for (const mesh of [shadow, lines]) mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
    setLevel(view.floor.level);
    shadow.receiveShadow = true;
    return { shadow, lines, setLevel, setColours };
  }

  /** Grid lines that are smooth at any distance, computed per pixel by a shader. */
  function smoothLines(plane, step, fade) {
    const look = new THREE.ShaderMaterial({
      transparent: true,
      depthWrite: false,
      side: THREE.DoubleSide,
      uniforms: {
        step: { value: step },
        fade: { value: fade },
        minor: { value: new THREE.Color() },
        major: { value: new THREE.Color() },
      },
      vertexShader: `varying vec2 at;
        void main() { at = position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
      fragmentShader: `varying vec2 at; uniform float step, fade; uniform vec3 minor, major;
        float lines(float every) {
          vec2 x = at / every, width = fwidth(x);
          vec2 near = abs(fract(x - 0.5) - 0.5) / width;
          return (1.0 - min(min(near.x, near.y), 1.0)) * (1.0 - smoothstep(0.15, 0.5, max(width.x, width.y)));
        }
        void main() {
          float strong = lines(5.0 * step), weak = lines(step);
          float alpha = max(0.9 * strong, 0.5 * weak) * (1.0 - smoothstep(0.35 * fade, fade, length(at)));
          gl_FragColor = vec4(mix(minor, major, strong), alpha);
          #include <colorspace_fragment>
        }`,
    });
    const setColours = (minor, major) => {
      look.uniforms.minor.value.set(minor);
      look.uniforms.major.value.set(major);
    };
    return { lines: new THREE.Mesh(plane, look), setColours };
  }

  /** The same as plain lines, for machines without a GPU. */
  function plainLines(_, step, fade) {
    const [points, weak, strong] = [[], new THREE.Color(), new THREE.Color()];
    const count = Math.floor(fade / step);
    const pieces = 10;
    for (let k = -count; k <= count; k += 1) {
      const half = Math.sqrt(Math.max(fade ** 2 - (k * step) ** 2, 0));
      for (let j = 0; j < pieces; j += 1) {
        const [from, to] = [j, j + 1].map((i) => half * ((2 * i) / pieces - 1));
        points.push([k, k * step, from], [k, k * step, to]);
      }
    }
    const corners = [...points.map(([k, x, y]) => [k, x, y]), ...points.map(([k, x, y]) => [k, y, x])];
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(corners.flatMap(([, x, y]) => [x, y, 0]), 3));
    const setColours = (minor, major) => {
      weak.set(minor);
      strong.set(major);
      const rgba = corners.flatMap(([k, x, y]) => {
        const far = THREE.MathUtils.smoothstep(Math.hypot(x, y), 0.35 * fade, fade);
        const [colour, alpha] = k % 5 ? [weak, 0.5] : [strong, 0.9];
        return [colour.r, colour.g, colour.b, alpha * (1 - far)];
      });
      geometry.setAttribute("color", new THREE.Float32BufferAttribute(rgba, 4));
    };
    const look = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
    return { lines: new THREE.LineSegments(geometry, look), setColours };
  }

  /** Unpacks triangles from shapes.py. Vertices are duplicated along edges, so that averaged normals keep them sharp. */
  function unpacked({ low, step, steps, faces, triangles }) {
    const [grid, raw] = [new Uint16Array(bytes(steps).buffer), bytes(faces).buffer];
    const index = raw.byteLength === 6 * triangles ? new Uint16Array(raw) : new Uint32Array(raw);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(Float32Array.from(grid, (k, i) => low[i % 3] + step * k), 3));
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    geometry.computeVertexNormals();
    return geometry;
  }

  /** Simplifies a mesh by merging all vertices in a cell: fewer triangles, for slow machines. */
  function coarser(geometry, cell) {
    const position = geometry.getAttribute("position");
    const corners = new Map(); // cell -> index of its vertex
    const points = [];
    const merged = Array.from({ length: position.count }, (_, i) => {
      const point = [position.getX(i), position.getY(i), position.getZ(i)];
      const key = point.map((x) => Math.round(x / cell)).join();
      if (!corners.has(key)) {
        corners.set(key, corners.size);
        points.push(...point);
      }
      return corners.get(key);
    });
    const [index, known] = [[], new Set()];
    const all = geometry.getIndex().array;
    for (let k = 0; k < all.length; k += 3) {
      const [a, b, c] = [merged[all[k]], merged[all[k + 1]], merged[all[k + 2]]];
      const key = [a, b, c].sort((x, y) => x - y).join();
      if (a === b || b === c || c === a || known.has(key)) continue;
      known.add(key);
      index.push(a, b, c);
    }
    const found = new THREE.BufferGeometry();
    found.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    found.setIndex(index);
    found.computeVertexNormals();
    return found;
  }

  /** Solids of unit size, as shapes.py scales them; round ones lie along z. */
  function unitSolid({ kind, radius, length }) {
    if (kind === "box") return new THREE.BoxGeometry(1, 1, 1);
    if (kind === "cylinder") return new THREE.CylinderGeometry(1, 1, 1, Math.max(parts(48), 32)).rotateX(Math.PI / 2);
    if (kind === "capsule") return capsule(radius, length).rotateX(Math.PI / 2);
    return ball(1);
  }

  /** Groups for all shapes of the robot's file, `[[link, group], ...]`; `look(link, colour, opacity)` gives the material. */
  function dressed({ meshes, placed }, look) {
    const files = meshes.map((parts) => parts.map((part) => [unpacked(part), part.colour]));
    return placed.map((shape) => {
      const group = new THREE.Group();
      for (const [geometry, own] of shape.kind === "mesh" ? files[shape.mesh] : [[unitSolid(shape), null]]) {
        const mesh = new THREE.Mesh(geometry, look(shape.link, own ?? shape.colour, shape.opacity));
        mesh.castShadow = mesh.receiveShadow = true;
        group.add(mesh);
      }
      group.position.set(...shape.position);
      group.quaternion.set(...shape.quaternion);
      group.scale.set(...shape.scale);
      return [shape.link, group];
    });
  }

  /** An environment map: soft boxes in a grey room, so that curved surfaces look curved. */
  function studioLight(renderer) {
    const room = new THREE.Scene();
    const panel = (strength, size, at) => {
      const material = new THREE.MeshBasicMaterial({ color: new THREE.Color().setScalar(strength) });
      const mesh = new THREE.Mesh(new THREE.BoxGeometry(...size), material);
      mesh.position.set(...at);
      room.add(mesh);
      return material;
    };
    panel(0.55, [20, 20, 20], [0, 0, 0]).side = THREE.BackSide;
    panel(7, [5, 0.2, 5], [0, 9.5, 0]);
    panel(4, [0.2, 5, 4], [-9.5, 2, 2]);
    panel(2.5, [0.2, 4, 6], [9.5, 1, -2]);
    panel(2.5, [6, 4, 0.2], [1, 2, 9.5]);
    const generator = new THREE.PMREMGenerator(renderer);
    const texture = generator.fromScene(room, 0.03).texture;
    generator.dispose();
    release(room);
    return texture;
  }

  function release(root) {
    root.traverse((object) => {
      object.geometry?.dispose();
      object.material?.map?.dispose();
      object.material?.dispose();
    });
  }

  return { vec, along, drum, capsule, ball, tube, arrow, axesOf, onTop, checkered, coarser, floorGrid, smoothLines, plainLines, dressed, studioLight, release };
}
