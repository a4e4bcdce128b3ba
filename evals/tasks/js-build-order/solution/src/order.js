/**
 * The names of packages, each behind all it needs; always the first of the input that is ready comes next.
 * Throws when a need is not there or when there is a circle.
 */
export function buildOrder(packages) {
  const needsOf = new Map(packages.map(({ name, needs = [] }) => [name, needs]));
  for (const [name, needs] of needsOf) {
    const missing = needs.find((need) => !needsOf.has(need));
    if (missing !== undefined) throw new Error(`${name} needs ${missing}, which is not there`);
  }
  const done = new Set();
  const waiting = [...needsOf.keys()];
  while (waiting.length > 0) {
    const at = waiting.findIndex((name) => needsOf.get(name).every((need) => done.has(need)));
    if (at === -1) throw new Error(`circle: ${findCircle(waiting, needsOf, done).join(' -> ')}`);
    done.add(waiting.splice(at, 1)[0]);
  }
  return [...done];
}

/** A circle among those that wait: follows needs until one comes again. */
function findCircle(waiting, needsOf, done) {
  const path = [];
  let name = waiting[0];
  while (!path.includes(name)) {
    path.push(name);
    name = needsOf.get(name).find((need) => !done.has(need));
  }
  const circle = path.slice(path.indexOf(name));
  const first = circle.indexOf(waiting.find((one) => circle.includes(one)));
  return [...circle.slice(first), ...circle.slice(0, first), circle[first]];
}
