const METHODS = ['log', 'logMany'];

/** A tracker that hands each call on to several others. */
export function relay(...trackers) {
  const all = {};
  for (const method of METHODS) {
    all[method] = (...args) => {
      for (const tracker of trackers) tracker[method](...args);
    };
  }
  return all;
}
