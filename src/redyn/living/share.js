// The state of a page as the part of its address behind "#", and back.

import { OMEGA, ZETA } from "./motion.js";

/** The vectors of a state, and what they are as the page opens. */
const openings = ({ start, torques }) => ({ q: start.q, qd: start.qd, target: start.q, torque: new Array(torques).fill(0) });

/** Everything that differs from how the page opened. Numbers are written so that they read back the same. */
export function encode(state, parameters, form) {
  const { names, nominal } = form;
  const parts = [];
  const list = (values) => Array.from(values, (x) => (Object.is(x, -0) ? "-0" : String(x))).join(",");
  for (const [key, opening] of Object.entries(openings(form))) {
    if (!opening.every((x, i) => x === state[key][i])) parts.push(`${key}=${list(state[key])}`);
  }
  if (state.control !== form.start.control) parts.push(`control=${state.control}`);
  if (state.omega !== OMEGA) parts.push(`omega=${state.omega}`);
  if (state.zeta !== ZETA) parts.push(`zeta=${state.zeta}`);
  names.forEach((name, k) => {
    if (parameters[k] !== nominal[k]) parts.push(`p.${encodeURIComponent(name)}=${parameters[k]}`);
  });
  return parts.join("&");
}

/** What an address says: { q, qd, target, torque, control, omega, zeta, parameters: Map, errors: [] }. */
export function decode(hash, form) {
  const { names, controls } = form;
  const found = { ...openings(form), control: form.start.control, omega: OMEGA, zeta: ZETA, parameters: new Map(), errors: [] };
  const vectors = openings(form);
  const numbers = (text) => text.split(",").map((part) => (part.trim() ? Number(part) : NaN));
  for (const part of hash.replace(/^#/, "").split("&").filter(Boolean)) {
    const cut = part.indexOf("=");
    const [key, text] = [part.slice(0, cut), part.slice(cut + 1)];
    const values = numbers(text);
    const finite = values.every(Number.isFinite);
    if (Object.hasOwn(vectors, key) && finite && values.length === vectors[key].length) found[key] = values;
    else if (key === "control" && controls.includes(text)) found.control = text;
    else if (["omega", "zeta"].includes(key) && finite && values.length === 1 && values[0] >= 0) found[key] = values[0];
    else if (key.startsWith("p.") && finite && values.length === 1 && names.includes(plain(key.slice(2)))) {
      found.parameters.set(names.indexOf(plain(key.slice(2))), values[0]);
    } else found.errors.push(part);
  }
  return found;
}

function plain(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
