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

/**
 * `data`: coordinates, rates, torques and layout as in coordinates.py; `api`: the robot's functions at the present
 * parameters. Torques stand beside the rates that they act on, unless wheels or loops make these others.
 */
export function createTables(root, data, api, { hasTip, hasSprings }) {
  const { rates, torques, coordinates, layout } = data;
  const { closed, rolling, independent, plain } = layout;
  const n = rates.length;
  const beside = !rolling && !closed; // torques are those of the rates, one by one
  const free = independent.map((i) => rates[i]); // whose accelerations can be chosen
  const wanted = new Float64Array(free.length); // accelerations of the inverse dynamics
  const names = rates.map(({ short }) => short);

  const forward = grid("forward", [...(plain ? ["q"] : []), "q̇", ...(beside ? ["τ"] : []), "q̈"], names);
  const position = plain ? null : grid("q", ["q"], coordinates.map(({ short }) => short));
  const supplied = beside ? null : grid("tau", ["τ"], torques.map(({ short }) => short));
  const friction = Boolean(api.friction_torque);
  const columns = ["q̈ wanted", "τ =", "I q̈", "+ C q̇", "+ γ", ...(friction ? ["+ friction"] : []), ...(hasSprings ? ["+ springs"] : [])];
  const inverse = grid("inverse", beside ? columns : columns.slice(0, 1), free.map(({ short }) => short));
  const needed = beside ? null : grid("needed", ["τ"], torques.map(({ short }) => short));
  const fields = free.map(({ name }, i) => {
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
  const g = matrix("g", torques.length, 1);
  const h = matrix("h", n, 1);
  const tip = element("p", { class: "line", "data-testid": "tip" });
  const energy = element("p", { class: "line", "data-testid": "energy" });
  let last = null;

  const laws = closed
    ? ["I(q) q̈ + C(q, q̇) q̇ + γ(q) + friction = τ + Jᵀλ", "τ acts on the driven joints; λ keeps the loops closed, J(q) q̇ = 0"]
    : rolling
      ? ["Sᵀ(I q̈ + C q̇ + γ + friction − τ) = 0", "wheels roll: q̇ = S(q) u, of which u are the rates shown; matrices are those of u"]
      : ["I(q) q̈ + C(q, q̇) q̇ + γ(q) + friction = τ", ""];
  const whose = closed ? "of the tree, its loops cut" : rolling ? "of the independent rates" : "generalized inertia matrix, GIM";
  root.append(
    equation(laws[0], "(9.42a)"),
    ...(laws[1] ? [element("p", { class: "hint" }, laws[1])] : []),
    titled("Forward dynamics", "q̈ of these torques", "(9.38)–(9.41)", element("div", { class: "pair" }, forward.node, ...(supplied ? [supplied.node] : []))),
    titled("Inverse dynamics", "τ that the wanted q̈ need here", "(9.32)–(9.35)", element("div", { class: "pair" }, inverse.node, ...(needed ? [needed.node] : []))),
    titled("Inertia matrix I(q)", whose, "(9.15b)", M.node),
    layout.elastic.modes.length
      ? titled("Matrix C(q, q̇)", "convective inertia, of Christoffel symbols", "", C.node)
      : titled("Matrix C(q, q̇)", "convective inertia, MCI", "(9.16k)", C.node),
    element("div", { class: "pair" },
      titled("γ(q)", "what holds the weights", "(9.21b)", g.node),
      titled("C q̇", "convective terms, VCI", "(9.19b)", h.node)),
    titled("Energy", "kinetic T, potential V", "", energy),
    ...(position ? [titled("Coordinates", "rad, m", "", position.node)] : []),
    ...(hasTip ? [titled("End effector", "position in the world", "", tip)] : []),
  );

  /** All accelerations, where the independent ones are as wanted. */
  function whole(q, qd) {
    if (!closed) return wanted;
    const qdd = new Float64Array(n);
    independent.forEach((i, k) => (qdd[i] = wanted[k]));
    return api.completion(q, qd, qdd);
  }

  /** Everything of a state, computed from it here and now: { q, qd, qdd, tau } of motion.js; `read(row)`: a coordinate. */
  function update(state) {
    if (!state) return;
    last = state;
    const { q, qd, qdd, tau, read } = state;
    const [all, now] = [whole(q, qd), { M: api.mass_matrix(q), C: api.coriolis_matrix(q, qd), h: api.coriolis_vector(q, qd), g: api.gravity_torque(q) }];
    now.tau = api.inverse_dynamics(q, qd, all);
    for (let i = 0; i < n; i += 1) {
      write(forward.cells[i], [...(plain ? [q[i]] : []), qd[i], ...(beside ? [tau[i]] : []), qdd[i]]);
      write(M.cells[i], now.M[i]);
      write(C.cells[i], now.C[i]);
      write(h.cells[i], [now.h[i]]);
    }
    for (let i = 0; i < torques.length; i += 1) {
      write(g.cells[i], [now.g[i]]);
      if (supplied) write(supplied.cells[i], [tau[i]]);
      if (needed) write(needed.cells[i], [now.tau[i]]);
    }
    if (beside) {
      const rubbed = friction ? api.friction_torque(qd) : null;
      const springs = hasSprings ? api.spring_torque(q) : null;
      for (let i = 0; i < n; i += 1) {
        const inertial = now.M[i].reduce((sum, m, j) => sum + m * all[j], 0);
        write(inverse.cells[i].slice(1), [now.tau[i], inertial, now.h[i], now.g[i], ...(rubbed ? [rubbed[i]] : []), ...(springs ? [springs[i]] : [])]);
      }
    }
    if (position) coordinates.forEach((row, i) => write(position.cells[i], [read(row)]));
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
