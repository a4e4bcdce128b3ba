/** What the kitchen has to know: the number of meals for each group and in all. */
export function kitchenList(children) {
  const groups = new Map();
  for (const { group } of children) groups.set(group, (groups.get(group) ?? 0) + 1);
  const lines = [...groups].sort(([a], [b]) => a.localeCompare(b)).map(([group, meals]) => `${group}: ${meals}`);
  lines.push(`all: ${children.length}`);
  return lines.join('\n');
}
