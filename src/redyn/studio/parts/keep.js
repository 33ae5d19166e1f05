// Saves the work of a tab in the browser, so that it survives a restart of the server: the tables and forms
// as sent by the server (in sessionStorage), and the uploaded files (in IndexedDB, by kind).

const NAME = "redyn-work";
const STORE = "files";
const LINK = "#work=";
const PARTS = ["robot", "motion", "torque"];
const WEEK = 7 * 24 * 3600 * 1000; // ms for which files of closed tabs are kept

const newName = () => `${Date.now()}-${Math.random().toString(36).slice(2)}`;

/** The key under which this tab saves its files. */
function tabName() {
  sessionStorage["redyn-tab"] ??= newName();
  return sessionStorage["redyn-tab"];
}

function opened() {
  return new Promise((done, failed) => {
    const request = indexedDB.open("redyn-studio", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
}

async function inStore(mode, work) {
  const database = await opened();
  try {
    const store = database.transaction(STORE, mode).objectStore(STORE);
    return await new Promise((done, failed) => {
      const request = work(store);
      request.onsuccess = () => done(request.result);
      request.onerror = () => failed(request.error);
    });
  } finally {
    database.close();
  }
}

/** Saves a file, if the browser can; kind: robot, motion, torque, pin- and a key, or session, which has all. */
async function putFile(kind, file) {
  try {
    await inStore("readwrite", (store) => store.put({ name: file.name, file, kept: Date.now() }, `${tabName()} ${kind}`));
  } catch (error) {
    console.info(`${file.name} is not kept by this browser (${error})`);
  }
}

/** The same for one that the server has just accepted: a session takes the place of the files that were there. */
export async function keepFile(kind, file) {
  if (kind === "session") for (const part of PARTS) await dropFile(part);
  await putFile(kind, file);
}

async function dropFile(kind) {
  await inStore("readwrite", (store) => store.delete(`${tabName()} ${kind}`)).catch(() => {});
}

/** Removes files of tabs closed long ago. */
async function tidy() {
  for (const key of await inStore("readonly", (store) => store.getAllKeys())) {
    const entry = await inStore("readonly", (store) => store.get(key));
    if (entry && Date.now() - entry.kept > WEEK) await inStore("readwrite", (store) => store.delete(key));
  }
}

async function send(url, body) {
  const answer = await fetch(url, { method: "POST", body, headers: { "Content-Type": "application/octet-stream" } });
  return answer.ok ? "" : ((await answer.json().catch(() => ({}))).error ?? "the server refused it");
}

/** Sends all saved work. wrong: error message; copied: whether another tab had saved it. */
export async function restore(url) {
  if (location.hash.startsWith(LINK)) return { wrong: await restoreLink(url), copied: false, linked: true };
  const copied = sessionStorage["redyn-of"] !== sessionStorage.__nicegui_tab_id;
  return { wrong: await restoreFrom(url, tabName(), copied), copied, linked: false };
}

/** The work in the address of the page. */
async function restoreLink(url) {
  try {
    const packed = location.hash.slice(LINK.length).replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
    return await send(`${url}/work?name=link.json`, text);
  } catch {
    return "it is damaged, perhaps cut off";
  }
}

/** name: key of the files. A duplicated tab starts with the work of the original, and saves its own files from now on. */
async function restoreFrom(url, name, copied) {
  if (copied) sessionStorage["redyn-tab"] = newName();
  const text = sessionStorage.getItem(NAME);
  let work;
  try {
    work = JSON.parse(text);
  } catch {
    return "it is damaged";
  }
  const wrong = await send(`${url}/work?name=work.json`, text);
  if (wrong) {
    sessionStorage.removeItem(NAME); // or it would be retried forever
    return wrong;
  }
  const kinds = [
    ["robot", "meshes", work.uploaded],
    ["motion", "motion", work.motion?.kind === "csv"],
    ["torque", "torque", work.run?.drive === "csv"],
    ...(work.board?.pins ?? []).map(({ key, name }) => [`pin-${key}`, "pin", true, `the pinned run ${name}`]),
  ];
  const lost = [];
  for (const [kind, address, wanted, called] of kinds) {
    if (!wanted) continue;
    const get = (key) => inStore("readonly", (store) => store.get(`${name} ${key}`)).catch(() => null);
    const alone = await get(kind);
    const entry = alone ?? (await get("session"));
    if (entry && copied) await putFile(alone ? kind : "session", entry.file);
    const reason = entry ? await send(`${url}/${alone ? address : `part:${kind}`}?name=${encodeURIComponent(entry.name)}`, entry.file) : "the browser did not keep it";
    if (reason) lost.push(`${called ?? (kind === "robot" ? "the meshes of the robot" : `the file of the ${kind}`)}: ${reason}`);
  }
  return lost.length ? `not all of it; ${lost.join("; ")}` : "";
}

/** options: { gone: URL that is notified when the page closes }. */
export function mount(root, options) {
  const leave = () => navigator.sendBeacon(options.gone);
  let unsaved = false;
  const warn = (event) => unsaved && event.preventDefault(); // the browser asks in its own words
  const follow = () => location.hash.startsWith(LINK) && location.reload(); // a link pasted into the address of this tab
  window.addEventListener("pagehide", leave);
  window.addEventListener("beforeunload", warn);
  window.addEventListener("hashchange", follow);
  tidy().catch(() => {});
  return {
    save(work, isUnsaved) {
      unsaved = isUnsaved;
      root.dataset.unsaved = unsaved ? "yes" : "no";
      try {
        sessionStorage.setItem(NAME, JSON.stringify(work));
        sessionStorage["redyn-of"] = sessionStorage.__nicegui_tab_id;
      } catch {
        sessionStorage.removeItem(NAME); // better nothing than an outdated state
      }
    },
    keepPin: (key, text) => keepFile(`pin-${key}`, new File([text], key)),
    dropPin: (key) => dropFile(`pin-${key}`),
    dispose() {
      window.removeEventListener("pagehide", leave);
      window.removeEventListener("beforeunload", warn);
      window.removeEventListener("hashchange", follow);
    },
  };
}
