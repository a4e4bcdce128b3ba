import { readFileSync } from 'node:fs';

const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');

export const redirects = JSON.parse(read('redirects.json'));
export const pages = new Set(read('pages.txt').split('\n').filter(Boolean));

/** What the server answers to an address: 200 for a page, a redirect's status and target, or 404. */
export function resolve(address) {
  const path = address.length > 1 ? address.replace(/\/+$/, '') : address;
  if (pages.has(path)) return { status: 200, path };
  const redirect = redirects.find((entry) => entry.from === path);
  return redirect ? { status: redirect.status, path: redirect.to } : { status: 404, path };
}
