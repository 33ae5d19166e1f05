// What hinders people on a page: controls without a name, text that is hard to read. For tests; gives a list of both.
() => {
  const shown = (node) => {
    const box = node.getBoundingClientRect();
    const style = getComputedStyle(node);
    return box.width > 1 && box.height > 1 && style.visibility === "visible" && Number(style.opacity) > 0 && !node.closest("[aria-hidden=true], [hidden]");
  };
  const words = (node) => (node?.textContent ?? "").trim();
  const named = (node) =>
    node.getAttribute("aria-label")?.trim() ||
    (node.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => words(document.getElementById(id))).join("") ||
    [...(node.labels ?? [])].map(words).join("") ||
    words(node) ||
    node.getAttribute("title")?.trim() ||
    node.placeholder;
  const controls = "button, input, select, textarea, a[href], [role=button], [role=tab], [role=combobox], [role=checkbox], [role=slider], [role=progressbar]";
  const nameless = [...document.querySelectorAll(controls)]
    .filter((node) => (shown(node) || node.type === "file") && !named(node))
    .map((node) => node.outerHTML.slice(0, 160));

  // --- contrast, as WCAG 2 has it ---
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const ground = (node) => {
    const layers = [];
    for (let at = node; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.backgroundImage.includes("gradient")) return null; // of the 3D view: looked at, not computed
      const colour = rgba(style.backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const node = text.parentElement;
    if (!text.textContent.trim() || !shown(node) || node.closest(":disabled, [aria-disabled=true], .disabled, script, style, [aria-pressed=false]")) continue;
    const below = ground(node);
    if (!below) continue;
    const style = getComputedStyle(node);
    const ink = node.closest("svg") ? style.fill : style.color;
    let alpha = 1;
    for (let at = node; at; at = at.parentElement) alpha *= Number(getComputedStyle(at).opacity);
    if (alpha < 0.1) continue; // shown when the pointer is there
    const colour = rgba(ink);
    const [a, b] = [light(over([...colour.slice(0, 3), colour[3] * alpha], below)), light(below)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) faint.push(`${ratio.toFixed(2)} ${text.textContent.trim().slice(0, 40)} (${node.className} ${ink})`);
  }
  return { lang: document.documentElement.lang, nameless, faint: [...new Set(faint)] };
}
