// Tables of the present state: matrices and torques with the numbers of the book's equations.

import { element } from "./player.js";

/** A number with four digits, and no more exponents than necessary. */
export function figure(x) {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  if (size < 5e-13) return "0";
  if (size >= 1e5 || size < 1e-3) return x.toExponential(2).replace("e+", "e");
  return x.toFixed(Math.min(Math.max(3 - Math.floor(Math.log10(size)), 0), 4));
}

/** `joints`: [{ name, short, unit, force, colour }]; `api`: the robot's functions at the present parameters. */
export function createTables(root, joints, api, { hasTip, hasSprings }) {
  const n = joints.length;
  const wanted = new Float64Array(n); // accelerations of the inverse dynamics
  const names = joints.map(({ short }) => short);

  const forward = grid("forward", ["q", "q̇", "τ", "q̈"], names);
  const columns = ["q̈ wanted", "τ =", "I q̈", "+ C q̇", "+ γ", "+ friction", ...(hasSprings ? ["+ springs"] : [])];
  const inverse = grid("inverse", columns, names);
  const fields = joints.map(({ name }, i) => {
    const field = element("input", { type: "number", step: "any", value: "0", "aria-label": `Acceleration wanted of ${name}`, "data-testid": `wanted-${i}` });
    field.addEventListener("input", () => {
      wanted[i] = Number.isFinite(field.valueAsNumber) ? field.valueAsNumber : 0;
      update(last);
    });
    inverse.cells[i][0].replaceChildren(field);
    return field;
  });
  const M = matrix("M", n, n);
  const C = matrix("C", n, n);
  const g = matrix("g", n, 1);
  const h = matrix("h", n, 1);
  const tip = element("p", { class: "line", "data-testid": "tip" });
  const energy = element("p", { class: "line", "data-testid": "energy" });
  let last = null;

  root.append(
    equation("I(q) q̈ + C(q, q̇) q̇ + γ(q) + friction = τ", "(9.42a)"),
    titled("Forward dynamics", "q̈ of these torques", "(9.38)–(9.41)", forward.node),
    titled("Inverse dynamics", "τ that the wanted q̈ need here", "(9.32)–(9.35)", inverse.node),
    titled("Inertia matrix I(q)", "generalized inertia matrix, GIM", "(9.15b)", M.node),
    titled("Matrix C(q, q̇)", "convective inertia, MCI", "(9.16k)", C.node),
    element("div", { class: "pair" },
      titled("γ(q)", "what holds the weights", "(9.21b)", g.node),
      titled("C q̇", "convective terms, VCI", "(9.19b)", h.node)),
    titled("Energy", "kinetic T, potential V", "", energy),
    ...(hasTip ? [titled("End effector", "position in the world", "", tip)] : []),
  );

  /** Everything of a state, computed from it here and now: { q, qd, qdd, tau } of motion.js. */
  function update(state) {
    if (!state) return;
    last = state;
    const { q, qd, qdd, tau } = state;
    const now = {
      M: api.mass_matrix(q), C: api.coriolis_matrix(q, qd), h: api.coriolis_vector(q, qd), g: api.gravity_torque(q),
      friction: api.friction_torque(qd), springs: api.spring_torque(q), tau: api.inverse_dynamics(q, qd, wanted),
    };
    for (let i = 0; i < n; i += 1) {
      write(forward.cells[i], [q[i], qd[i], tau[i], qdd[i]]);
      const inertial = now.M[i].reduce((sum, m, j) => sum + m * wanted[j], 0);
      const springs = hasSprings ? [now.springs[i]] : [];
      write(inverse.cells[i].slice(1), [now.tau[i], inertial, now.h[i], now.g[i], now.friction[i], ...springs]);
      write(M.cells[i], now.M[i]);
      write(C.cells[i], now.C[i]);
      write(g.cells[i], [now.g[i]]);
      write(h.cells[i], [now.h[i]]);
    }
    const [T, V] = [api.kinetic_energy(q, qd), api.potential_energy(q)];
    energy.textContent = `T = ${figure(T)} J, V = ${figure(V)} J, T + V = ${figure(T + V)} J`;
    if (hasTip) {
      const pose = api.forward_kinematics(q);
      tip.textContent = `x = ${figure(pose[0][3])} m, y = ${figure(pose[1][3])} m, z = ${figure(pose[2][3])} m`;
    }
  }

  function reset() {
    wanted.fill(0);
    for (const field of fields) field.value = "0";
  }

  return { update, reset, wanted };
}

function write(cells, values) {
  values.forEach((value, k) => {
    const text = figure(value);
    if (cells[k].textContent !== text) cells[k].textContent = text;
  });
}

function titled(title, note, number, node) {
  const head = element("h3", {}, title, element("span", { class: "note" }, note), element("span", { class: "number" }, number));
  return element("section", { class: "titled" }, head, element("div", { class: "wide" }, node));
}

function equation(text, number) {
  return element("p", { class: "equation" }, text, element("span", { class: "number" }, number));
}

function grid(name, heads, rows) {
  const cells = rows.map(() => heads.map(() => element("td")));
  const body = rows.map((row, i) => element("tr", {}, element("th", { scope: "row", title: row }, row), ...cells[i]));
  const head = element("tr", {}, element("th"), ...heads.map((text) => element("th", { scope: "col" }, text)));
  const node = element("table", { class: "plain", "data-testid": `table-${name}` }, element("thead", {}, head), element("tbody", {}, ...body));
  return { node, cells };
}

function matrix(name, rows, columns) {
  const cells = Array.from({ length: rows }, () => Array.from({ length: columns }, () => element("td")));
  const node = element("table", { class: "matrix", "data-testid": `table-${name}` }, element("tbody", {}, ...cells.map((row) => element("tr", {}, ...row))));
  return { node, cells };
}
