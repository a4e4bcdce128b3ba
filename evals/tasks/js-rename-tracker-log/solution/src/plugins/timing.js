/** Notes how long a function takes. */
export function timed(tracker, name, fn, clock = performance) {
  const { record } = bound(tracker);
  return (...args) => {
    const start = clock.now();
    try {
      return fn(...args);
    } finally {
      record(`timing.${name}`, { ms: clock.now() - start });
    }
  };
}

function bound(tracker) {
  return { record: tracker.record.bind(tracker) };
}
