/** Reads a line of the registration: `name;age;group;allergies`, the last may be missing. */
export function parseChild(line) {
  const [name, age, group, allergies = ''] = line.split(';').map((part) => part.trim());
  if (!name || !group) throw new Error(`incomplete: ${line}`);
  if (!/^\d+$/.test(age)) throw new Error(`not an age: ${age}`);
  return { name, age: Number(age), group, allergies: parseAllergies(allergies) };
}

function parseAllergies(text) {
  const names = text.split(',').map((each) => each.trim().toLowerCase());
  return names.filter(Boolean);
}

/** Reads all lines but empty ones and comments. */
export function parseChildren(text) {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map(parseChild);
}
