// WebM around frames that the browser's encoder has compressed. Their times are ours, however long encoding takes.

const CODEC = { codec: "vp8", name: "V_VP8" };
const KEY = 60; // frames from one that stands alone to the next
const WAITING = 4; // frames that the encoder may have before it

function settings(width, height, rate) {
  const bitrate = Math.round(Math.max(5e5, 0.12 * width * height * rate));
  return { codec: CODEC.codec, width, height, bitrate, framerate: rate, latencyMode: "quality" };
}

/** Whether this browser can: encoders are for pages of this machine, or with TLS. */
export async function hasWebm() {
  if (typeof VideoEncoder === "undefined") return false;
  return VideoEncoder.isConfigSupported(settings(640, 360, 30)).then((found) => found.supported, () => false);
}

/** The size of an element in 8 bytes. */
function size(length) {
  const bytes = [1];
  for (let k = 6; k >= 0; k -= 1) bytes.push(Math.floor(length / 256 ** k) % 256);
  return bytes;
}

function join(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** An element: its id, as written in the specification, and what it contains. */
function tag(id, ...content) {
  const name = id.match(/../g).map((x) => parseInt(x, 16));
  const inside = join(content);
  return join([new Uint8Array([...name, ...size(inside.length)]), inside]);
}

function whole(number) {
  const bytes = [];
  for (let rest = number; rest || !bytes.length; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return new Uint8Array(bytes);
}

function real(number) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, number);
  return bytes;
}

const ascii = (text) => new TextEncoder().encode(text);

/** chunks: [{ time (ms), key, data }] in order. */
function file(width, height, duration, chunks) {
  const head = tag("1a45dfa3", tag("4286", whole(1)), tag("42f7", whole(1)), tag("42f2", whole(4)), tag("42f3", whole(8)), tag("4282", ascii("webm")), tag("4287", whole(2)), tag("4285", whole(2)));
  const info = tag("1549a966", tag("2ad7b1", whole(1e6)), tag("4489", real(1000 * duration)), tag("4d80", ascii("redyn")), tag("5741", ascii("redyn")));
  const picture = tag("e0", tag("b0", whole(width)), tag("ba", whole(height)));
  const tracks = tag("1654ae6b", tag("ae", tag("d7", whole(1)), tag("73c5", whole(1)), tag("83", whole(1)), tag("86", ascii(CODEC.name)), picture));
  const clusters = [];
  for (const chunk of chunks) {
    if (chunk.key || !clusters.length) clusters.push({ time: chunk.time, blocks: [] });
    const { time, blocks } = clusters[clusters.length - 1];
    const since = chunk.time - time; // 60 frames take less than the 32 s that fit
    blocks.push(tag("a3", new Uint8Array([0x81, since >> 8, since & 255, chunk.key ? 0x80 : 0]), chunk.data));
  }
  const made = clusters.map(({ time, blocks }) => tag("1f43b675", tag("e7", whole(time)), ...blocks));
  let at = info.length + tracks.length;
  const cues = clusters.map(({ time }, k) => {
    const point = tag("bb", tag("b3", whole(time)), tag("b7", tag("f7", whole(1)), tag("f1", whole(at))));
    at += made[k].length;
    return point;
  });
  return new Blob([head, tag("18538067", info, tracks, ...made, tag("1c53bb6b", ...cues))], { type: "video/webm" });
}

/** add(canvas, time, length): s; finish(duration): the file; close() in any case. Width and height must be even. */
export function createWebm(width, height, rate) {
  const chunks = [];
  let failure = null;
  let frames = 0;
  const encoder = new VideoEncoder({
    output(chunk) {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      chunks.push({ time: Math.round(chunk.timestamp / 1000), key: chunk.type === "key", data });
    },
    error: (error) => (failure = error),
  });
  encoder.configure(settings(width, height, rate));

  return {
    async add(canvas, time, length) {
      while (encoder.encodeQueueSize > WAITING && !failure) await new Promise((done) => setTimeout(done, 5));
      if (failure) throw failure;
      const frame = new VideoFrame(canvas, { timestamp: Math.round(1e6 * time), duration: Math.round(1e6 * length) });
      encoder.encode(frame, { keyFrame: frames % KEY === 0 });
      frames += 1;
      frame.close();
    },
    async finish(duration) {
      await encoder.flush();
      if (failure) throw failure;
      return file(width, height, duration, chunks);
    },
    close: () => encoder.state !== "closed" && encoder.close(),
  };
}
