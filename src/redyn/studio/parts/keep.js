// What the browser keeps of a tab's work, so that a server that was started again gets it back: the tables and forms
// as the server tells them (in the tab's own storage), and the files that were uploaded (in a database, by kind).

const NAME = "redyn-work";
const STORE = "files";
const WEEK = 7 * 24 * 3600 * 1000; // ms that files of tabs that are gone stay

const newName = () => `${Date.now()}-${Math.random().toString(36).slice(2)}`;

/** The name under which this tab keeps its files. */
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

/** Keeps a file that the server took; kind: robot, motion or torque. A browser that cannot does without. */
export async function keepFile(kind, file) {
  try {
    await inStore("readwrite", (store) => store.put({ name: file.name, file, kept: Date.now() }, `${tabName()} ${kind}`));
  } catch (error) {
    console.info(`${file.name} is not kept by this browser (${error})`);
  }
}

/** Files of tabs that are long gone. */
async function tidy() {
  for (const key of await inStore("readonly", (store) => store.getAllKeys())) {
    const entry = await inStore("readonly", (store) => store.get(key));
    if (entry && Date.now() - entry.kept > WEEK) await inStore("readwrite", (store) => store.delete(key));
  }
}

async function send(url, body) {
  const answer = await fetch(url, { method: "POST", body, headers: { "Content-Type": "application/octet-stream" } });
  return answer.ok ? "" : ((await answer.json().catch(() => ({}))).error ?? "the server did not take it");
}

/** Sends all that is kept. wrong: what went wrong, in words; copied: whether it was another tab that kept it. */
export async function restore(url) {
  const copied = sessionStorage["redyn-of"] !== sessionStorage.__nicegui_tab_id;
  return { wrong: await restoreFrom(url, tabName(), copied), copied };
}

/** name: under which the files are. A copy of a tab has what that one kept, and keeps its own files from now on. */
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
    sessionStorage.removeItem(NAME); // or it would be tried again for ever
    return wrong;
  }
  const kinds = [
    ["robot", "meshes", work.uploaded],
    ["motion", "motion", work.motion?.kind === "csv"],
    ["torque", "torque", work.run?.drive === "csv"],
  ];
  const lost = [];
  for (const [kind, address, wanted] of kinds) {
    if (!wanted) continue;
    const entry = await inStore("readonly", (store) => store.get(`${name} ${kind}`)).catch(() => null);
    if (entry && copied) await keepFile(kind, entry.file);
    const reason = entry ? await send(`${url}/${address}?name=${encodeURIComponent(entry.name)}`, entry.file) : "the browser did not keep it";
    if (reason) lost.push(`${kind === "robot" ? "the meshes of the robot" : `the file of the ${kind}`}: ${reason}`);
  }
  return lost.length ? `not all of it; ${lost.join("; ")}` : "";
}

/** options: { gone: where to say that the page goes }. */
export function mount(root, options) {
  const leave = () => navigator.sendBeacon(options.gone);
  window.addEventListener("pagehide", leave);
  tidy().catch(() => {});
  return {
    save(work) {
      try {
        sessionStorage.setItem(NAME, JSON.stringify(work));
        sessionStorage["redyn-of"] = sessionStorage.__nicegui_tab_id;
        root.dataset.kept = String(Number(root.dataset.kept ?? 0) + 1);
      } catch {
        sessionStorage.removeItem(NAME); // rather nothing than what was before
      }
    },
    dispose: () => window.removeEventListener("pagehide", leave),
  };
}
