import { Links } from './links.js';

/** Creates links for lines of addresses; returns { created: [codes], failed: [lines] }. */
export async function importLines(text, store) {
  const links = new Links(store);
  const result = { created: [], failed: [] };
  for (const line of text.split('\n').filter(Boolean)) {
    try {
      result.created.push(await links.create(line.trim()));
    } catch {
      result.failed.push(line);
    }
  }
  return result;
}
