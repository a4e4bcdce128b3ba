/** Names in stages: all of a stage can be built at the same time. `order` is a list in a right order. */
export function stages(packages, order) {
  const stageOf = new Map();
  const result = [];
  for (const name of order) {
    const { needs = [] } = packages.find((one) => one.name === name);
    const stage = Math.max(0, ...needs.map((need) => stageOf.get(need) + 1));
    stageOf.set(name, stage);
    (result[stage] ??= []).push(name);
  }
  return result;
}
