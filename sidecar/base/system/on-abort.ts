/** Calls `listener` when `signal` aborts, at once if it has already. The returned function removes the listener. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal?.aborted) listener();
  else signal?.addEventListener('abort', listener, { once: true });
  return () => signal?.removeEventListener('abort', listener);
}
