/** The text of a child's badge. */
export function badge(child) {
  const lines = [child.name.toUpperCase(), `${child.age} years`, `group: ${child.group}`];
  if (child.allergies.length > 0) lines.push(`ALLERGIES: ${child.allergies.join(', ')}`);
  return lines.join('\n');
}
