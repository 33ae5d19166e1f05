// The state of a page as the part of its address behind "#", and back.

import { OMEGA, ZETA } from "./motion.js";

const VECTORS = { q: "q", qd: "qd", target: "target" };

/** Everything that differs from how the page opened. Numbers are written so that they read back the same. */
export function encode(state, parameters, { names, nominal, start }) {
  const parts = [];
  const list = (values) => Array.from(values, String).join(",");
  const same = (a, b) => a.every((x, i) => x === b[i]);
  if (!same(state.q, start)) parts.push(`q=${list(state.q)}`);
  if (state.qd.some(Boolean)) parts.push(`qd=${list(state.qd)}`);
  if (!same(state.target, start)) parts.push(`target=${list(state.target)}`);
  if (state.control !== "free") parts.push(`control=${state.control}`);
  if (state.omega !== OMEGA) parts.push(`omega=${state.omega}`);
  if (state.zeta !== ZETA) parts.push(`zeta=${state.zeta}`);
  names.forEach((name, k) => {
    if (parameters[k] !== nominal[k]) parts.push(`p.${encodeURIComponent(name)}=${parameters[k]}`);
  });
  return parts.join("&");
}

/** What an address says: { q?, qd?, target?, control?, omega?, zeta?, parameters: Map, errors: [] }. */
export function decode(hash, { names, start, controls }) {
  const found = { parameters: new Map(), errors: [] };
  const numbers = (text) => text.split(",").map((part) => (part.trim() ? Number(part) : NaN));
  for (const part of hash.replace(/^#/, "").split("&").filter(Boolean)) {
    const cut = part.indexOf("=");
    const [key, text] = [part.slice(0, cut), part.slice(cut + 1)];
    const values = numbers(text);
    const finite = values.every(Number.isFinite);
    if (VECTORS[key] && finite && values.length === start.length) found[key] = values;
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
