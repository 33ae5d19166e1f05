// A line of text that changes while the robot moves; updated here since NiceGUI would redraw the whole page.

export function mount(root, options) {
  root.classList.add("where");
  root.dataset.testid = options.testid;
  return {
    set(text) {
      root.textContent = text;
    },
  };
}
