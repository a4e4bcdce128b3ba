/** The text of a child's badge. */
export function badge(child) {
  return [child.name.toUpperCase(), `${child.age} years`, `group: ${child.group}`].join('\n');
}
