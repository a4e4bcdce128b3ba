/** What the kitchen has to know: the number of meals for each group and in all, and who must not eat what. */
export function kitchenList(children) {
  const groups = new Map();
  for (const { group } of children) groups.set(group, (groups.get(group) ?? 0) + 1);
  const lines = [...groups].sort(([a], [b]) => a.localeCompare(b)).map(([group, meals]) => `${group}: ${meals}`);
  lines.push(`all: ${children.length}`);

  const allergies = new Map();
  for (const child of children) {
    for (const allergy of child.allergies) {
      allergies.set(allergy, [...(allergies.get(allergy) ?? []), child.name]);
    }
  }
  for (const [allergy, names] of [...allergies].sort(([a], [b]) => a.localeCompare(b))) {
    lines.push(`no ${allergy}: ${names.sort((a, b) => a.localeCompare(b)).join(', ')}`);
  }
  return lines.join('\n');
}
