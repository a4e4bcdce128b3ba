export const counters = new Map();

export function count(name) {
  counters.set(name, (counters.get(name) ?? 0) + 1);
}
