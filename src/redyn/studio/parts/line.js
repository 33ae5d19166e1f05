// A line of text that changes while the robot moves: by itself, since NiceGUI would draw the whole page again.

export function mount(root, options) {
  root.classList.add("where");
  root.dataset.testid = options.testid;
  return {
    set(text) {
      root.textContent = text;
    },
  };
}
