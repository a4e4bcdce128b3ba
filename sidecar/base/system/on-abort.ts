/**
 * Calls `listener` when `signal` aborts, or immediately if it has already aborted. Returns a function that
 * removes the listener.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal?.aborted) listener();
  else signal?.addEventListener('abort', listener, { once: true });
  return () => signal?.removeEventListener('abort', listener);
}
