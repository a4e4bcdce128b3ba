import { LruCache } from './lru.js';

/** Remembers the results of a function of one argument, failures not. */
export function memoize(fn, room = 100) {
  const cache = new LruCache(room);
  return (argument) => {
    if (cache.has(argument)) return cache.get(argument);
    const result = fn(argument);
    cache.set(argument, result);
    return result;
  };
}
