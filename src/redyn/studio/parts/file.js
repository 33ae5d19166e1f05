// An upload button: the file is sent in one request, so that its size can be refused early.

import { element } from "../report/player.js";
import { keepFile } from "./keep.js";

/** Sends a file and keeps it for a restart of the server; emits "refused" if it cannot be sent. True if it was taken. */
export async function send(file, options, emit) {
  if (file.size > options.largest) {
    emit("refused", `${file.name}: larger than ${Math.round(options.largest / 1e6)} MB`);
    return false;
  }
  try {
    const url = `${options.url}?name=${encodeURIComponent(file.name)}`;
    const answer = await fetch(url, { method: "POST", body: file, headers: { "Content-Type": "application/octet-stream" } });
    if (answer.ok) await keepFile((await answer.json()).kind ?? options.url.split("/").pop(), file);
    else if (!(await answer.json().catch(() => ({}))).error) emit("refused", `${file.name}: the server refused it`);
    return answer.ok;
  } catch {
    emit("refused", `${file.name}: could not be sent to the server`);
    return false;
  }
}

/** options: { text, accept, url, largest, title, testid }. The server reports its verdict on a file to the page itself. */
export function mount(root, options, emit) {
  root.classList.add("file");
  const input = element("input", { type: "file", accept: options.accept, "aria-label": options.title });
  root.append(element("label", { class: "small", title: options.title, "data-testid": options.testid }, options.text, input));

  async function sendBusy(file) {
    root.dataset.busy = "yes";
    await send(file, options, emit);
    delete root.dataset.busy;
  }

  input.addEventListener("change", async () => {
    const [file] = input.files;
    if (file) await sendBusy(file);
    input.value = ""; // the same file may be chosen again
  });
  const drop = options.drop ? document.body : null;
  const over = (event) => event.preventDefault();
  const dropped = (event) => {
    event.preventDefault();
    const [file] = event.dataTransfer?.files ?? [];
    if (file) sendBusy(file);
  };
  drop?.addEventListener("dragover", over);
  drop?.addEventListener("drop", dropped);
  return {
    dispose() {
      drop?.removeEventListener("dragover", over);
      drop?.removeEventListener("drop", dropped);
    },
  };
}
