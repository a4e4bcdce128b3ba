export function buildOrder(packages) {
  const done = [];
  const names = packages.map((one) => one.name);
  while (done.length < names.length) {
    const next = packages.find((one) => !done.includes(one.name) && (one.needs ?? []).every((need) => done.includes(need)));
    if (!next) throw new Error(`circle: ${names.join(' -> ')} -> ${names[0]}`);
    done.push(next.name);
  }
  return done;
}
