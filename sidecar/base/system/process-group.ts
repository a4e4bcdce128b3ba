/** Signals to a process group: a process that leads one, and all that it started. */

/** Signals the group; does nothing if it is gone, or if there was no process at all. */
export function signalGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, signal);
  } catch {
    // ESRCH: already gone. EPERM: only processes of another user are left, which is not for us to end.
  }
}
