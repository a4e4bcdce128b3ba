import { Links } from './links.js';

/** Creates links for lines of addresses; returns { created: [codes], failed: [lines] }. */
export function importLines(text, store) {
  const links = new Links(store);
  const result = { created: [], failed: [] };
  text.split('\n').filter(Boolean).forEach((line) => {
    try {
      result.created.push(links.create(line.trim()));
    } catch {
      result.failed.push(line);
    }
  });
  return result;
}
