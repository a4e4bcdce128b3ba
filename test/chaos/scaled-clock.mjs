// A clock that runs faster than the world, so that the protocol's minutes fit into seconds. Programs that share
// `SCALED_CLOCK_EPOCH` agree about the time, also after one of them was started again.

/** `speed`: how many milliseconds of this clock pass in a real one. */
export function scaledClock(speed, epochMs = Number(process.env.SCALED_CLOCK_EPOCH ?? Date.now())) {
  const now = () => Math.round(epochMs + (Date.now() - epochMs) * speed);
  return {
    now,
    monotonicMs: now,
    schedule(delayMs, run) {
      const timer = setTimeout(() => run(), Math.min(Math.max(delayMs, 0) / speed, 2 ** 31 - 1));
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}
