/** Returns a function that caches the results of `make` by object, as long as the object exists. A result must not be undefined. */
export function memoize<From extends object, Made>(make: (from: From) => Made): (from: From) => Made {
  const cache = new WeakMap<From, Made>();
  return (from) => {
    const cached = cache.get(from);
    if (cached !== undefined) return cached;
    const created = make(from);
    cache.set(from, created);
    return created;
  };
}
