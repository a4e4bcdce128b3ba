/** Sends signals to process groups: a leader and all processes that it started. */

/** Sends a signal to the group of `leader`. Does nothing if the group has ended or `leader` is undefined. */
export function signalGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, signal);
  } catch {
    // ESRCH: the group has ended. EPERM: only processes of another user are left, which this process may not signal.
  }
}
