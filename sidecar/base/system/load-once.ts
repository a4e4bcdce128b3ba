/**
 * Returns a function that loads a value at its first call and returns the same promise afterwards. After a failure, such as
 * too many open files, the next call tries again.
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
}
