// One time for the whole page: the player sets it, the 3D view and every plot follow.

const listeners = new Set();

export const clock = {
  now: 0,
  start: 0,
  duration: 0,
  seek: () => {}, // the player puts itself here
  set(t) {
    clock.now = t;
    for (const listener of listeners) listener(t);
  },
  on(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
