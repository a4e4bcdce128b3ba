/** Notes how long a function takes. */
export function timed(tracker, name, fn, clock = performance) {
  const { log } = bound(tracker);
  return (...args) => {
    const start = clock.now();
    try {
      return fn(...args);
    } finally {
      log(`timing.${name}`, { ms: clock.now() - start });
    }
  };
}

function bound(tracker) {
  return { log: tracker.log.bind(tracker) };
}
