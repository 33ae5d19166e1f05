// Animated GIF: a palette from some of the frames, and LZW. Of a frame only the part that has changed is written.

const COLOURS = 256;
const BITS = 5; // of each channel, where colours are counted and looked up
const CELLS = 1 << (3 * BITS);
const MOST_CODES = 4096;

const cell = (r, g, b) => ((r >> (8 - BITS)) << (2 * BITS)) | ((g >> (8 - BITS)) << BITS) | (b >> (8 - BITS));

/** Colours of the frames (RGBA bytes) by median cut: { table: 256 x RGB, index: of every cell }. */
export function makePalette(frames) {
  const [counts, sums] = [new Float64Array(CELLS), new Float64Array(3 * CELLS)];
  for (const pixels of frames) {
    for (let k = 0; k < pixels.length; k += 4) {
      const at = cell(pixels[k], pixels[k + 1], pixels[k + 2]);
      counts[at] += 1;
      for (let c = 0; c < 3; c += 1) sums[3 * at + c] += pixels[k + c];
    }
  }
  const mean = (at, c) => sums[3 * at + c] / counts[at];
  let boxes = [box([...counts.keys()].filter((at) => counts[at] > 0))];

  /** Cells with the channel in which they differ most, and how much that is worth cutting. */
  function box(cells) {
    const spans = [0, 1, 2].map((c) => {
      const values = cells.map((at) => mean(at, c));
      return values.reduce((a, b) => Math.max(a, b), 0) - values.reduce((a, b) => Math.min(a, b), 255);
    });
    const channel = spans.indexOf(Math.max(...spans));
    const weight = cells.reduce((sum, at) => sum + counts[at], 0);
    return { cells, channel, worth: cells.length > 1 ? spans[channel] * Math.sqrt(weight) : 0 };
  }

  while (boxes.length < COLOURS) {
    const widest = boxes.reduce((a, b) => (b.worth > a.worth ? b : a));
    if (!widest.worth) break;
    const cells = widest.cells.sort((a, b) => mean(a, widest.channel) - mean(b, widest.channel));
    const half = cells.reduce((sum, at) => sum + counts[at], 0) / 2;
    let [cut, sum] = [0, 0];
    while (cut < cells.length - 1 && (cut === 0 || sum + counts[cells[cut]] <= half)) sum += counts[cells[cut++]];
    boxes = [...boxes.filter((other) => other !== widest), box(cells.slice(0, cut)), box(cells.slice(cut))];
  }
  const table = new Uint8Array(3 * COLOURS);
  boxes.forEach(({ cells }, k) => {
    const weight = cells.reduce((sum, at) => sum + counts[at], 0);
    for (let c = 0; c < 3; c += 1) table[3 * k + c] = Math.round(cells.reduce((sum, at) => sum + sums[3 * at + c], 0) / weight);
  });
  return { table, index: nearest(table, boxes.length) };
}

/** For every cell the nearest of the first `count` colours. */
function nearest(table, count) {
  const index = new Uint8Array(CELLS);
  const middle = 1 << (7 - BITS);
  const size = 1 << BITS;
  for (let at = 0; at < CELLS; at += 1) {
    const own = [at >> (2 * BITS), (at >> BITS) & (size - 1), at & (size - 1)].map((x) => (x << (8 - BITS)) + middle);
    let best = Infinity;
    for (let k = 0; k < count; k += 1) {
      const away = (own[0] - table[3 * k]) ** 2 + (own[1] - table[3 * k + 1]) ** 2 + (own[2] - table[3 * k + 2]) ** 2;
      if (away < best) [best, index[at]] = [away, k];
    }
  }
  return index;
}

/** Codes of variable width, in blocks of at most 255 bytes. */
function compress(values) {
  const out = [8];
  let [block, bits, filled, width] = [[], 0, 0, 9];
  const [clear, end] = [COLOURS, COLOURS + 1];
  const known = new Int16Array(MOST_CODES * COLOURS); // code of a prefix and the next value, or 0

  const flush = () => {
    if (block.length) out.push(block.length, ...block);
    block = [];
  };
  const put = (code) => {
    bits |= code << filled;
    filled += width;
    while (filled >= 8) {
      block.push(bits & 255);
      bits >>>= 8;
      filled -= 8;
      if (block.length === 255) flush();
    }
  };

  put(clear);
  let [next, prefix] = [end + 1, values[0]];
  for (let k = 1; k < values.length; k += 1) {
    const key = prefix * COLOURS + values[k];
    if (known[key]) {
      prefix = known[key];
      continue;
    }
    put(prefix);
    if (next < MOST_CODES) {
      if (next === 1 << width) width += 1; // the reader is one code behind
      known[key] = next++;
    } else {
      put(clear);
      known.fill(0);
      [next, width] = [end + 1, 9];
    }
    prefix = values[k];
  }
  put(prefix);
  if (next === 1 << width && width < 12) width += 1;
  put(end);
  if (filled) block.push(bits & 255);
  flush();
  out.push(0);
  return new Uint8Array(out);
}

/** add(pixels, delay): RGBA bytes and hundredths of a second; finish(): the file. It is played again and again. */
export function createGif(width, height, { table, index }) {
  const word = (x) => [x & 255, x >> 8];
  const parts = [
    new Uint8Array([...new TextEncoder().encode("GIF89a"), ...word(width), ...word(height), 0xf7, 0, 0]),
    table,
    new Uint8Array([0x21, 0xff, 11, ...new TextEncoder().encode("NETSCAPE2.0"), 3, 1, 0, 0, 0]),
  ];
  let before = null;

  /** left, top, right, bottom of what differs from the last frame; of equal ones the first pixel. */
  function changed(now) {
    if (!before) return [0, 0, width, height];
    let [left, top, right, bottom] = [width, height, 0, 0];
    for (let y = 0, k = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1, k += 1) {
        if (now[k] === before[k]) continue;
        if (x < left) left = x;
        if (x >= right) right = x + 1;
        if (y < top) top = y;
        bottom = y + 1;
      }
    }
    return right ? [left, top, right, bottom] : [0, 0, 1, 1];
  }

  return {
    add(pixels, delay) {
      const now = new Uint8Array(width * height);
      for (let k = 0; k < now.length; k += 1) now[k] = index[cell(pixels[4 * k], pixels[4 * k + 1], pixels[4 * k + 2])];
      const [left, top, right, bottom] = changed(now);
      const part = new Uint8Array((right - left) * (bottom - top));
      for (let y = top; y < bottom; y += 1) part.set(now.subarray(y * width + left, y * width + right), (y - top) * (right - left));
      parts.push(
        new Uint8Array([0x21, 0xf9, 4, 4, ...word(delay), 0, 0]),
        new Uint8Array([0x2c, ...word(left), ...word(top), ...word(right - left), ...word(bottom - top), 0]),
        compress(part),
      );
      before = now;
    },
    finish: () => new Blob([...parts, new Uint8Array([0x3b])], { type: "image/gif" }),
  };
}
