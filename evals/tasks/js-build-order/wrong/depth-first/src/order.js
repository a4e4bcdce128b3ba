export function buildOrder(packages) {
  const byName = new Map(packages.map((one) => [one.name, one]));
  const order = [];
  const path = [];
  const visit = (name) => {
    if (order.includes(name)) return;
    if (path.includes(name)) throw new Error(`circle: ${[...path.slice(path.indexOf(name)), name].join(' -> ')}`);
    path.push(name);
    for (const need of byName.get(name).needs ?? []) {
      if (!byName.has(need)) throw new Error(`${name} needs ${need}, which is not there`);
      visit(need);
    }
    path.pop();
    order.push(name);
  };
  for (const { name } of packages) visit(name);
  return order;
}
