/** Caches the results of `make` by object, as long as the object lives. A result must not be undefined. */
export function remembered<From extends object, Made>(make: (from: From) => Made): (from: From) => Made {
  const known = new WeakMap<From, Made>();
  return (from) => {
    const before = known.get(from);
    if (before !== undefined) return before;
    const made = make(from);
    known.set(from, made);
    return made;
  };
}
